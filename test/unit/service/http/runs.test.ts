import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../../../src/api/client/index.ts';
import { openOutputLog, type OutputLog } from '../../../../src/service/runners/outputLog.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { eachWithClient, pythonTask, startTestService, type TestService } from '../support/testService.ts';

describe('Run routes', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService();
  });
  afterEach(() => test.close());

  async function finish(runId: number): Promise<void> {
    await test.untilTasks(1);
    test.runners.tasks.find((task) => task.request.runId === String(runId))!.succeed();
    await test.untilState(runId, 'TERMINATED');
  }

  it('list runs from the most recent, in pages, by job, state and type', async () => {
    test.runners.automatic = true;
    const [one, two] = [
      await test.createJob({ max_concurrent_runs: 100 }),
      await test.createJob({ max_concurrent_runs: 100 }),
    ];
    const ids: number[] = [];
    for (let index = 0; index < 25; index += 1) ids.push(await test.runNow(index % 5 === 0 ? two : one));
    await test.clock.advance(100);
    test.runners.automatic = false;
    const submitted = (await test.post('/api/2.0/jobs/runs/submit', { ...pythonTask, run_name: 'once' })).json
      .run_id as number;
    const list = async (query: string): Promise<{ ids: number[]; more: boolean }> => {
      const { json } = await test.get(`/api/2.0/jobs/runs/list?${query}`);
      return { ids: json.runs.map((run: { run_id: number }) => run.run_id), more: json.has_more };
    };
    const all = [...ids, submitted].reverse();
    assert.deepEqual(await list(''), { ids: all.slice(0, 20), more: true });
    assert.deepEqual(await list('offset=20&limit=6'), { ids: all.slice(20), more: false });
    assert.deepEqual(await list('limit=0'), { ids: all, more: false });
    assert.deepEqual(await list(`job_id=${two}`), {
      ids: ids.filter((_, index) => index % 5 === 0).reverse(),
      more: false,
    });
    assert.deepEqual(await list('active_only=true'), { ids: [submitted], more: false });
    assert.deepEqual(await list('completed_only=true&limit=999'), { ids: [...ids].reverse(), more: false });
    assert.deepEqual(await list('run_type=SUBMIT_RUN'), { ids: [submitted], more: false });
    for (const query of ['active_only=true&completed_only=true', 'limit=1000', 'offset=-1', 'job_id=x'])
      assert.equal((await test.get(`/api/2.0/jobs/runs/list?${query}`)).status, 400, query);
  });

  it('submit a one-time run', async () => {
    const { json } = await test.post('/api/2.0/jobs/runs/submit', {
      ...pythonTask,
      run_name: 'once',
      timeout_seconds: 5,
      libraries: [],
    });
    const run = await test.getRun(json.run_id);
    assert.deepEqual(
      [run.run_name, run.run_type, run.task, run.cluster_spec],
      [
        'once',
        'SUBMIT_RUN',
        { spark_python_task: pythonTask.spark_python_task },
        { existing_cluster_id: 'local', libraries: [] },
      ],
    );
    assert.equal(
      (await test.getRun((await test.post('/api/2.0/jobs/runs/submit', pythonTask)).json.run_id)).run_name,
      'Untitled',
    );
  });

  it('refuse invalid ids with 400', async () => {
    for (const [path, field] of [
      ['runs/cancel', 'run_id'],
      ['runs/cancel-all', 'job_id'],
      ['runs/delete', 'run_id'],
      ['run-now', 'job_id'],
      ['delete', 'job_id'],
    ] as const) {
      const missing = await test.post(`/api/2.0/jobs/${path}`, {});
      assert.deepEqual([missing.status, missing.json.error_code], [400, 'INVALID_PARAMETER_VALUE'], path);
      assert.match(missing.json.message, new RegExp(`^${field}: is required`), path);
      for (const value of ['abc', 1.5, true, '99999999999999999999', [1]])
        assert.equal(
          (await test.post(`/api/2.0/jobs/${path}`, { [field]: value })).status,
          400,
          `${path} ${String(value)}`,
        );
    }
    for (const query of ['runs/get', 'runs/get-output?run_id=x', 'runs/export?run_id=1.5', 'get?job_id=true'])
      assert.equal((await test.get(`/api/2.0/jobs/${query}`)).status, 400, query);
  });

  it('start one run for a token, also after a restart, and none after its deletion (P32)', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 10 });
    const runId = await test.runNow(jobId, { idempotency_token: 'x'.repeat(64) });
    assert.equal(await test.runNow(jobId, { idempotency_token: 'x'.repeat(64) }), runId);
    const submit = async (): Promise<{ status: number; json: { run_id?: number; message?: string } }> =>
      test.post('/api/2.0/jobs/runs/submit', { ...pythonTask, idempotency_token: 'once' });
    const submitted = (await submit()).json.run_id;
    await finish(runId);
    await test.restart();
    assert.equal(await test.runNow(jobId, { idempotency_token: 'x'.repeat(64) }), runId);
    assert.equal((await submit()).json.run_id, submitted);
    assert.equal((await test.get('/api/2.0/jobs/runs/list')).json.runs.length, 2);
    assert.equal((await test.post('/api/2.0/jobs/runs/delete', { run_id: runId })).status, 200);
    await test.restart();
    const refused = await test.post('/api/2.0/jobs/run-now', { job_id: jobId, idempotency_token: 'x'.repeat(64) });
    assert.equal(refused.status, 400);
    assert.match(refused.json.message, new RegExp(`run ${runId} of this idempotency_token was deleted`));
    const long = await test.post('/api/2.0/jobs/run-now', { job_id: jobId, idempotency_token: 'x'.repeat(65) });
    assert.equal(long.status, 400);
    assert.equal((await test.get('/api/2.0/jobs/runs/list')).json.runs.length, 1);
  });

  it('delete a finished run and refuse an active one', async () => {
    const runId = await test.runNow(await test.createJob());
    const refused = await test.post('/api/2.0/jobs/runs/delete', { run_id: runId });
    assert.deepEqual([refused.status, refused.json.error_code], [400, 'INVALID_STATE']);
    await finish(runId);
    assert.equal((await test.post('/api/2.0/jobs/runs/delete', { run_id: runId })).text, '{}');
    assert.equal((await test.get(`/api/2.0/jobs/runs/get?run_id=${runId}`)).status, 400);
  });

  it('return output, notebook result and error', async () => {
    const notebook = await test.createJob({ spark_python_task: undefined, notebook_task: { notebook_path: '/n' } });
    const runId = await test.runNow(notebook, { notebook_params: { day: '1' } });
    await test.untilTasks(1);
    const { request } = test.runners.last;
    assert.deepEqual(request.parameters, { notebook_params: { day: '1' } });
    assert.equal(request.dynamicValues['run_id'], String(runId));
    await mkdir(request.folder, { recursive: true });
    await writeFile(join(request.folder, 'output.log'), 'printed\n');
    test.runners.last.started();
    test.runners.last.end({
      resultState: 'FAILED',
      error: 'ValueError: x',
      errorTrace: 'trace',
      notebookResult: { truncated: false },
    });
    await test.untilState(runId, 'TERMINATED');
    const { json } = await test.get(`/api/2.0/jobs/runs/get-output?run_id=${runId}`);
    assert.equal(json.metadata.run_id, runId);
    assert.deepEqual(
      [json.notebook_output, json.error, json.error_trace, json.logs],
      [{ truncated: false }, 'ValueError: x', 'trace', 'printed\n'],
    );
  });

  it('show the page of a run only with its key', async () => {
    const runId = await test.runNow(await test.createJob({ name: '<img src=x onerror=alert(1)>' }));
    const { run_page_url: url } = await test.getRun(runId);
    const page = await fetch(url as string);
    const html = await page.text();
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
    assert.match(html, new RegExp(`run ${runId}`));
    assert.doesNotMatch(html, /<script|<img/i);
    assert.match(html, /http-equiv="refresh"/);
    assert.equal((await fetch((url as string).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).status, 404);
    assert.equal((await fetch((url as string).replace(/\/runs\/\d+/, '/runs/999'))).status, 404);
    await finish(runId);
    assert.doesNotMatch(await (await fetch(url as string)).text(), /http-equiv="refresh"/);
  });

  it('give lists in pages in the versions 2.1 and 2.2', async () => {
    const jobIds: number[] = [];
    for (const name of ['first', 'second', 'third']) jobIds.push(await test.createJob({ name }));
    for (const jobId of jobIds) await test.runNow(jobId);
    for (const [path, list, id] of [
      ['/api/2.1/jobs/list', 'jobs', 'job_id'],
      ['/api/2.2/jobs/runs/list', 'runs', 'run_id'],
    ] as const) {
      const { json: first } = await test.get(`${path}?limit=2`);
      const { json: second } = await test.get(`${path}?limit=2&page_token=${first.next_page_token}`);
      assert.deepEqual([first.has_more, second.has_more, second.next_page_token], [true, false, undefined]);
      const ids = [...first[list], ...second[list]].map((each) => each[id]);
      assert.deepEqual(
        ids,
        ids.toSorted((one, other) => other - one),
      );
      assert.equal(new Set(ids).size, 3);
      assert.equal((await test.get(`${path}?limit=1000`)).status, 400);
    }
    const named = (await test.get('/api/2.1/jobs/list?name=SECOND')).json.jobs;
    assert.deepEqual(
      named.map((job: { job_id: number }) => job.job_id),
      [jobIds[1]],
    );
  });

  it('give the tasks of listed jobs and runs on request', async () => {
    const tasks = [{ task_key: 'a', spark_python_task: { python_file: '/a.py' } }];
    const job = await test.post('/api/2.1/jobs/create', { name: 'graph', tasks });
    await test.runNow(job.json.job_id as number);
    const jobOf = async (more: string) => (await test.get(`/api/2.1/jobs/list?name=graph${more}`)).json.jobs[0];
    const runOf = async (more: string) => (await test.get(`/api/2.1/jobs/runs/list?limit=1${more}`)).json.runs[0];
    assert.deepEqual([(await jobOf('')).settings.tasks, (await runOf('')).tasks], [undefined, undefined]);
    assert.deepEqual((await jobOf('&expand_tasks=true')).settings.tasks, tasks);
    assert.equal((await runOf('&expand_tasks=true')).tasks[0].task_key, 'a');
  });

  it('tell clients of another API version which one is spoken here', async () => {
    const reply = await test.get('/api/2.3/jobs/list');
    assert.equal(reply.status, 404);
    assert.match(reply.json.message, /call \/api\/2\.2\/jobs\/list\./);
    assert.match((await test.get('/api/1.2/commands/status')).json.message, /\/api\/2\.0\//);
    assert.equal((await test.get('/api/2.0/jobs/create')).status, 405);
    assert.equal((await test.get('/nothing')).json.error_code, 'ENDPOINT_NOT_FOUND');
  });
});

