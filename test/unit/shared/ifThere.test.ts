import assert from 'node:assert/strict';
import { AppError } from '../../../src/shared/errors.ts';
import { ifThere } from '../../../src/shared/ifThere.ts';

describe('what may not be there', () => {
  it('is what the service answers, or nothing where the service has nothing of that id', async () => {
    assert.equal(await ifThere(Promise.resolve(0)), 0);
    assert.equal(await ifThere(Promise.reject(new AppError('notFound', 'Gone.'))), undefined);
  });

  it('fails where anything else went wrong, with that', async () => {
    for (const error of [new AppError('rejected', 'No.'), new AppError('server', 'Busy.'), new TypeError('notFound')])
      await assert.rejects(ifThere(Promise.reject(error)), (thrown) => thrown === error);
  });
});
