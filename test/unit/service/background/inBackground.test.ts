import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Crew } from '../../../../src/service/background/crew.ts';
import { endBackground, inBackground } from '../../../../src/service/background/inBackground.ts';
import type { AnyTask } from '../../../../src/service/background/serveTasks.ts';
import { exportTask } from '../../../../src/service/export/exportInBackground.ts';
import { guideTasks } from '../../../../src/service/models/guide/guideTasks.ts';
import { upstreamTasks } from '../../../../src/service/models/upstream/upstreamTasks.ts';

describe('a task in the background', () => {
  afterEach(() => mock.reset());
  const failing = (code: string) =>
    mock.method(Crew.prototype, 'run', () => Promise.reject(Object.assign(new Error(code), { code })));
  const work = () => {
    const body = new TextEncoder().encode('{"data":[{"embedding":[1]}]}');
    return inBackground(
      upstreamTasks.readVectors,
      { body, label: 'A server', asBase64: false, firstIndex: 0 },
      { limitInMs: 60_000 },
    );
  };

  for (const code of ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'])
    it(`is done here where its file has gone (${code})`, async () => {
      failing(code);
      assert.equal((await work()).count, 1);
    });

  it('is not done here where anything else is wrong', async () => {
    failing('ENOENT');
    await assert.rejects(work(), /ENOENT/);
  });
});

describe('crews', () => {
  afterEach(() => mock.reset());

  it('are two that do not wait for each other: one for runs, one for models', async () => {
    const asked: { crew: unknown; given: unknown[] }[] = [];
    mock.method(Crew.prototype, 'run', function run(this: unknown, ...given: unknown[]) {
      asked.push({ crew: this, given });
      return Promise.resolve('done');
    });
    const options = { limitInMs: 5, signal: new AbortController().signal };
    for (const task of [exportTask, guideTasks.chat, guideTasks.embedding])
      assert.equal(await inBackground<never, unknown>(task, task.name as never, options), 'done');
    assert.deepEqual(
      asked.map(({ given }) => given),
      ['exportRun', 'guideChat', 'guideEmbedding'].map((name) => [{ name, input: name }, options]),
    );
    const [runs, chat, embedding] = asked.map(({ crew }) => crew);
    assert.ok(runs !== chat && chat === embedding);
    const ended: unknown[] = [];
    mock.method(Crew.prototype, 'endIdle', function end(this: unknown) {
      ended.push(this);
    });
    endBackground();
    assert.deepEqual(new Set(ended), new Set([runs, chat]));
  });

  it('work on so many tasks at once; the thread of an export ends with it, those of models wait for more', async () => {
    const posted: { worker: Worker; name: string }[] = [];
    const ended: Worker[] = [];
    mock.method(Worker.prototype, 'postMessage', function post(this: Worker, { name }: { name: string }) {
      posted.push({ worker: this, name });
    });
    const { terminate } = Worker.prototype;
    mock.method(Worker.prototype, 'terminate', function end(this: Worker) {
      ended.push(this);
      return terminate.call(this);
    });
    try {
      const tasks = [...Array<AnyTask>(3).fill(exportTask), ...Array<AnyTask>(5).fill(guideTasks.chat)];
      const asked = tasks.map((task) => inBackground(task, {} as never, { limitInMs: 60_000 }));
      await new Promise((resolve) => setImmediate(resolve));
      const count = (name: string): number => posted.filter((each) => each.name === name).length;
      assert.deepEqual([count('exportRun'), count('guideChat')], [2, 4]);
      for (let at = 0; at < tasks.length; at += 1) {
        posted[at]?.worker.emit('message', { value: at });
        await new Promise((resolve) => setTimeout(resolve, 5));
        while (posted.length <= at + 1 && at + 1 < tasks.length) await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal((await Promise.all(asked)).length, 8);
      const exports = posted.filter(({ name }) => name === 'exportRun').map(({ worker }) => worker);
      assert.deepEqual(new Set(ended), new Set(exports));
      assert.equal(exports.length, 3);
    } finally {
      endBackground();
    }
  });
});
