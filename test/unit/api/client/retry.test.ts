import assert from 'node:assert/strict';
import { Caller } from '../../../../src/api/client/caller.ts';
import {
  createClient,
  type ClientOptions,
  type RetryWait,
  type WorkspaceClient,
} from '../../../../src/api/client/index.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { cases, seededRandom } from '../../../support/counts.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { connectionError, scriptedFetch, type Reply, type ScriptedRequest } from '../../../support/scriptedFetch.ts';
import { runOut, failure } from './runOut.ts';
import './retrier.part.ts';
import './retrierWaits.part.ts';

/** A client without a network on a clock of its own; notes when each request went out. */
function setUp(
  reply: (request: ScriptedRequest, count: number, clock: FakeClock) => Reply,
  options: Partial<ClientOptions> = {},
) {
  const clock = new FakeClock();
  const sentAt: number[] = [];
  const scripted = scriptedFetch((request, count) => {
    sentAt.push(clock.now());
    return reply(request, count, clock);
  });
  const client = createClient({
    baseUrl: 'https://service.example',
    auth: { kind: 'bearer', token: 'token-of-the-test' },
    fetch: scripted.fetch,
    clock,
    random: () => 0.5,
    ...options,
  });
  return { clock, client, sentAt, requests: scripted.requests };
}

const ok: Reply = { status: 200, body: '{"run_id":1}' };

