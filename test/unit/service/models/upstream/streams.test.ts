import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { mapLimited, merged, primed } from '../../../../../src/service/models/upstream/streams.ts';

describe('sources of an answer', () => {
  /** Gives the items one after the other; `log` says when it was begun and left. */
  async function* source<T>(items: readonly (T | Error)[], log: string[] = [], name = ''): AsyncGenerator<T> {
    log.push(`begin${name}`);
    try {
      for (const item of items) {
        await turn();
        if (item instanceof Error) throw item;
        yield item;
      }
    } finally {
      log.push(`end${name}`);
    }
  }
  const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
    const read: T[] = [];
    for await (const item of items) read.push(item);
    return read;
  };

  it('are asked at once, and refuse before anything of them is passed on', async () => {
    const log: string[] = [];
    const begun = await primed(source(['a', 'b'], log));
    assert.deepEqual(log, ['begin']);
    assert.deepEqual(
      [await all(begun), log],
      [
        ['a', 'b'],
        ['begin', 'end'],
      ],
    );
    assert.deepEqual(await all(await primed(source([]))), []);
    await assert.rejects(primed(source([new Error('refused')])), /refused/);
    const broken = await primed(source<string>(['a', new Error('later')]));
    await assert.rejects(all(broken), /later/);
  });

  it('are left when their reader leaves, after the first item, too', async () => {
    for (const count of [1, 2]) {
      const log: string[] = [];
      let read = 0;
      for await (const _item of await primed(source(['a', 'b', 'c'], log))) if (++read === count) break;
      assert.deepEqual(log, ['begin', 'end'], String(count));
    }
  });

  it('are read side by side, each item once and in the order of its source', async () => {
    const log: string[] = [];
    const items = await all(
      merged([source([1, 2, 3], log, ' 1'), source<number>([], log, ' 2'), source([10], log, ' 3')]),
    );
    assert.deepEqual(
      items.toSorted((one, other) => one - other),
      [1, 2, 3, 10],
    );
    assert.deepEqual(
      items.filter((item) => item < 10),
      [1, 2, 3],
    );
    assert.ok(items.indexOf(10) < 3, 'who is ready does not wait for the others');
    assert.equal(log.length, 6);
    assert.deepEqual(await all(merged([])), []);
  });

  it('all end with the first that fails, and when the reader leaves', async () => {
    const log: string[] = [];
    const failing = merged([
      source<number>([new Error('one')], log, ' 1'),
      source<number>([1, 2, new Error('two')], log, ' 2'),
    ]);
    await assert.rejects(all(failing), /one/);
    assert.deepEqual(log.toSorted(), ['begin 1', 'begin 2', 'end 1', 'end 2']);
    log.length = 0;
    for await (const _item of merged([source([1, 2], log, ' 1'), source([1, 2], log, ' 2')])) break;
    assert.deepEqual(log.toSorted(), ['begin 1', 'begin 2', 'end 1', 'end 2']);
    // What fails after the reader has left is nobody's.
    for await (const _item of merged([source([1]), source<number>([new Error('late')])])) break;
    await turn();
  });

  it('fail for nobody after the reader has left', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      for await (const _item of merged([source<number>([1, new Error('late')])])) break;
      for (let turns = 0; turns < 3; turns += 1) await turn();
    } finally {
      process.off('unhandledRejection', note);
    }
    assert.deepEqual(unhandled, []);
  });

  it('are worked on so many at a time, with the results in order', async () => {
    let [atOnce, most] = [0, 0];
    const work = async (item: string, index: number): Promise<string> => {
      most = Math.max(most, (atOnce += 1));
      for (let turns = 0; turns < 5 - index; turns += 1) await turn();
      atOnce -= 1;
      return item + index;
    };
    assert.deepEqual(await mapLimited(['a', 'b', 'c', 'd', 'e'], 2, work), ['a0', 'b1', 'c2', 'd3', 'e4']);
    assert.equal(most, 2);
    assert.deepEqual(await mapLimited([], 2, work), []);
    const refused = mapLimited(['a'], 3, () => Promise.reject(new Error('no')));
    await assert.rejects(refused, /no/);
  });
});
