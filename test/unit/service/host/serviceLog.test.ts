import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLogLine, rotatedLog } from '../../../../src/service/host/localServiceOptions.ts';

describe('the log of the local service', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-log-'));
    path = join(folder, 'service.log');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('goes on up to 5 MB, and is set aside beyond', () => {
    assert.equal(rotatedLog(path), path);
    writeFileSync(path, 'first\n');
    truncateSync(path, 5 * 1024 * 1024);
    assert.equal(rotatedLog(path), path);
    assert.ok(existsSync(path));
    truncateSync(path, 5 * 1024 * 1024 + 1);
    assert.equal(rotatedLog(path), path);
    assert.equal(existsSync(path), false);
    assert.match(readFileSync(`${path}.old`, 'utf8'), /^first\n/);
  });

  it('tells its last line as it stands in a sentence', async () => {
    assert.equal(await lastLogLine(path), '');
    writeFileSync(path, 'first\nThe port is taken. \n\n');
    assert.equal(await lastLogLine(path), 'The port is taken');
    writeFileSync(path, 'only one');
    assert.equal(await lastLogLine(path), 'only one');
  });

  it('tells the error of a service that broke off at its start, not what Node writes below it', async () => {
    const program = join(folder, 'broken.cjs');
    const endOf = async (code: string): Promise<string> => {
      writeFileSync(program, code);
      const { stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
      writeFileSync(path, `Error: of an earlier start.\n\nNode.js v22.0.0\n${stderr}`);
      return lastLogLine(path);
    };
    assert.equal(await endOf("require('nothing-of-that-name')"), "Error: Cannot find module 'nothing-of-that-name'");
    assert.equal(await endOf("throw new TypeError('No folder.', { cause: new Error('why') })"), 'TypeError: No folder');
    assert.match(await endOf("throw 'a word'"), /^Node\.js v\d/);
  });
});
