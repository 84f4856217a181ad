import assert from 'node:assert/strict';
import { ApiError, toApiError } from '../../../../src/service/base/apiError.ts';
import { AppError, type ErrorKind } from '../../../../src/shared/errors.ts';

describe('API error', () => {
  const shown = ({ status, errorCode, message, retryAfterInSeconds, upstream }: ApiError) => [
    status,
    errorCode,
    message,
    ...(retryAfterInSeconds === undefined ? [] : [retryAfterInSeconds]),
    ...(upstream ? [upstream] : []),
  ];

  it('has a status and a code for each kind, and the remedy after the message', () => {
    const kinds: readonly (readonly [ErrorKind, number, string, number?])[] = [
      ['invalid', 400, 'INVALID_PARAMETER_VALUE'],
      ['notFound', 404, 'RESOURCE_DOES_NOT_EXIST'],
      ['rateLimited', 429, 'REQUEST_LIMIT_EXCEEDED', 1],
      ['tooLarge', 413, 'MAX_REQUEST_SIZE_EXCEEDED'],
      ['unavailable', 503, 'TEMPORARILY_UNAVAILABLE'],
      ['network', 503, 'TEMPORARILY_UNAVAILABLE'],
      ['timeout', 503, 'TEMPORARILY_UNAVAILABLE'],
      ['server', 500, 'INTERNAL_ERROR'],
      ['forbidden', 500, 'INTERNAL_ERROR'],
      ['aborted', 500, 'INTERNAL_ERROR'],
    ];
    for (const [kind, status, code, seconds] of kinds) {
      const error = new AppError(kind, 'No.', { remedy: 'Try.' });
      const answered = toApiError(error);
      assert.deepEqual(shown(answered), [status, code, 'No. Try.', ...(seconds === undefined ? [] : [seconds])], kind);
      assert.equal(answered.cause, error);
    }
    assert.equal(toApiError(new AppError('invalid', 'No.')).message, 'No.');
    assert.deepEqual(shown(toApiError(new AppError('invalid', 'No.', { status: 409 }))), [
      409,
      'INTERNAL_ERROR',
      'No.',
    ]);
    assert.deepEqual(shown(toApiError(new AppError('invalid', 'No.', { status: 409, errorCode: 'INVALID_STATE' }))), [
      409,
      'INVALID_STATE',
      'No.',
    ]);
    for (const thrown of [undefined, null, 'a text', 7, { errcode: 13 }])
      assert.deepEqual([toApiError(thrown).errorCode, toApiError(thrown).cause], ['INTERNAL_ERROR', thrown]);
    const own = new ApiError(405, 'METHOD_NOT_ALLOWED', 'No.', { allowedMethods: ['GET'] });
    assert.equal(toApiError(own), own);
    assert.equal('cause' in own, false);
  });

  it('is a full or damaged disk where SQLite or the system says so, in any detail', () => {
    for (const [errcode, code] of [
      ...[5, 6, 7, 8, 10, 11, 13, 14, 26, 1034, 2570].map((each) => [each, 'STORAGE_FAILED'] as const),
      ...[0, 1, 4, 9, 12, 19, 1299, '5'].map((each) => [each, 'INTERNAL_ERROR'] as const),
    ]) {
      const answered = toApiError(Object.assign(new Error('disk /secret'), { errcode }));
      assert.deepEqual([answered.status, answered.errorCode], [500, code], String(errcode));
      assert.equal(answered.message.includes('disk /secret'), code === 'STORAGE_FAILED', String(errcode));
    }
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    assert.equal(toApiError(full).errorCode, 'STORAGE_FAILED');
    assert.match(toApiError('text').message, /^The local service has an internal error/);
  });
});
