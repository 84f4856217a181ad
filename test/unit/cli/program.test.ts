import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import readline from 'node:readline/promises';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../src/api/client/index.ts';
import {
  commandNames,
  exitCodes,
  helpText,
  isUsageError,
  parseParameters,
  serviceOptions,
} from '../../../src/cli/commandLine.ts';
import { openService, type ServiceChoice, waitForOtherRuns } from '../../../src/cli/openService.ts';
import { confirmOnTerminal, plainLine, programText, shownText } from '../../../src/cli/print.ts';
import { interruptedExitCode, unreadExitCode } from '../../../src/cli/runCommand.ts';
import { runInNewerNode } from '../../../src/cli/runInNewerNode.ts';
import { localMemoryOf, memoryOf, stateFolder } from '../../../src/deployments/deployFolders.ts';
import { type Database, openDatabase } from '../../../src/service/store/database.ts';
import { isFolderInUse } from '../../../src/service/store/dataFolder.ts';
import { AppError, isAppError } from '../../../src/shared/errors.ts';
import { answerJson, startHttpServer } from '../../support/httpServer.ts';
import { type JobsServer, startJobsServer } from '../../support/jobsServer.ts';
import { root } from '../../support/paths.ts';
import { ownPlace, runCommand } from './ownPlace.ts';
import { startProgram } from './program.ts';

const job = 'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n';

describe('the program millrace', function () {
  this.timeout(60_000);
  let folder: string;
  let server: JobsServer;
  interface Given {
    environment?: NodeJS.ProcessEnv;
    flags?: readonly string[];
    input?: number;
    /** Done once the program is there. */
    meanwhile?(child: ChildProcess): void | Promise<void>;
  }
  const run = async (line: readonly string[], { environment, flags, input, meanwhile }: Given = {}) => {
    const { child, ended } = await startProgram(folder, line, environment, flags, input);
    await meanwhile?.(child);
    return ended;
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-program-'));
    writeFileSync(join(folder, 'a.job.yml'), job);
    server = await startJobsServer('s3cret');
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('prints its help', async () => {
    for (const line of [[], ['--help'], ['deploy', 'a.job.yml', '-h']]) {
      const { code, out, err } = await run(line);
      assert.deepEqual([code, out, err], [exitCodes.ok, helpText, ''], line.join(' '));
    }
  });

  it('ends with the exit code of its command', async () => {
    writeFileSync(join(folder, 'b.job.yml'), 'name: 5\n');
    const [right, wrong] = [await run(['check', 'a.job.yml']), await run(['check', 'b.job.yml'])];
    assert.deepEqual([right.code, wrong.code], [exitCodes.ok, exitCodes.failed]);
    const gone = await run(['deploy', 'gone.job.yml', '--url', server.url]);
    assert.equal(gone.code, exitCodes.failed);
    assert.match(gone.err, /gone\.job\.yml/);
    const { code, err } = await run(['runs', '--url', server.url], { environment: { MILLRACE_TOKEN: 'other' } });
    assert.equal(code, exitCodes.failed);
    // In words of the command line, which has no profile.
    assert.match(err, /MILLRACE_TOKEN/);
    assert.doesNotMatch(err, /profile/);
  });

  it('takes the token from its environment and hides it afterwards', async () => {
    // On Linux the environment that a program was started with can be read by others of the same user.
    const left =
      'data:text/javascript,import{existsSync as e,readFileSync as r}from"node:fs";const f="/proc/self/environ";' +
      'process.on("exit",()=>console.error("left:",process.env.MILLRACE_TOKEN,e(f)&&r(f,"utf8").includes("s3cret")))';
    const { code, out, err } = await run(['runs', '--json', '--url', server.url], {
      environment: { MILLRACE_TOKEN: 's3cret' },
      flags: [`--import=${left}`],
    });
    assert.equal(code, exitCodes.ok, err);
    assert.match(out, /"run_id": ?"?5/);
    assert.equal(err, 'left: undefined false\n');
    const empty = await run(['runs', '--json', '--url', server.url], { environment: { MILLRACE_TOKEN: '' } });
    assert.equal(empty.code, exitCodes.failed);
  });

  it('ends with its command, whatever is still open', async () => {
    const { code } = await run(['check', 'a.job.yml'], {
      flags: ['--import=data:text/javascript,setInterval(()=>undefined,1e6)'],
    });
    assert.equal(code, exitCodes.ok);
  });

  it('succeeds when its reader stops early', async () => {
    const { code, err } = await run(['schema'], { meanwhile: (child) => void child.stdout?.destroy() });
    assert.deepEqual([code, err], [exitCodes.ok, '']);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`ends a command with ${signal}, and says nothing of a failure`, async () => {
      let asked = false;
      server.before = () => {
        asked = true;
        return new Promise(() => undefined);
      };
      const { code, err, out } = await run(['runs', '--url', server.url], {
        environment: { MILLRACE_TOKEN: 's3cret' },
        meanwhile: async (child) => {
          while (!asked) await delay(10);
          child.kill(signal);
        },
      });
      assert.deepEqual([code, out], [130, '']);
      assert.doesNotMatch(err, /Interrupted|failed/);
    });

  it('refuses to check what may never end', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(folder, 'b.job.yml')]);
    for (const path of ['b.job.yml', '/dev/zero']) {
      const { code, out } = await run(['check', path]);
      assert.deepEqual([code, out.includes('unreadable')], [exitCodes.failed, true], path);
    }
  });

  it('ends at once with the second Ctrl+C', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const input = await open(pipe, 'r+');
    const { code } = await run(['check', '/dev/stdin'], {
      input: input.fd,
      meanwhile: async (child) => {
        // More than a pipe holds: once it is written, the program has read some of it and waits for the rest.
        await input.write(Buffer.alloc(100_000, '#'));
        while (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGINT');
          await delay(10);
        }
      },
    });
    await input.close();
    assert.equal(code, 130);
  });
});

