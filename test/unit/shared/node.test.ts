import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isProcessAlive } from '../../../src/shared/node/isProcessAlive.ts';
import { makeFolder } from '../../../src/shared/node/makeFolder.ts';
import { eachWithTempFolder } from '../../support/tempFolder.ts';

describe('isProcessAlive', () => {
  it('is true until the process ends', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
    await once(child, 'spawn');
    assert.equal(isProcessAlive(child.pid!), true);
    assert.equal(isProcessAlive(child.pid!), true);
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.equal(isProcessAlive(child.pid!), false);
    assert.deepEqual([child.exitCode, child.signalCode], [null, 'SIGKILL'], 'nothing else has ended it');
  });
});

describe('makeFolder', () => {
  let folder: string;

  eachWithTempFolder((one) => (folder = one));

  it('creates a folder with its parents', () => {
    const deep = join(folder, 'a', 'b', 'c');
    makeFolder(deep, 0o700);
    assert.ok(statSync(deep).isDirectory());
    if (process.platform !== 'win32') assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
    makeFolder(deep, 0o700);
    makeFolder('/');
  });

  it('fails if a file is in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST' });
    assert.throws(() => makeFolder(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
  });

  it('fails if the file system allows no folders', function () {
    if (process.platform !== 'linux') this.skip();
    const module = pathToFileURL(join(import.meta.dirname, '../../../src/shared/node/makeFolder.ts')).href;
    const program = `const { makeFolder } = await import('${module}');
      for (const folder of ['/proc/millrace', '/proc/millrace/below'])
        try { makeFolder(folder); } catch (error) { console.log(error.code); }`;
    const args = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--input-type=module', '--eval', program];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    assert.equal(said, 'ENOENT\nENOENT\n');
  });
});
