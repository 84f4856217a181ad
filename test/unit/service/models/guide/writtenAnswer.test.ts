import assert from 'node:assert/strict';
import { writtenAnswer } from '../../../../../src/service/models/guide/completionDraft.ts';
import { isAppError } from '../../../../../src/shared/errors.ts';

describe('an answer as it is sent', () => {
  it('is its bytes, or nothing where it is sent in another way', () => {
    assert.equal(
      new TextDecoder().decode(writtenAnswer(1, () => ({ a: '€', b: 2n ** 60n }))),
      '{"a":"€","b":1152921504606846976}',
    );
    assert.equal(writtenAnswer(1, undefined), undefined);
  });

  it('has at most so many characters, and is not made where it has more', () => {
    const most = 32 * 1024 * 1024;
    assert.ok(writtenAnswer(most, () => ({})));
    for (const answer of [() => assert.fail('it was made'), undefined])
      assert.throws(
        () => writtenAnswer(most + 1, answer),
        (error) =>
          isAppError(error) &&
          error.status === 400 &&
          /would have 33554433 characters; at most 33554432/.test(error.message),
      );
  });
});
