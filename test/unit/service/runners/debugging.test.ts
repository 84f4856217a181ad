import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createDebugging, type Debugging, type PythonLaunch } from '../../../../src/service/runners/debugging.ts';
import type { InstalledLibraries, LibraryInstaller } from '../../../../src/service/runners/libraries.ts';
import { installPrograms } from '../../../../src/service/runners/programs.ts';
import type { DebugProgress, RunnerLibrary } from '../../../../src/service/runners/runner.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { needsPython, openWorkbench, until, type Workbench } from './workbench.ts';

type LibraryInstallation = Parameters<LibraryInstaller['install']>[2];

const task = { spark_python_task: { python_file: '/x.py' } };

describe('making a run ready for the debugger', () => {
  let bench: Workbench;
  let phases: DebugProgress['phase'][];
  let installed: RunnerLibrary[][];
  before(async () => {
    bench = await openWorkbench();
  });
  after(() => bench.remove());
  beforeEach(async () => {
    [phases, installed] = [[], []];
    await mkdir(bench.runFolder('1'), { recursive: true });
  });

  function debugging(install: (installation: LibraryInstallation) => Promise<void>, patienceInMs?: number): Debugging {
    return createDebugging({
      dataFolder: bench.dataFolder,
      patienceInMs,
      python: { find: async () => ({}) as never, probe: async () => [] },
      libraries: {
        async install(libraries, _python, installation) {
          installed.push([...libraries]);
          await install(installation);
          return { python: { parentPackages: '/where/debugpy/is' } } as InstalledLibraries<never>;
        },
      },
    });
  }
  const use = <T>(
    made: Debugging,
    body: (launch: PythonLaunch) => Promise<T>,
    more: { debug?: boolean; signal?: AbortSignal } = {},
  ): Promise<T> =>
    made.use(
      bench.request({ task, debug: more.debug ?? true }),
      { environment: {}, run: async () => ({ exitCode: 0 }) } as never,
      { onStarted: () => undefined, onDebugging: ({ phase }) => void phases.push(phase) },
      more.signal ?? new AbortController().signal,
      body,
    );

  it('leaves a run that is not debugged as it is', async () => {
    const launch = await use(
      debugging(async () => assert.fail('nothing may be installed')),
      async (given) => given,
      { debug: false },
    );
    assert.deepEqual([launch.options, launch.through, phases, installed], [[], [], [], []]);
  });

  it('puts the debugger before the program, with a session that only its user reads and that does not stay', async () => {
    let session = '';
    await use(
      debugging(async () => undefined),
      async ({ options, through, session: own }) => {
        assert.deepEqual(options, ['-Xfrozen_modules=off']);
        assert.equal(through[0], (await installPrograms(bench.dataFolder)).debugged);
        session = through[1] ?? '';
        assert.equal(own, session);
        const { debugpy, port, secret } = JSON.parse(await readFile(session, 'utf8')) as Record<string, unknown>;
        assert.equal(debugpy, '/where/debugpy/is');
        assert.equal(typeof port, 'number');
        assert.match(String(secret), /^[0-9a-f]{64}$/);
        assert.ok(!through.join(' ').includes(String(secret)));
        if (process.platform !== 'win32') assert.equal((await stat(session)).mode & 0o777, 0o600);
      },
    );
    assert.deepEqual(phases, ['ready']);
    assert.deepEqual(installed, [[{ pypi: { package: 'debugpy>=1.8.5,<2' } }]]);
    assert.equal(existsSync(session), false);
  });

  it('says that it installs only where it does, and in words why that failed', async () => {
    const failing = debugging(async ({ run }) => {
      await run(process.execPath, ['-e', '0']);
      throw new AppError('rejected', 'Installing debugpy failed, so the run was not started. No route to host.');
    });
    await assert.rejects(
      use(failing, async () => assert.fail('nothing may be run')),
      (error: AppError) => {
        assert.equal(error.kind, 'unavailable');
        assert.match(error.message, /^The debugger could not be installed from PyPI: .*No route to host/);
        assert.match(error.remedy ?? '', /pip reaches its index/);
        return true;
      },
    );
    assert.deepEqual(phases, ['installing']);
  });

  it('passes a cancellation on, also while it installs', async () => {
    const abort = new AbortController();
    const cancelled = debugging(async ({ signal }) => {
      abort.abort();
      signal.throwIfAborted();
    });
    await assert.rejects(
      use(cancelled, async () => assert.fail('nothing may be run'), { signal: abort.signal }),
      { name: 'AbortError' },
    );
    const later = new AbortController();
    await use(
      debugging(async () => undefined),
      async ({ signal }) => {
        later.abort();
        assert.equal(signal.aborted, true);
      },
      { signal: later.signal },
    );
  });

  it('ends a run that no editor comes to', async () => {
    await assert.rejects(
      use(
        debugging(async () => undefined, 1),
        async ({ signal }) => until(() => signal.aborted),
      ),
      /No editor came to debug the run, so it was ended/,
    );
  });

  it('tells of an editor that leaves while the run goes on, and of none that the end of the run sends away', async () => {
    for (const leaves of [true, false]) {
      const told: DebugProgress['phase'][] = [];
      let address = { port: 0, secret: '' };
      let closed: Promise<unknown> = Promise.resolve();
      const onDebugging = (progress: DebugProgress): void => {
        told.push(progress.phase);
        if (progress.phase === 'ready') ({ address } = progress);
      };
      await debugging(async () => undefined).use(
        bench.request({ task, debug: true }),
        { environment: {}, run: async () => ({ exitCode: 0 }) } as never,
        { onStarted: () => undefined, onDebugging },
        new AbortController().signal,
        async () => {
          const editor = connect(address.port, '127.0.0.1', () => editor.write(`${address.secret}\n`));
          closed = new Promise((resolve) => editor.on('error', () => undefined).once('close', resolve));
          // It is let in once no other is.
          await until(() => isRefused(address.port));
          if (!leaves) return;
          editor.destroy();
          await until(() => told.length > 1);
        },
      );
      await closed;
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(told, leaves ? ['ready', 'left'] : ['ready']);
    }
  });
  const isRefused = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const stranger = connect(port, '127.0.0.1', () => {
        stranger.destroy();
        resolve(false);
      });
      stranger.once('error', () => resolve(true));
    });

  it('leaves a run to the editor that has come, however long it takes', async () => {
    let address = { port: 0, secret: '' };
    const onDebugging = (progress: DebugProgress): void => {
      if (progress.phase === 'ready') ({ address } = progress);
    };
    await debugging(async () => undefined, 100).use(
      bench.request({ task, debug: true }),
      { environment: {}, run: async () => ({ exitCode: 0 }) } as never,
      { onStarted: () => undefined, onDebugging },
      new AbortController().signal,
      async ({ signal }) => {
        const editor = connect(address.port, '127.0.0.1', () => editor.write(`${address.secret}\n`));
        await new Promise((resolve) => setTimeout(resolve, 250));
        editor.destroy();
        assert.equal(signal.aborted, false);
      },
    );
  });
});

