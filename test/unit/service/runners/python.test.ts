import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPythonFinder, examinePython } from '../../../../src/service/runners/python.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('the Python of this machine', function () {
  this.timeout(60_000);
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-python-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const answer = {
    command: '/found/python3',
    version: '3.9.1',
    baseCommand: '/base/python3',
    packagesPath: 'lib',
    parentPackages: null,
    seesSystem: true,
    nbclient: null,
    sitePackages: ['/site'],
    pysparkHome: null,
    pysparkVersion: null,
  };
  /** A stand-in that prints this, whatever it is asked to run. */
  function write(name: string, printed: object | string, exitCode = 0): string {
    const path = join(folder, name);
    const text = typeof printed === 'string' ? printed : `warning\n@${JSON.stringify(printed)}`;
    writeFileSync(path, `#!/bin/sh\ncat <<'END'\n${text}\nEND\nexit ${exitCode}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const here = (): { environment: NodeJS.ProcessEnv } => ({ environment: { PATH: `${folder}:/usr/bin:/bin` } });

  it('is told with what it can do', async () => {
    const whole = await examinePython(
      write('python3', {
        ...answer,
        parentPackages: '/venv',
        nbclient: '0.10',
        pysparkHome: '/spark',
        pysparkVersion: '3.5',
      }),
    );
    assert.deepEqual(whole, {
      command: '/found/python3',
      version: '3.9.1',
      baseCommand: '/base/python3',
      packagesPath: 'lib',
      parentPackages: '/venv',
      seesSystem: true,
      hasJupyter: true,
      jupyterVersion: '0.10',
      sitePackages: ['/site'],
      pysparkHome: '/spark',
      pysparkVersion: '3.5',
    });
    const little = await examinePython(write('little', { ...answer, command: '', baseCommand: '' }));
    assert.ok(typeof little === 'object');
    assert.deepEqual(
      [little.command, little.baseCommand, little.hasJupyter, little.pysparkHome],
      [join(folder, 'little'), join(folder, 'little'), false, undefined],
    );
  });

  it('is none that is too old, fails, or answers something else', async () => {
    for (const [version, expected] of [
      ['3.8.0', 'object'],
      ['4.0', 'object'],
      ['3.7.17', 'version 3.7.17 is too old'],
      ['2.7.18', 'version 2.7.18 is too old'],
    ] as const) {
      const found = await examinePython(write('python3', { ...answer, version }));
      assert.equal(typeof found === 'string' ? found : typeof found, expected);
    }
    assert.equal(await examinePython(write('odd', 'first\nlast words')), 'last words');
    assert.equal(await examinePython(write('silent', '')), 'it does not answer as a Python does');
    assert.equal(await examinePython(write('failing', answer, 1)).then((found) => typeof found), 'string');
    assert.match(String(await examinePython(join(folder, 'none'))), /none|not found/);
  });

  it('is the first that works, remembered once it is found and looked for again until then', async () => {
    write('python3', 'broken', 1);
    write('python', 'broken, too', 1);
    const finder = createPythonFinder(here());
    await assert.rejects(finder.find(), (error) => {
      assert.ok(isAppError(error));
      assert.equal(error.kind, 'unavailable');
      assert.match(error.message, /\(python3: broken; python: broken, too\), so the run was not started/);
      assert.match(error.remedy ?? '', /^Install Python 3\.8 or newer/);
      return true;
    });
    assert.deepEqual(
      (await finder.probe()).map(({ name, available }) => [name, available]),
      [
        ['python', false],
        ['jupyter', false],
      ],
    );
    write('python', answer);
    assert.equal((await finder.find()).version, '3.9.1');
    write('python3', { ...answer, version: '3.12.0' });
    assert.equal((await finder.find()).version, '3.9.1');
    assert.equal((await createPythonFinder(here()).find()).version, '3.12.0');
  });

  it('is the one of the settings and no other, and says how to have Jupyter', async () => {
    write('python3', answer);
    const configured = join(folder, 'own');
    const finder = createPythonFinder({ configured, ...here() });
    await assert.rejects(finder.find(), /own: /);
    write('own', { ...answer, version: '3.11.0' });
    const [python, jupyter] = await finder.probe();
    assert.deepEqual([python?.available, python?.version, jupyter?.available], [true, '3.11.0', false]);
    assert.match(jupyter?.remedy ?? '', /: \/found\/python3 -m pip install nbclient ipykernel$/);
    write('with', { ...answer, nbclient: '0.10' });
    const [, there] = await createPythonFinder({ configured: join(folder, 'with'), ...here() }).probe();
    assert.deepEqual([there?.available, there?.version], [true, '0.10']);
  });
});
