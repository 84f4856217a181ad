import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { type Client, createClient, type RetryMode } from '../../../src/api/client/index.ts';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { endInWords, followRun } from '../../../src/cli/followRun.ts';
import { output } from '../../../src/cli/print.ts';
import { printRuns, showLogs } from '../../../src/cli/runsAndLogs.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { answerJson, startHttpServer, type TestServer } from '../../support/httpServer.ts';
import { type Reply, scriptedFetch } from '../../support/scriptedFetch.ts';
import { needsPython } from '../service/runners/workbench.ts';
import { buildProgram } from '../service/support/builtService.ts';
import { until } from '../service/support/testService.ts';
import { ownPlace, runCommand } from './ownPlace.ts';
import { runProgram, startProgram } from './program.ts';

const job = (file: string) =>
  `name: ${file}\nexisting_cluster_id: local\nspark_python_task: {python_file: /${file}.py}\n`;

describe('millrace run with a local service', function () {
  this.timeout(120_000);
  let folder: string;
  before(function () {
    needsPython(this);
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-run-')));
    mkdirSync(join(folder, 'project', 'jobs'), { recursive: true });
    mkdirSync(join(folder, '.git'));
    const write = (name: string, text: string): void => writeFileSync(join(folder, 'project', name), text);
    write('jobs/good.job.yml', job('good'));
    write('good.py', 'import os, sys\nprint("said", *sys.argv[1:], os.environ.get("MILLRACE_TOKEN"))\n');
    write('jobs/bad.job.yml', job('bad'));
    write('bad.py', 'raise SystemExit("broken")\n');
    write('jobs/slow.job.yml', job('slow'));
    write('jobs/chatty.job.yml', job('chatty'));
    write('chatty.py', 'import time\nwhile True:\n  print("more", flush=True)\n  time.sleep(0.05)\n');
    // The first ends once the second has begun.
    const mark = JSON.stringify(join(folder, 'second'));
    const [begin, end] = ['import os, time\nprint("begun", flush=True)\n', 'print("ended")\n'];
    write('jobs/short.job.yml', job('short'));
    write('short.py', `${begin}while not os.path.exists(${mark}): time.sleep(0.05)\n${end}`);
    write('jobs/longer.job.yml', job('longer'));
    write('longer.py', `${begin}open(${mark}, "w").close()\ntime.sleep(3)\n${end}`);
    write('jobs/flaky.job.yml', `${job('flaky')}max_retries: 2\n`);
    const attempt = 'import os\nnumber = len([name for name in os.listdir(".") if name.startswith("tried")])\n';
    const further = 'open(f"tried{number}", "w").close()\nprint("try", number, flush=True)\n';
    write('flaky.py', `import os, sys\nos.chdir(sys.argv[1])\n${attempt}${further}assert number >= int(sys.argv[2])\n`);
    write('slow.py', 'import time\nprint("begun", flush=True)\ntime.sleep(600)\n');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string): string => join('project', 'jobs', `${name}.job.yml`);
  const env = { MILLRACE_TOKEN: 'not-for-programs' };

  it('prints the output of each task of a graph, and why others did not run', async () => {
    const task = (key: string, after: string): string =>
      `  - {task_key: ${key}, ${after}spark_python_task: {python_file: /${key}.py, parameters: ["{{job.run_id}}"]}}\n`;
    const graph = `name: graph\ntasks:\n${task('good', '')}${task('bad', 'depends_on: [{task_key: good}], ')}`;
    writeFileSync(
      join(folder, 'project', 'graph.job.yml'),
      `${graph}${task('short', 'depends_on: [{task_key: bad}], ')}`,
    );
    const { code, out } = await runProgram(
      folder,
      ['run', join('project', 'graph.job.yml'), '--data', join(folder, 'data')],
      env,
    );
    assert.equal(code, 1);
    assert.match(out, /good: Succeeded\nsaid \d+ None\n[\s\S]*bad: Failed\nbroken\n[\s\S]*short: Upstream failed\n/);
  });

  it('runs one of the jobs of a bundle, with the values of its default target', async () => {
    const bundle = join(folder, 'bundle');
    mkdirSync(join(bundle, 'resources'), { recursive: true });
    const write = (name: string, text: string): void => writeFileSync(join(bundle, name), text);
    write('databricks.yml', 'bundle: {name: b}\ntargets: {dev: {default: true, variables: {day: monday}}}\n');
    write('print.py', 'import sys\nprint(*sys.argv[1:])\n');
    const nightly =
      '{tasks: [{task_key: t, spark_python_task: {python_file: ../print.py, parameters: ["${var.day}"]}}]}';
    write('resources/jobs.yml', `resources: {jobs: {nightly: ${nightly}, other: {name: other}}}\n`);
    const line = ['run', join('bundle', 'resources', 'jobs.yml'), '--data', join(folder, 'bundled')];
    assert.match((await runProgram(folder, line, env)).err, /nightly, other/);
    const { code, out, err } = await runProgram(folder, [...line, '--job', 'nightly'], env);
    assert.deepEqual([code, out.split('\n')[1]], [0, 'monday'], err);
  });

  it('runs a job of a bundle behind a link', async () => {
    const real = join(folder, 'real');
    mkdirSync(real);
    writeFileSync(join(real, 'hello.py'), 'print("hello")\n');
    const job = '{tasks: [{task_key: t, spark_python_task: {python_file: ./hello.py}}]}';
    writeFileSync(join(real, 'databricks.yml'), `bundle: {name: b}\nresources: {jobs: {hello: ${job}}}\n`);
    symlinkSync(real, join(folder, 'link'));
    const line = ['run', join('link', 'databricks.yml'), '--root', 'link', '--data', join(folder, 'linked')];
    const { code, out, err } = await runProgram(folder, line, env);
    assert.deepEqual([code, out.split('\n')[1]], [0, 'hello'], err);
  });

  it('prints the output, ends with the result and keeps the run', async () => {
    const good = await runProgram(folder, ['run', file('good'), '--param', 'a=b'], env);
    assert.deepEqual([good.code, good.out], [0, 'said a=b None\n'], good.err);
    assert.match(good.err, /^Run (\d+) of job \d+ on the local service:\nPython [\d.]+\nRun \1: Succeeded\.\n$/);
    const bad = await runProgram(folder, ['run', file('bad'), '--json'], env);
    assert.equal(bad.code, 1, bad.err);
    const run = JSON.parse(bad.out) as { run_id: number; state: { result_state: string }; logs: string; next: string };
    assert.deepEqual([run.state.result_state, run.logs], ['FAILED', 'broken']);
    assert.equal(run.next.startsWith(`millrace logs ${run.run_id}`), true);
    const runs = await runProgram(folder, ['runs'], env);
    assert.deepEqual(runs.out.match(/ (?:Failed|Succeeded) /g), [' Failed ', ' Succeeded ']);
    assert.equal((await runProgram(folder, ['runs', file('good'), '--json'])).out.includes('"Succeeded"'), false);
    assert.match((await runProgram(folder, ['logs', String(run.run_id)])).out, /broken/);
    assert.equal((await runProgram(folder, ['logs', '999999'])).code, 1);
    assert.equal((await runProgram(folder, ['deploy', file('good'), '--plan'])).code, 0);
  });

  it('follows every attempt and ends as the last one', async () => {
    const run = async (least: number) => {
      const tries = mkdtempSync(join(folder, 'tries-'));
      const parameters = ['--param', tries, '--param', String(least)];
      return runProgram(folder, ['run', file('flaky'), ...parameters, '--data', join(folder, 'retries')], env);
    };
    const good = await run(1);
    assert.deepEqual([good.code, good.out.match(/^try \d$/gm)], [0, ['try 0', 'try 1']], good.err);
    assert.match(good.err, /: Failed\..* That was attempt 1 of 3; the next one follows\.\nRun \d+, attempt 2:\n/);
    assert.match(good.err, /: Succeeded\.\n$/);
    const bad = await run(9);
    assert.deepEqual([bad.code, bad.out.match(/^try \d$/gm)], [1, ['try 0', 'try 1', 'try 2']], bad.err);
    assert.equal(bad.err.match(/^Python [\d.]+$/gm)?.length, 1, bad.err);
    assert.match(bad.err, /That was attempt 2 of 3;[^]*: Failed\.[^\n]*\n$/);
  });

  it('stops its service and its run at Ctrl+C', async function () {
    if (process.platform === 'win32') this.skip();
    const data = join(folder, 'data');
    const started = await startProgram(folder, ['run', file('slow'), '--data', data]);
    await once(started.child.stdout ?? assert.fail('no output'), 'data');
    started.child.kill('SIGINT');
    assert.equal((await started.ended).code, 130);
    assert.equal(existsSync(join(data, 'service.json')), false);
    const { out } = await runProgram(folder, ['runs', '--data', data]);
    assert.doesNotMatch(out, /Running/);
  });

  it('stops the run when nobody reads the output', async function () {
    if (process.platform === 'win32') this.skip();
    const data = join(folder, 'unread');
    const started = await startProgram(folder, ['run', file('chatty'), '--data', data]);
    await once(started.child.stdout ?? assert.fail('no output'), 'data');
    started.child.stdout?.destroy();
    started.ended.catch(() => undefined);
    const [code] = (await once(started.child, 'exit')) as [number | null];
    assert.deepEqual([code, existsSync(join(data, 'service.json'))], [141, false]);
    assert.doesNotMatch((await runProgram(folder, ['runs', '--data', data])).out, /Running|Succeeded/);
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const check = spawn(process.execPath, [await buildProgram(), 'check', file('good')], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
    });
    const [[status], said] = await Promise.all([once(check, 'exit'), text(check.stderr ?? assert.fail('no messages'))]);
    assert.deepEqual([status, said.startsWith('The output could not be written: ENOSPC')], [1, true], said);
  });

  it('follows a run on the service of another command', async () => {
    const data = ['--data', join(folder, 'shared')];
    const first = await startProgram(folder, ['run', file('short'), ...data]);
    await once(first.child.stdout ?? assert.fail('no output'), 'data');
    const second = await runProgram(folder, ['run', file('longer'), ...data]);
    assert.deepEqual([second.code, second.out], [0, 'begun\nended\n'], second.err);
    const { code, err } = await first.ended;
    assert.deepEqual(
      [code, /Succeeded\.\nWaiting for runs that other commands started here/.test(err)],
      [0, true],
      err,
    );
  });

  it('uses a running service and leaves it running', async () => {
    const data = join(folder, 'served');
    const place = ['--root', join(folder, 'project'), '--data', data];
    const serve = await startProgram(folder, ['serve', ...place]);
    try {
      await until(async () => existsSync(join(data, 'service.json')), 'the service to be ready', 60_000);
      const started = await runProgram(folder, ['run', file('good'), '--no-wait', ...place]);
      assert.match(started.out, /^Started run \d+ of job \d+ on the local service\.\n$/, started.err);
      const waited = await runProgram(folder, ['run', file('bad'), ...place]);
      assert.equal(waited.code, 1);
      const left = await startProgram(folder, ['run', file('slow'), ...place]);
      await once(left.child.stdout ?? assert.fail('no output'), 'data');
      left.child.kill('SIGINT');
      if (process.platform !== 'win32')
        assert.match((await left.ended).err, /\nRun (\d+) continues: millrace logs \1 --follow shows the rest\.\n$/);
      assert.equal(serve.child.exitCode, null);
    } finally {
      serve.child.kill('SIGTERM');
      await serve.ended;
    }
  });
});

