import assert from 'node:assert/strict';
import { localProfile } from '../../../src/connection/connection.ts';
import {
  missingSecret,
  readOnlyError,
  replacedService,
  startFailure,
  stoppedByUser,
} from '../../../src/connection/connectorFailures.ts';
import { AppError } from '../../../src/shared/errors.ts';

const told = ({ kind, message, remedy, retryable, operation }: AppError): unknown[] => [
  kind,
  message,
  remedy,
  retryable,
  operation,
];

describe('what is told where a profile does not do what was asked', () => {
  const cause = new AppError('unauthenticated', 'no', { operation: 'jobs/list' });

  it('of a local service that is stopped, replaced or not there', () => {
    assert.deepEqual(told(stoppedByUser()), [
      'unavailable',
      'The local service is stopped. No request was sent.',
      'Start it with "Refresh" in the Jobs view or "Millrace: Start Local Service". It also starts when you deploy, run or chat.',
      false,
      undefined,
    ]);
    const replaced = replacedService(cause);
    assert.deepEqual(told(replaced), [
      'unavailable',
      'jobs/list: the local service has ended meanwhile, and another one answers at its address. Nothing was done.',
      'Try again. This makes a new connection.',
      true,
      'jobs/list',
    ]);
    assert.equal(replaced.cause, cause);
    assert.match(replacedService(new AppError('unauthenticated', 'no')).message, /^The request: /);
    const other = new AppError('forbidden', 'no');
    assert.equal(replacedService(other), other);
  });

  it('of a local service that did not start: what it says itself, else why', () => {
    assert.equal(startFailure(cause), cause);
    const reason = new Error('no room');
    const failure = startFailure(reason);
    assert.deepEqual(told(failure).slice(0, 3), [
      'unavailable',
      'The local service could not be started: no room',
      'Check the log (Millrace: Show Log of the Local Service), then try again. You can use a remote profile meanwhile.',
    ]);
    assert.equal(failure.cause, reason);
    assert.match(startFailure('odd').message, /could not be started: odd$/);
  });

  it('of a profile that is read-only, or has no sign-in', () => {
    const profile = { ...localProfile, name: 'Ours', baseUrl: 'https://x.example' };
    assert.deepEqual(told(readOnlyError(profile, 'run-now')).slice(0, 3), [
      'readOnly',
      'The profile "Ours" is read-only; this was not sent: run-now.',
      'Choose another profile, or turn off read-only (Millrace: Edit Profile…).',
    ]);
    assert.deepEqual(told(missingSecret(profile)).slice(0, 3), [
      'unauthenticated',
      'There is no stored sign-in of profile "Ours" for https://x.example. Nothing was sent.',
      'Sign in (Millrace: Sign In to Profile…).',
    ]);
  });
});