describe('retries', () => {
  it('P3: keeps 30 s between attempts after a server failure, ends within 600 s, and never undercuts Retry-After', async () => {
    const random = seededRandom(3);
    for (let schedule = 0; schedule < cases(1000, 60); schedule++) {
      const asked: number[] = [];
      const failures = Math.floor(random() * 30);
      const { clock, client, sentAt } = setUp(
        (_request, count, now) => {
          if (count > failures) return ok;
          const dice = random();
          if (dice < 0.5) {
            const withHeader = random() < 0.3;
            const seconds = Math.floor(random() * 120);
            asked.push(Math.max(30_000, withHeader ? seconds * 1000 : 0));
            return failure(500 + Math.floor(random() * 5), withHeader ? { 'retry-after': String(seconds) } : {});
          }
          const seconds = Math.floor(random() * 90);
          const date = now.now() - (now.now() % 1000) + seconds * 1000;
          const header =
            [
              String(seconds),
              new Date(date).toUTCString(),
              new Date(now.now() - 60_000).toUTCString(),
              'soon, perhaps',
              '-5',
              '',
            ][Math.floor(random() * 6)] ?? '';
          asked.push(
            header === String(seconds)
              ? seconds * 1000
              : header === new Date(date).toUTCString()
                ? Math.max(0, date - now.now())
                : 0,
          );
          return failure(429, header === '' ? {} : { 'retry-after': header });
        },
        { random },
      );
      const { endedAt } = await runOut(clock, client.jobs.getRun('1'));
      assert.ok(endedAt - (sentAt[0] ?? 0) <= 600_000, `ended after ${endedAt - (sentAt[0] ?? 0)} ms`);
      for (let index = 1; index < sentAt.length; index++) {
        const gap = (sentAt[index] ?? 0) - (sentAt[index - 1] ?? 0);
        assert.ok(gap >= (asked[index - 1] ?? 0), `gap ${gap} after ${asked[index - 1]} was asked for`);
      }
      assert.equal(clock.pending, 0);
    }
  });

  it('gives up with the last error, and says how often it was tried', async () => {
    const { clock, client, sentAt } = setUp(() => failure(503));
    const { error, endedAt } = await runOut(clock, client.jobs.list());
    assert.equal(error?.kind, 'server');
    assert.match(error.message, /It was tried \d+ times in \d+ minutes\.$/);
    assert.ok(sentAt.length >= 15 && sentAt.length <= 21, `${sentAt.length} attempts`);
    assert.ok(endedAt - (sentAt[0] ?? 0) <= 600_000);
  });

  it('comes back later each time that there is no room, and every 30 s at the least often', async () => {
    const { clock, client, sentAt } = setUp(() => failure(429));
    await runOut(clock, client.jobs.list());
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    assert.deepEqual(gaps.slice(0, 8), [750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500]);
  });

  it('gives up at once where Retry-After lies beyond the ten minutes', async () => {
    for (const [seconds, minutes] of [
      [3600, 60],
      [660, 11],
    ] as const) {
      const { clock, client, sentAt } = setUp(() => failure(429, { 'retry-after': String(seconds) }));
      const { error, endedAt } = await runOut(clock, client.jobs.list());
      assert.equal(sentAt.length, 1);
      assert.equal(endedAt, sentAt[0]);
      assert.equal(error?.remedy, `The server asks to come again in ${minutes} minutes.`);
    }
  });

  it('P4: sends once what cannot be read where no token makes it safe, and a start without a token', async () => {
    for (const body of ['<html>', '[]', '{"runs":5}']) {
      const { clock, client, sentAt } = setUp(() => ({ status: 200, body }));
      assert.equal((await runOut(clock, client.jobs.listRuns())).error?.kind, 'protocol');
      assert.equal(sentAt.length, 1);
    }
    const clock = new FakeClock();
    const { fetch, requests } = scriptedFetch(() => failure(503));
    const caller = new Caller({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, clock });
    assert.equal((await runOut(clock, caller.call(jobsRoutes.runNow, { job_id: '1' }))).error?.kind, 'server');
    assert.equal(requests.length, 1);
  });

  it('P4: sends what was refused once', async () => {
    for (const status of [400, 401, 403, 404, 409, 413, 422]) {
      const { clock, client, sentAt } = setUp(() => failure(status));
      const calls: ((client: WorkspaceClient) => Promise<unknown>)[] = [
        (one) => one.jobs.list(),
        (one) => one.jobs.runNow({ job_id: '1' }),
        (one) => one.jobs.submit({ existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } }),
        (one) => one.inference.chat('guide', { messages: [{ role: 'user', content: 'Hi' }] }),
      ];
      for (const call of calls) assert.equal((await runOut(clock, call(client))).error?.status, status);
      assert.equal(sentAt.length, calls.length);
    }
  });

  it('P4: never sends jobs/create again, whatever happens', async () => {
    for (const reply of [
      failure(500),
      failure(503),
      failure(429, { 'retry-after': '1' }),
      connectionError('ECONNRESET'),
      connectionError('ECONNREFUSED'),
      'hang' as const,
      { status: 200, body: '{"job' },
    ]) {
      const { clock, client, sentAt } = setUp(() => reply);
      const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
      assert.ok((await runOut(clock, client.jobs.create(settings))).error);
      assert.equal(sentAt.length, 1);
    }
  });

  it('P5: spares a sick service: one request in 30 s and one at a time, however many callers there are', async () => {
    let flying = 0;
    let mostFlying = 0;
    let sick = true;
    const clock = new FakeClock();
    const sentAt: number[] = [];
    const client = createClient({
      baseUrl: 'https://service.example',
      auth: { kind: 'none' },
      clock,
      random: Math.random,
      fetch: async () => {
        sentAt.push(clock.now());
        flying++;
        mostFlying = Math.max(mostFlying, flying);
        await new Promise<void>((resolve) => clock.schedule(2000, resolve));
        flying--;
        return scriptedFetch(() => (sick ? failure(503) : { status: 200, body: '{"jobs":[]}' })).fetch('', {
          method: 'GET',
          headers: {},
          signal: new AbortController().signal,
          redirect: 'manual',
        });
      },
    });
    const start = clock.now();
    const outcomes: Promise<unknown>[] = [client.jobs.list().catch((error: unknown) => error)];
    await clock.advance(5000);
    // The outage is known now: callers come and go for ten minutes.
    for (let index = 0; index < 118; index++) {
      outcomes.push(client.jobs.list().catch((error: unknown) => error));
      await clock.advance(5000);
    }
    assert.equal(mostFlying, 1);
    for (let index = 1; index < sentAt.length; index++)
      assert.ok((sentAt[index] ?? 0) - (sentAt[index - 1] ?? 0) >= 30_000);
    assert.ok(
      sentAt.length >= 15 && sentAt.length <= 600 / 30 + 1,
      `${sentAt.length} requests in ${clock.now() - start} ms`,
    );
    sick = false;
    await clock.advance(700_000);
    const results = await Promise.all(outcomes);
    assert.ok(
      results.filter((result) => Array.isArray(result)).length > 100,
      'those who still waited got their answer',
    );
    assert.equal(clock.pending, 0);
  });

  it('another endpoint of the same service is not held up', async () => {
    const { clock, client } = setUp((request) =>
      request.url.includes('runs/list') ? failure(500) : { status: 200, body: '{"jobs":[]}' },
    );
    const held = client.jobs.listRuns();
    const noted = assert.rejects(held);
    await settle();
    assert.deepEqual(await client.jobs.list(), []);
    await runOut(clock, noted);
  });

  it('shows each wait, and obeys "Retry now" and "Stop"', async () => {
    const waits: RetryWait[] = [];
    const { clock, client, sentAt } = setUp(() => failure(500), { onRetry: (wait) => waits.push(wait) });
    const call = client.jobs.list().catch((error: unknown) => error as AppError);
    await settle();
    assert.equal(waits.length, 1);
    assert.equal(waits[0]?.operation, 'jobs/list');
    assert.equal(waits[0].attempt, 1);
    assert.equal(waits[0].reason.kind, 'server');
    assert.ok(waits[0].waitUntil - clock.now() >= 30_000);
    await clock.advance(1000);
    waits[0].retryNow();
    await settle();
    assert.equal(sentAt.length, 2);
    await waits[0].ended;
    waits[1]?.stop();
    const error = await call;
    assert.ok(error instanceof AppError && error.status === 500);
    assert.equal(sentAt.length, 2);
    assert.equal(clock.pending, 0);
  });

  it('with retry "fail" rejects at once, and sends nothing while the service is known to be sick', async () => {
    const { clock, client, sentAt } = setUp(() => failure(503));
    await assert.rejects(
      client.jobs.list({ retry: 'fail' }),
      (error) => error instanceof AppError && error.status === 503,
    );
    await clock.advance(10_000);
    await assert.rejects(
      client.jobs.list({ retry: 'fail' }),
      (error) => error instanceof AppError && /was not sent: the service failed a moment ago/.test(error.message),
    );
    assert.equal(sentAt.length, 1);
    await clock.advance(30_000);
    await assert.rejects(client.jobs.list({ retry: 'fail' }));
    assert.equal(sentAt.length, 2);
  });

  it('takes one broken connection for an accident', async () => {
    const { clock, client, sentAt } = setUp((_request, count) =>
      count === 1 ? connectionError('ECONNRESET') : { status: 200, body: '{"jobs":[]}' },
    );
    const { value } = await runOut(clock, client.jobs.list());
    assert.deepEqual(value, []);
    assert.ok((sentAt[1] ?? 0) - (sentAt[0] ?? 0) <= 1000);
  });

  it('takes a run that is gone at the second attempt for deleted, and one that is gone at the first for an error', async () => {
    const gone: Reply = {
      status: 400,
      body: '{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"Run 1 does not exist."}',
    };
    const lost = setUp((_request, count) => (count === 1 ? connectionError('ECONNRESET') : gone));
    assert.equal((await runOut(lost.clock, lost.client.jobs.deleteRun('1'))).error, undefined);
    const never = setUp(() => gone);
    assert.equal((await runOut(never.clock, never.client.jobs.deleteRun('1'))).error?.kind, 'notFound');
  });

  it('ends a wait when the signal aborts, and leaves no timer', async () => {
    const { clock, client } = setUp(() => failure(500));
    const controller = new AbortController();
    const call = client.jobs.list({ signal: controller.signal }).catch((error: unknown) => error as AppError);
    await settle();
    assert.equal(clock.pending, 1);
    controller.abort();
    assert.equal(((await call) as AppError).kind, 'aborted');
    assert.equal(clock.pending, 0);
  });
});
