import assert from 'node:assert/strict';
import { AppError, describeError, isAbort, isAppError, toAppError } from '../../../src/shared/errors.ts';

describe('errors', () => {
  it('an error keeps all that it is told', () => {
    const cause = new TypeError('inside');
    const told = {
      status: 503,
      errorCode: 'BUSY',
      retryable: true,
      operation: 'jobs/create',
      remedy: 'Wait.',
      partial: 'Half',
    };
    const error = new AppError('server', 'It failed.', { ...told, cause });
    const { status, errorCode, retryable, operation, remedy, partial } = error;
    assert.deepEqual({ status, errorCode, retryable, operation, remedy, partial }, told);
    assert.deepEqual([error.name, error.kind, error.message, error.cause], ['AppError', 'server', 'It failed.', cause]);
    assert.ok(error instanceof Error && isAppError(error) && !isAppError(cause));
  });

  it('an error that is told nothing is not to be tried again, and has no cause', () => {
    const error = new AppError('server', 'It failed.');
    assert.equal(error.retryable, false);
    assert.equal(Object.hasOwn(error, 'cause'), false);
  });

  it("an abort is ours or the platform's", () => {
    assert.equal(isAbort(new AppError('aborted', 'Stopped.')), true);
    assert.equal(isAbort(new DOMException('Stopped.', 'AbortError')), true);
    for (const other of [
      new AppError('server', 'AbortError'),
      new Error('AbortError'),
      { name: 'AbortError' },
      undefined,
    ])
      assert.equal(isAbort(other), false);
  });

  it('anything thrown becomes an error with it as the cause', () => {
    const own = new AppError('notFound', 'Gone.');
    assert.equal(toAppError(own, 'jobs/get'), own);
    for (const [thrown, kind, message] of [
      [new DOMException('x', 'AbortError'), 'aborted', 'Stopped.'],
      [new TypeError('x is no function'), 'internal', 'x is no function'],
      ['words', 'internal', 'words'],
      [5, 'internal', '5'],
      [null, 'internal', 'null'],
    ] as const) {
      const error = toAppError(thrown, 'jobs/get');
      assert.deepEqual([error.kind, error.message, error.operation, error.cause], [kind, message, 'jobs/get', thrown]);
    }
  });

  it('is told with what to do next, and without anything that would be drawn as a link', () => {
    assert.equal(describeError(new AppError('server', 'It failed.', { remedy: 'Wait.' })), 'It failed. Wait.');
    assert.equal(describeError(new AppError('server', 'It failed.')), 'It failed.');
    assert.equal(describeError(new Error('[Click](command:x)')), '[Click] (command:x)');
  });
});