describe('a command line', () => {
  const refusal = (read: () => unknown): string => {
    try {
      read();
    } catch (error) {
      assert.ok(isUsageError(error) && error instanceof AppError);
      assert.equal(error.remedy, 'Run "millrace --help" for the usage.');
      return error.message;
    }
    return 'taken';
  };

  it('takes options in any order, and refuses unknown ones', () => {
    const { values, positionals } = parseParameters(['a', '--json', '--url=u', 'b', '--', '--c'], serviceOptions);
    assert.deepEqual([{ ...values }, positionals], [{ json: true, url: 'u' }, ['a', 'b', '--c']]);
    assert.equal(
      refusal(() => parseParameters(['--nope'], serviceOptions)),
      "Nothing was done: Unknown option '--nope'.",
    );
    for (const wrong of [['--url'], ['--json=1'], ['--url', '--json']])
      assert.notEqual(
        refusal(() => parseParameters(wrong, serviceOptions)),
        'taken',
        wrong.join(' '),
      );
  });
});

describe('the manual of millrace', () => {
  const manual = readFileSync(join(root, 'src', 'cli', 'README.md'), 'utf8');

  it('has the exit codes of the program', () => {
    const listed = [...manual.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code]) => Number(code));
    assert.deepEqual(listed, [...Object.values(exitCodes), interruptedExitCode, unreadExitCode]);
  });

  it('uses only the commands and options that the program has', () => {
    const lines = [...manual.matchAll(/^ *(?:- )?(?:run: )?(?:node )?\S*millrace(?:\.js)? ([a-z]+ .*)$/gm)];
    assert.ok(lines.length >= 8);
    for (const [line, given = ''] of lines) {
      const [name = '', ...words] = given.replace(/\s#.*/, '').split(/\s+/);
      assert.ok(Object.hasOwn(commandNames, name), line);
      for (const option of words.filter((word) => word.startsWith('--'))) assert.ok(helpText.includes(option), line);
    }
    for (const [option] of manual.matchAll(/(?<=`|`\w+ )--[a-z-]+/g)) assert.ok(helpText.includes(option), option);
  });
});

