import assert from 'node:assert/strict';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { isOn } = await import('../../../../src/jobfile/host/editorSettings.ts');

describe('what of the language can be turned off', () => {
  const file = textFile('file:///work/a.job.yml', 'name: a\n');
  const { getConfiguration } = standIn.workspace;
  afterEach(() => {
    standIn.workspace.getConfiguration = getConfiguration;
  });

  it('is so for a file, as it is set for its folder, and on where nothing is set', () => {
    const asked: unknown[][] = [];
    standIn.workspace.getConfiguration = ((...args: unknown[]) => (
      asked.push(args),
      getConfiguration(String(args[0]))
    )) as never;
    editor.reset();
    assert.deepEqual([isOn('format', file), isOn('inlayHints', file)], [true, true]);
    editor.settings['millrace.jobFile.format'] = false;
    assert.deepEqual([isOn('format', file), isOn('inlayHints', file)], [false, true]);
    editor.settings = { 'millrace.jobFile.format': true, 'millrace.jobFile.inlayHints': false };
    assert.deepEqual([isOn('format', file), isOn('inlayHints', file)], [true, false]);
    assert.equal(asked.length, 6);
    for (const given of asked) assert.deepEqual(given, ['millrace.jobFile', file]);
  });
});
