import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/service/base/apiError.ts';

/** The refusal in which something ends. */
export function refusalOf(body: () => unknown): ApiError {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail('it was not refused');
}