/** In place of debugpy: waits for nobody, and writes down what it is told. */
const fakeDebugpy = {
  'debugpy/__init__.py': `import json, sys
def wait_for_client():
    print("waited", json.dumps(sys.argv))
def trigger_exception_handler(error):
    print("halted at", error.__traceback__.tb_frame.f_code.co_name, type(error).__name__)
`,
  'debugpy/server/__init__.py': '',
  'debugpy/server/api.py': `def ensure_logging():
    if not hasattr(ensure_logging, "ensured"):
        print("read all packages")
`,
  'pydevd.py': `import json
class Debugger:
    break_on_uncaught_exceptions = {}
class Connection:
    def setsockopt(self, *option):
        print("without delay")
def start_client(host, port):
    return Connection()
def settrace(host, port, client_access_token, **_):
    from debugpy.server.api import ensure_logging
    ensure_logging()
    print("connected", json.dumps([host, port, client_access_token]))
    start_client(host, port)
def get_global_debugger():
    return Debugger
`,
};

describe('a program under the debugger', function () {
  this.timeout(30_000);
  let bench: Workbench;
  let debugged: string;
  before(async function () {
    needsPython(this);
    bench = await openWorkbench();
    for (const [name, text] of Object.entries(fakeDebugpy)) await bench.write(join('fake', name), text);
    debugged = (await installPrograms(bench.dataFolder)).debugged;
  });
  after(async () => {
    await bench?.remove();
  });

  interface End {
    code: number;
    output: string[];
    errors: string;
  }

  const python = (...parameters: string[]): Promise<End> =>
    new Promise((resolve) => {
      execFile('python3', parameters, { cwd: bench.root }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout.trim().split('\n'), errors: stderr }),
      );
    });

  /** Runs it by itself and under the debugger. */
  async function both(text: string): Promise<{ plain: End; under: End }> {
    const program = await bench.write('job.py', text);
    const session = join(bench.folder, 'session.json');
    await writeFile(session, JSON.stringify({ debugpy: join(bench.root, 'fake'), port: 5, secret: 's' }));
    const plain = await python(program, 'a', 'b c');
    const under = await python(debugged, session, program, 'a', 'b c');
    assert.equal(existsSync(session), false, 'the session’s file is removed before the program begins');
    assert.deepEqual(under.output.splice(0, 1), ['connected ["127.0.0.1", 5, "s"]']);
    assert.deepEqual(under.output.splice(0, 1), ['without delay']);
    const [waited] = under.output.splice(0, 1);
    assert.equal(waited, `waited ${JSON.stringify([program, 'a', 'b c']).replaceAll('","', '", "')}`);
    return { plain, under };
  }

  it('finds all that it would find by itself', async () => {
    const { plain, under } = await both(`import sys, os, pickle
class Thing:
    pass
print(sys.argv, sys.path, __name__, __file__, sys.modules["__main__"].__file__, os.getcwd(), __doc__)
print(pickle.loads(pickle.dumps(Thing())).__class__.__module__, sorted(k for k in os.environ if "PYDEVD" in k))
`);
    assert.deepEqual(under, plain);
    assert.equal(plain.code, 0, plain.errors);
  });

  for (const [what, text] of Object.entries({
    'an exception': 'def deep():\n    raise ValueError("bad")\ndeep()\n',
    'an exception with a cause':
      'try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise OSError("x") from error\n',
    'a mistake in its syntax': 'def x(:\n',
    'an exit code': 'import sys\nsys.exit(7)\n',
    'an exit with words': 'import sys\nsys.exit("words")\n',
  })) {
    it(`ends as it would by itself: with ${what}`, async () => {
      const { plain, under } = await both(text);
      const halted = under.output.filter((line) => line.startsWith('halted'));
      assert.deepEqual([under.code, under.errors], [plain.code, plain.errors]);
      assert.notEqual(plain.code, 0);
      const kind = { 'an exception': 'ValueError', 'an exception with a cause': 'OSError' }[what];
      assert.deepEqual(halted, kind === undefined ? [] : [`halted at <module> ${kind}`]);
    });
  }
});
