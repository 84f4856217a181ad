import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { readNotebook } from '../../src/service/runners/notebookModel.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { isAppError } from '../../src/shared/errors.ts';
import { leftOf, needsPython, openWorkbench, wheel, type Workbench } from '../unit/service/runners/workbench.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';

describe('Python with libraries from PyPI', function () {
  this.timeout(300_000);
  let bench: Workbench;
  before(async function () {
    if (!(await commandWorks('python3', ['--version']))) skipBecause(this, 'there is no python3 on this machine');
    if (
      !(await commandWorks('python3', [
        '-m',
        'pip',
        'download',
        '-q',
        '--no-deps',
        '-d',
        '.cache/engines/downloads',
        'tabulate==0.9.0',
      ]))
    )
      skipBecause(this, 'PyPI cannot be reached from this machine');
    bench = await openWorkbench();
  });
  after(async () => {
    await bench?.remove();
  });
  const clusterSpec = { libraries: [{ pypi: { package: 'tabulate==0.9.0' } }] };

  it('installs a package for a Python file, and the next run finds it installed', async () => {
    await bench.write('x.py', 'import tabulate\nprint(tabulate.__version__)');
    const durations: number[] = [];
    for (const runId of ['1', '2']) {
      const start = Date.now();
      const outcome = await bench.run({ runId, task: { spark_python_task: { python_file: '/x.py' } }, clusterSpec });
      durations.push(Date.now() - start);
      assert.equal(outcome.resultState, 'SUCCESS', JSON.stringify(outcome));
      assert.equal((await readRunOutput(bench.runFolder(runId))).text, '0.9.0\n');
    }
    assert.ok(durations[1]! < durations[0]!, `the second took ${durations[1]} ms, the first ${durations[0]} ms`);
    assert.equal(await leftOf(bench), 0);
  });

  it('gives a notebook the same package', async () => {
    await bench.write(
      'book.py',
      '# Databricks notebook source\nimport tabulate\ntabulate.tabulate([[1, 2]], tablefmt="plain")\n',
    );
    assert.equal(
      (await bench.run({ runId: '3', task: { notebook_task: { notebook_path: '/book' } }, clusterSpec })).resultState,
      'SUCCESS',
    );
    assert.deepEqual((await readNotebook(bench.runFolder('3')))!.cells[0]!.outputs, [
      { type: 'data', data: { 'text/plain': "'1  2'" }, isResult: true },
    ]);
  });

  it('names a package that does not exist', async () => {
    await bench.write('x.py', '');
    await assert.rejects(
      bench.run({
        runId: '4',
        task: { spark_python_task: { python_file: '/x.py' } },
        clusterSpec: { libraries: [{ pypi: { package: 'tabulate==999' } }] },
      }),
      /Installing tabulate==999 failed, so the run was not started\..*tabulate==999/,
    );
  });
});

