import assert from 'node:assert/strict';
import * as z from 'zod';
import { createClient, type WorkspaceClient } from '../../../../src/api/client/index.ts';
import { readJobsList } from '../../../../src/api/client/jobs/jobsList.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { listJobsResponse } from '../../../../src/api/schema/jobs/schemas.ts';
import { parseJson } from '../../../../src/shared/json.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { jobsListText } from '../../../support/samples.ts';
import { connectionError, scriptedFetch, type Reply } from '../../../support/scriptedFetch.ts';

const auth = { kind: 'none' } as const;

const existing = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };

/** What one call sends, and what it makes of an answer. */
async function exchange(
  body: string,
  call: (client: WorkspaceClient) => Promise<unknown>,
): Promise<{ sent: string; value: unknown }> {
  const { fetch, requests } = scriptedFetch(() => ({ status: 200, body }));
  const value = await call(createClient({ baseUrl: 'https://service.example', auth, fetch, retry: 'fail' }));
  const [request] = requests;
  return {
    sent: `${request?.method} ${request?.url.slice('https://service.example'.length)}${request?.body === undefined ? '' : ` ${String(request.body)}`}`,
    value,
  };
}

const id = '9223372036854775807';

const run = { run_id: id };

const operations: [
  sent: string,
  answer: string,
  call: (client: WorkspaceClient) => Promise<unknown>,
  value: unknown,
][] = [
  [
    `POST /api/2.0/jobs/create ${JSON.stringify(existing)}`,
    `{"job_id":${id}}`,
    (client) => client.jobs.create(existing),
    { job_id: id },
  ],
  ['GET /api/2.0/jobs/list', `{"jobs":[{"job_id":${id}}]}`, (client) => client.jobs.list(), [{ job_id: id }]],
  ['GET /api/2.0/jobs/list', '{}', (client) => client.jobs.list(), []],
  [
    `GET /api/2.0/jobs/get?job_id=${id}`,
    `{"job_id":${id},"settings":{}}`,
    (client) => client.jobs.get(id),
    { job_id: id, settings: {} },
  ],
  [`POST /api/2.0/jobs/delete {"job_id":${id}}`, '', (client) => client.jobs.delete(id), undefined],
  [
    `POST /api/2.0/jobs/reset {"job_id":${id},"new_settings":${JSON.stringify(existing)}}`,
    '{}',
    (client) => client.jobs.reset(id, existing),
    undefined,
  ],
  [
    `POST /api/2.0/jobs/update {"job_id":${id},"new_settings":{"name":"n"},"fields_to_remove":["schedule"]}`,
    '{}',
    (client) => client.jobs.update({ job_id: id, new_settings: { name: 'n' }, fields_to_remove: ['schedule'] }),
    undefined,
  ],
  [
    `POST /api/2.0/jobs/run-now {"job_id":${id},"jar_params":["a"],"idempotency_token":"t"}`,
    `{"run_id":${id},"number_in_job":2}`,
    (client) => client.jobs.runNow({ job_id: id, jar_params: ['a'], idempotency_token: 't' }),
    { run_id: id, number_in_job: '2' },
  ],
  [
    'POST /api/2.0/jobs/runs/submit {"run_name":"r","existing_cluster_id":"c","notebook_task":{"notebook_path":"/n"},"idempotency_token":"t"}',
    `{"run_id":${id}}`,
    (client) => client.jobs.submit({ run_name: 'r', ...existing, idempotency_token: 't' }),
    run,
  ],
  ['GET /api/2.0/jobs/runs/list', '{}', (client) => client.jobs.listRuns(), { runs: [], has_more: false }],
  [
    `GET /api/2.0/jobs/runs/list?active_only=true&job_id=${id}&offset=1&limit=2&run_type=JOB_RUN`,
    `{"runs":[{"run_id":${id}}],"has_more":true}`,
    (client) => client.jobs.listRuns({ active_only: true, job_id: id, offset: 1, limit: 2, run_type: 'JOB_RUN' }),
    { runs: [run], has_more: true },
  ],
  [`GET /api/2.0/jobs/runs/get?run_id=${id}`, `{"run_id":${id}}`, (client) => client.jobs.getRun(id), run],
  [
    `GET /api/2.0/jobs/runs/export?run_id=${id}&views_to_export=ALL`,
    '{"views":[{"name":"v"}]}',
    (client) => client.jobs.exportRun({ run_id: id, views_to_export: 'ALL' }),
    [{ name: 'v' }],
  ],
  [`POST /api/2.0/jobs/runs/cancel {"run_id":${id}}`, '', (client) => client.jobs.cancelRun(id), undefined],
  [`POST /api/2.0/jobs/runs/cancel-all {"job_id":${id}}`, '', (client) => client.jobs.cancelAllRuns(id), undefined],
  [
    `GET /api/2.0/jobs/runs/get-output?run_id=${id}`,
    '{"error":"none"}',
    (client) => client.jobs.getRunOutput(id),
    { error: 'none' },
  ],
  [`POST /api/2.0/jobs/runs/delete {"run_id":${id}}`, '', (client) => client.jobs.deleteRun(id), undefined],
];

