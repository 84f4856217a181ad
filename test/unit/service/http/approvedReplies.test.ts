import { request } from 'node:http';
import { userInfo } from 'node:os';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { assertApproved } from '../../../support/approved.ts';
import { pythonTask, startTestService, testToken, type TestService } from '../support/testService.ts';

const startAt = Date.UTC(2026, 0, 5, 10);
/** Said by Node, or by nobody twice in the same words. */
const passing = new Set(['date', 'keep-alive']);

/** All of what the service answers, down to the headers: one line for each, in the order in which it was asked. */
describe('what the service answers', () => {
  let test: TestService;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    test = await startTestService({ testClock: new TravelClock(startAt) });
  });
  afterEach(() => test.close());

  /** Asks, and writes down what came. A body that is no text is sent as JSON. */
  async function ask(asked: string, body?: unknown, more: Record<string, string> = {}): Promise<string> {
    const [method = '', path = ''] = asked.split(' ');
    const sent = body === undefined || typeof body === 'string' ? (body as string | undefined) : JSON.stringify(body);
    const length = sent === undefined ? '' : String(Buffer.byteLength(sent));
    const headers = { authorization: `Bearer ${testToken}`, connection: 'close', 'content-length': length, ...more };
    for (const [name, value] of Object.entries(headers)) if (value === '') Reflect.deleteProperty(headers, name);
    const answer = await exchange(test.service.url + path, { method, headers }, sent).catch(
      (error: NodeJS.ErrnoException) => `no answer: ${error.code}`,
    );
    const shown = sent === undefined ? '' : ` ${sent.length > 300 ? `${sent.slice(0, 300)}…` : sent}`;
    const extra = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : '';
    lines.push(plain(`> ${asked}${shown}${extra}`), plain(answer));
    return answer;
  }

  function plain(text: string): string {
    const { url } = test.service;
    return text
      .replaceAll(url, '<url>')
      .replaceAll(test.folder, '<data>')
      .replaceAll(JSON.stringify(process.argv[1]), '"<script>"')
      .replaceAll(JSON.stringify(userInfo().username), '"<user>"')
      .replaceAll(`"pid":${process.pid}`, '"pid":<pid>')
      .replace(/\b176760720\d(\d{3})?\b|2026-01-05[T ]10:00:0[\d.]+/g, '<now>')
      .replace(/(_duration":|"timers_fired":)\d+|(clean-up<\/dt><dd>)[^<]+/g, '$1$2<some>')
      .replace(/(\/runs\/\d+\/)[\w-]{32}/g, '$1<key>')
      .replace(/(nonce[-=]"?)[\w+/]{22}==/g, '$1<nonce>')
      .replace(/"(chatcmpl|cmpl|embd)-\w+"/g, '"$1-<id>"')
      .replace(/"(jobs|runs)":"[\w-]+-(\d+)"/g, '"$1":"<start>-$2"');
  }

  it('is as approved: of jobs and their runs', async () => {
    const job = { name: 'etl', ...pythonTask, max_concurrent_runs: 2, big: 12_345_678_901_234_567_890n.toString() };
    await ask('POST /api/2.0/jobs/create', job);
    await ask('POST /api/2.0/jobs/create', { ...pythonTask, spark_python_task: { python_file: 'x' } });
    await ask('POST /api/2.0/jobs/create', { name: 'b', max_retries: -2 });
    await ask('GET /api/2.0/jobs/list');
    await ask('GET /api/2.0/jobs/get?job_id=1');
    await ask('GET /api/2.0/jobs/get', { job_id: 1 });
    for (const id of ['', '?job_id=9', '?job_id=x', '?jobid=1']) await ask(`GET /api/2.0/jobs/get${id}`);
    const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' };
    await ask('POST /api/2.0/jobs/update', { job_id: 1, new_settings: { schedule, max_retries: 2 } });
    await ask('POST /api/2.0/jobs/update', { job_id: 1, fields_to_remove: ['max_retries', 'schedule'] });
    await ask('POST /api/2.0/jobs/update', { job_id: 1, fields_to_remove: ['shedule'] });
    await ask('POST /api/2.0/jobs/update', {
      job_id: 1,
      new_settings: { existing_cluster_id: null, timeout_seconds: -1 },
    });
    await ask('POST /api/2.0/jobs/reset', { job_id: 1, new_settings: { ...pythonTask, name: 'other' } });
    await ask('POST /api/2.0/jobs/reset', { job_id: 9, new_settings: pythonTask });
    await ask('GET /api/2.0/jobs/get?job_id=1');
    await ask('GET /api/millrace/changes');
    await ask('POST /api/2.0/jobs/run-now', { job_id: 1, python_params: ['a'], idempotency_token: 't' });
    await ask('POST /api/2.0/jobs/run-now?job_id=1', { idempotency_token: 't' });
    await ask('POST /api/2.0/jobs/run-now?job_id=1', { job_id: 2 });
    await ask('POST /api/2.0/jobs/run-now', { job_id: 1, notebook_params: { a: 'b' } });
    await ask('POST /api/2.0/jobs/run-now', { job_id: 7 });
    await ask('POST /api/2.0/jobs/runs/submit', { ...pythonTask, run_name: 'once' });
    await ask('POST /api/2.0/jobs/runs/submit', { run_name: 'none' });
    await ask('GET /api/2.0/jobs/runs/get?run_id=1');
    await ask('GET /api/2.0/jobs/runs/get?run_id=9');
    await ask('POST /api/2.0/jobs/runs/delete', { run_id: 9 });
    await test.untilTasks(1);
    await ask('GET /api/millrace/debug-state?run_id=1');
    await ask('POST /api/2.0/jobs/runs/delete', { run_id: 1 });
    test.runners.tasks[0]?.end({
      resultState: 'FAILED',
      error: 'It broke.',
      errorTrace: 'Traceback',
      notebookResult: { result: 'r', truncated: true },
    });
    await test.untilState(1, 'TERMINATED');
    for (const path of ['/api/2.0/jobs/runs/get-output', '/api/millrace/run-output', '/api/millrace/debug-state'])
      for (const id of [1, 9]) await ask(`GET ${path}?run_id=${id}`);
    await ask('GET /api/millrace/run-output?run_id=1&offset=-1');
    await ask('GET /api/2.0/jobs/runs/export?run_id=1');
    await ask('GET /api/2.0/jobs/runs/export?run_id=9&views_to_export=ALL');
    await ask('GET /api/2.0/jobs/runs/export?run_id=1&views_to_export=SOME');
    for (const filter of [
      '',
      '&limit=1',
      '&limit=1&offset=1',
      '&completed_only=true',
      '&active_only=TRUE',
      '&limit=1000',
    ])
      await ask(`GET /api/2.0/jobs/runs/list?x=1${filter}`);
    for (const filter of [
      'job_id=1',
      'job_id=9',
      'run_type=SUBMIT_RUN',
      'active_only=true&completed_only=true',
      'ofset=1',
    ])
      await ask(`GET /api/2.0/jobs/runs/list?${filter}`);
    await ask('GET /api/millrace/last-runs');
    await ask('GET /api/millrace/last-runs?after_job_id=1');
    const run = await test.getRun(1);
    const page = new URL(run.run_page_url as string).pathname;
    await ask(`GET ${page}`, undefined, { authorization: '' });
    await ask(`HEAD ${page}`, undefined, { authorization: '' });
    await ask(`GET ${page.replace('/1/', '/2/')}`, undefined, { authorization: '' });
    await ask('POST /api/2.0/jobs/runs/cancel', { run_id: 2 });
    await ask('POST /api/2.0/jobs/runs/cancel', { run_id: 9 });
    await ask('POST /api/2.0/jobs/runs/cancel-all', { job_id: 1 });
    await ask('POST /api/2.0/jobs/runs/cancel-all', { job_id: 9 });
    await ask('POST /api/2.0/jobs/runs/delete', { run_id: 1 });
    await ask('POST /api/2.0/jobs/delete', { job_id: 1 });
    await ask('POST /api/2.0/jobs/delete', { job_id: 1 });
    await ask('GET /api/2.0/jobs/list');
    await ask('GET /api/2.0/jobs/runs/list');
    assertApproved('replies-jobs', `${lines.join('\n')}\n`);
  });

  it('is as approved: of clusters, models and itself', async () => {
    for (const list of ['spark-versions', 'list-node-types', 'list-zones']) await ask(`GET /api/2.0/clusters/${list}`);
    const guide = '/serving-endpoints/guide';
    await ask('GET /api/2.0/serving-endpoints');
    await ask('GET /api/2.0/serving-endpoints/guide');
    await ask('GET /api/2.0/serving-endpoints/none');
    const endpoint = { name: 'mine', config: { served_entities: [{ entity_name: 'guide' }] } };
    for (const name of ['mine', 'mine', 'a b', '']) await ask('POST /api/2.0/serving-endpoints', { ...endpoint, name });
    await ask('DELETE /api/2.0/serving-endpoints/mine');
    await ask('DELETE /api/2.0/serving-endpoints/mine');
    const messages = [{ role: 'user', content: 'Hello' }];
    await ask(`POST ${guide}/invocations`, { messages });
    await ask(`POST ${guide}/invocations`, { messages, stream: true });
    await ask(`POST ${guide}/invocations`, { messages: [] });
    await ask(`POST ${guide}/invocations`, '[]');
    await ask('POST /serving-endpoints/none/invocations', { messages });
    for (const route of ['chat/completions', 'completions', 'embeddings', 'responses'])
      await ask(`POST /serving-endpoints/${route}`, { model: 'none', messages });
    for (const path of ['health', 'engines', 'nothing']) await ask(`GET /api/millrace/${path}`);
    await ask('GET /.well-known/databricks-config', undefined, { authorization: '' });
    await ask('POST /api/millrace/attach', { pid: process.pid });
    await ask('POST /api/millrace/leave', { pid: process.pid });
    await ask('GET /api/millrace/health');
    await ask('POST /api/millrace/stop', {});
    assertApproved('replies-models', `${lines.join('\n')}\n`);
  });

  it('is as approved: of requests that nobody should send', async () => {
    const get = '/api/2.0/jobs/list';
    for (const authorization of [
      '',
      'Bearer x',
      'Basic eA==',
      `bearer ${testToken}`,
      `Basic ${btoa(`token:${testToken}`)}`,
    ])
      await ask(`GET ${get}`, undefined, { authorization });
    for (const header of [{ host: 'evil.example' }, { origin: 'http://a' }, { 'sec-fetch-site': 'cross-site' }])
      await ask(`GET ${get}`, undefined, header as unknown as Record<string, string>);
    for (const method of ['POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']) await ask(`${method} ${get}`);
    await ask('GET /api/2.0/jobs/create');
    for (const path of [
      '/',
      '/api/2.0/jobs/lst',
      '/api/2.1/jobs/list',
      '/api/2.0/dbfs/put',
      '/v1/models',
      `/${'x'.repeat(200)}`,
    ])
      await ask(`GET ${path}`);
    await ask('GET /api/2.0/jobs/list/');
    for (const body of ['', '{', '[]', '"a"', '{"job_id":1,}', '{"a":1}{'])
      await ask('POST /api/2.0/jobs/delete', body);
    await ask('POST /api/2.0/jobs/delete', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`);
    await ask('POST /api/2.0/jobs/delete', `{"a":[${'1,'.repeat(10_000)}1]}`);
    await ask('POST /api/2.0/jobs/delete', `{"job_id":${'1'.repeat(101)}${' '.repeat(60)}}`);
    await ask('POST /api/2.0/jobs/delete', '{}', { 'content-encoding': 'gzip' });
    await ask('POST /api/2.0/jobs/delete', '{}', { 'content-length': '10485761' });
    assertApproved('replies-refused', `${lines.join('\n')}\n`);
  });

  it('is as approved: to tests, which travel in time and have it fail', async () => {
    const test = '/api/millrace/test';
    await ask(`POST ${test}/clock`, {});
    await ask(`POST ${test}/clock`, { advance_ms: 1000 });
    await ask(`POST ${test}/clock`, { now: startAt });
    await ask(`POST ${test}/clock`, { now: startAt + 1500 });
    await ask(`POST ${test}/ids`, { next_job_id: '9007199254740993', next_run_id: 70 });
    await ask(`POST ${test}/seed`, { jobs: [{ name: 'seed', ...pythonTask }, { ...pythonTask }] });
    await ask(`POST ${test}/seed`, { jobs: [{}] });
    await ask(`POST ${test}/seed`, { runs: { job_id: '9007199254740993', count: 2 } });
    await ask('GET /api/2.0/jobs/runs/list?limit=1');
    const path = '/api/2.0/jobs/list';
    await ask(`POST ${test}/faults`, {
      faults: [
        { kind: 'status', status: 429, retry_after: 7, times: 2 },
        { kind: 'status', path, method: 'GET' },
        { kind: 'status', status: 404 },
        { kind: 'badJson' },
        { kind: 'drop' },
        { kind: 'dropAfter' },
        { kind: 'slow', delay_ms: 1 },
        { kind: 'status', status: 500, times: 0 },
      ],
    });
    for (let times = 0; times < 10; times += 1) await ask(`GET ${path}`);
    await ask(`POST ${test}/faults`, { faults: [{ kind: 'other' }] });
    await ask(`POST ${test}/faults/clear`);
    await ask(`GET ${path}`);
    await ask(`POST ${test}/faults`, { faults: [{ kind: 'cutStream', events: 2 }] });
    const messages = [{ role: 'user', content: 'Hello' }];
    await ask('POST /serving-endpoints/guide/invocations', { messages, stream: true });
    assertApproved('replies-tests', `${lines.join('\n')}\n`);
  });
});

function exchange(
  url: string,
  options: { method: string; headers: Record<string, string> },
  body?: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const tell = (end: string): void => {
        const { 'content-length': length, ...others } = response.headers;
        const headers = Object.entries(others).filter(([name]) => !passing.has(name));
        if (length !== undefined) headers.push(['content-length', lengthInWords(Number(length), text)]);
        resolve(
          [response.statusCode, ...headers.map(([name, value]) => `${name}: ${String(value)}`), text + end].join(
            '\n  ',
          ),
        );
      };
      response.on('end', () => tell('')).on('error', () => tell(' (broken off)'));
    });
    asked.on('error', reject).end(body);
  });
}

/** Names of users and folders are of any length. */
function lengthInWords(length: number, text: string): string {
  return length === Buffer.byteLength(text) ? 'that of the text' : text === '' && length > 0 ? 'some' : `${length}`;
}
