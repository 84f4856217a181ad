import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { namedJobFiles } from '../../../src/cli/check.ts';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { AppError } from '../../../src/shared/errors.ts';

describe('the job files that a command is given', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-named-'));
    for (const path of [
      'b.job.yml',
      'a.job.yaml',
      'c.job.json',
      'd.yml',
      'job.yml',
      'e.job.yml.bak',
      'below/f.job.yml',
      'node_modules/g.job.yml',
      'below/node_modules/deep/h.job.yml',
      'my_node_modules/i.job.yml',
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    mkdirSync(join(folder, 'k.job.yml'));
    mkdirSync(join(folder, 'empty'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'below', 'l.job.yml'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const named = async (...paths: string[]): Promise<string[]> =>
    [
      ...(await namedJobFiles(
        'check',
        paths.map((path) => join(folder, path)),
      )),
    ].map((path) => path.slice(folder.length + 1));

  it('are those of a folder and below it, in order, without those of packages', async () => {
    assert.deepEqual(await named('.'), [
      'a.job.yaml',
      'b.job.yml',
      join('below', 'f.job.yml'),
      join('below', 'l.job.yml'),
      'c.job.json',
      join('my_node_modules', 'i.job.yml'),
    ]);
  });

  it('are those that are named, as they are named, each once', async () => {
    assert.deepEqual(await named('d.yml', 'none', 'b.job.yml', 'd.yml', 'below'), [
      'd.yml',
      'none',
      'b.job.yml',
      join('below', 'f.job.yml'),
      join('below', 'l.job.yml'),
    ]);
  });

  it('are at least one', async () => {
    await assert.rejects(namedJobFiles('check', []), isUsageError);
    await assert.rejects(named('empty'), (error) => {
      assert.ok(error instanceof AppError);
      assert.match(error.message, /^There is no job file in .*empty; nothing was done\.$/);
      assert.equal(error.remedy, 'Name the files, or a folder with files such as etl.job.yml.');
      return error.kind === 'invalid';
    });
  });
});