describe('Jobs API client', () => {
  for (const [sent, answer, call, value] of operations) {
    it(`${sent.slice(0, 90)} gives ${JSON.stringify(value) ?? 'nothing'}`, async () => {
      const exchanged = await exchange(answer, call);
      assert.equal(exchanged.sent, sent);
      assert.deepEqual(exchanged.value, value);
    });
  }

  it('repeats only the operations that the API document allows', () => {
    const words = Object.values(jobsRoutes).map(({ operation, method, path, mutates, repeatable }) => {
      assert.equal(path, `/api/${operation === 'jobs/runs/repair' ? '2.1' : '2.0'}/${operation}`);
      assert.equal(mutates, method === 'POST', operation);
      return `${operation} ${repeatable}`;
    });
    assert.deepEqual(
      words.filter((word) => !word.endsWith('always')),
      [
        'jobs/create never',
        'jobs/run-now withToken',
        'jobs/runs/submit withToken',
        'jobs/runs/repair never',
        'jobs/runs/cancel-all never',
      ],
    );
  });

  it('reads ids inside settings with all digits', async () => {
    const body = `{"job_id":1,"settings":{"run_job_task":{"job_id":${id}},"notebook_task":{"notebook_path":"/n","revision_timestamp":-9223372036854775808}}}`;
    const { value } = await exchange(body, (client) => client.jobs.get('1'));
    assert.deepEqual(value, {
      job_id: '1',
      settings: {
        run_job_task: { job_id: id },
        notebook_task: { notebook_path: '/n', revision_timestamp: '-9223372036854775808' },
      },
    });
  });

  it('reads a run leniently and keeps unknown fields', async () => {
    const { value } = await exchange(
      JSON.stringify({
        run_id: 5,
        job_id: '7',
        start_time: '12',
        end_time: 0,
        attempt_number: '1',
        run_type: 'NEW_TYPE',
        extra: { a: null },
        state: {
          life_cycle_state: 'BLOCKED',
          result_state: 'MAYBE',
          user_cancelled_or_timedout: 'true',
          state_message: null,
        },
        task: {
          run_job_task: { job_id: 3 },
          notebook_task: { notebook_path: '/n', revision_timestamp: 4, base_parameters: [{ key: 'a', value: 'b' }] },
          sql_task: null,
        },
        overriding_parameters: { notebook_params: [{ name: 'a', value: 'c' }] },
      }),
      (client) => client.jobs.getRun('5'),
    );
    assert.deepEqual(value, {
      run_id: '5',
      job_id: '7',
      start_time: 12,
      end_time: 0,
      attempt_number: 1,
      run_type: 'NEW_TYPE',
      extra: { a: null },
      state: {
        life_cycle_state: 'BLOCKED',
        result_state: 'MAYBE',
        user_cancelled_or_timedout: true,
        state_message: undefined,
      },
      task: {
        run_job_task: { job_id: '3' },
        notebook_task: { notebook_path: '/n', revision_timestamp: '4', base_parameters: { a: 'b' } },
      },
      overriding_parameters: { notebook_params: { a: 'c' } },
    });
  });
});

