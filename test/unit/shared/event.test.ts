import assert from 'node:assert/strict';
import { Emitter } from '../../../src/shared/event.ts';

describe('Emitter', () => {
  it('tells each listener each value, in the order in which they came, until it is disposed', () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    const first = emitter.event((value) => heard.push(`first ${value}`));
    const second = emitter.event((value) => heard.push(`second ${value}`));
    emitter.fire(1);
    first.dispose();
    emitter.fire(2);
    assert.equal(emitter.hasListeners, true);
    second.dispose();
    assert.equal(emitter.hasListeners, false);
    emitter.fire(3);
    assert.deepEqual(heard, ['first 1', 'second 1', 'second 2']);
  });

  it('two subscriptions of one function are two', () => {
    const emitter = new Emitter<number>();
    let heard = 0;
    const listener = (): void => void heard++;
    const first = emitter.event(listener);
    emitter.event(listener);
    emitter.fire(1);
    assert.equal(heard, 2);
    first.dispose();
    first.dispose();
    emitter.fire(1);
    assert.equal(heard, 3);
  });

  it('a listener that throws keeps no other from being called, and its error is told', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const failure = new Error('no');
    let heard = 0;
    emitter.event(() => {
      throw failure;
    });
    emitter.event((value) => void (heard = value));
    emitter.fire(7);
    assert.equal(heard, 7);
    assert.deepEqual(errors, [failure]);
  });

  it('an error that nobody listens for reaches the process, after all have been called', async () => {
    const emitter = new Emitter<number>();
    const failure = new Error('no');
    emitter.event(() => {
      throw failure;
    });
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    try {
      const caught = new Promise<unknown>((resolve) => process.once('uncaughtException', resolve));
      emitter.fire(1);
      assert.equal(await caught, failure);
    } finally {
      for (const listener of others) process.on('uncaughtException', listener);
    }
  });

  it('a listener that is added or removed while values are told changes nothing for the value under way', () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    emitter.event((value) => {
      heard.push(`first ${value}`);
      last.dispose();
      if (value === 1) emitter.event((next) => heard.push(`new ${next}`));
    });
    const last = emitter.event((value) => heard.push(`last ${value}`));
    emitter.fire(1);
    emitter.fire(2);
    assert.deepEqual(heard, ['first 1', 'last 1', 'first 2', 'new 2']);
  });

  it('tells nobody anything after it is disposed', () => {
    const emitter = new Emitter<number>();
    emitter.event(() => assert.fail('it is disposed'));
    emitter.dispose();
    assert.equal(emitter.hasListeners, false);
    emitter.fire(1);
  });
});