const tasks = {
  spark_python_task: '{python_file: "dfs:/main.py"}',
  notebook_task: '{notebook_path: /n}',
  spark_jar_task: '{main_class_name: A}',
  spark_submit_task: '{parameters: [a]}',
  run_job_task: '{job_id: 1}',
};

describe('millrace run', () => {
  const place = ownPlace();
  const { written, said } = place;
  const run = (task: keyof typeof tasks, ...words: string[]): Promise<number> => {
    const clusters: Partial<Record<keyof typeof tasks, string>> = {
      run_job_task: '',
      spark_submit_task: 'new_cluster: {spark_version: a, node_type_id: b, num_workers: 1}\n',
    };
    const cluster = clusters[task] ?? 'existing_cluster_id: c\n';
    writeFileSync(join(place.folder, 'a.job.yml'), `name: a\n${cluster}${task}: ${tasks[task]}\n`);
    return runCommand('runFile', ['a.job.yml', '--url', place.server.url, ...words]);
  };
  const sent = (): Record<string, unknown> => {
    const request = place.server.requests.findLast(({ url }) => url.endsWith('/run-now'));
    const fields = JSON.parse(request?.body ?? '{}') as Record<string, unknown>;
    const { job_id: _job, idempotency_token: _token, ...rest } = fields;
    return rest;
  };

  for (const [task, words, parameters] of [
    ['spark_python_task', ['a=b', '--c'], { python_params: ['a=b', '--c'] }],
    ['spark_jar_task', ['x'], { jar_params: ['x'] }],
    ['spark_submit_task', ['x'], { spark_submit_params: ['x'] }],
    ['notebook_task', ['a=b=c', 'd='], { notebook_params: { a: 'b=c', d: '' } }],
    ['run_job_task', [], {}],
    ['spark_python_task', [], {}],
  ] as const)
    it(`hands ${JSON.stringify(words)} to its ${task}, and leaves the run to its service with --no-wait`, async () => {
      assert.equal(await run(task, '--no-wait', ...words.map((word) => `--param=${word}`)), 0);
      assert.deepEqual(sent(), parameters);
      assert.deepEqual([written, said], [[`Started run 5 of job 7 on ${place.server.url}.\n`], []]);
    });

  for (const [task, word, why] of [
    ['notebook_task', 'a', /--param a is not NAME=VALUE/],
    ['notebook_task', '=b', /--param =b is not NAME=VALUE/],
    ['run_job_task', 'a=b', /the task of this file takes no parameters/],
  ] as const)
    it(`starts nothing where a ${task} is given ${word}`, async () => {
      await assert.rejects(run(task, `--param=${word}`), why);
      assert.deepEqual(place.server.mutations, []);
    });

  it('ends by the result of the run, whether or not --wait is given', async () => {
    assert.equal(await run('spark_python_task'), 1);
    assert.deepEqual(written, ['written there\n']);
    assert.equal(await run('spark_python_task', '--wait'), 1);
  });

  it('starts nothing with both --wait and --no-wait', async () => {
    await assert.rejects(run('spark_python_task', '--wait', '--no-wait'), isUsageError);
    assert.deepEqual(place.server.mutations, []);
  });

  it('follows the run of a temporary service unasked', async () => {
    const data = join(place.folder, 'data');
    mkdirSync(data);
    const { url } = place.server;
    writeFileSync(
      join(data, 'service.json'),
      JSON.stringify({ url, token: 'sesame', pid: process.pid, isTransient: true }),
    );
    let isRefused = false;
    place.server.before = async (path, response) => {
      if (path === 'jobs/runs/get' && isRefused)
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"No."}');
      else if (path.endsWith('/changes'))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"jobs":"1","runs":"1"}');
    };
    const local = async (): Promise<number> => {
      writeFileSync(
        join(place.folder, 'a.job.yml'),
        'name: a\nexisting_cluster_id: local\nspark_python_task: {python_file: "dfs:/main.py"}\n',
      );
      return runCommand('runFile', ['a.job.yml', '--data', data, '--root', '.']);
    };
    assert.equal(await local(), 1);
    assert.deepEqual(
      [said, written],
      [['Run 5 of job 7 on the local service:', 'Run 5: Failed. It broke.'], ['written there\n']],
    );
    isRefused = true;
    said.length = 0;
    await assert.rejects(local(), /No\./);
    assert.deepEqual(said, ['Run 5 of job 7 on the local service:']);
  });
});

