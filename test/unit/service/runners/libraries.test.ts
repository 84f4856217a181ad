import assert from 'node:assert/strict';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join, relative, sep } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import {
  createLibraryInstaller,
  environmentsFolder,
  readyFile,
  sparkOptions,
} from '../../../../src/service/runners/libraries.ts';
import type { ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { createPythonFinder, type Python } from '../../../../src/service/runners/python.ts';
import type { RunnerLibrary } from '../../../../src/service/runners/runner.ts';
import { isAppError, type AppError } from '../../../../src/shared/errors.ts';
import { ended, eachWithWorkbench, type Workbench } from './workbench.ts';
import './packages.part.ts';

describe('libraries of a run', function () {
  this.timeout(60_000);
  let bench: Workbench;
  let python: Python;
  eachWithWorkbench((one) => (bench = one));
  before(async () => (python = await createPythonFinder().find()));

  const asked: string[][] = [];
  beforeEach(() => (asked.length = 0));
  const install = (
    libraries: RunnerLibrary[],
    answer: (parameters: readonly string[]) => ProcessEnd = () => ended(),
    { signal, using = python }: { signal?: AbortSignal; using?: Python | null } = {},
  ) =>
    createLibraryInstaller({
      dataFolder: bench.dataFolder,
      files: createFileMap({ root: bench.root, dataFolder: bench.dataFolder }),
    }).install(libraries, using ?? undefined, {
      signal: signal ?? new AbortController().signal,
      run: (_command, parameters) => {
        asked.push(parameters.slice(parameters[1] === 'install' ? 4 : 1));
        return Promise.resolve(answer(parameters));
      },
    });
  const refusal = (work: Promise<unknown>): Promise<AppError> =>
    work.then(
      () => assert.fail('it was installed'),
      (error: unknown) => (isAppError(error) ? error : Promise.reject(error)),
    );
  const pypi = (name: string, repo?: string): RunnerLibrary => ({ pypi: { package: name, ...(repo && { repo }) } });

  it('of each index are installed in one go, once for a set, and built again where that failed', async () => {
    const set = [pypi('a==1'), pypi(' b '), pypi('c', 'https://one.example'), pypi('d', 'https://one.example')];
    const failed = await refusal(install(set, () => ended({ exitCode: 1, errorTail: 'no' })));
    assert.equal(failed.kind, 'rejected');
    asked.length = 0;
    const made = await install(set);
    assert.deepEqual(asked, [
      ['a==1', 'b'],
      ['--index-url=https://one.example', 'c', 'd'],
    ]);
    assert.notEqual(made.python?.command, python.command);
    assert.equal((await install(set)).python?.command, made.python?.command);
    assert.equal(asked.length, 2);
    await install(set.slice(0, 1));
    assert.deepEqual(asked.at(-1), ['a==1']);
    // Two runs at once build one.
    const both = await Promise.all([install([pypi('twice')]), install([pypi('twice')])]);
    assert.deepEqual([asked.length, both[0].python?.command === both[1].python?.command], [4, true]);
  });

  it('are not installed where the run was cancelled meanwhile, which is no failure of theirs', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const stop = (): ProcessEnd => {
      controller.abort(reason);
      return ended({ exitCode: undefined, signalName: 'SIGTERM' });
    };
    await assert.rejects(install([pypi('a')], stop, { signal: controller.signal }), reason);
    // One that waits for another run's installation gives up, too; the other goes on.
    const waiting = new AbortController();
    const first = install([pypi('slow')]);
    const second = install([pypi('slow')], undefined, { signal: waiting.signal });
    waiting.abort(reason);
    await assert.rejects(second, reason);
    assert.ok((await first).python);
  });

  it('that fail are told with what pip said last, or with how to have a pip', async () => {
    const errorTail = 'first\nERROR: No matching distribution found for a\n[notice] A new release\nWARNING: old\n\n';
    const failed = await refusal(install([pypi('a')], () => ended({ exitCode: 1, errorTail })));
    assert.equal(
      failed.message,
      'Installing a failed, so the run was not started. ERROR: No matching distribution found for a',
    );
    assert.match(failed.remedy ?? '', /^All it printed is in the run's setup\.log\. Correct the libraries/);
    const noPip = 'There is no pip. Run: apt install python3-pip';
    const without = await refusal(install([pypi('a')], () => ended({ exitCode: 87, errorTail: noPip })));
    assert.deepEqual(
      [without.kind, without.message, without.remedy],
      [
        'unavailable',
        'Installing a failed, so the run was not started. There is no pip.',
        'Run: apt install python3-pip',
      ],
    );
    const unnamed = await refusal(install([pypi('a')], () => ended({ exitCode: 87, errorTail: 'No pip.' })));
    assert.match(unnamed.remedy ?? '', /^All it printed/);
  });

  it('need a Python where they are installed with one', async () => {
    assert.equal((await refusal(install([pypi('a')], undefined, { using: null }))).kind, 'unavailable');
    assert.deepEqual((await install([{ maven: { coordinates: 'a:b:1' } }], undefined, { using: null })).packages, [
      'a:b:1',
    ]);
  });

  it('whose names a command could take for something else are refused', async () => {
    for (const library of [
      pypi('-r x'),
      pypi(' '),
      pypi('a\nb'),
      pypi('a', '--x'),
      { maven: { coordinates: 'a:b' } },
      { maven: { coordinates: 'a:b:1,c:d:1' } },
      { maven: { coordinates: 'a:b:1:c:d:e' } },
      { maven: { coordinates: 'a:b:1', repo: '-x' } },
      { maven: { coordinates: 'a:b:1', exclusions: ['-x'] } },
      { cran: { package: '--x' } },
    ])
      assert.equal((await refusal(install([library]))).kind, 'invalid', JSON.stringify(library));
  });

  it('for Spark are its options, and what a session of Python is started with', async () => {
    const jars = join(bench.dataFolder, 'dfs');
    await mkdir(jars, { recursive: true });
    for (const name of ['a.jar', "b's.jar", 'c.egg', 'd.egg']) await writeFile(join(jars, name), name);
    const set: RunnerLibrary[] = [
      { jar: 'dfs:/a.jar' },
      { maven: { coordinates: 'g:a:1', repo: 'https://r.example', exclusions: ['x:y', 'z:*'] } },
      { maven: { coordinates: 'g:b:jar:all:2' } },
    ];
    const installed = await install(set);
    assert.deepEqual(sparkOptions(installed), [
      ...['--jars', join(jars, 'a.jar'), '--packages', 'g:a:1,g:b:jar:all:2'],
      ...['--repositories', 'https://r.example', '--exclude-packages', 'x:y,z:*'],
    ]);
    assert.deepEqual(installed.environment, {
      PYSPARK_SUBMIT_ARGS:
        `--jars ${join(jars, 'a.jar')} --packages g:a:1,g:b:jar:all:2 ` +
        "--repositories https://r.example --exclude-packages 'x:y,z:*' pyspark-shell",
    });
    assert.equal(
      (await install([{ jar: "dfs:/b's.jar" }])).environment['PYSPARK_SUBMIT_ARGS'],
      `--jars '${join(jars, `b'"'"'s.jar`)}' pyspark-shell`,
    );
    assert.equal(installed.python, python);
    const eggs = await install([{ egg: 'dfs:/c.egg' }, { egg: 'dfs:/d.egg' }]);
    const path = eggs.environment['PYTHONPATH'] ?? '';
    assert.ok(path.startsWith([join(jars, 'c.egg'), join(jars, 'd.egg')].join(':')), path);
    const before = process.env['PYTHONPATH'];
    process.env['PYTHONPATH'] = '/of/the/service';
    try {
      assert.equal(
        (await install([{ egg: 'dfs:/c.egg' }])).environment['PYTHONPATH'],
        `${join(jars, 'c.egg')}:/of/the/service`,
      );
    } finally {
      if (before === undefined) delete process.env['PYTHONPATH'];
      else process.env['PYTHONPATH'] = before;
    }
  });

  it('of R are installed one by one, each from its repository, into a folder that the run reads', async function () {
    if (process.platform === 'win32') this.skip();
    const bin = join(bench.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'Rscript'), '', { mode: 0o755 });
    const before = process.env['PATH'];
    process.env['PATH'] = bin + delimiter + before;
    try {
      const cran = (name: string, repo?: string): RunnerLibrary => ({ cran: { package: name, ...(repo && { repo }) } });
      const { environment } = await install([cran('one'), cran('two', 'https://r.example')]);
      const folder = environment['R_LIBS'] ?? '';
      assert.match(folder, /[\\/]r$/);
      assert.deepEqual(asked, [
        [folder, 'one', 'https://cloud.r-project.org'],
        [folder, 'two', 'https://r.example'],
      ]);
      process.env['PATH'] = join(bench.folder, 'nothing');
      const { kind, message, remedy } = await refusal(install([cran('three'), cran('four')]));
      assert.deepEqual(
        [kind, message, remedy],
        [
          'unavailable',
          'The CRAN library three was not installed: there is no R on this machine.',
          'Install R, so that Rscript is on the PATH, or take the library out of the job.',
        ],
      );
    } finally {
      process.env['PATH'] = before;
    }
  });

  it('of each kind are installed in their order, and again where a file, the Python or what was built is another', async () => {
    const place = join(bench.dataFolder, 'dfs');
    await mkdir(place, { recursive: true });
    const at = (name: string): string => join(place, name);
    for (const name of ['a.whl', 'all.wheelhouse.zip', 'x.jar', 'x.egg']) await writeFile(at(name), name);
    const set: RunnerLibrary[] = [
      pypi('c', 'https://one.example'),
      ...[{ whl: 'dfs:/a.whl' }, { whl: 'dfs:/all.wheelhouse.zip' }, { jar: 'dfs:/x.jar' }, { egg: 'dfs:/x.egg' }],
      pypi('d', 'https://two.example'),
      pypi('e'),
      pypi('f', ' https://one.example '),
    ];
    const order = [
      [at('all.wheelhouse.zip')],
      [at('a.whl'), 'e'],
      ['--index-url=https://one.example', 'c', 'f'],
      ['--index-url=https://two.example', 'd'],
    ];
    /** The folder, and whether it was built. */
    const folderOf = async (using: Python = python): Promise<[folder: string, isBuilt: boolean]> => {
      asked.length = 0;
      const made = await install(set, undefined, { using });
      if (asked.length > 0) assert.deepEqual(asked, order);
      assert.equal(made.environment['R_LIBS'], undefined);
      const [key = ''] = relative(environmentsFolder(bench.dataFolder), made.python?.command ?? '').split(sep);
      assert.match(key, /^[0-9a-f]{24}$/);
      return [join(bench.dataFolder, 'environments', key), asked.length > 0];
    };
    const [folder, isFirstBuilt] = await folderOf();
    assert.equal(isFirstBuilt, true);
    const ready = join(folder, readyFile);
    await utimes(ready, 1, 1);
    await writeFile(at('x.jar'), 'other');
    await writeFile(at('x.egg'), 'other');
    assert.deepEqual(await folderOf(), [folder, false]);
    assert.ok((await stat(ready)).mtimeMs > 1e6, 'it was used now');
    for (const text of ['{', JSON.stringify({ command: '/none', version: '3.9.0' })]) {
      await writeFile(ready, text);
      await writeFile(join(folder, 'of the last'), '');
      assert.deepEqual(await folderOf(), [folder, true]);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => /of the last|draft/.test(name)),
        [],
      );
    }
    const folders = [folder];
    for (const name of ['a.whl', 'all.wheelhouse.zip']) {
      await writeFile(at(name), 'other');
      const [other, isBuilt] = await folderOf();
      assert.equal(isBuilt, true);
      folders.push(other);
    }
    const [ofOther, isBuilt] = await folderOf({ ...python, version: '3.99.0' });
    assert.equal(isBuilt, true);
    assert.equal(new Set([...folders, ofOther]).size, 4);
  });

  it('that are not there are named by their kind, and of what failed no more than a line is told', async () => {
    for (const [library, message] of [
      [{ jar: 'dfs:/no.jar' }, 'JAR library dfs:/no.jar was not found; nothing was run.'],
      [{ egg: 'dfs:/no.egg' }, 'Egg library dfs:/no.egg was not found; nothing was run.'],
      [{ whl: 'dfs:/no.whl' }, 'Wheel library dfs:/no.whl was not found; nothing was run.'],
    ] as const)
      assert.equal((await refusal(install([library]))).message, message);
    const failed = await refusal(
      install([pypi('a', 'https://r.example')], () => ended({ exitCode: 2, errorTail: `b\n${'x'.repeat(600)}\n` })),
    );
    assert.equal(
      failed.message,
      `Installing a from https://r.example failed, so the run was not started. ${'x'.repeat(500)}`,
    );
    const { message } = await refusal(
      install([pypi('a')], () => ended({ exitCode: undefined, signalName: 'SIGKILL' })),
    );
    assert.equal(message, 'Installing a failed, so the run was not started. ');
    assert.deepEqual(await install([], undefined, { using: null }), {
      ...{ python: undefined, environment: {}, jars: [], packages: [], repositories: [], exclusions: [] },
    });
  });
});