describe('Live output', () => {
  let test: TestService;
  let client: Client;

  eachWithClient((...made) => ([test, client] = made));

  async function startRun(): Promise<{ runId: string; log: OutputLog }> {
    const runId = String(await test.runNow(await test.createJob()));
    await test.untilTasks(1);
    const { folder } = test.runners.last.request;
    await mkdir(folder, { recursive: true });
    return { runId, log: openOutputLog(join(folder, 'output.log')) };
  }

  it('continues after the given byte and answers when there is more', async () => {
    const { runId, log } = await startRun();
    const nothing = await client.localService.runOutput({ runId, offset: 0, wait: false });
    assert.deepEqual(nothing, { text: '', nextOffset: 0, size: 0, isEnd: false });
    const first = client.localService.runOutput({ runId, offset: 0, wait: true });
    log.write(Buffer.from('one €\n'));
    assert.deepEqual(await first, { text: 'one €\n', nextOffset: 8, size: 8, isEnd: false });
    const second = client.localService.runOutput({ runId, offset: 8, wait: true });
    log.write(Buffer.from('two\n'));
    assert.deepEqual(await second, { text: 'two\n', nextOffset: 12, size: 12, isEnd: false });
    await log.close();
  });

  it('answers when the run ends and says that nothing follows', async () => {
    const { runId, log } = await startRun();
    test.runners.last.started();
    await test.untilState(Number(runId), 'RUNNING');
    log.write(Buffer.from('all\n'));
    await log.close();
    const last = client.localService.runOutput({ runId, offset: 4, wait: true });
    test.runners.last.succeed();
    assert.deepEqual(await last, { text: '', nextOffset: 4, size: 4, isEnd: true });
    const whole = await client.localService.runOutput({ runId, offset: 0, wait: true });
    assert.deepEqual(whole, { text: 'all\n', nextOffset: 4, size: 4, isEnd: true });
  });

  it('comes in bounded pieces, each once', async () => {
    const { runId, log } = await startRun();
    const text = `${'€'.repeat(99)}\n`.repeat(6000);
    log.write(Buffer.from(text));
    await log.close();
    test.runners.last.succeed();
    await test.untilState(Number(runId), 'TERMINATED');
    let read = '';
    for (let offset = 0, isEnd = false; !isEnd;) {
      const piece = await client.localService.runOutput({ runId, offset, wait: true });
      assert.ok(piece.nextOffset - offset <= 512 * 1024 && piece.nextOffset > offset);
      read += piece.text;
      ({ nextOffset: offset, isEnd } = piece);
    }
    assert.equal(read, text);
  });

  it('is refused for an unknown run, a wrong offset and without the token', async () => {
    const kindOf = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'answered',
        (error: unknown) => (error instanceof AppError ? error.kind : String(error)),
      );
    assert.equal(await kindOf(client.localService.runOutput({ runId: '99', offset: 0, wait: true })), 'notFound');
    const { runId } = await startRun();
    const waiting = kindOf(client.localService.runOutput({ runId, offset: 0, wait: true }));
    test.runners.last.succeed();
    await waiting;
    for (const query of ['offset=-1', 'offset=1.5', 'offset=x', 'wait=perhaps'])
      assert.equal((await test.get(`/api/millrace/run-output?run_id=${runId}&${query}`)).status, 400, query);
    const open = await test.get(`/api/millrace/run-output?run_id=${runId}`, { authorization: 'Bearer wrong' });
    assert.equal(open.status, 401);
  });
});

describe('Run export', () => {
  const notebookTask = { existing_cluster_id: 'local', notebook_task: { notebook_path: '/book' } };

  let test: TestService;
  beforeEach(async () => {
    test = await startTestService();
  });
  afterEach(() => test.close());

  async function runWith(events: object[]): Promise<number> {
    const runId = (await test.post('/api/2.0/jobs/runs/submit', notebookTask)).json.run_id as number;
    const folder = join(test.folder, 'runs', String(runId));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'request.json'), JSON.stringify({ name: 'book', notebookPath: '/book' }));
    await writeFile(join(folder, 'events.jsonl'), events.map((event) => JSON.stringify(event)).join('\n'));
    return runId;
  }

  it('refuses a run with nothing to export', async () => {
    const runId = await runWith([]);
    await rm(join(test.folder, 'runs', String(runId)), { recursive: true });
    const reply = await test.get(`/api/2.0/jobs/runs/export?run_id=${runId}`);
    assert.deepEqual([reply.status, reply.json.error_code], [400, 'INVALID_PARAMETER_VALUE']);
    assert.match(reply.json.message, /not started a notebook.*Only notebook runs can be exported/);
  });
});
