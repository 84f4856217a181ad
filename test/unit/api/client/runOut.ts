import assert from 'node:assert/strict';
import type { AppError } from '../../../../src/shared/errors.ts';
import type { FakeClock } from '../../../support/fakeClock.ts';
import { settle } from '../../../support/fakeClock.ts';
import { type Reply } from '../../../support/scriptedFetch.ts';

export interface Outcome {
  readonly error?: AppError;
  readonly value?: unknown;
  readonly endedAt: number;
}

/** Lets time pass until the call has ended. */
export async function runOut(clock: FakeClock, call: Promise<unknown>): Promise<Outcome> {
  let outcome: Outcome | undefined;
  call.then(
    (value) => (outcome = { value, endedAt: clock.now() }),
    (error: unknown) => (outcome = { error: error as AppError, endedAt: clock.now() }),
  );
  await settle();
  for (let steps = 0; !outcome && steps < 10_000; steps++) await clock.advance(clock.nextDelayInMs ?? 1000);
  assert.ok(outcome, 'the call did not end');
  return outcome;
}
export const failure = (status: number, headers?: Record<string, string>): Reply => ({
  status,
  body: '{"error_code":"X","message":"no"}',
  headers,
});
