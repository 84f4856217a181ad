import assert from 'node:assert/strict';
import { Slots } from '../../../src/shared/slots.ts';

describe('slots', () => {
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('let so much work go on at once, in turn, and what is next before the rest', async () => {
    const slots = new Slots(2);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string, isNext = false): Promise<string> =>
      slots.run(
        () => {
          begun.push(name);
          return new Promise((resolve) => ends.set(name, () => resolve(name)));
        },
        { isNext },
      );
    const all = [work('a'), work('b'), work('c'), work('d'), work('e', true)];
    await settle();
    assert.deepEqual(begun, ['a', 'b']);
    for (const name of ['b', 'a', 'e', 'c', 'd']) {
      ends.get(name)?.();
      await settle();
    }
    assert.deepEqual(begun, ['a', 'b', 'e', 'c', 'd']);
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd', 'e']);
  });

  it('are free again after work that failed', async () => {
    const slots = new Slots(1);
    const failed = slots.run(() => Promise.reject(new Error('no')));
    const next = slots.run(async () => 'yes');
    await assert.rejects(failed, /no/);
    assert.deepEqual([await next, await slots.run(async () => 'again')], ['yes', 'again']);
  });
});
