import assert from 'node:assert/strict';
import { settingsPath } from '../../../../src/jobfile/model/settingsRoot.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('the place of the settings in a job file', () => {
  it('is the whole file, or the field that holds them in a job as it was read and in the body of a reset', () => {
    for (const [text, ...path] of [
      [''],
      ['name: a\n'],
      ['- settings: {name: a}\n'],
      ['settings: {name: a}\n', 'settings'],
      ['new_settings: {name: a}\n', 'new_settings'],
      ['job_id: 1\ncreated_time: 2\nsettings: {}\n', 'settings'],
      ['new_settings: {name: a}\nsettings: {name: b}\n', 'settings'],
      // One that holds no fields is none.
      ['settings: 1\nnew_settings: {name: a}\n', 'new_settings'],
      ['settings: [name]\n'],
      ['settings:\n'],
      ['x-a: &a {name: a}\nsettings: *a\n', 'settings'],
      // A setting beside it, wherever it stands: the file is the settings.
      ['name: a\nsettings: {name: b}\n'],
      ['settings: {name: b}\nx-a: 1\nname: a\n'],
      ['job_id: 1\nsettings: {name: b}\nmax_retries: 1\ncreated_time: 2\n'],
    ] as const)
      assert.deepEqual(settingsPath(parseDocument(text).root), path, text);
  });
});
