import assert from 'node:assert/strict';
import { createClient, type WorkspaceClient } from '../../../../../src/api/client/index.ts';
import { shutdownReason, type Intent, type IntentStore } from '../../../../../src/api/client/intents.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';
import { scriptedFetch, type Reply } from '../../../../support/scriptedFetch.ts';

const place = { baseUrl: 'https://service.example', profile: 'p' };
const auth = { kind: 'none' } as const;
const existing = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };

const id = '9223372036854775807';

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
    const client = createClient({ ...place, auth, fetch, clock, intents: store, retry: 'fail' });
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
    const resumed = createClient({ ...place, auth, fetch, clock, intents: store }).resumeIntents();
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
