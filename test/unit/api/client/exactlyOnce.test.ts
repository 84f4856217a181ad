import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  createClient,
  shutdownReason,
  type Fetch,
  type Intent,
  type IntentStore,
} from '../../../../src/api/client/index.ts';
import { maxIntentAgeInMs } from '../../../../src/api/client/intents.ts';
import { FileIntentStore } from '../../../../src/connection/host/intentStore.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import { cases, seededRandom } from '../../../support/counts.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { faults, startFaultServer, type Fault, type FaultServer } from '../../../support/faultServer.ts';
import { scaledClock } from '../../../support/scaledClock.ts';
import { responseOf, scriptedFetch } from '../../../support/scriptedFetch.ts';

class MemoryStore implements IntentStore {
  readonly intents = new Map<string, Intent>();
  save(intent: Intent): Promise<void> {
    this.intents.set(intent.token, intent);
    return Promise.resolve();
  }
  settle(token: string): Promise<void> {
    this.intents.delete(token);
    return Promise.resolve();
  }
  list(): Promise<readonly Intent[]> {
    return Promise.resolve([...this.intents.values()]);
  }
}

/** A port on which nothing listens. */
async function deadPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('Starting runs exactly once', () => {
  it('starts one run under every kind of connection fault (P1)', async function () {
    this.timeout(600_000);
    const random = seededRandom(1);
    const intents = cases(500, 39);
    const refusedPort = await deadPort();
    const plan = new Map<string, Fault[]>();
    const server = await startFaultServer((token) => plan.get(token)?.shift() ?? 'none');
    try {
      let refuse = 0;
      const fetch: Fetch = (url, request) =>
        globalThis.fetch(refuse-- > 0 ? url.replace(String(server.port), String(refusedPort)) : url, request);
      const client = createClient({
        baseUrl: server.url,
        auth: { kind: 'bearer', token: 'token-of-the-test' },
        clock: scaledClock(1000),
        random,
        fetch,
        intents: new MemoryStore(),
        limits: { headersInMs: 200_000, idleInMs: 200_000 },
      });
      for (let index = 0; index < intents; index++) {
        const token = `intent-${index}`;
        // Each kind in turn, and half of the intents meet a second one.
        const kinds: Fault[] = [faults[index % faults.length] ?? 'none'];
        if (random() < 0.5) kinds.push(faults[Math.floor(random() * faults.length)] ?? 'none');
        plan.set(token, kinds);
        refuse = random() < 0.1 ? 1 : 0;
        const { run_id: runId } = await client.jobs.runNow({ job_id: '1', idempotency_token: token });
        assert.equal(runId, String(server.runs.get(token)), `${token} after ${kinds.join(', ')}`);
      }
      assert.equal(server.runs.size, intents);
      assert.equal(server.untokened, 0);
    } finally {
      await server.close();
    }
  });

  it('finishes an interrupted start after the process was killed (P2)', async function () {
    this.timeout(600_000);
    const random = seededRandom(2);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-intents-'));
    const servers: FaultServer[] = [];
    try {
      for (let kill = 0; kill < cases(100, 2); kill++) {
        const own = path.join(folder, String(kill));
        let onRequest: () => void = () => undefined;
        const requested = new Promise<void>((resolve) => (onRequest = resolve));
        let dying = true;
        const server = await startFaultServer(() => {
          onRequest();
          return dying ? (faults[1 + Math.floor(random() * (faults.length - 2))] ?? 'none') : 'none';
        });
        servers.push(server);
        const child = spawn(
          process.execPath,
          [
            '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
            path.join(import.meta.dirname, '../../../support/intentChild.ts'),
            server.url,
            own,
          ],
          { stdio: ['ignore', 'ignore', 'inherit'] },
        );
        const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
        await Promise.race([requested, ended]);
        await new Promise((resolve) => setTimeout(resolve, random() * 60));
        child.kill('SIGKILL');
        await ended;
        dying = false;
        const left = (await new FileIntentStore(own).list()).length;
        const client = createClient({
          baseUrl: server.url,
          auth: { kind: 'none' },
          clock: scaledClock(500),
          limits: { headersInMs: 200_000, idleInMs: 200_000 },
          intents: new FileIntentStore(own),
          profile: 'test',
        });
        const resumed = await client.resumeIntents();
        assert.equal(resumed.length, left);
        for (const entry of resumed) assert.ok('runId' in entry);
        assert.equal(server.runs.size, 1, `kill ${kill}: ${server.runs.size} runs, ${left} intents left`);
        assert.deepEqual(
          (await readdir(own)).filter((name) => name.endsWith('.json')),
          [],
        );
      }
    } finally {
      await Promise.all(servers.map((server) => server.close()));
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('stores the intent with a new token before sending the request', async () => {
    const store = new MemoryStore();
    let storedAtSend: Intent[] = [];
    const client = createClient({
      baseUrl: 'https://service.example',
      auth: { kind: 'none' },
      intents: store,
      profile: 'production',
      fetch: () => {
        storedAtSend = [...store.intents.values()];
        return Promise.resolve(responseOf(200, '{"run_id":5}'));
      },
    });
    await client.jobs.submit({ existing_cluster_id: 'c', run_job_task: { job_id: '9007199254740993' } });
    const [intent] = storedAtSend;
    assert.equal(intent?.profile, 'production');
    assert.equal(intent.operation, 'jobs/runs/submit');
    assert.ok(intent.token.length > 20 && intent.token.length <= 64);
    assert.match(intent.body, /"job_id":9007199254740993/);
    assert.ok(intent.body.includes(intent.token));
    assert.equal(store.intents.size, 0, 'and forgets it when the outcome is known');
  });

  it('sends nothing if the intent cannot be stored', async () => {
    const { fetch, requests } = scriptedFetch(() => ({ status: 200, body: '{"run_id":5}' }));
    const intents: IntentStore = {
      save: () => Promise.reject(new Error('no space left on device')),
      settle: () => Promise.resolve(),
      list: () => Promise.resolve([]),
    };
    const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, intents });
    await assert.rejects(client.jobs.runNow({ job_id: '1' }), { kind: 'unavailable', message: /no space left/ });
    assert.equal(requests.length, 0);
  });

  it('keeps the intent when the editor closes, and forgets it when the user stops', async () => {
    for (const [reason, left] of [
      [shutdownReason, 1],
      [undefined, 0],
    ] as const) {
      const store = new MemoryStore();
      const { fetch } = scriptedFetch(() => ({ status: 503 }));
      const client = createClient({
        baseUrl: 'https://service.example',
        auth: { kind: 'none' },
        fetch,
        intents: store,
        clock: new FakeClock(),
      });
      const controller = new AbortController();
      const call = client.jobs
        .runNow({ job_id: '1' }, { signal: controller.signal })
        .catch((error: unknown) => error as AppError);
      await settle();
      controller.abort(reason);
      assert.equal(((await call) as AppError).kind, 'aborted');
      assert.equal(store.intents.size, left);
    }
  });
});

describe('Resuming a start', () => {
  it('resends the stored request for its own profile only, and none older than a day', async () => {
    const store = new MemoryStore();
    const clock = new FakeClock();
    const { fetch, requests } = scriptedFetch(() => ({ status: 200, body: '{"run_id":5}' }));
    const service = { baseUrl: 'https://service.example', auth: { kind: 'none' } } as const;
    const client = createClient({ ...service, profile: 'p', fetch, clock, intents: store, retry: 'fail' });
    const existing = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
    const written = { createdAt: clock.now(), operation: 'jobs/run-now' } as const;
    const mine: Intent = {
      ...written,
      token: 't',
      profile: 'p',
      body: `{ "idempotency_token": "t", "job_id": 9223372036854775807 }`,
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
    const old: Intent = { ...mine, token: 'x', createdAt: clock.now() - maxIntentAgeInMs - 1 };
    for (const one of [mine, other, broken, submitted, old]) await store.save(one);
    const resumed = await client.resumeIntents();
    assert.deepEqual(
      resumed.map((one) => ('runId' in one ? one.runId : one.error.kind)),
      ['5', 'invalid', '5'],
    );
    assert.deepEqual(
      requests.map(({ url, body }) => `${url.slice('https://service.example/api/2.0/'.length)} ${String(body)}`),
      [`jobs/run-now ${mine.body}`, `jobs/runs/submit ${submitted.body}`],
    );
    assert.deepEqual([...store.intents.keys()], ['u']);
  });
});