const json = (value: unknown): Reply => ({ status: 200, body: JSON.stringify(value) });

const piece = (text: string, from: number, isEnd: boolean): Reply =>
  json({ text, next_offset: from + text.length, size: from + text.length, is_end: isEnd });

const ended = json({ run_id: 5, state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } });

const whole = json({ logs: 'as a whole\n', metadata: { run_id: 5 } });

/** Follows run 5 where requests for pieces are answered with these, one after the other. */
async function follow(pieces: readonly Reply[], retry: RetryMode = 'wait') {
  const clock = new FakeClock();
  const left = [...pieces];
  let written = '';
  const { fetch, requests } = scriptedFetch(({ url }) => {
    if (url.includes('/millrace/run-output')) return left.shift() ?? assert.fail('one piece too many was asked for');
    return url.includes('/runs/get-output') ? whole : ended;
  });
  const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, clock });
  let isOver = false;
  const following = followRun(client, '5', {
    write: (text) => void (written += text),
    signal: new AbortController().signal,
    retry,
  }).finally(() => (isOver = true));
  following.catch(() => undefined);
  // The gap of a time-out is of the machine's clock, waits for a sick service are of the client's.
  for (let look = 0; !isOver && look < 400; look += 1) {
    await clock.advance(clock.pending > 0 ? 5000 : 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await following;
  const offsets = requests
    .filter(({ url }) => url.includes('/millrace/run-output'))
    .map(({ url }) => Number(new URL(url).searchParams.get('offset')));
  return { written, offsets, isWhole: requests.some(({ url }) => url.includes('/runs/get-output')) };
}

describe('following a run', () => {
  for (const status of [408, 429, 500, 502, 503, 504]) {
    it(`goes on piece by piece where the first piece is answered with ${status}`, async () => {
      const pieces = [{ status }, piece('begun\n', 0, false), piece('ended\n', 6, true)];
      assert.deepEqual(await follow(pieces), { written: 'begun\nended\n', offsets: [0, 0, 6], isWhole: false });
    });
  }

  for (const status of [400, 401, 403, 404, 405, 501]) {
    it(`reads the output as a whole where the path of pieces is answered with ${status}`, async () => {
      assert.deepEqual(await follow([{ status }]), { written: 'as a whole\n', offsets: [0], isWhole: true });
    });
  }

  it('reads nothing twice after a late response', async () => {
    assert.deepEqual(await follow([piece('begun\n', 0, false), { status: 408 }, piece('ended\n', 6, true)]), {
      written: 'begun\nended\n',
      offsets: [0, 6, 6],
      isWhole: false,
    });
    await assert.rejects(follow([piece('begun\n', 0, false), { status: 404 }]), /404/);
    await assert.rejects(follow([{ status: 503 }], 'fail'), /503|failed a moment ago/);
  });
});

describe('following a long run', () => {
  const { signal } = new AbortController();
  const going = { run_id: '5', state: { life_cycle_state: 'RUNNING' } } as unknown as Run;
  const over = { run_id: '5', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } } as unknown as Run;
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('prints new output of a service without pieces every two seconds', async () => {
    const runs = [going, going, going, going, going, over];
    const outputs = [
      { logs: 'one\n' },
      { logs: 'one\ntwo\n' },
      new AppError('notFound', 'none yet'),
      { logs: 'two\nthree\n' },
      { notebook_output: { result: 'two\nthree\nfour' } },
    ];
    const next = async (left: object[]): Promise<unknown> => {
      const first = left.shift() ?? assert.fail('nothing more was expected');
      return first instanceof AppError ? Promise.reject(first) : first;
    };
    const client = {
      localService: { runOutput: () => Promise.reject(new AppError('rejected', 'No.', { status: 404 })) },
      jobs: { getRun: () => next(runs), getRunOutput: () => next(outputs) },
    } as unknown as Client;
    const written: string[] = [];
    let isOver = false;
    const write = (text: string): void => void written.push(text);
    const run = followRun(client, '5', { write, signal, retry: 'wait' }).finally(() => (isOver = true));
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await settle();
      mock.timers.tick(1999);
      await settle();
      assert.equal(written.length, rounds + 1);
      assert.equal(isOver, false);
      mock.timers.tick(1);
    }
    assert.equal(await run, over);
    assert.deepEqual(written, ['one\n', 'two\n', '', 'two\nthree\n', 'four\n']);
  });

  it('reports the result in one line', () => {
    assert.deepEqual(endInWords(over), { words: 'Run 5: Succeeded.', isSuccess: true });
    const state = { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'a\n\n\u001b[31mb' };
    assert.deepEqual(endInWords({ ...over, state } as Run), { words: 'Run 5: Failed. a b', isSuccess: false });
    assert.match(endInWords({ run_id: '5' } as Run).words, /^Run 5: /);
  });
});

