import assert from 'node:assert/strict';
import { Caller } from '../../../../src/api/client/caller.ts';
import { HttpError } from '../../../../src/api/client/failure.ts';
import {
  createClient,
  type ClientOptions,
  type RetryWait,
  type WorkspaceClient,
} from '../../../../src/api/client/index.ts';
import { Retrier, type RetryPlan } from '../../../../src/api/client/retry.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { cases, seededRandom } from '../../../support/counts.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { connectionError, scriptedFetch, type Reply, type ScriptedRequest } from '../../../support/scriptedFetch.ts';
import { runOut, failure } from './runOut.ts';

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

describe('Retries', () => {
  it('wait 30 s after a server failure, honor Retry-After and end within 600 s (P3)', async () => {
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

  it('back off after each 429, up to a limit', async () => {
    const { clock, client, sentAt } = setUp(() => failure(429));
    await runOut(clock, client.jobs.list());
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    assert.deepEqual(gaps.slice(0, 8), [750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500]);
  });

  it('give up at once if Retry-After is beyond ten minutes', async () => {
    for (const [seconds, minutes] of [
      [3600, 60],
      [660, 11],
    ] as const) {
      const { clock, client, sentAt } = setUp(() => failure(429, { 'retry-after': String(seconds) }));
      const { error, endedAt } = await runOut(clock, client.jobs.list());
      assert.equal(sentAt.length, 1);
      assert.equal(endedAt, sentAt[0]);
      assert.equal(error?.remedy, `The server asks to retry in ${minutes} minutes.`);
    }
  });

  it('never repeat an unreadable response or a start without a token (P4)', async () => {
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

  it('never repeat a refused request (P4)', async () => {
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

  it('never repeat jobs/create (P4)', async () => {
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

  it('send a failing service one request in 30 s for all callers (P5)', async () => {
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

  it('report each wait and obey "Retry now" and "Stop"', async () => {
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

  it('reject at once in the mode "fail" while the service is failing', async () => {
    const { clock, client, sentAt } = setUp(() => failure(503));
    await assert.rejects(client.jobs.list({ retry: 'fail' }), { status: 503 });
    await clock.advance(10_000);
    await assert.rejects(client.jobs.list({ retry: 'fail' }), {
      message: /was not sent because the service has just failed/,
    });
    assert.equal(sentAt.length, 1);
    await clock.advance(30_000);
    await assert.rejects(client.jobs.list({ retry: 'fail' }));
    assert.equal(sentAt.length, 2);
  });

  it('end on abort without leaving a timer', async () => {
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

const sick = new AppError('server', 'Sick.', { status: 503, errorCode: 'E', retryable: true, remedy: 'Wait.' });

const broken = new AppError('network', 'Broken.', { retryable: true });

const busy = new AppError('rateLimited', 'Busy.', { status: 429, retryable: true });

/** Attempts that end as the list says, the last entry for good; each wait as it is shown. */
function retrying(outcomes: readonly (AppError | string)[], random = 0) {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const sent: string[] = [];
  const waits: RetryWait[] = [];
  const retrier = new Retrier({ clock, random: () => random, onRetry: (wait) => void waits.push(wait) });
  const run = (plan: Partial<RetryPlan<string>> = {}): Promise<string> =>
    retrier.run({
      operation: 'jobs/list',
      key: 'k',
      repeatable: true,
      mode: 'wait',
      attempt: () => {
        const outcome = outcomes[sent.length] ?? outcomes.at(-1) ?? '';
        sent.push(`${plan.operation ?? 'jobs/list'} ${clock.now() - startedAt}`);
        return typeof outcome === 'string' ? Promise.resolve(outcome) : Promise.reject(outcome);
      },
      ...plan,
    });
  /** What was sent, once a call has ended. */
  const ended = async (plan?: Partial<RetryPlan<string>>) => {
    const { value, error } = await runOut(clock, run(plan));
    assert.equal(clock.pending, 0);
    return { value, error, at: sent.map((each) => Number(each.split(' ')[1])) };
  };
  return { clock, startedAt, retrier, run, ended, sent, waits };
}

describe('Retrier', () => {
  it('tries unreadable responses three times if a token makes it safe', async () => {
    const unreadable = new AppError('protocol', 'Odd.', { status: 200 });
    const tokened = await retrying([unreadable]).ended({ tokened: true });
    assert.deepEqual([tokened.error, tokened.at.length], [unreadable, 3]);
    for (const [error, plan] of [
      [unreadable, {}],
      [new AppError('protocol', 'Odd.', { status: 302 }), { tokened: true }],
      [new AppError('protocol', 'Odd.'), { tokened: true }],
    ] as const) {
      const other = await retrying([error]).ended(plan);
      assert.deepEqual([other.error, other.at.length], [error, 1]);
    }
  });

  it('treats a refusal as a sign of health, and an abort as none', async () => {
    for (const [second, isWell] of [
      [new AppError('rejected', 'No.', { status: 400 }), true],
      [new AppError('aborted', 'Stopped.', { status: 400 }), false],
      [new AppError('internal', 'Odd.'), false],
    ] as const) {
      const { clock, run, waits } = retrying([sick, second, 'done']);
      await assert.rejects(run({ mode: 'fail' }));
      await clock.advance(30_000);
      await assert.rejects(run({ mode: 'fail' }), second);
      // What is sick lets one in at a time, what is well lets all in.
      let out = 0;
      let mostOut = 0;
      const attempt = async (): Promise<string> => {
        mostOut = Math.max(mostOut, ++out);
        await new Promise((resolve) => setImmediate(resolve));
        out -= 1;
        return 'done';
      };
      const both = await Promise.all([run({ mode: 'fail', attempt }), run({ mode: 'fail', attempt })]);
      assert.deepEqual(both, ['done', 'done']);
      assert.equal(mostOut, isWell ? 2 : 1);
      assert.deepEqual([waits, clock.pending], [[], 0]);
    }
  });
});

describe('Wait before a retry', () => {
  it('depends on the failure, its header and chance', async () => {
    const upstream = { status: 429, retryable: true };
    for (const [outcome, random, next] of [
      [sick, 0, 30_000],
      [sick, 0.5, 31_000],
      [broken, 0.5, 750],
      [broken, 0, 500],
      [new AppError('cutOff', 'Cut.', { retryable: true }), 0, 500],
      [new AppError('timeout', 'Slow.', { retryable: true }), 0, 30_000],
      [busy, 0, 500],
      [busy, 0.5, 750],
      [new AppError('server', 'Odd.', { status: 500 }), 0, 30_000],
      [new HttpError('rateLimited', 'Busy.', { ...upstream, retryAfter: '1' }), 0, 1000],
      [new HttpError('rateLimited', 'Busy.', { ...upstream, retryAfter: '7' }), 0.5, 7250],
      [new HttpError('server', 'Sick.', { status: 503, retryable: true, retryAfter: '7' }), 0, 30_000],
      [new HttpError('server', 'Sick.', { status: 503, retryable: true, retryAfter: '40' }), 0.5, 41_000],
      [new AppError('network', 'Never.', { retryable: false }), 0, undefined],
      [new AppError('aborted', 'Stop.', { retryable: true }), 0, undefined],
      [new AppError('rejected', 'No.', { status: 499 }), 0, undefined],
    ] as const) {
      const { at, value, error } = await retrying([outcome, 'done'], random).ended();
      assert.deepEqual(at, next === undefined ? [0] : [0, next], outcome.message);
      assert.equal(next === undefined ? error : value, next === undefined ? outcome : 'done');
    }
  });

  it('depends on the mode of the call', async () => {
    for (const [mode, outcome, at] of [
      ['fail', sick, [0]],
      ['fail', busy, [0]],
      ['fail', broken, [0, 500]],
      ['answered', sick, [0, 30_000]],
      ['answered', busy, [0, 500]],
      ['answered', new AppError('timeout', 'Slow.', { retryable: true }), [0]],
      ['answered', broken, [0, 500]],
    ] as const)
      assert.deepEqual((await retrying([outcome, 'done']).ended({ mode })).at, at, `${mode} ${outcome.kind}`);
    for (const mode of ['fail', 'answered'] as const)
      assert.deepEqual((await retrying([broken]).ended({ mode })).at, [0, 500]);
    assert.deepEqual((await retrying([broken, broken, 'done']).ended()).at, [0, 500, 30_500]);
  });
});
