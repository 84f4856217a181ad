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

  it('is stored before it is sent and forgotten after that, each awaited', async () => {
    for (const outcome of ['done', 'failed'] as const) {
      const trail: string[] = [];
      const later = async (name: string): Promise<void> => {
        trail.push(`${name}…`);
        await new Promise((resolve) => setImmediate(resolve));
        trail.push(name);
      };
      const slow: IntentStore = {
        save: async (saved) => {
          assert.equal(saved, intent);
          await later('save');
        },
        list: () => assert.fail('it is not listed'),
        settle: (token) => later(`settle ${token}`),
      };
      const failure = new AppError('server', 'No.');
      const carried = carryOut(slow, intent, { logger: silentLogger }, async () => {
        await later('send');
        if (outcome === 'failed') throw failure;
        return outcome;
      });
      if (outcome === 'done') assert.equal(await carried, 'done');
      else await assert.rejects(carried, failure);
      assert.deepEqual(trail, ['save…', 'save', 'send…', 'send', 'settle t…', 'settle t']);
    }
  });

  it('that is kept, or was not written, says of which operation, why and what to do', async () => {
    const kept = await rejectionOf(
      carryOut(store(), intent, { signal: AbortSignal.abort(shutdownReason), logger: silentLogger }, () =>
        Promise.reject(aborted),
      ),
    );
    assert.deepEqual(
      [kept.kind, kept.message, kept.operation, kept.cause],
      ['aborted', 'jobs/run-now was interrupted. It is finished at the next start.', 'jobs/run-now', aborted],
    );
    const full = new Error('disk full');
    const failing = { ...store(), save: () => Promise.reject(full) };
    const unwritten = await rejectionOf(carryOut(failing, intent, { logger: silentLogger }, () => Promise.resolve(5)));
    assert.deepEqual(
      [unwritten.operation, unwritten.cause, unwritten.remedy, failing.settled],
      [
        'jobs/run-now',
        full,
        "Free some disk space, or check the permissions of the editor's storage folder, and try again.",
        [],
      ],
    );
  });

  it('found at a start is sent as it was stored, one after the other, and each outcome is told and forgotten', async () => {
    const trail: string[] = [];
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const old = { ...intent, token: 'old', createdAt: intent.createdAt - maxIntentAgeInMs - 1 };
    const all = [intent, { ...intent, token: 'u' }, old, { ...intent, token: 'v' }];
    const left = store(all, async (token) => {
      await new Promise((resolve) => setImmediate(resolve));
      trail.push(`forgot ${token}`);
      if (token === 'v') throw new Error('locked');
    });
    const refused = new AppError('rejected', 'No.');
    const clock = new FakeClock();
    const resumed = await resumeAll(left, { profile: 'p', clock, logger }, async (sent) => {
      assert.ok(all.includes(sent as (typeof all)[number]));
      trail.push(`sent ${sent.token}`);
      if (sent.token === 'u') throw refused;
      if (sent.token === 'v') throw new TypeError('odd');
      return { run_id: '7' };
    });
    assert.deepEqual(trail, ['sent t', 'forgot t', 'sent u', 'forgot u', 'forgot old', 'sent v', 'forgot v']);
    assert.deepEqual(resumed.slice(0, 2), [
      { intent, runId: '7' },
      { intent: all[1], error: refused },
    ]);
    const odd = resumed[2];
    assert.ok(resumed.length === 3 && odd && 'error' in odd);
    assert.deepEqual([odd.intent.token, odd.error.operation], ['v', 'jobs/run-now']);
    assert.deepEqual(warnings, [
      `jobs/run-now of ${new Date(old.createdAt).toISOString()} was interrupted and is too old to be finished. The run may not have been started.`,
      'The record of jobs/run-now v could not be removed: locked',
    ]);
  });

  it('whose sending the end of the process stops stays, with those after it, and those before it are told', async () => {
    const left = store([intent, { ...intent, token: 'u' }, { ...intent, token: 'v' }]);
    const ending = { ...options, signal: AbortSignal.abort(shutdownReason) };
    const resumed = await resumeAll(left, ending, ({ token }) =>
      token === 'u' ? Promise.reject(aborted) : Promise.resolve({ run_id: token }),
    );
    assert.deepEqual([resumed, left.settled], [[{ intent, runId: 't' }], ['t']]);
    const failing = store([intent]);
    assert.equal((await resumeAll(failing, ending, () => Promise.reject(new AppError('server', 'No.')))).length, 1);
    assert.deepEqual(failing.settled, ['t'], 'a refusal is an outcome also while the process ends');
  });
});