describe('a prompt on the terminal', () => {
  const { signal } = new AbortController();
  const wasTerminal = [process.stdin.isTTY, process.stderr.isTTY];
  let asked: unknown[];
  let answer: () => Promise<string>;
  let terminal: EventEmitter;
  let closed: number;
  beforeEach(() => {
    [asked, closed, answer] = [[], 0, async () => ''];
    [process.stdin.isTTY, process.stderr.isTTY] = [true, true];
    const createInterface = (streams: unknown): unknown => {
      asked.push(streams);
      terminal = new EventEmitter();
      return Object.assign(terminal, {
        question: (...args: unknown[]) => (asked.push(args), answer()),
        close: () => (closed += 1),
      });
    };
    mock.method(readline, 'createInterface', createInterface as never);
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.reset();
    syncBuiltinESMExports();
    [process.stdin.isTTY, process.stderr.isTTY] = wasTerminal as [boolean, boolean];
  });

  it('accepts only a yes', async () => {
    for (const [text, isYes] of [
      ['y', true],
      [' YES \n', true],
      ['Yes', true],
      ['', false],
      ['n', false],
      ['ye', false],
      ['yes please', false],
      ['no yes', false],
    ] as const) {
      answer = async () => text;
      assert.equal(await confirmOnTerminal('Deploy anyway?', signal), isYes, text);
    }
    assert.deepEqual(asked.slice(0, 2), [
      { input: process.stdin, output: process.stderr },
      ['Deploy anyway? [y/N] ', { signal }],
    ]);
    assert.equal(closed, 8);
  });

  it('is a no in a pipeline', async () => {
    answer = async () => 'yes';
    for (const terminals of [
      [false, true],
      [true, false],
      [undefined, undefined],
    ]) {
      [process.stdin.isTTY, process.stderr.isTTY] = terminals as [boolean, boolean];
      assert.equal(await confirmOnTerminal('Sure?', signal), false);
    }
    assert.deepEqual(asked, []);
  });
});

describe('printed text', () => {
  afterEach(() => mock.reset());

  it('contains no terminal control sequence of others', () => {
    for (const [text, line] of [
      ['plain ä 日本', 'plain ä 日本'],
      ['\u001b[31mred\u001b[0m and \u001b[2Jclear', 'red and clear'],
      ['a\r\n\tb\u0000c', 'a b c'],
      ['a\u007fb\u0080c\u009fd\u00a0e', 'a b c d\u00a0e'],
      ['\u001b]0;title\u0007x', ' ]0;title x'],
      ['', ''],
    ] as const)
      assert.equal(plainLine(text), line);
  });

  it('shows control characters instead of sending them', () => {
    for (const [text, shown] of [
      ['plain ä\tb\nc', 'plain ä\tb\nc'],
      ['a\u001b[31mb', 'a\\u001b[31mb'],
      ['{"a":"\u009b2J"}', '{"a":"\\u009b2J"}'],
      ['a\rb\u0007', 'a\\u000db\\u0007'],
    ] as const)
      assert.equal(shownText(text), shown);
  });

  it('keeps only the colors of programs on a terminal', () => {
    const text = '\u001b[1;31mred\u001b[0m\r10 %\u001b[2J\u001b]0;title\u0007\u001b[?25l\u0007\u009b.\n';
    assert.equal(programText(text, true), '\u001b[1;31mred\u001b[0m\r10 %.\n');
    assert.equal(programText(text, false), text);
  });
});

const file = 'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n';

