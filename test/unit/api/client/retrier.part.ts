import assert from 'node:assert/strict';
import { HttpError } from '../../../../src/api/client/failure.ts';
import { Retrier, type RetryPlan } from '../../../../src/api/client/retry.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { type Outcome, runOut } from './runOut.ts';

describe('Retrier', () => {
  const sick = new AppError('server', 'Sick.', { status: 503, retryable: true, partial: 'half', remedy: 'Wait.' });
  const broken = new AppError('network', 'Broken.', { retryable: true });

  /** A retrier whose attempts end as the list says; the last entry ends all further ones. */
  function attempts(outcomes: readonly (AppError | string)[], plan: Partial<RetryPlan<string>> = {}) {
    const clock = new FakeClock();
    const startedAt = clock.now();
    const sent: [at: number, leftInMs: number | undefined][] = [];
    const shown: string[] = [];
    const retrier = new Retrier({ clock, random: () => 0, onRetry: ({ operation }) => shown.push(operation) });
    const run = (more: Partial<RetryPlan<string>> = {}): Promise<string> =>
      retrier.run({
        operation: 'jobs/list',
        key: 'k',
        repeatable: true,
        mode: 'wait',
        attempt: (leftInMs) => {
          const outcome = outcomes[sent.length] ?? outcomes.at(-1) ?? '';
          sent.push([clock.now() - startedAt, leftInMs]);
          return typeof outcome === 'string' ? Promise.resolve(outcome) : Promise.reject(outcome);
        },
        ...plan,
        ...more,
      });
    return { clock, retrier, run, sent, shown };
  }
  const errorOf = (outcome: Outcome): AppError => {
    assert.ok(outcome.error instanceof AppError);
    return outcome.error;
  };

  it('tells an attempt what is left of the ten minutes, and the first one nothing', async () => {
    const { clock, run, sent } = attempts([sick, sick, 'done']);
    assert.equal((await runOut(clock, run())).value, 'done');
    assert.deepEqual(sent, [
      [0, undefined],
      [30_000, 570_000],
      [60_000, 540_000],
    ]);
  });

  it('takes a broken connection for an accident only while the service is well, and once a call', async () => {
    for (const [outcomes, times] of [
      [
        [broken, 'done'],
        [0, 500],
      ],
      [
        [broken, broken, 'done'],
        [0, 500, 30_500],
      ],
      [
        [sick, broken, 'done'],
        [0, 30_000, 60_000],
      ],
    ] as const) {
      const { clock, run, sent } = attempts(outcomes);
      assert.equal((await runOut(clock, run())).value, 'done');
      assert.deepEqual(
        sent.map(([at]) => at),
        times,
      );
    }
  });

  it('gives up with all that the last error said, and with the number of attempts', async () => {
    const { clock, run, sent } = attempts([sick]);
    const error = errorOf(await runOut(clock, run()));
    assert.equal(sent.at(-1)?.[0], 600_000);
    assert.deepEqual(
      [error.kind, error.message, error.status, error.partial, error.remedy, error.retryable],
      ['server', 'Sick. It was tried 21 times in 10 minutes.', 503, 'half', 'Wait.', true],
    );
    const asked = new HttpError('server', 'Sick.', { status: 503, retryable: true, retryAfter: '580' });
    const twice = attempts([broken, asked, asked]);
    assert.match(errorOf(await runOut(twice.clock, twice.run())).message, /It was tried 3 times/);
    const once = attempts([new HttpError('server', 'Sick.', { status: 503, retryable: true, retryAfter: '601' })]);
    const { message, remedy } = errorOf(await runOut(once.clock, once.run()));
    assert.deepEqual([message, remedy], ['Sick.', 'The server asks to come again in 11 minutes.']);
    const behind = { status: 429, retryable: true, retryAfter: '3600', isUpstream: true };
    const upstream = attempts([new HttpError('rateLimited', 'Busy.', behind)]);
    const busy = errorOf(await runOut(upstream.clock, upstream.run()));
    assert.equal(busy instanceof HttpError && busy.isUpstream, true, 'whose limit it is stays known');
    const two = attempts([sick, new HttpError('server', 'Sick.', { status: 503, retryable: true, retryAfter: '601' })]);
    assert.match(errorOf(await runOut(two.clock, two.run())).message, /^Sick\. It was tried 2 times in 1 minutes\.$/);
  });

  it('tries what cannot be read three times where a token makes it safe, and once elsewhere', async () => {
    const unreadable = new AppError('protocol', 'Odd.', { status: 200 });
    const tokened = attempts([unreadable], { tokened: true });
    assert.equal(errorOf(await runOut(tokened.clock, tokened.run())), unreadable);
    assert.equal(tokened.sent.length, 3);
    for (const [error, plan] of [
      [unreadable, {}],
      [new AppError('protocol', 'Odd.', { status: 302 }), { tokened: true }],
      [new AppError('protocol', 'Odd.'), { tokened: true }],
    ] as const) {
      const other = attempts([error], plan);
      assert.equal(errorOf(await runOut(other.clock, other.run())), error);
      assert.equal(other.sent.length, 1);
    }
  });

  it('does not wait for a model server that nobody starts, and does for one that may come back', async () => {
    for (const [retryable, count] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const upstream = new HttpError('server', 'Upstream.', { status: 502, retryable, isUpstream: true });
      const { clock, run, sent } = attempts([upstream, 'done']);
      await runOut(clock, run());
      assert.equal(sent.length, count);
    }
  });

  it('a refusal shows that the endpoint works, and an abort shows nothing', async () => {
    for (const [second, isWell] of [
      [new AppError('rejected', 'No.', { status: 400 }), true],
      [new AppError('aborted', 'Stopped.', { status: 400 }), false],
      [new AppError('internal', 'Odd.'), false],
    ] as const) {
      const { clock, run, sent } = attempts([sick, second, 'done'], { mode: 'fail' });
      await assert.rejects(run());
      await clock.advance(30_000);
      await assert.rejects(run(), second);
      assert.equal(await run(), 'done');
      assert.equal(sent.length, 3);
      // What is sick lets one in at a time, what is well lets all in.
      const busy = attempts([sick, second, 'done'], { mode: 'fail' });
      await assert.rejects(busy.run());
      await busy.clock.advance(30_000);
      await assert.rejects(busy.run());
      let out = 0;
      let mostOut = 0;
      const attempt = async (): Promise<string> => {
        mostOut = Math.max(mostOut, ++out);
        await new Promise((resolve) => setImmediate(resolve));
        out -= 1;
        return 'done';
      };
      const both = await Promise.all([busy.run({ attempt }), busy.run({ attempt })]);
      assert.deepEqual(both, ['done', 'done']);
      assert.equal(mostOut, isWell ? 2 : 1);
      assert.deepEqual([busy.shown, busy.clock.pending], [[], 0]);
    }
  });

  it('asked for at once, lets in one that would have to wait, and no second one where that fails', async () => {
    const { clock, retrier, run, sent } = attempts([sick, sick, 'done'], { mode: 'fail' });
    await assert.rejects(run(), sick);
    await clock.advance(1000);
    await assert.rejects(run(), /was not sent/);
    retrier.allowNow();
    const [first, second] = await Promise.allSettled([run(), run()]);
    assert.equal(first.status === 'rejected' && first.reason, sick);
    assert.match(String(second.status === 'rejected' && second.reason), /was not sent/);
    assert.equal(sent.length, 2);
    retrier.allowNow();
    assert.equal(await run(), 'done');
  });

  it('judges each endpoint for itself, and lets all that are sick be asked at once', async () => {
    const { clock, retrier, run, sent } = attempts([sick, sick, 'done'], { mode: 'fail' });
    await assert.rejects(run({ key: 'one' }), sick);
    await assert.rejects(run({ key: 'two' }), sick);
    assert.equal(await run({ key: 'three' }), 'done');
    await clock.advance(1000);
    for (const key of ['one', 'two']) await assert.rejects(run({ key }), /was not sent/);
    retrier.allowNow();
    for (const key of ['two', 'one']) assert.equal(await run({ key }), 'done');
    assert.equal(sent.length, 5);
  });

  it('a wait that is shown by the call itself is not shown to all', async () => {
    for (const showsRetries of [true, false]) {
      const own: number[] = [];
      const { clock, run, shown } = attempts([sick, 'done'], {
        showsRetries,
        onRetry: ({ attempt }) => own.push(attempt),
      });
      await runOut(clock, run());
      assert.deepEqual([own, shown], [[1], showsRetries ? [] : ['jobs/list']]);
    }
  });

  it('waits for its own time after a failure of its own, whoever finds the endpoint well before', async () => {
    const { clock, run, sent } = attempts([broken, 'other', 'done']);
    const first = run();
    await clock.advance(100);
    assert.equal(await run(), 'other');
    await clock.advance(399);
    assert.equal(sent.length, 2);
    await clock.advance(1);
    assert.equal(await first, 'done');
  });

  it('does not begin to wait where the call was stopped meanwhile, and listens to no signal after it', async () => {
    const controller = new AbortController();
    const stopping = attempts([sick], {
      signal: controller.signal,
      attempt: () => {
        controller.abort('why');
        return Promise.reject(sick);
      },
    });
    const error = errorOf(await runOut(stopping.clock, stopping.run()));
    assert.deepEqual([error.kind, error.cause, stopping.shown, stopping.clock.pending], ['aborted', 'why', [], 0]);

    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const waiting = attempts([sick, sick, 'done'], { signal });
    await runOut(waiting.clock, waiting.run());
    assert.equal(listeners, 0);
  });

  it('sends once what must not be repeated', async () => {
    const { run, sent, clock } = attempts([sick], { repeatable: false });
    await assert.rejects(run(), sick);
    assert.deepEqual([sent, clock.pending], [[[0, undefined]], 0]);
  });
});
