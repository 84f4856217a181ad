import assert from 'node:assert/strict';
import { paced } from '../../../../../src/service/models/guide/guideTasks.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

describe("the pace of the guide's words", () => {
  async function timesOf(count: number): Promise<number[]> {
    const clock = new FakeClock();
    const startMs = clock.now();
    const times: number[] = [];
    const done = (async () => {
      for await (const item of paced(Array.from({ length: count }).keys(), count, { clock })) {
        assert.equal(item, times.length);
        times.push(clock.now() - startMs);
      }
    })();
    for (let step = 0; step < 700; step += 1) await clock.advance(10);
    await done;
    return times;
  }

  it('is 60 a second, the first at once', async () => {
    const times = await timesOf(31);
    assert.equal(times[0], 0);
    assert.ok((times[30] ?? 0) >= 500 && (times[30] ?? 0) <= 510, String(times[30]));
  });

  it('is quicker for a long answer, which is whole after six seconds', async () => {
    const times = await timesOf(1201);
    assert.equal(times.length, 1201);
    assert.ok((times[600] ?? 0) >= 2990 && (times[600] ?? 0) <= 3010, String(times[600]));
    assert.ok((times[1200] ?? 0) >= 5990 && (times[1200] ?? 0) <= 6010, String(times[1200]));
  });

  it('ends as soon as nobody listens', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const items = paced([1, 2], 2, { clock, signal: controller.signal });
    assert.deepEqual(await items.next(), { value: 1, done: false });
    controller.abort();
    await assert.rejects(items.next(), { kind: 'aborted' });
    assert.equal(clock.pending, 0);
  });

  it('ends as soon as nobody listens, also where the next word is late already', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const items = paced([1, 2], 2, { clock, signal: controller.signal });
    await items.next();
    await clock.advance(1000);
    controller.abort();
    await assert.rejects(items.next(), { kind: 'aborted' });
  });
});