describe('millrace runs and logs', () => {
  let server: TestServer;
  let written: string;
  let said: string[];
  /** How many runs there are, and whether the service says that there are always more. */
  let count: number;
  let isEndless: boolean;
  /** What the run of `logs` is like at each look; the last one stays. */
  let states: string[];
  let whole: string;
  /** The response of get-output, if it is another one. */
  let answer: [body: object, status: number] | undefined;
  /** The tasks of the run, and the responses of get-output for their runs. */
  let tasks: object[];
  let taskOutputs: Record<number, object>;
  const { signal } = new AbortController();
  const run = (id: number): string =>
    `{"run_id":${id},"job_id":9007199254740993,"number_in_job":${id},"run_name":"a\\u001b[31m\\n${id}",` +
    `"start_time":1700000000000,"state":{"life_cycle_state":"RUNNING","state_message":"it\\nwaits"}}`;
  beforeEach(async () => {
    [written, said, count, isEndless, states, whole] = ['', [], 3, false, [], 'written there\n'];
    answer = undefined;
    [tasks, taskOutputs] = [[], {}];
    mock.method(output, 'write', (text: string) => (written += text));
    mock.method(output, 'say', (text: string) => said.push(text));
    server = await startHttpServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      const of = (name: string): number => Number(searchParams.get(name) ?? 0);
      if (pathname === '/api/2.0/jobs/runs/list') {
        const [offset, limit] = [of('offset'), of('limit')];
        const runs = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, at) =>
          run(offset + at + 1),
        );
        answerJson(response, `{"runs":[${runs.join()}],"has_more":${isEndless || offset + limit < count}}`);
      } else if (pathname === '/api/2.0/jobs/runs/get') {
        const state = states.length > 1 ? states.shift() : states[0];
        answerJson(response, `{"run_id":${of('run_id')},"job_id":1,"state":${state},"tasks":${JSON.stringify(tasks)}}`);
      } else if (pathname === '/api/2.0/jobs/runs/get-output')
        answerJson(
          response,
          JSON.stringify(taskOutputs[of('run_id')] ?? answer?.[0] ?? { logs: whole, metadata: { run_id: 5 } }),
          answer?.[1] ?? 200,
        );
      else answerJson(response, '{"error_code":"ENDPOINT_NOT_FOUND","message":"no"}', 404);
    });
  });
  afterEach(async () => {
    mock.reset();
    await server.close();
  });
  const list = (...words: string[]): Promise<number> =>
    printRuns({ parameters: ['--url', server.url, ...words], token: undefined, signal });
  const pages = (): string[] =>
    server.requests.map(({ url }) => {
      const asked = new URL(url, server.url).searchParams;
      return `${asked.get('limit')} from ${asked.get('offset') ?? 0}`;
    });

  it('lists the requested number of runs over pages', async () => {
    count = 250;
    assert.equal(await list(), 0);
    const lines = (): number => written.split('\n').length - 2;
    assert.deepEqual([lines(), pages()], [25, ['25 from 0']]);
    server.requests.length = 0;
    written = '';
    await list('--limit', '120');
    assert.deepEqual([lines(), pages()], [120, ['100 from 0', '20 from 100']]);
    server.requests.length = 0;
    written = '';
    await list('--limit', '1000');
    assert.deepEqual([lines(), pages().length], [250, 3]);
  });

  it('lists runs in aligned columns with number, local time, duration and message', async () => {
    count = 11;
    await list();
    const [heading = '', ...rows] = written.trimEnd().split('\n');
    const startOf = (name: string): number => heading.indexOf(name);
    const started = new Date(1_700_000_000_000);
    for (const [at, row] of rows.entries()) {
      const cell = (name: string): string => row.slice(startOf(name)).split('  ')[0]?.trim() ?? '';
      assert.deepEqual([cell('Run'), cell('No.'), cell('State')], [`${at + 1}`, `${at + 1}`, 'Running']);
      assert.ok(cell('Started').includes(` ${String(started.getHours()).padStart(2, '0')}:`), row);
      assert.match(cell('Duration'), /^\d+ d \d+ h$/);
      assert.deepEqual([cell('Name'), cell('Message')], [`a ${at + 1}`, 'it waits']);
    }
  });

  it('prints ids with all digits as JSON', async () => {
    await list('--limit', '1', '--json');
    assert.match(written, /"job_id":9007199254740993,"run_id":1,"number_in_job":1,/);
    assert.equal((JSON.parse(written) as { runs: unknown[] }).runs.length, 1);
  });

  it('refuses a limit outside of 1 to 1000', async () => {
    for (const limit of ['0', '-1', '1001', '1.5', 'all', 'Infinity'])
      await assert.rejects(list(`--limit=${limit}`), (error) => isUsageError(error), limit);
    for (const limit of ['1', '1000']) assert.equal(await list(`--limit=${limit}`), 0);
    assert.deepEqual(pages(), ['1 from 0', '100 from 0']);
  });

  it('prints error and trace as JSON apart from what the program wrote', async () => {
    const left = { error: 'E: x', error_trace: 'Traceback\nE: x' };
    answer = [{ logs: 'hello\n', ...left, metadata: { run_id: 5 } }, 200];
    assert.equal(await showRun('--json'), 0);
    const { logs, error, error_trace } = JSON.parse(written) as Record<string, string>;
    assert.deepEqual({ logs, error, error_trace }, { logs: 'hello\n', ...left });
  });

  it('prints the output of each task of a run with several tasks', async () => {
    const task = (task_key: string, run_id: number, result_state: string, upstream?: string): object => ({
      task_key,
      run_id,
      state: { life_cycle_state: 'TERMINATED', result_state },
      depends_on: upstream === undefined ? [] : [{ task_key: upstream }],
    });
    tasks = [
      task('report', 53, 'UPSTREAM_FAILED', 'clean'),
      task('clean', 52, 'FAILED', 'ingest'),
      task('ingest', 51, 'SUCCESS'),
    ];
    taskOutputs = {
      51: { logs: 'read 5 rows\n', metadata: { run_id: 51 } },
      52: { logs: 'cleaning\n', error: 'ValueError: no rows', metadata: { run_id: 52 } },
    };
    assert.equal(await showRun(), 0);
    assert.equal(
      written,
      '== ingest: Succeeded\nread 5 rows\n\n== clean: Failed\ncleaning\nValueError: no rows\n\n== report: Upstream failed\n',
    );
  });

  const showRun = async (...words: string[]): Promise<number> => {
    [written, said] = ['', []];
    states = ['{"life_cycle_state":"TERMINATED","result_state":"SUCCESS"}'];
    return showLogs({ parameters: ['--url', server.url, '5', ...words], token: undefined, signal });
  };
  const trace = 'Traceback:\n  line 1\nValueError: no day';
  for (const [what, body, printed] of [
    [
      'an error trace without its colours',
      { error: 'no day', error_trace: `\u001b[31m${trace}\u001b[0m` },
      `${trace}\n`,
    ],
    ['an error trace that the logs contain, once', { logs: `begun\n${trace}`, error_trace: trace }, `begun\n${trace}`],
    [
      'logs, the result of the notebook and the error',
      { logs: 'begun', notebook_output: { result: '42' }, error: 'and then it broke' },
      'begun\n42\nand then it broke\n',
    ],
  ] as const)
    it(`prints ${what}`, async () => {
      answer = [{ ...body, metadata: { run_id: 5 } }, 200];
      assert.equal(await showRun(), 0);
      assert.equal(written, printed);
    });

  for (const words of [[], ['--follow'], ['--json']])
    it(`fails when the output cannot be read, ${words.join('') || 'by default'}`, async () => {
      answer = [{ error_code: 'INVALID_PARAMETER_VALUE', message: 'It has multiple tasks.' }, 400];
      assert.equal(await showRun(...words), 1);
      assert.match(said.join(), /multiple tasks/);
    });

  it('says that a run has no output, and how it ended', async () => {
    answer = [{ metadata: { run_id: 5 } }, 200];
    assert.equal(await showRun(), 0);
    assert.equal(said.length, 2);
    assert.match(said.join(), /no output.*Succeeded/);
  });

  for (const cut of [{ logs_truncated: true }, { notebook_output: { result: 'a', truncated: true } }])
    it(`says that the service left out a part, ${Object.keys(cut).join()}`, async () => {
      answer = [{ logs: 'a', ...cut, metadata: { run_id: 5 } }, 200];
      assert.equal(await showRun(), 0);
      assert.match(said.join(), /only a part/);
    });

  it('prints the output of a run, and its result only with --follow', async () => {
    const logs = (...words: string[]): Promise<number> => {
      written = '';
      return showLogs({ parameters: ['--url', server.url, ...words], token: undefined, signal });
    };
    const ended = (result: string): string =>
      `{"life_cycle_state":"TERMINATED","result_state":"${result}","state_message":"so\\nit is"}`;
    states = ['{"life_cycle_state":"RUNNING"}'];
    assert.deepEqual([await logs('5'), written, said], [0, 'written there\n', []]);
    states = [ended('FAILED')];
    assert.deepEqual([await logs('5'), said], [0, []], 'it was read, which is all that was asked');
    assert.deepEqual([await logs('5', '--follow'), said], [1, ['Run 5: Failed. so it is']]);
    states = [ended('SUCCESS')];
    assert.deepEqual([await logs('5', '--follow'), written], [0, 'written there\n']);
    assert.equal(await logs('5', '--json'), 0);
    assert.deepEqual((JSON.parse(written) as { logs: string; run_id: number }).logs, 'written there\n');
    whole = '';
    assert.equal(await logs('5', '--json'), 0);
    assert.equal((JSON.parse(written) as { logs?: string }).logs, '', 'that it wrote nothing is told, too');
    for (const id of ['abc', '12345678901234567890', '1.5', '-1'])
      await assert.rejects(logs(...(id === '-1' ? ['--', id] : [id])), (error) => isUsageError(error), id);
  });
});