describe('Deleting a run', () => {
  async function remove(...replies: Reply[]): Promise<number> {
    const clock = new FakeClock();
    const { fetch, requests } = scriptedFetch((_request, count) => replies[count - 1] ?? { status: 500 });
    const client = createClient({ baseUrl: 'https://service.example', auth, fetch, clock, random: () => 0 });
    let told = 0;
    const removed = client.jobs.deleteRun('1', { onRetry: () => void told++ });
    removed.catch(() => undefined);
    await clock.advance(60_000);
    await removed;
    assert.equal(told, requests.length - 1);
    return requests.length;
  }
  const gone = { status: 404, body: '{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"No."}' };

  it('succeeds if the response of the first attempt was lost', async () =>
    assert.equal(await remove(connectionError('ECONNRESET'), gone), 2));
  it('fails if the run does not exist', async () => assert.rejects(remove(gone), { kind: 'notFound' }));
  it('fails if the second attempt is refused', async () =>
    assert.rejects(remove(connectionError('ECONNRESET'), { status: 403 }), { kind: 'forbidden' }));
});

function bySchema(text: string): unknown {
  return z.decode(listJobsResponse, parseJson(text) as never).jobs ?? [];
}

async function read(text: string): Promise<unknown> {
  return (await readJobsList(text))?.value.jobs;
}

/** The longest that one turn of the event loop takes, in CPU time, since a busy machine stops the process for longer than it works. */
async function longestStretchOf(text: string): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(look, 1);
  const jobs = await readJobsList(text);
  clearInterval(timer);
  // Where it never gives the process a turn, no timer has looked.
  look();
  assert.equal(jobs?.value.jobs.length, 12_000);
  return longest;
}

describe('readJobsList', () => {
  const long = jobsListText(1500, true);

  it('reads a long list as the schema does', async () => {
    for (const text of [
      long,
      JSON.stringify(JSON.parse(jobsListText(1500, false)), undefined, 2),
      long.replace('{"jobs"', '{"other":1,"jobs"'),
      long.replace(/\}$/, ',"next":{"a":[1]}}'),
    ]) {
      assert.ok(text.length > 1_000_000);
      assert.deepEqual(await read(text), bySchema(text));
    }
  });

  it('is not confused by job-like text in strings', async () => {
    const tricky = long.replaceAll(
      '"timeout_seconds":3600',
      '"note":"},{\\"job_id\\":","tasks":[{"job_id":1},{"job_id":2}],"timeout_seconds":3600',
    );
    assert.deepEqual(await read(tricky), bySchema(tricky));
  });

  it('never blocks the process for 50 ms', async () => {
    const compact = jobsListText(12_000, true);
    for (const text of [compact, compact.replaceAll('},{"job_id"', '} ,\r\n  {"job_id"')]) {
      await readJobsList(text);
      // The quickest of a few: the first meet code that is not compiled yet, and a memory that grows.
      let quickest = Infinity;
      for (let round = 0; round < 4 && quickest >= 50; round++)
        quickest = Math.min(quickest, await longestStretchOf(text));
      assert.ok(quickest < 50, `longest stretch ${quickest} ms of CPU time`);
    }
  });

  it('reads odd jobs as the schema does', async () => {
    const odd = [
      ...['{"job_id":1,"__proto__":{"a":1}}', '{"job_id":1,"settings":{"name":null}}'],
      ...['{"job_id":1,"settings":{"__proto__":{"a":1}}}', '{"job_id":9223372036854775807}'],
      ...['{"job_id":-9223372036854775808}', '{"job_id":1,"run_as":5}', '{"job_id":1,"created_time":"soon"}'],
      ...['{"job_id":1,"settings":[]}'],
      ...['{"job_id":1,"settings":{"notebook_task":{"revision_timestamp":9007199254740993}}}'],
      ...['{"job_id":1,"creator_user_name":null}'],
    ];
    for (const job of odd) assert.deepEqual(await read(`{"jobs":[${job}]}`), bySchema(`{"jobs":[${job}]}`), job);
    for (const id of ['9223372036854775808', '-9223372036854775809', '1.5', '1e300', '"x"', 'null', 'true', '[1]']) {
      const answer = await readJobsList(`{"jobs":[{"job_id":${id}},{"job_id":1}]}`);
      assert.deepEqual([answer?.value.jobs.map(({ job_id: jobId }) => jobId), answer?.skipped?.count], [['1'], 1], id);
    }
  });
});
