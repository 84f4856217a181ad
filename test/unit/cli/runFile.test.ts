import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { type Command, isUsageError } from '../../../src/cli/commandLine.ts';
import { openService } from '../../../src/cli/openService.ts';
import { AppError, isAbort } from '../../../src/shared/errors.ts';
import { ownPlace } from './ownPlace.ts';

const tasks = {
  spark_python_task: '{python_file: "dfs:/main.py"}',
  notebook_task: '{notebook_path: /n}',
  spark_jar_task: '{main_class_name: A}',
  spark_submit_task: '{parameters: [a]}',
  run_job_task: '{job_id: 1}',
};

/** An attempt that failed and the one after it. */
const attempts = ['FAILED', 'SUCCESS'].map((result_state, attempt) => ({
  run_id: 5 + attempt,
  original_attempt_run_id: 5,
  attempt_number: attempt,
  job_id: 7,
  start_time: 1000,
  end_time: 1500,
  state: { life_cycle_state: 'TERMINATED', result_state },
}));

describe('a run of a file', () => {
  const place = ownPlace();
  const { written, said } = place;
  const run = (task: keyof typeof tasks, ...words: string[]): Promise<number> => runWith('', task, ...words);
  const runWith = async (more: string, task: keyof typeof tasks, ...words: string[]): Promise<number> => {
    const cluster =
      task === 'run_job_task'
        ? ''
        : task === 'spark_submit_task'
          ? 'new_cluster: {spark_version: a, node_type_id: b, num_workers: 1}\n'
          : 'existing_cluster_id: c\n';
    writeFileSync(join(place.folder, 'a.job.yml'), `name: a\n${more}${cluster}${task}: ${tasks[task]}\n`);
    const module = 'runFile';
    const { runFile } = (await import(`../../../src/cli/${module}.ts`)) as { runFile: Command };
    const parameters = ['a.job.yml', '--url', place.server.url, ...words];
    return runFile({ parameters, token: undefined, signal: signal ?? new AbortController().signal });
  };
  const runUntil = (end: AbortSignal): Promise<number> => {
    signal = end;
    return run('spark_python_task');
  };
  let signal: AbortSignal | undefined;
  beforeEach(() => (signal = undefined));
  const sent = (): Record<string, unknown> => {
    const request = place.server.requests.findLast(({ url }) => url.endsWith('/run-now'));
    const {
      job_id: _job,
      idempotency_token: _token,
      ...rest
    } = JSON.parse(request?.body ?? '{}') as Record<string, unknown>;
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

  it('prints the output and ends by the result of the run, whether or not --wait is given', async () => {
    for (const [words, code] of [
      [[], 1],
      [['--wait'], 1],
      [['--no-wait'], 0],
    ] as const) {
      written.length = said.length = 0;
      assert.equal(await run('spark_python_task', ...words), code, words.join(' '));
      assert.equal(written.includes('written there\n'), code === 1);
      assert.match(said.at(-1) ?? '', code === 1 ? /Failed/ : /^$/);
    }
    const before = place.server.requests.length;
    await assert.rejects(run('spark_python_task', '--wait', '--no-wait'), isUsageError);
    assert.equal(place.server.requests.length, before, 'nothing was started');
  });

  it('tells the run as JSON, at its start or at its end', async () => {
    assert.equal(await run('spark_python_task', '--json', '--no-wait'), 0);
    assert.equal((JSON.parse(written.join('')) as { run_id: number }).run_id, 5);
    const error = mock.method(process.stderr, 'write', () => true);
    written.length = 0;
    assert.equal(await run('spark_python_task', '--json'), 1);
    error.mock.restore();
    assert.deepEqual(
      error.mock.calls.map((call) => call.arguments[0] as unknown),
      ['written there\n'],
    );
    assert.equal((JSON.parse(written.join('')) as { run_id: number }).run_id, 5);
    assert.deepEqual(said, [`Run 5 of job 7 on ${place.server.url}:`, 'Run 5: Failed. It broke.']);
  });

  it('is deployed first, and not where that would undo what others did', async () => {
    await run('spark_python_task', '--no-wait');
    assert.deepEqual(place.server.mutations, ['create', 'run []']);
    place.server.jobs.set(7, { ...place.server.jobs.get(7), max_retries: 4 });
    await assert.rejects(run('spark_python_task'), /was not deployed: somebody else changed the job/);
    assert.equal(place.server.mutations.length, 2);
    assert.equal(await run('spark_python_task', '--yes', '--no-wait'), 0);
    assert.deepEqual(place.server.mutations.slice(2), ['reset 7', 'run []']);
  });

  it('says where the rest is to be seen if following it ends before the run', async () => {
    place.server.before = async (path, response) => {
      if (path === 'jobs/runs/get')
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"No."}');
    };
    await assert.rejects(run('spark_python_task'), /No\./);
    assert.equal(said.at(-1), 'Run 5 goes on: millrace logs 5 --follow shows the rest.');
  });

  it('is followed through its attempts, each of which is told, and the end of the last is its own', async () => {
    const first: object[] = [...attempts];
    place.server.before = async (path, response) => {
      const answer =
        path === 'jobs/runs/get'
          ? (first.shift() ?? attempts[1])
          : path === 'jobs/runs/list'
            ? { runs: attempts }
            : undefined;
      if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const more = 'max_retries: 2\nmin_retry_interval_millis: 3500\n';
    assert.equal(await runWith(more, 'spark_python_task'), 0);
    assert.deepEqual(said, [
      `Run 5 of job 7 on ${place.server.url}:`,
      'Run 5: Failed. That was attempt 1 of 3; the next one follows in 3 s.',
      'Run 6, attempt 2:',
      'Run 6: Succeeded.',
    ]);
  });

  it('tells the Python and packages of the run once, however many attempts there are', async () => {
    const versions = ['Python 3.12', 'Python 3.12'];
    const looks: object[] = [...attempts];
    place.server.before = async (path, response) => {
      const answer = path.endsWith('/run-output')
        ? { text: 'x\n', next_offset: 2, size: 2, is_end: true, versions: versions.shift() }
        : path === 'jobs/runs/get'
          ? (looks.shift() ?? attempts[1])
          : path === 'jobs/runs/list'
            ? { runs: attempts }
            : undefined;
      if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const url = place.server.url;
    assert.equal(await runWith('max_retries: 1\nmin_retry_interval_millis: 1500\n', 'spark_python_task'), 0);
    assert.deepEqual(said, [
      `Run 5 of job 7 on ${url}:`,
      'Python 3.12',
      'Run 5: Failed. That was attempt 1 of 2; the next one follows in 1 s.',
      'Run 6, attempt 2:',
      'Run 6: Succeeded.',
    ]);
    assert.deepEqual(written, ['x\n', 'x\n']);
  });

  it('has no pause to tell of where it is shorter than a second', async () => {
    const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
    const first = {
      run_id: 5,
      original_attempt_run_id: 5,
      attempt_number: 0,
      job_id: 7,
      start_time: 1000,
      end_time: 1501,
      state: failed,
    };
    const second = { ...first, run_id: 6, attempt_number: 1 };
    const looks: object[] = [first];
    place.server.before = async (path, response) => {
      const answer =
        path === 'jobs/runs/get'
          ? (looks.shift() ?? second)
          : path === 'jobs/runs/list'
            ? { runs: [first, second] }
            : undefined;
      if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    assert.equal(await runWith('max_retries: 1\nmin_retry_interval_millis: 1500\n', 'spark_python_task'), 1);
    assert.equal(said[1], 'Run 5: Failed. That was attempt 1 of 2; the next one follows.');
  });

  it('is followed unasked on a service that ends with a command, which goes on with nothing', async () => {
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
      const module = 'runFile';
      const { runFile } = (await import(`../../../src/cli/${module}.ts`)) as { runFile: Command };
      const parameters = ['a.job.yml', '--data', data, '--root', '.'];
      return runFile({ parameters, token: undefined, signal: new AbortController().signal });
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

  it('undoes what others did on a service that is there for it alone', async () => {
    const [data, root] = [join(place.folder, 'data'), place.folder];
    const invocation = { parameters: [], token: undefined, signal: new AbortController().signal };
    writeFileSync(join(root, 'a.job.yml'), 'name: a\nrun_job_task: {job_id: 99}\n');
    const module = 'runFile';
    const { runFile } = (await import(`../../../src/cli/${module}.ts`)) as { runFile: Command };
    const parameters = ['a.job.yml', '--data', data, '--root', root];
    assert.equal(await runFile({ ...invocation, parameters }), 1);
    const opened = await openService({ data, root }, invocation, () => root);
    const [job] = await opened.client.jobs.list();
    await opened.client.jobs.update({ job_id: job?.job_id ?? '', new_settings: { max_retries: 4 } });
    await opened.close();
    assert.equal(await runFile({ ...invocation, parameters }), 1);
  });

  for (const path of ['jobs/create', 'jobs/run-now', 'jobs/runs/get'])
    it(`waits for ${path} no longer than is wanted`, async () => {
      const end = new AbortController();
      place.server.before = async (of, response) => {
        if (of !== path) return;
        end.abort(new AppError('aborted', 'Interrupted.'));
        await once(response, 'close');
      };
      await assert.rejects(runUntil(end.signal), isAbort);
    });
});