describe('Packages', function () {
  const source = (...cells: string[]): string =>
    `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;

  /** Makes a Python look as on Debian and Ubuntu, which package pip and ensurepip apart. */
  const withoutPip = `
import glob, importlib.machinery, os, sys
find = glob.glob
glob.glob = lambda pattern, **options: [] if pattern.startswith("/usr/share/") else find(pattern, **options)
class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ("pip", "ensurepip", "virtualenv"):
            return None
        own = os.path.join(sys.prefix, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
        wheels = [each for each in sys.path if each.endswith(".whl")]
        spec = importlib.machinery.PathFinder.find_spec(name, wheels + [own]) if sys.prefix != sys.base_prefix else None
        if spec is None:
            raise ModuleNotFoundError("No module named %r" % name)
        return spec
sys.meta_path.insert(0, Absent)
`;
  const findWheel = `
import glob, os, ensurepip
places = [os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"), "/usr/share/python-wheels"]
print([each for place in places for each in glob.glob(os.path.join(place, "pip-*.whl"))][0])
`;

  this.timeout(120_000);
  let bench: Workbench;
  const changed: Record<string, string | undefined> = {};
  const setVariables = (variables: Record<string, string>): void => {
    for (const [name, value] of Object.entries(variables)) {
      changed[name] = process.env[name];
      process.env[name] = value;
    }
  };

  before(function () {
    needsPython(this);
  });
  beforeEach(async () => {
    bench = await openWorkbench();
    wheel(join(bench.folder, 'tiny_lib-1.0-py3-none-any.whl'), 'tiny_lib', 'value = "installed"');
  });
  afterEach(async () => {
    for (const [name, value] of Object.entries(changed)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
      delete changed[name];
    }
    await bench.remove();
  });
  const task = { notebook_task: { notebook_path: '/book' } };

  it("stay out of the machine's Python, however a notebook calls pip", async () => {
    const ways = { magic: '%pip install --no-index -q WHEEL', shell: '!pip install --no-index -q WHEEL' };
    const names = Object.keys(ways);
    const installs = Object.entries(ways).map(([name, cell]) => {
      const path = join(bench.folder, `${name}_lib-1.0-py3-none-any.whl`);
      wheel(path, `${name}_lib`, `value = "installed by ${name}"`);
      return cell.replace('WHEEL', path);
    });
    const shown = names.map((name) => `import ${name}_lib\nprint(${name}_lib.value, ${name}_lib.__file__)`);
    // Where `python -m pip` installs: by a shell, and by the interpreter itself.
    const prefixes = [
      `# MAGIC %sh\n# MAGIC python3 -c 'import sys; print("python3", sys.prefix)'`,
      'import subprocess, sys\n' +
        'print(subprocess.check_output([sys.executable, "-c", "import sys; print(sys.executable, sys.prefix)"], text=True))',
    ];
    await bench.write('book.py', source(...installs, ...shown, ...prefixes));
    const outcome = await bench.run({ task });
    assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
    const { text } = await readRunOutput(bench.runFolder('1'));
    for (const name of names) assert.match(text, new RegExp(`installed by ${name} ${bench.runFolder('1')}/`));
    assert.equal(text.match(new RegExp(`python3? ${bench.runFolder('1')}/`, 'g'))?.length, 2, text);
    assert.ok(!existsSync(join(bench.runFolder('1'), 'python')), 'what was installed is gone with the run');
    await bench.write('book.py', source('import magic_lib'));
    assert.equal((await bench.run({ runId: '2', task })).error, "ModuleNotFoundError: No module named 'magic_lib'");
    assert.throws(() => execFileSync('python3', ['-c', 'import magic_lib'], { stdio: 'ignore' }));
  });

  it('are visible from the configured environment and the libraries', async () => {
    const configured = join(bench.folder, 'configured');
    execFileSync('python3', ['-m', 'venv', '--without-pip', configured]);
    const python = join(configured, 'bin', 'python');
    const own = execFileSync(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'], {
      encoding: 'utf8',
    }).trim();
    const edited = join(bench.folder, 'edited');
    await mkdir(edited);
    await writeFile(join(edited, 'edited_lib.py'), 'value = "edited"');
    await writeFile(join(own, 'own_lib.py'), 'value = "own"');
    await writeFile(join(own, 'edited.pth'), `${edited}\n`);
    await mkdir(join(bench.dataFolder, 'dfs'), { recursive: true });
    wheel(join(bench.dataFolder, 'dfs', 'set_lib-1.0-py3-none-any.whl'), 'set_lib', 'value = "set"');
    const clusterSpec = { libraries: [{ whl: 'dfs:/set_lib-1.0-py3-none-any.whl' }] };
    await bench.write(
      'book.py',
      source('import own_lib, edited_lib, set_lib\nprint(own_lib.value, edited_lib.value, set_lib.value)'),
    );
    // The environment itself has no pip, and neither has what it sees of the system.
    setVariables({ PIP_NO_INDEX: '1' });
    const outcome = await bench.run({ task, clusterSpec }, { python });
    assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
    assert.equal((await readRunOutput(bench.runFolder('1'))).text, 'own edited set\n');
  });

  describe('without pip and ensurepip', () => {
    let pipWheel: string;
    const clusterSpec = { libraries: [{ whl: 'dfs:/tiny_lib-1.0-py3-none-any.whl' }] };

    beforeEach(async function () {
      try {
        pipWheel = execFileSync('python3', ['-c', findWheel], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
      } catch {
        console.log('      skipped: there is no wheel of pip on this machine');
        this.skip();
      }
      const hiding = join(bench.folder, 'hiding');
      await mkdir(hiding);
      await writeFile(join(hiding, 'sitecustomize.py'), withoutPip);
      await mkdir(join(bench.dataFolder, 'dfs'), { recursive: true });
      wheel(join(bench.dataFolder, 'dfs', 'tiny_lib-1.0-py3-none-any.whl'), 'tiny_lib', 'value = "installed"');
      setVariables({ PYTHONPATH: hiding, PATH: '/usr/bin:/bin' });
      await bench.write('x.py', 'import tiny_lib\nprint(tiny_lib.value)');
      await bench.write('book.py', source('%pip install --no-index tiny_lib'));
    });
    const python = (): string =>
      execFileSync('which', ['python3'], { encoding: 'utf8', env: { ...process.env, PATH: changed['PATH'] } }).trim();

    it('come from the package index', async () => {
      const data = readFileSync(pipWheel);
      const name = basename(pipWheel);
      const digest = createHash('sha256').update(data).digest('hex');
      const page =
        `<a href="../${name}#sha256=${digest}" data-requires-python="&gt;=3.8">${name}</a>` +
        ' <a href="../pip-99.0-py3-none-any.whl" data-requires-python="&gt;=9.0">newer</a>';
      const server = createServer((request, response) => response.end(request.url?.endsWith('.whl') ? data : page));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        setVariables({ PIP_INDEX_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple` });
        const outcome = await bench.run(
          { task: { spark_python_task: { python_file: '/x.py' } }, clusterSpec },
          { python: python() },
        );
        assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
        assert.equal((await readRunOutput(bench.runFolder('1'))).text, 'installed\n');
      } finally {
        server.close();
      }
    });

    it('name the one command that helps', async () => {
      setVariables({ PIP_INDEX_URL: 'http://127.0.0.1:9/none' });
      const running = bench.run(
        { task: { spark_python_task: { python_file: '/x.py' } }, clusterSpec },
        { python: python() },
      );
      await assert.rejects(
        running,
        (error) =>
          isAppError(error) &&
          error.kind === 'unavailable' &&
          /There is no pip for .*python/.test(error.message) &&
          (!existsSync('/usr/bin/apt-get') || /^Run: (sudo )?apt-get install python3-venv$/.test(error.remedy!)),
      );
      const outcome = await bench.run({ runId: '2', task }, { python: python() });
      assert.match(outcome.error!, /^RuntimeError: There is no pip for/);
      assert.deepEqual(await readdir(join(bench.dataFolder, 'environments')).then((names) => names.length), 1);
    });
  });
});
