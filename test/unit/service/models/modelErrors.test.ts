import assert from 'node:assert/strict';
import {
  endpointExists,
  invalidModelParameter,
  noSuchEndpoint,
  upstreamFailure,
} from '../../../../src/service/models/modelErrors.ts';

describe('errors of models', () => {
  it('have the status and the code of what went wrong behind an endpoint, and are waited for only where that helps', () => {
    const told = (
      [
        'network',
        'timeout',
        'server',
        'cutOff',
        'protocol',
        'forbidden',
        'notFound',
        'rateLimited',
        'rejected',
      ] as const
    ).map((kind) => {
      const { status, errorCode, retryable, ...error } = upstreamFailure(kind, 'Words.');
      assert.deepEqual([error.kind, upstreamFailure(kind, 'Words.').message], [kind, 'Words.']);
      return `${kind} ${status} ${errorCode} ${retryable}`;
    });
    assert.deepEqual(told, [
      'network 503 TEMPORARILY_UNAVAILABLE false',
      'timeout 504 DEADLINE_EXCEEDED false',
      'server 502 INTERNAL_ERROR false',
      'cutOff 502 INTERNAL_ERROR false',
      'protocol 502 INTERNAL_ERROR false',
      'forbidden 403 PERMISSION_DENIED false',
      'notFound 404 RESOURCE_DOES_NOT_EXIST false',
      'rateLimited 429 REQUEST_LIMIT_EXCEEDED true',
      'rejected 400 INVALID_PARAMETER_VALUE false',
    ]);
    const cause = new Error('below');
    const busy = upstreamFailure('server', 'Busy.', { isBusy: true, retryAfterInMs: 7, cause });
    assert.deepEqual([busy.retryable, busy.retryAfterInMs, busy.cause], [true, 7, cause]);
    assert.equal(upstreamFailure('rateLimited', 'No.', { isBusy: false }).retryable, false);
  });

  it('say which endpoints there are, a dozen of them, and what kept others from being listed', () => {
    const told = (...given: Parameters<typeof noSuchEndpoint>): unknown[] => {
      const { status, errorCode, message } = noSuchEndpoint(...given);
      assert.deepEqual([status, errorCode], [404, 'RESOURCE_DOES_NOT_EXIST']);
      return [message];
    };
    assert.deepEqual(told('x', []), ['The serving endpoint "x" does not exist. Create it first.']);
    assert.deepEqual(
      told(
        'x',
        Array.from({ length: 13 }, (_, place) => `e${place}`),
        ['One is down.', 'Another too.'],
      ),
      [
        'The serving endpoint "x" does not exist. Use one of e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11. ' +
          'One is down. Another too.',
      ],
    );
    assert.deepEqual(told('x'.repeat(100), []), [
      `The serving endpoint "${'x'.repeat(100)}" does not exist. Create it first.`,
    ]);
    assert.deepEqual(told('x'.repeat(101), []), [
      `The serving endpoint "${'x'.repeat(100)}…" does not exist. Create it first.`,
    ]);
  });

  it('refuse what is wrong or there already', () => {
    const wrong = invalidModelParameter('No.', 'Do that.');
    assert.deepEqual(
      [wrong.kind, wrong.status, wrong.errorCode, wrong.remedy],
      ['invalid', 400, 'INVALID_PARAMETER_VALUE', 'Do that.'],
    );
    const there = endpointExists('e');
    assert.deepEqual([there.kind, there.status, there.errorCode], ['rejected', 409, 'RESOURCE_ALREADY_EXISTS']);
    assert.match(there.message, /"e" exists already; nothing was created\. Choose another name\.$/);
  });
});
