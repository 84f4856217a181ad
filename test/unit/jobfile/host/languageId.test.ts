import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { isJobFile, languageId, withJson } from '../../../../src/jobfile/host/languageId.ts';
import { root } from '../../../support/paths.ts';

describe('what is a job file', () => {
  const isOne = (id: string, fileName: string): boolean => isJobFile({ languageId: id, fileName } as never);

  it('is what the editor takes for one, whatever its name, and JSON with the ending of one', () => {
    for (const name of ['/work/a.job.yml', '/work/a.job.yaml', '/work/b.txt', 'Untitled-1'])
      assert.equal(isOne('millrace-job', name), true, name);
    assert.deepEqual([isOne('json', '/work/a.job.json'), isOne('json', '/work/.job.json')], [true, true]);
    for (const [id, name] of [
      ['json', '/work/a.json'],
      ['json', '/work/ajob.json'],
      ['json', '/work/a.job.json.bak'],
      ['json', '/work/a.job.json/b.json'],
      ['jsonc', '/work/a.job.json'],
      ['yaml', '/work/a.job.yml'],
      ['plaintext', '/work/a.job.json'],
    ] as const)
      assert.equal(isOne(id, name), false, `${id} ${name}`);
  });

  it('has the language of the manifest, and the schema of the JSON that it is asked for', () => {
    const { contributes } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      contributes: { languages: { id: string }[]; jsonValidation: { fileMatch: string | string[] }[] };
    };
    assert.ok(contributes.languages.some(({ id }) => id === languageId));
    assert.deepEqual(withJson, [languageId, { language: 'json', pattern: '**/*.job.json' }]);
    assert.deepEqual(
      contributes.jsonValidation.map(({ fileMatch }) => fileMatch),
      ['*.job.json'],
    );
  });
});
