import assert from 'node:assert/strict';
import { AppError, isAbort, toAppError } from '../../../src/shared/errors.ts';
import { read, shape } from '../../../src/shared/shape.ts';

describe('Errors', () => {
  it('recognize aborts of ours and of the platform', () => {
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

  it('wrap any thrown value as the cause', () => {
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
});

describe('Shapes', () => {
  const { text, number, count, flag, one, list, optional, object, either } = shape;
  const person = object({ name: text(5), age: optional(count()), kind: one('a', 'b') });

  it('return only known fields', () => {
    assert.deepEqual(read(person, { name: 'Ann', kind: 'a', age: null, other: 1 }), { name: 'Ann', kind: 'a' });
    assert.deepEqual(read(person, { name: 'Ann', kind: 'b', age: 3 }), { name: 'Ann', kind: 'b', age: 3 });
    assert.deepEqual(read(list(person, 1), [{ name: '', kind: 'a' }]), [{ name: '', kind: 'a' }]);
  });

  it('reject values of another shape', () => {
    for (const wrong of [null, 1, 'x', [], {}, { name: 'too long', kind: 'a' }, { name: 'Ann', kind: 'c' }])
      assert.equal(read(person, wrong), undefined);
    for (const age of [-1, 1.5, '1', Number.NaN, 2 ** 60])
      assert.equal(read(person, { name: 'Ann', kind: 'a', age }), undefined);
    assert.equal(read(list(flag(), 1), [true, true]), undefined);
    assert.equal(read(flag(), 'true'), undefined);
    assert.equal(read(number(), Number.POSITIVE_INFINITY), undefined);
    assert.equal(read(number(), -1.5), -1.5);
  });

  it('tell messages apart by their type', () => {
    const message = either({ add: object({ value: count() }), stop: object({}) });
    assert.deepEqual(read(message, { type: 'add', value: 2, more: 1 }), { type: 'add', value: 2 });
    assert.deepEqual(read(message, { type: 'stop' }), { type: 'stop' });
    for (const wrong of [{ type: 'toString' }, { type: 'add' }, { value: 2 }, undefined, 'stop'])
      assert.equal(read(message, wrong), undefined);
  });
});
