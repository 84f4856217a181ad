import assert from 'node:assert/strict';
import { AppError } from '../../../src/shared/errors.ts';
import { ifFound } from '../../../src/shared/ifFound.ts';

describe('what may not be there', () => {
  it('is what the service answers, or nothing where the service has nothing of that id', async () => {
    assert.equal(await ifFound(Promise.resolve(0)), 0);
    assert.equal(await ifFound(Promise.reject(new AppError('notFound', 'Gone.'))), undefined);
  });

  it('fails where anything else went wrong, with that', async () => {
    for (const error of [new AppError('rejected', 'No.'), new AppError('server', 'Busy.'), new TypeError('notFound')])
      await assert.rejects(ifFound(Promise.reject(error)), (thrown) => thrown === error);
  });
});