const settings = { name: 'nightly', existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/main.py' } };

/** What is there already: nothing, a job of the file's name, one that the file names, or a job as the file has it. */
type Known = 'nothing' | 'sameName' | 'named' | 'same';

/** Each with what it asks on its way, so that no question is left out. */
const commands: [title: string, known: Known, asks: string, name: string, ...words: string[]][] = [
  ['deploy of a new job', 'nothing', 'list create get', 'deployCommand', 'a.job.yml'],
  ['deploy to a job of its name', 'sameName', 'list get reset get', 'deployCommand', 'a.job.yml', '--yes'],
  ['deploy to a job that it names', 'named', 'get get reset get', 'deployCommand', 'a.job.yml', '--yes'],
  ['plan of a deploy', 'sameName', 'list', 'deployCommand', 'a.job.yml', '--plan'],
  ['pull by name', 'same', 'list get', 'pullCommand', 'nightly', 'b.job.yml'],
  ['pull by id', 'same', 'get', 'pullCommand', '7', 'b.job.yml'],
  ['run', 'same', 'list get get run-now', 'runFile', 'a.job.yml'],
  ['run that is not waited for', 'same', 'list get get run-now', 'runFile', 'a.job.yml', '--no-wait'],
  ['runs', 'nothing', 'runs/list', 'printRuns'],
  ['runs of a job', 'same', 'list runs/list', 'printRuns', 'a.job.yml'],
  ['logs', 'nothing', 'runs/get', 'showLogs', '5', '--follow'],
];

describe('an interrupted command', () => {
  const place = ownPlace();

  for (const [title, known, asks, name, ...words] of commands) {
    it(`waits for no answer any more, whichever is open: ${title}`, async () => {
      /** @returns what was asked, and whether the answer that is held back was waited for */
      const carryOut = async (held: number): Promise<{ asked: string[]; wasWaitedFor?: boolean }> => {
        const { folder, server } = place;
        server.jobs.clear();
        rmSync(join(folder, 'state'), { recursive: true, force: true });
        rmSync(join(folder, 'b.job.yml'), { force: true });
        writeFileSync(join(folder, 'a.job.yml'), known === 'named' ? `job_id: 7\n${file}` : file);
        if (known !== 'nothing') server.jobs.set(7, known === 'same' ? settings : { ...settings, max_retries: 9 });
        const asked: string[] = [];
        const end = new AbortController();
        let wasWaitedFor: boolean | undefined;
        let answered: Promise<void> | undefined;
        server.before = async (path, response) => {
          asked.push(path.replace(/^jobs\//, ''));
          if (asked.length - 1 !== held) return;
          end.abort(new AppError('aborted', 'Interrupted.'));
          wasWaitedFor = true;
          const closed = new Promise<void>((resolve) => response.once('close', resolve));
          const late = new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref());
          answered = Promise.race([closed.then(() => void (wasWaitedFor = false)), late]);
          await answered;
        };
        await runCommand(name, [...words, '--url', server.url], end.signal).catch((error: unknown) => {
          if (!end.signal.aborted) throw error;
        });
        // The server hears of it a moment later.
        await answered;
        return { asked, wasWaitedFor };
      };
      const { asked } = await carryOut(-1);
      assert.ok(asked.join(' ').startsWith(asks), asked.join(' '));
      for (const index of asked.keys())
        assert.equal((await carryOut(index)).wasWaitedFor, false, `question ${index + 1}, ${asked[index]}`);
    });
  }
});

describe('the service of a command', () => {
  const place = ownPlace();
  const { MILLRACE_DATA, MILLRACE_ROOT } = process.env;
  beforeEach(() => {
    delete process.env['MILLRACE_DATA'];
    delete process.env['MILLRACE_ROOT'];
  });
  after(() => Object.assign(process.env, MILLRACE_DATA && { MILLRACE_DATA }, MILLRACE_ROOT && { MILLRACE_ROOT }));

  const open = (choice: ServiceChoice, token?: string, rootOf = (): string => place.folder) =>
    openService(choice, { parameters: [], token, signal: new AbortController().signal }, rootOf);
  const usage = async (choice: ServiceChoice, rootOf?: () => string): Promise<string> => {
    try {
      await open(choice, undefined, rootOf);
    } catch (error) {
      assert.ok(isUsageError(error) && isAppError(error), String(error));
      return error.message;
    }
    return assert.fail('it was opened');
  };

  it('has the given address and token', async () => {
    const opened = await open({ url: `${place.server.url}/` }, 'sesame');
    const { name, isOwn, isTransient, follows, memory } = opened;
    assert.deepEqual([name, isOwn, isTransient, follows], [place.server.url, false, false, 'wait']);
    assert.equal(memory.folder, memoryOf(place.server.url));
    await opened.client.jobs.list();
    assert.equal(place.server.requests[0]?.headers.authorization, 'Bearer sesame');
    await opened.close();
    const open2 = await open({ url: place.server.url });
    await open2.client.jobs.list();
    assert.equal(place.server.requests[1]?.headers.authorization, undefined);
  });

  it('is refused when a setting is wrong', async () => {
    for (const choice of [{ root: '.' }, { data: 'd' }])
      assert.match(await usage({ url: place.server.url, ...choice }), /--root and --data belong to the local service/);
    await assert.rejects(open({ url: 'no address' }), (error) => isUsageError(error) && isAppError(error));
    assert.match(await usage({ root: 'nowhere' }), /the folder .*nowhere does not exist/);
    writeFileSync(join(place.folder, 'file'), '');
    assert.match(await usage({ root: 'file' }), /does not exist/);
    assert.match(await usage({ data: 'file' }), /the data folder .*file could not be created/);
    process.env['MILLRACE_ROOT'] = 'elsewhere';
    assert.match(await usage({}), /the folder .*elsewhere does not exist/);
    process.env['MILLRACE_ROOT'] = '';
    assert.match(await usage({}, () => 'of-the-file'), /the folder .*of-the-file does not exist/);
    process.env['MILLRACE_DATA'] = 'file';
    assert.match(await usage({ root: '.' }), /the data folder .*file could not be created/);
  });

  for (const isTransient of [false, true])
    it(`is the one that runs on the data folder, ${isTransient ? 'for another command' : 'for a window'}, left as it is`, async () => {
      const server = await startHttpServer((_request, response) => answerJson(response, '{"jobs":"1","runs":"1"}'));
      try {
        const data = join(place.folder, 'data');
        mkdirSync(data);
        const content = { url: server.url, token: 'sesame', pid: process.pid, isTransient };
        writeFileSync(join(data, 'service.json'), JSON.stringify(content));
        const limits = mock.method(AbortSignal, 'timeout');
        const opened = await open({ data: 'data' });
        assert.deepEqual(
          limits.mock.calls.map((call) => call.arguments),
          [[5000]],
          'who does not answer soon is not there',
        );
        assert.deepEqual(
          [opened.name, opened.isOwn, opened.isTransient, opened.follows, opened.memory.folder],
          ['the local service', false, isTransient, 'fail', localMemoryOf(data)],
        );
        assert.equal(server.requests[0]?.headers.authorization, 'Bearer sesame');
        await opened.close();
        assert.equal(server.requests.length, 1);
      } finally {
        await server.close();
      }
    });
});

describe('the local service of a command', function () {
  this.timeout(60_000);
  const place = ownPlace();
  const { said } = place;
  const { MILLRACE_DATA, MILLRACE_ROOT } = process.env;
  const umask = process.umask();
  let data: string;
  beforeEach(() => {
    delete process.env['MILLRACE_DATA'];
    delete process.env['MILLRACE_ROOT'];
    data = join(place.folder, 'data');
  });
  after(() => {
    Object.assign(process.env, MILLRACE_DATA && { MILLRACE_DATA }, MILLRACE_ROOT && { MILLRACE_ROOT });
    process.umask(umask);
  });
  const open = (choice: ServiceChoice, rootOf = (): string => place.folder): ReturnType<typeof openService> =>
    openService(choice, { parameters: [], token: undefined, signal: new AbortController().signal }, rootOf);
  const serviceFile = (of = data): Record<string, unknown> | undefined => {
    const file = join(of, 'service.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : undefined;
  };

  it('starts when none is running, is shared, and ends with the command', async () => {
    const opened = await open({ data: 'data' });
    try {
      const { name, isOwn, isTransient, follows, memory } = opened;
      assert.deepEqual([name, isOwn, isTransient, follows], ['the local service', true, true, 'fail']);
      assert.equal(memory.folder, localMemoryOf(data));
      assert.deepEqual(await opened.client.jobs.list(), []);
      const { url, pid, isTransient: isShort } = serviceFile() ?? {};
      assert.deepEqual([url, pid, isShort], [opened.client.baseUrl, process.pid, true]);
      const found = await open({ data });
      assert.deepEqual([found.client.baseUrl, found.isOwn, found.isTransient], [url, false, true]);
      await found.close();
      assert.deepEqual(await opened.client.jobs.list(), [], 'who found it leaves it there');
    } finally {
      await opened.close();
    }
    assert.deepEqual([serviceFile(), said], [undefined, []]);
  });

  it('replaces a dead service', async () => {
    mkdirSync(data);
    const sick = await startHttpServer((_request, response) => answerJson(response, '{}', 500));
    try {
      for (const [pid, asks] of [
        [spawnSync(process.execPath, ['-e', '']).pid, 0],
        [process.pid, 1],
      ] as const) {
        writeFileSync(join(data, 'service.json'), JSON.stringify({ url: sick.url, token: 'sesame', pid }));
        const opened = await open({ data });
        await opened.close();
        assert.deepEqual([opened.isOwn, sick.requests.length], [true, asks]);
      }
    } finally {
      await sick.close();
    }
  });

  it('keeps its data in a folder of the user for each project', async () => {
    const project = join(realpathSync(place.folder), '_My project (1)');
    mkdirSync(join(project, '.git'), { recursive: true });
    mkdirSync(join(project, 'below'));
    process.chdir(join(project, 'below'));
    const digest = createHash('sha256').update(project).digest('hex').slice(0, 12);
    const own = join(stateFolder(), 'local', `_My-project-1--${digest}`);
    const opened = await open({ root: '.' });
    assert.deepEqual([serviceFile(own)?.['url'], opened.memory.folder], [opened.client.baseUrl, localMemoryOf(own)]);
    await opened.close();
    if (process.platform !== 'win32') assert.equal(statSync(own).mode & 0o777, 0o700);
    process.env['MILLRACE_DATA'] = data;
    const named = await open({});
    assert.equal(named.memory.folder, localMemoryOf(data));
    await named.close();
  });
});

describe('a data folder in use', function () {
  this.timeout(60_000);
  const place = ownPlace();
  const umask = process.umask();
  const gapInMs = 200;
  let end: AbortController;
  let held: Database;
  let waits: number;
  /** What happens during a wait. */
  let meanwhile: () => void;
  beforeEach(() => {
    end = new AbortController();
    held = openDatabase(join(place.folder, 'data'));
    [waits, meanwhile] = [0, () => undefined];
    const { setTimeout: schedule } = globalThis;
    mock.method(globalThis, 'setTimeout', (callback: () => void, delayInMs: number) => {
      if (delayInMs !== gapInMs) return schedule(callback, delayInMs);
      waits += 1;
      meanwhile();
      return schedule(callback, 0);
    });
  });
  afterEach(() => {
    if (held.connection.isOpen) held.close();
  });
  // The log of each attempt listens to it.
  const { stderr } = process;
  const [maxListeners, listeners] = [stderr.getMaxListeners(), stderr.listeners('error')];
  before(() => stderr.setMaxListeners(0));
  after(() => {
    for (const one of stderr.listeners('error')) if (!listeners.includes(one)) stderr.off('error', one as () => void);
    stderr.setMaxListeners(maxListeners);
    process.umask(umask);
  });
  const open = (): ReturnType<typeof openService> =>
    openService({ root: '.', data: 'data' }, { parameters: [], token: undefined, signal: end.signal }, () => '.');

  it('is waited for ten seconds', async () => {
    await assert.rejects(open(), isFolderInUse);
    assert.equal((waits + 1) * gapInMs, 10_000);
  });
});

describe('a newer Node for the local service', function () {
  this.timeout(60_000);
  let folder: string;
  const { argv } = process;
  const { PATH } = process.env;
  /** What stands in for Node: it says its version, and notes what it is to run. */
  const put = (file: string, version: string, then: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    const noted = join(folder, 'noted.txt');
    writeFileSync(
      file,
      `#!/bin/sh\nif [ "$1" = "-p" ]; then echo ${version}; exit 0; fi\necho "$0 $*" > ${noted}\n${then}\n`,
    );
    chmodSync(file, 0o755);
  };
  const noted = (): string | undefined => {
    const file = join(folder, 'noted.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-node-'));
    process.argv = [process.execPath, join(folder, 'a', 'b', 'millrace.js')];
    process.env['PATH'] = [join(folder, 'bin'), '/bin', '/usr/bin'].join(delimiter);
  });
  afterEach(() => {
    process.argv = argv;
    process.env['PATH'] = PATH;
    process.exitCode = undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal);
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs the same command line', async () => {
    const node = join(folder, 'bin', 'node');
    put(node, '24.1.0', 'exit 7');
    assert.equal(await runInNewerNode(['deploy', 'a.job.yml', '--yes']), true);
    assert.equal(noted(), `${node} ${process.argv[1]} deploy a.job.yml --yes`);
    assert.equal(process.exitCode, 7);
  });

  it('is optional', async () => {
    put(join(folder, 'bin', 'node'), '20.0.0', 'exit 1');
    assert.equal(await runInNewerNode(['x']), false);
    process.argv = [process.execPath];
    put(join(folder, 'bin', 'node'), '24.1.0', 'exit 1');
    assert.equal(await runInNewerNode(['x']), false);
    assert.deepEqual([noted(), process.exitCode], [undefined, undefined]);
  });
});

describe('the end of a shared local service', () => {
  it('waits for the runs of other commands, and not for its own', async () => {
    const run = (id: string, trigger = 'ONE_TIME') => ({ run_id: id, original_attempt_run_id: id, trigger });
    const looks = [
      [run('5'), run('6')],
      [run('5'), run('7', 'PERIODIC')],
    ];
    const said: string[] = [];
    const jobs = {
      listRuns: async () => ({ runs: looks.shift() ?? [], has_more: false }),
    } as unknown as Client['jobs'];
    const { signal } = new AbortController();
    await waitForOtherRuns(jobs, { signal, ownRunId: '5', say: (text) => said.push(text) });
    assert.deepEqual([looks.length, said.length], [0, 1]);
  });
});
