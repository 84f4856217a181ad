import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { installPrograms, pythonFile, scriptFile } from '../../../../src/service/runners/programs.ts';

describe('the programs in other languages', () => {
  let dataFolder: string;
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'millrace-programs-'));
  });
  afterEach(() => rm(dataFolder, { recursive: true, force: true }));

  it('are found among the sources', async () => {
    assert.match(await readFile(pythonFile('examine_python.py'), 'utf8'), /^"""Prints what this Python is/);
    assert.match(await readFile(scriptFile('keeper.pl'), 'utf8'), /^# The keeper/);
  });

  it('are copied once into a folder of the data folder, readable by its owner only', async () => {
    const [programs, again] = await Promise.all([installPrograms(dataFolder), installPrograms(dataFolder)]);
    assert.deepEqual(again, programs);
    assert.equal((await readdir(join(dataFolder, 'tools'))).length, 1);
    for (const path of Object.values(programs)) {
      const { mode } = await stat(path);
      if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o600, path);
    }
    const folder = dirname(programs.notebook);
    for (const name of ['machine.py', 'r_loop.R'])
      assert.equal(
        await readFile(join(folder, 'millrace_runner', name), 'utf8'),
        await readFile(pythonFile(join('millrace_runner', name)), 'utf8'),
      );
    for (const [path, source] of [
      [programs.debugged, pythonFile('run_debugged.py')],
      [programs.notebook, pythonFile('run_notebook.py')],
      [programs.jupyter, pythonFile('run_jupyter.py')],
      [programs.pip, pythonFile('run_pip.py')],
      [programs.wheelhouse, pythonFile('install_wheelhouse.py')],
      [programs.log4j2, scriptFile('log4j2.properties')],
      [programs.log4j1, scriptFile('log4j.properties')],
    ] as const)
      assert.equal(await readFile(path, 'utf8'), await readFile(source, 'utf8'), source);
    assert.deepEqual(
      (await readdir(folder, { recursive: true })).filter((name) => name.includes('__pycache__')),
      [],
    );
  });

  it('that cannot be put in their place are no programs, and leave no draft', async () => {
    const { notebook } = await installPrograms(dataFolder);
    const other = join(dataFolder, 'other');
    await mkdir(join(other, 'tools'), { recursive: true });
    const place = basename(dirname(notebook));
    await writeFile(join(other, 'tools', place), '');
    await assert.rejects(installPrograms(other), { syscall: 'rename' });
    assert.deepEqual(await readdir(join(other, 'tools')), [place]);
  });

  it('are not written again for the next run', async () => {
    const { notebook } = await installPrograms(dataFolder);
    await chmod(notebook, 0o400);
    await installPrograms(dataFolder);
    if (process.platform !== 'win32') assert.equal((await stat(notebook)).mode & 0o777, 0o400);
  });
});
