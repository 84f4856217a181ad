import assert from 'node:assert/strict';
import { createClient, type WorkspaceClient } from '../../../../src/api/client/index.ts';
import { shutdownReason, type Intent, type IntentStore } from '../../../../src/api/client/intents.ts';
import { withParamMaps } from '../../../../src/api/schema/jobs/paramPairs.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { readSparkSubmit } from '../../../../src/api/schema/jobs/sparkSubmitOptions.ts';
import {
  parameterKindOfTask,
  runParameterKinds,
  taskKindOf,
  taskKinds,
} from '../../../../src/api/schema/jobs/taskKinds.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
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
  [`GET /api/2.0/jobs/get?job_id=${id}`, `{"job_id":${id}}`, (client) => client.jobs.get(id), { job_id: id }],
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

describe('operations of the jobs API on the wire', () => {
  for (const [sent, answer, call, value] of operations) {
    it(`${sent.slice(0, 90)} gives ${JSON.stringify(value) ?? 'nothing'}`, async () => {
      const exchanged = await exchange(answer, call);
      assert.equal(exchanged.sent, sent);
      assert.deepEqual(exchanged.value, value);
    });
  }

  it('which may be sent again, and which change something, is as the document says', () => {
    const words = Object.values(jobsRoutes).map(({ operation, method, path, mutates, repeatable }) => {
      assert.equal(path, `/api/2.0/${operation}`);
      assert.equal(mutates, method === 'POST', operation);
      return `${operation} ${repeatable}`;
    });
    assert.deepEqual(
      words.filter((word) => !word.endsWith('always')),
      ['jobs/create never', 'jobs/run-now withToken', 'jobs/runs/submit withToken', 'jobs/runs/cancel-all never'],
    );
    assert.equal(words.length, 15);
  });

  it('how large an answer may be is as large as what it holds', () => {
    const sizes = Object.values(jobsRoutes).flatMap((route) =>
      'largestAnswerInBytes' in route && route.largestAnswerInBytes !== undefined
        ? [`${route.operation} ${route.largestAnswerInBytes / 1_048_576}`]
        : [],
    );
    assert.deepEqual(sizes, ['jobs/list 128', 'jobs/runs/list 64', 'jobs/runs/export 256']);
  });

  it('ids inside of settings are read as text with all their digits', async () => {
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

  it('an answer that is none of the operation is refused', async () => {
    const others: ((client: WorkspaceClient) => Promise<unknown>)[] = [
      (client) => client.jobs.list(),
      (client) => client.jobs.listRuns(),
      (client) => client.jobs.get('1'),
      (client) => client.jobs.getRun('1'),
      (client) => client.jobs.create(existing),
      (client) => client.jobs.runNow({ job_id: '1' }),
      (client) => client.jobs.submit(existing),
      (client) => client.jobs.exportRun({ run_id: '1' }),
      (client) => client.jobs.getRunOutput('1'),
    ];
    for (const call of others)
      await assert.rejects(
        exchange('{"something":"else"}', call),
        (error) => error instanceof AppError && error.kind === 'protocol',
        String(call),
      );
    for (const call of [
      (client: WorkspaceClient) => client.jobs.get('1'),
      (client: WorkspaceClient) => client.jobs.list(),
    ])
      await assert.rejects(exchange('', call), /It is empty/);
  });

  it('a run is read leniently, with ids as text, and what is not known is kept', async () => {
    const { value } = await exchange(
      JSON.stringify({
        run_id: 5,
        job_id: '7',
        original_attempt_run_id: null,
        start_time: '12',
        end_time: 0,
        attempt_number: '1',
        run_type: 'NEW_TYPE',
        trigger: 'CONTINUOUS',
        creator_user_name: 5,
        extra: { a: null },
        state: {
          life_cycle_state: 'BLOCKED',
          result_state: 'MAYBE',
          user_cancelled_or_timedout: 'true',
          state_message: null,
        },
        cluster_instance: { cluster_id: 'c', spark_context_id: 12 },
        schedule: { quartz_cron_expression: 'x', pause_status: 'HALTED' },
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
      original_attempt_run_id: undefined,
      start_time: 12,
      end_time: 0,
      attempt_number: 1,
      run_type: 'NEW_TYPE',
      trigger: 'CONTINUOUS',
      creator_user_name: '5',
      extra: { a: null },
      state: {
        life_cycle_state: 'BLOCKED',
        result_state: 'MAYBE',
        user_cancelled_or_timedout: true,
        state_message: undefined,
      },
      cluster_instance: { cluster_id: 'c', spark_context_id: '12' },
      schedule: { quartz_cron_expression: 'x', pause_status: 'HALTED' },
      task: {
        run_job_task: { job_id: '3' },
        notebook_task: { notebook_path: '/n', revision_timestamp: '4', base_parameters: { a: 'b' } },
      },
      overriding_parameters: { notebook_params: { a: 'c' } },
    });
  });
});

describe('a run that is deleted', () => {
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

  it('is gone where only the answer of the first attempt was lost', async () =>
    assert.equal(await remove(connectionError('ECONNRESET'), gone), 2));
  it('is told where it never was', async () =>
    assert.rejects(remove(gone), (error) => error instanceof AppError && error.kind === 'notFound'));
  it('is told where something else is wrong at the second attempt', async () =>
    assert.rejects(
      remove(connectionError('ECONNRESET'), { status: 403 }),
      (error) => error instanceof AppError && error.kind === 'forbidden',
    ));
});

class Memory implements IntentStore {
  readonly intents: Intent[] = [];
  readonly events: string[] = [];
  save(intent: Intent): Promise<void> {
    this.events.push(`save ${intent.token}`);
    this.intents.push(intent);
    return Promise.resolve();
  }
  settle(token: string): Promise<void> {
    this.events.push(`settle ${token}`);
    this.intents.splice(0, this.intents.length, ...this.intents.filter((intent) => intent.token !== token));
    return Promise.resolve();
  }
  list(): Promise<readonly Intent[]> {
    return Promise.resolve([...this.intents]);
  }
}

describe('a run that is started', () => {
  function started(reply: Reply = { status: 200, body: '{"run_id":5}' }): {
    store: Memory;
    clock: FakeClock;
    client: WorkspaceClient;
    bodies: () => string[];
  } {
    const store = new Memory();
    const clock = new FakeClock();
    const { fetch, requests } = scriptedFetch(() => {
      store.events.push('sent');
      return reply;
    });
    const client = createClient({
      baseUrl: 'https://service.example',
      auth,
      fetch,
      clock,
      intents: store,
      profile: 'p',
      retry: 'fail',
    });
    return {
      store,
      clock,
      client,
      bodies: () =>
        requests.map(({ url, body }) => `${url.slice('https://service.example/api/2.0/'.length)} ${String(body)}`),
    };
  }

  it('is written down before it is sent, and forgotten when it has been answered', async () => {
    const { store, client } = started();
    await client.jobs.runNow({ job_id: '1', idempotency_token: 't' });
    await client.jobs.submit({ ...existing, idempotency_token: 'u' });
    assert.deepEqual(store.events, ['save t', 'sent', 'settle t', 'save u', 'sent', 'settle u']);
  });

  it('gets a token of its own where it has none', async () => {
    const { store, client } = started();
    await client.jobs.runNow({ job_id: '1' });
    await client.jobs.runNow({ job_id: '1', idempotency_token: '' });
    const tokens = store.events.filter((event) => event.startsWith('save ')).map((event) => event.slice(5));
    assert.equal(new Set(tokens).size, 2);
    for (const token of tokens) assert.match(token, /^[0-9a-f-]{36}$/);
  });

  it('is forgotten where the server refuses it', async () => {
    const { store, client } = started({ status: 400 });
    await assert.rejects(client.jobs.runNow({ job_id: '1', idempotency_token: 't' }));
    assert.deepEqual(store.events, ['save t', 'sent', 'settle t']);
  });

  it('stays written down where the process ends, with all that it takes to send it again', async () => {
    for (const operation of ['jobs/run-now', 'jobs/runs/submit'] as const) {
      const { store, clock, client, bodies } = started('hang');
      const controller = new AbortController();
      const call =
        operation === 'jobs/run-now'
          ? client.jobs.runNow({ job_id: id, idempotency_token: 't' }, { signal: controller.signal })
          : client.jobs.submit({ ...existing, idempotency_token: 't' }, { signal: controller.signal });
      call.catch(() => undefined);
      await clock.advance(1);
      controller.abort(shutdownReason);
      await assert.rejects(call, (error) => error instanceof AppError && error.kind === 'aborted');
      const body =
        operation === 'jobs/run-now'
          ? `{"job_id":${id},"idempotency_token":"t"}`
          : JSON.stringify({ ...existing, idempotency_token: 't' });
      assert.deepEqual(store.intents, [{ token: 't', operation, body, profile: 'p', createdAt: 1_700_000_000_000 }]);
      assert.deepEqual(bodies(), [`${operation} ${body}`]);
    }
  });

  it('is finished at the next start with what was written, for its own profile alone', async () => {
    const { store, clock, client, bodies } = started();
    const written = { createdAt: clock.now(), operation: 'jobs/run-now' } as const;
    const mine: Intent = {
      ...written,
      token: 't',
      profile: 'p',
      body: `{ "idempotency_token": "t", "job_id": ${id} }`,
    };
    const other: Intent = { ...written, token: 'u', profile: 'q', body: '{"job_id":1,"idempotency_token":"u"}' };
    const broken: Intent = { ...written, token: 'v', profile: 'p', body: '{"job_id":"x"}' };
    const submitted: Intent = {
      ...written,
      operation: 'jobs/runs/submit',
      token: 'w',
      profile: 'p',
      body: JSON.stringify({ ...existing, idempotency_token: 'w' }),
    };
    store.intents.push(mine, other, broken, submitted);
    const resumed = await client.resumeIntents();
    assert.deepEqual(
      resumed.map((one) => ('runId' in one ? one.runId : one.error.kind)),
      ['5', 'invalid', '5'],
    );
    assert.match(
      resumed[1] && 'error' in resumed[1] ? resumed[1].error.message : '',
      /^The interrupted jobs\/run-now cannot be finished: job_id: .* The run was not started\.$/,
    );
    assert.deepEqual(bodies(), [`jobs/run-now ${mine.body}`, `jobs/runs/submit ${submitted.body}`]);
    assert.deepEqual(store.intents, [other]);
  });

  it('is asked for again at the next start while the service is sick, since its token makes that safe', async () => {
    const store = new Memory();
    const clock = new FakeClock();
    store.intents.push({
      token: 't',
      operation: 'jobs/run-now',
      profile: 'p',
      body: '{"job_id":1,"idempotency_token":"t"}',
      createdAt: clock.now(),
    });
    const { fetch } = scriptedFetch((_request, count) =>
      count === 1 ? { status: 500 } : { status: 200, body: '{"run_id":5}' },
    );
    const resumed = createClient({
      baseUrl: 'https://service.example',
      auth,
      fetch,
      clock,
      intents: store,
      profile: 'p',
    }).resumeIntents();
    await clock.advance(60_000);
    assert.deepEqual(
      (await resumed).map((one) => ('runId' in one ? one.runId : one.error.kind)),
      ['5'],
    );
  });

  it('there is nothing to finish where nothing is written', async () => {
    const client = createClient({
      baseUrl: 'https://service.example',
      auth,
      fetch: () => Promise.reject(new Error('nothing is sent')),
    });
    assert.deepEqual(await client.resumeIntents(), []);
  });
});

describe('parameters and kinds of tasks', () => {
  it('a list of pairs is the object of them, wherever it stands', () => {
    const pairs = [
      { key: 'a', value: '1' },
      { name: 'b', value: '2' },
      { key: 'a', value: '3' },
    ];
    const map = { a: '3', b: '2' };
    assert.deepEqual(withParamMaps({ notebook_params: pairs }), { notebook_params: map });
    assert.deepEqual(withParamMaps({ notebook_task: { notebook_path: '/n', base_parameters: pairs } }), {
      notebook_task: { notebook_path: '/n', base_parameters: map },
    });
    assert.deepEqual(withParamMaps({ job_id: '1', new_settings: { notebook_task: { base_parameters: pairs } } }), {
      job_id: '1',
      new_settings: { notebook_task: { base_parameters: map } },
    });
  });

  it('what is no list of pairs stays, and what needs no change is the same object', () => {
    for (const odd of [
      [{ key: 'a' }],
      [{ value: 'a' }],
      [{ key: 5, value: 'a' }],
      ['a'],
      [null],
      [{ key: 'a', value: 'b' }, 5],
      'text',
      { a: 'b' },
    ]) {
      const fields = { notebook_params: odd, notebook_task: 'x', new_settings: [] };
      assert.equal(withParamMaps(fields), fields);
    }
    const named = JSON.parse('{"notebook_params":[{"key":"__proto__","value":"x"}]}') as Record<string, unknown>;
    assert.deepEqual(Object.entries(withParamMaps(named)['notebook_params'] as object), [['__proto__', 'x']]);
  });

  it("spark-submit's options end where the application stands", () => {
    const { options, application } = readSparkSubmit([
      '-v',
      '--supervise',
      '--class',
      'A',
      '--conf=a=b',
      '-h',
      '--master',
      'x',
      '--usage-error',
      'app.jar',
      '--name',
      'n',
    ]);
    assert.equal(application, 9);
    assert.deepEqual(options, [
      { index: 0, name: '-v', isFlag: true, isReserved: false },
      { index: 1, name: '--supervise', isFlag: true, isReserved: false },
      { index: 2, name: '--class', value: 'A', isFlag: false, isReserved: false },
      { index: 4, name: '--conf', value: 'a=b', isFlag: false, isReserved: false },
      { index: 5, name: '-h', isFlag: true, isReserved: false },
      { index: 6, name: '--master', value: 'x', isFlag: false, isReserved: true },
      { index: 8, name: '--usage-error', isFlag: true, isReserved: false },
    ]);
    assert.deepEqual(readSparkSubmit(['--class']), {
      options: [{ index: 0, name: '--class', isFlag: false, isReserved: false }],
      application: 2,
    });
    assert.deepEqual(readSparkSubmit([5, '--class', 'A']), { options: [], application: 0 });
    assert.deepEqual(readSparkSubmit(['-c', 'a', 'b']).application, 2);
    for (const flag of ['--verbose', '--help', '--version']) assert.equal(readSparkSubmit([flag, 'x']).application, 1);
    for (const reserved of ['--master', '--deploy-mode', '--executor-cores'])
      assert.equal(readSparkSubmit([`${reserved}=1`]).options[0]?.isReserved, true);
  });

  it('a task kind has its parameters, and the kind of a task is the one that is not null', () => {
    assert.deepEqual(
      taskKinds.map((kind) => parameterKindOfTask[kind]),
      ['notebook_params', 'jar_params', 'python_params', 'spark_submit_params', undefined, undefined],
    );
    assert.deepEqual(runParameterKinds, ['jar_params', 'notebook_params', 'python_params', 'spark_submit_params']);
    for (const kind of taskKinds) assert.equal(taskKindOf({ [kind]: {} }), kind);
    assert.equal(taskKindOf({ notebook_task: null, run_job_task: {} }), 'run_job_task');
    assert.equal(taskKindOf(undefined), undefined);
    assert.equal(taskKindOf({}), undefined);
  });
});
