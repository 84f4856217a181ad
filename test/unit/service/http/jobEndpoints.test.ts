import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { settingsOf } from '../../../../src/service/http/jobEndpoints.ts';

describe('what a one-time run is to do', () => {
  it('is what was sent, to the digit, without the token', () =>
    assert.equal(
      settingsOf({}, '{"idempotency_token":"t","run_name":"r","timeout_seconds":1.0,"x":12345678901234567890}'),
      '{"run_name":"r","timeout_seconds":1.0,"x":12345678901234567890}',
    ));

  for (const [request, field] of [
    [{ spark_python_task: { python_file: 'c:\\a.py' } }, /spark_python_task\.python_file/],
    [{ spark_jar_task: { jar_uri: 'ftp://a.jar' } }, /spark_jar_task\.jar_uri/],
  ] as const)
    it(`is refused with ${JSON.stringify(request)}`, () =>
      assert.throws(
        () => settingsOf(request, '{}'),
        (error) => error instanceof ApiError && error.status === 400 && field.test(error.message),
      ));
});
