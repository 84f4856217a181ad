import assert from 'node:assert/strict';
import {
  carryOut,
  maxIntentAgeInMs,
  resumeAll,
  shutdownReason,
  type Intent,
  type IntentStore,
} from '../../../../src/api/client/intents.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { rejectionOf } from './exchangeSetup.ts';

describe('intents', () => {
  const intent: Intent = {
    token: 't',
    operation: 'jobs/run-now',
    body: '{}',
    profile: 'p',
    createdAt: 1_700_000_000_000,
  };
  const store = (
    intents: readonly Intent[] = [],
    settle: (token: string) => Promise<void> = () => Promise.resolve(),
  ): IntentStore & { settled: string[] } => {
    const settled: string[] = [];
    return {
      settled,
      save: () => Promise.resolve(),
      list: () => Promise.resolve(intents),
      settle: (token) => {
        settled.push(token);
        return settle(token);
      },
    };
  };
  const aborted = new AppError('aborted', 'Stopped.');
  const options = { profile: 'p', clock: new FakeClock(), logger: silentLogger };

  it('is kept only where the process ends in between', async () => {
    for (const [error, reason, isKept] of [
      [aborted, shutdownReason, true],
      [aborted, 'user', false],
      [aborted, undefined, false],
      [new AppError('server', 'No.'), shutdownReason, false],
    ] as const) {
      const kept = store();
      const signal = reason === undefined ? undefined : AbortSignal.abort(reason);
      await assert.rejects(
        carryOut(kept, intent, { signal, logger: silentLogger }, () => Promise.reject(error)),
        isKept ? /is finished at the next start/ : error,
      );
      assert.deepEqual(kept.settled, isKept ? [] : ['t']);
    }
  });

  it('is not sent where it could not be written', async () => {
    const failing = { ...store(), save: () => Promise.reject(new Error('disk full')) };
    const error = await rejectionOf(
      carryOut(failing, intent, { logger: silentLogger }, () => assert.fail('it is not sent')),
    );
    assert.deepEqual(
      [error.kind, error.message],
      [
        'unavailable',
        'jobs/run-now was not sent: its record could not be written (disk full). The run was not started.',
      ],
    );
  });

  it('that cannot be removed is told in the log, and changes nothing for the run', async () => {
    const warnings: string[] = [];
    const stuck = store([], () => Promise.reject(new Error('locked')));
    assert.equal(
      await carryOut(stuck, intent, { logger: { ...silentLogger, warn: (text) => warnings.push(text) } }, () =>
        Promise.resolve(5),
      ),
      5,
    );
    assert.deepEqual(warnings, ['The record of jobs/run-now t could not be removed: locked']);
  });

  it('without a store is only sent', async () =>
    assert.equal(await carryOut(undefined, intent, { logger: silentLogger }, () => Promise.resolve(5)), 5));

  it('of another profile stays, and one that is a day old is given up', async () => {
    assert.equal(maxIntentAgeInMs, 86_400_000);
    const old = { ...intent, token: 'old', createdAt: intent.createdAt - maxIntentAgeInMs - 1 };
    const aged = { ...intent, token: 'aged', createdAt: intent.createdAt - maxIntentAgeInMs };
    const left = store([old, { ...intent, token: 'other', profile: 'q' }, aged]);
    const sent: string[] = [];
    const resumed = await resumeAll(left, options, ({ token }) => {
      sent.push(token);
      return Promise.resolve({ run_id: '5' });
    });
    assert.deepEqual([sent, left.settled], [['aged'], ['old', 'aged']]);
    assert.deepEqual(resumed, [{ intent: aged, runId: '5' }]);
  });

  it('that fails does not keep the next from being sent; the end of the process does', async () => {
    const two = [intent, { ...intent, token: 'u' }];
    const left = store(two);
    assert.equal((await resumeAll(left, options, () => Promise.reject(aborted))).length, 2);
    assert.deepEqual(left.settled, ['t', 'u']);
    const closing = store(two);
    assert.deepEqual(
      await resumeAll(closing, { ...options, signal: AbortSignal.abort(shutdownReason) }, () =>
        Promise.reject(aborted),
      ),
      [],
    );
    assert.deepEqual(closing.settled, []);
  });
});
