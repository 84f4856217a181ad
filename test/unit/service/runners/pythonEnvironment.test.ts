import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Python } from '../../../../src/service/runners/python.ts';
import { environmentVariables, makeEnvironment } from '../../../../src/service/runners/pythonEnvironment.ts';

describe('an environment of a run', () => {
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace environment-')))));
  afterEach(() => rm(folder, { recursive: true }));

  const make = (more: Partial<Python> = {}): Promise<string> =>
    makeEnvironment({
      folder,
      python: {
        command: '/venv/bin/python',
        version: '3.11.2',
        baseCommand: '/usr/bin/python3.11',
        packagesPath: 'lib/python3.11/site-packages',
        seesSystem: true,
        hasJupyter: false,
        ...more,
      },
      pipScript: "/it's/run_pip.py",
      run: () => assert.fail('only Windows runs something'),
    });
  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

  it('is the interpreter behind the one it is made from, under each of its names', async function () {
    if (process.platform === 'win32') this.skip();
    assert.equal(await make(), join(folder, 'bin', 'python'));
    for (const name of ['python', 'python3', 'python3.11'])
      assert.equal(await readlink(join(folder, 'bin', name)), '/usr/bin/python3.11');
    assert.equal(await read('pyvenv.cfg'), 'home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.11.2\n');
    assert.equal(await read('lib/python3.11/site-packages/_parent.pth').catch(() => 'none'), 'none');
  });

  it('sees the packages of the environment that it is made from, and of the system only if that does', async function () {
    if (process.platform === 'win32') this.skip();
    await make({ seesSystem: false, parentPackages: '/venv/lib "x"' });
    assert.match(await read('pyvenv.cfg'), /^include-system-site-packages = false$/m);
    assert.equal(
      await read('lib/python3.11/site-packages/_parent.pth'),
      'import site; site.addsitedir("/venv/lib \\"x\\"")\n',
    );
  });

  it('has a pip that runs the script with its own interpreter, whatever stands in the paths', async function () {
    if (process.platform === 'win32') this.skip();
    await make({ baseCommand: '/bin/echo' });
    for (const name of ['pip', 'pip3']) {
      assert.equal((await stat(join(folder, 'bin', name))).mode & 0o777, 0o755);
      const said = execFileSync(join(folder, 'bin', name), ['install', 'a b'], { encoding: 'utf8' });
      assert.equal(said, "/it's/run_pip.py install a b\n");
    }
  });

  it('comes first where commands are looked for, and the job has its say about Spark', () => {
    const command = join('/env', 'bin', 'python');
    assert.deepEqual(environmentVariables(command, { PATH: '/usr/bin', PYSPARK_PYTHON: 'mine', A: '1' }), {
      PYSPARK_PYTHON: 'mine',
      PYSPARK_DRIVER_PYTHON: command,
      PATH: join('/env', 'bin') + delimiter + '/usr/bin',
      VIRTUAL_ENV: '/env',
      A: '1',
    });
    assert.equal(environmentVariables(command, {})['PATH'], join('/env', 'bin'));
    assert.equal(environmentVariables(command, { Path: 'C' })['PATH'], join('/env', 'bin') + delimiter + 'C');
  });
});
