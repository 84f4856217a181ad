import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { abortable } from '../../../src/shared/abortable.ts';
import { AppError, isAppError } from '../../../src/shared/errors.ts';

const isAborted = (error: unknown): boolean =>
  isAppError(error) && error.kind === 'aborted' && error.message === 'Stopped.' && error.cause === 'enough';

describe('abortable', () => {
  it('gives what the promise gives, and leaves no listener', async () => {
    const controller = new AbortController();
    assert.equal(await abortable(Promise.resolve(7), controller.signal), 7);
    await assert.rejects(abortable(Promise.reject(new Error('broken')), controller.signal), /broken/);
    assert.equal(await abortable(Promise.resolve(7), undefined), 7);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });

  it('gives up at once, whatever becomes of the promise later', async () => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<number>();
    const waiting = abortable(promise, controller.signal);
    controller.abort('enough');
    await assert.rejects(waiting, isAborted);
    await assert.rejects(abortable(promise, controller.signal), isAborted);
    reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });

  it('names what was stopped where it is told', async () => {
    await assert.rejects(
      abortable(
        new Promise(() => undefined),
        AbortSignal.abort('r'),
        (reason) => new AppError('aborted', `stopped by ${String(reason)}`),
      ),
      /stopped by r/,
    );
  });
});
