import assert from 'node:assert/strict';
import type { Store } from '../../../../src/service/store/store.ts';
import { changedBy, eachWithStore, listedJobs } from '../support/storeBench.ts';

describe('what else is stored', () => {
  let store: Store;
  eachWithStore((one) => (store = one));

  const add = (settings = '{"name":"a"}', nextFireAt?: number): string =>
    store.jobs.insert({ settings, creator: 'it\'s "me"', createdAt: 5 }, nextFireAt);

  it('jobs: each as it was written, listed the most recent first', () => {
    const [first, second] = [add('{"name":"ä", "big":9007199254740993}'), add()];
    assert.deepEqual(
      { ...store.jobs.get(first) },
      { jobId: first, settings: '{"name":"ä", "big":9007199254740993}', creator: 'it\'s "me"', createdAt: 5 },
    );
    assert.equal(
      Buffer.concat([...store.jobs.list()]).toString(),
      `{"job_id":${second},"creator_user_name":"it's \\"me\\"","run_as":"it's \\"me\\"","settings":{"name":"a"},"created_time":5},` +
        `{"job_id":${first},"creator_user_name":"it's \\"me\\"","run_as":"it's \\"me\\"","settings":{"name":"ä", "big":9007199254740993},"created_time":5}`,
    );
    store.jobs.replaceSettings(second, '{"name":"b"}', undefined);
    assert.equal(store.jobs.get(second)?.settings, '{"name":"b"}');
    store.jobs.delete(first);
    assert.deepEqual(
      [store.jobs.count(), store.jobs.get(first), store.jobs.get(second)?.jobId],
      [1, undefined, second],
    );
  });

  it('jobs: each has an id that no other ever had, deleted or not', () => {
    const first = add();
    store.jobs.delete(first);
    assert.deepEqual([first, add(), store.jobs.takeId(), add()], ['1', '2', '3', '4']);
  });

  it('jobs: each that is made, changed or removed is told as changed, and nothing else', () => {
    const jobId = add();
    for (const work of [
      () => add(),
      () => store.jobs.replaceSettings(jobId, '{}', undefined),
      () => store.jobs.delete(jobId),
    ])
      assert.deepEqual(changedBy(store, work), [true, false], String(work));
    for (const work of [
      () => [...store.jobs.list()],
      () => store.jobs.setNextFire(jobId, 5),
      () => store.jobs.nextNumber(jobId),
      () => store.jobs.takeId(),
    ])
      assert.deepEqual(changedBy(store, work), [false, false], String(work));
  });

  it('jobs: is there until it is deleted', () => {
    const jobId = add();
    assert.deepEqual([store.jobs.exists(jobId), store.jobs.exists('999')], [true, false]);
    store.jobs.delete(jobId);
    assert.equal(store.jobs.exists(jobId), false);
  });

  it('jobs: a long list comes in pieces, each once', () => {
    assert.deepEqual([...store.jobs.list()], []);
    const large = JSON.stringify({ name: 'x'.repeat(100_000) });
    const ids = Array.from({ length: 7 }, () => add(large));
    const pieces = [...store.jobs.list()].map((piece) => Buffer.from(piece).toString());
    assert.deepEqual(
      pieces.map((piece) => [piece[0], [...piece.matchAll(/"job_id":/g)].length]),
      [
        ['{', 3],
        [',', 3],
        [',', 1],
      ],
    );
    assert.deepEqual(
      listedJobs(store).map(({ job_id: id }) => String(id)),
      ids.toReversed(),
    );
  });

  it('jobs: what is deleted while the list is read is left out, also where it is the whole of a piece', () => {
    const large = JSON.stringify({ name: 'x'.repeat(300_000) });
    const ids = Array.from({ length: 4 }, () => add(large));
    const list = store.jobs.list();
    const read = [list.next().value];
    for (const jobId of [ids[2], ids[1]]) store.jobs.delete(jobId ?? '');
    read.push(...list);
    const text = read.map((piece) => Buffer.from(piece ?? '').toString()).join('');
    assert.deepEqual(
      (JSON.parse(`[${text}]`) as { job_id: number }[]).map(({ job_id: id }) => String(id)),
      [ids[3], ids[0]],
    );
  });

  it('jobs: a piece ends behind the job that fills it, and the last one is not left out', () => {
    const limit = 256 * 1024;
    const settingsOf = (bytes: number): string => JSON.stringify({ name: 'x'.repeat(bytes - '{"name":""}'.length) });
    for (const bytes of [20, limit - 100, 101, limit - 100, 100]) add(settingsOf(bytes));
    const counts = [...store.jobs.list()].map(
      (piece) =>
        [
          ...Buffer.from(piece)
            .toString()
            .matchAll(/"job_id":/g),
        ].length,
    );
    assert.deepEqual(counts, [3, 2]);
  });

  it('jobs: an id is never given out twice, and runs are counted', () => {
    const taken = store.jobs.takeId();
    const jobId = add();
    assert.deepEqual([Number(jobId) - Number(taken), Number(store.jobs.takeId()) - Number(jobId)], [1, 1]);
    assert.deepEqual(
      [
        store.jobs.nextNumber(jobId),
        store.jobs.nextNumber(jobId),
        store.jobs.nextNumber(add()),
        store.jobs.nextNumber('999'),
      ],
      [1, 2, 1, 1],
    );
  });

  it('jobs: the earliest schedule fires first', () => {
    assert.deepEqual([store.jobs.earliestFire(), store.jobs.hasSchedules()], [undefined, false]);
    const [late, soon, never] = [add('{}', 300), add('{}', 200), add()];
    assert.deepEqual([store.jobs.earliestFire(), store.jobs.hasSchedules()], [200, true]);
    assert.deepEqual(
      [199, 200, 300].map((now) => store.jobs.dueJobs(now, 9).map(({ jobId }) => jobId)),
      [[], [soon], [soon, late]],
    );
    assert.deepEqual(
      store.jobs.dueJobs(300, 1).map((due) => ({ ...due })),
      [{ jobId: soon, fireAt: 200 }],
    );
    store.jobs.setNextFire(soon, undefined);
    store.jobs.replaceSettings(late, '{}', 400);
    store.jobs.setNextFire(never, 500);
    assert.deepEqual(
      store.jobs.dueJobs(1000, 9).map(({ fireAt }) => fireAt),
      [400, 500],
    );
  });

  it('messages: the ones that are due, in their order, until they are delivered', () => {
    const message = { kind: 'email', target: 'a@b', payload: '{}' } as const;
    assert.equal(store.outbox.earliest(), undefined);
    for (const createdAt of [20, 10, 10]) store.outbox.insert({ ...message, createdAt });
    assert.deepEqual(
      [9, 10, 20].map((now) => store.outbox.due(now, 9).map(({ messageId }) => messageId)),
      [[], [2, 3], [2, 3, 1]],
    );
    assert.deepEqual(
      store.outbox.due(20, 1).map((due) => ({ ...due })),
      [{ ...message, messageId: 2, createdAt: 10, attempts: 0 }],
    );
    store.outbox.postpone(2, 4, 30);
    assert.deepEqual(
      [store.outbox.earliest(), store.outbox.due(30, 9).at(-1)?.attempts, store.outbox.due(30, 9)[0]?.attempts],
      [10, 4, 0],
    );
    store.outbox.delete(3);
    assert.deepEqual(
      store.outbox.due(30, 9).map(({ messageId }) => messageId),
      [1, 2],
    );
  });

  it('creations: counted from a moment on, and forgotten', () => {
    for (const at of [10, 20, 30]) store.creations.insert(at);
    assert.deepEqual(
      [
        store.creations.countSince(9),
        store.creations.countSince(10),
        store.creations.oldestSince(10),
        store.creations.oldestSince(30),
      ],
      [3, 2, 20, undefined],
    );
    store.creations.forgetBefore(20);
    assert.equal(store.creations.countSince(0), 1);
  });

  it('tokens: each stands for one run, for ever', () => {
    store.tokens.insert('t', '7');
    assert.deepEqual([store.tokens.runOf('t'), store.tokens.runOf('u')], ['7', undefined]);
    assert.throws(() => store.tokens.insert('t', '8'), /UNIQUE/);
  });

  it('facts: the last value of a name', () => {
    store.facts.set('a', '1');
    store.facts.set('a', '2');
    assert.deepEqual([store.facts.get('a'), store.facts.get('b')], ['2', undefined]);
  });
});
