import assert from 'node:assert/strict';
import { HttpError } from '../../../../src/api/client/failure.ts';
import { Retrier, type RetryPlan, type RetryWait } from '../../../../src/api/client/retry.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { runOut } from './runOut.ts';

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

describe('a wait for a service', () => {
  it('is as long as the failure asks for: its kind, its header and chance', async () => {
    const upstream = { status: 429, retryable: true };
    for (const [outcome, random, next] of [
      [sick, 0, 30_000],
      [sick, 0.5, 31_000],
      [broken, 0.5, 750],
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

  it('is none where the call only takes an answer, or none at all, but for the moment that a connection takes', async () => {
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
  });

  it('is told with what it is for, how long, and until when at most', async () => {
    const { clock, startedAt, run, waits, sent } = retrying([sick, busy, 'done']);
    const own: RetryWait[] = [];
    const call = run({ onRetry: (wait) => void own.push(wait) });
    await settle();
    await clock.advance(30_000);
    await clock.advance(500);
    assert.equal(await call, 'done');
    const told = waits.map(({ operation, attempt, waitUntil, giveUpAt, reason }) => [
      operation,
      attempt,
      waitUntil - startedAt,
      giveUpAt - startedAt,
      reason,
    ]);
    assert.deepEqual(told, [
      ['jobs/list', 1, 30_000, 600_000, sick],
      ['jobs/list', 2, 30_500, 600_000, busy],
    ]);
    assert.deepEqual([own, sent.length], [waits, 3]);
  });

  it('of one that finds the service sick is for the reason of the other, before anything was sent', async () => {
    const { clock, startedAt, run, waits, sent } = retrying([sick, 'done']);
    const first = run();
    await clock.advance(1000);
    const second = run({ operation: 'second' });
    const other = run({ operation: 'other', key: 'l' });
    assert.equal(await other, 'done', 'another endpoint is not held up');
    await settle();
    assert.deepEqual(
      waits.map(({ operation, attempt, waitUntil, giveUpAt, reason }) => [
        operation,
        attempt,
        waitUntil - startedAt,
        giveUpAt - startedAt,
        reason,
      ]),
      [
        ['jobs/list', 1, 30_000, 600_000, sick],
        ['second', 0, 30_000, 601_000, sick],
      ],
    );
    await clock.advance(29_000);
    assert.deepEqual(await Promise.all([first, second]), ['done', 'done']);
    assert.deepEqual(sent, ['jobs/list 0', 'other 1000', 'jobs/list 30000', 'second 30000']);
    assert.equal(clock.pending, 0);
  });

  it('ends for all once one was asked for at once and found the service well', async () => {
    const { clock, run, waits, sent } = retrying([sick, 'done']);
    const first = run();
    await settle();
    const second = run({ operation: 'second' });
    await settle();
    await clock.advance(10);
    waits[1]?.retryNow();
    assert.equal(await second, 'done');
    assert.deepEqual(sent, ['jobs/list 0', 'second 10']);
    let isOver = false;
    void first.then(() => (isOver = true));
    await clock.advance(29_989);
    assert.equal(isOver, false, 'the one that failed keeps its own time');
    await clock.advance(1);
    assert.equal(await first, 'done');
  });

  it('ends as its user says: at once with an attempt, or with its reason and the end told', async () => {
    const { clock, run, waits, sent } = retrying([sick]);
    const call = run();
    await settle();
    waits[0]?.retryNow();
    await waits[0]?.ended;
    await settle();
    assert.deepEqual([sent.length, waits.length], [2, 2]);
    const rejected = assert.rejects(call, sick);
    waits[1]?.stop();
    await waits[1]?.ended;
    await rejected;
    assert.deepEqual([sent.length, clock.pending], [2, 0]);
  });

  it('is over at once where its call is stopped, with why', async () => {
    const controller = new AbortController();
    const { clock, run, sent } = retrying([sick]);
    const call = run({ signal: controller.signal });
    await settle();
    controller.abort('enough');
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        [error.kind, error.message, error.operation, error.cause],
        ['aborted', 'jobs/list was stopped.', 'jobs/list', 'enough'],
      );
      return true;
    });
    assert.deepEqual([sent.length, clock.pending], [1, 0]);
  });

  it('that the call does not make says how long it would be, in whole seconds, and the reason', async () => {
    const { clock, run, sent } = retrying([sick]);
    await assert.rejects(run({ mode: 'fail' }), sick);
    await clock.advance(900);
    await assert.rejects(run({ mode: 'fail', operation: 'second' }), (error) => {
      assert.ok(error instanceof AppError);
      const { kind, message, cause, operation, status, errorCode, retryable, remedy } = error;
      assert.deepEqual(
        { kind, message, cause, operation, status, errorCode, retryable, remedy },
        {
          kind: 'server',
          message: 'second was not sent: the service failed a moment ago. Sick.',
          cause: sick,
          operation: 'second',
          status: 503,
          errorCode: 'E',
          retryable: true,
          remedy: 'It is tried again in 30 s at the earliest, so that the service can recover.',
        },
      );
      return true;
    });
    await clock.advance(29_099);
    await assert.rejects(run({ mode: 'fail' }), { remedy: /again in 1 s at the earliest/ });
    assert.equal(sent.length, 1);
    await clock.advance(1);
    await assert.rejects(run({ mode: 'fail' }), sick);
    assert.equal(sent.length, 2);
  });

  it('that would go beyond the ten minutes is none, whether the failure or the header asks for it', async () => {
    const after = (seconds: number): HttpError =>
      new HttpError('rateLimited', 'Busy.', {
        status: 429,
        errorCode: 'E',
        retryable: true,
        operation: 'op',
        retryAfter: String(seconds),
        remedy: 'Wait.',
        cause: 'why',
      });
    assert.deepEqual((await retrying([after(600), 'done']).ended()).at, [0, 600_000]);
    for (const [seconds, before, remedy] of [
      [601, [], 'The server asks to come again in 11 minutes.'],
      [300, Array.from({ length: 11 }, () => sick), 'Wait.'],
      [301, Array.from({ length: 11 }, () => sick), 'The server asks to come again in 6 minutes.'],
    ] as const) {
      const { error } = await retrying([...before, after(seconds)]).ended();
      assert.ok(error instanceof HttpError);
      const { kind, message, cause, operation, status, errorCode, retryable, isUpstream } = error;
      assert.deepEqual(
        [kind, cause, operation, status, errorCode, retryable, isUpstream, error.remedy],
        ['rateLimited', 'why', 'op', 429, 'E', true, false, remedy],
      );
      assert.equal(message, before.length === 0 ? 'Busy.' : 'Busy. It was tried 12 times in 6 minutes.');
    }
  });
});
