import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Crew, type CrewOptions, TooSlow } from '../../../../src/service/background/crew.ts';
import type { WorkerTask } from '../../../../src/service/background/serveTasks.ts';
import { AppError } from '../../../../src/shared/errors.ts';

describe('Worker threads', () => {
  /** A server's answer with so many numbers. */
  function vectorsTask(numbers: number): WorkerTask {
    const body = new TextEncoder().encode(
      JSON.stringify({ data: [{ embedding: Array.from({ length: numbers }, () => 0.123456) }] }),
    );
    return { name: 'readVectors', input: { body, label: 'A server', asBase64: false, firstIndex: 0 } };
  }

  it('are ended when a task has worked for its limit', async () => {
    const crew = new Crew({ maxThreads: 2, maxWaiting: 2, maxMemoryInMb: 512, keptInMs: 60_000 });
    try {
      await crew.run(vectorsTask(10), { limitInMs: 60_000 });
      await assert.rejects(crew.run(vectorsTask(3_000_000), { limitInMs: 20 }), TooSlow);
    } finally {
      crew.endIdle();
    }
  });
});

describe('Thread crew', () => {
  let posted: { worker: Worker; label: string; buffers: unknown }[];
  let ended: Worker[];
  let crews: Crew[];
  beforeEach(() => {
    [posted, ended, crews] = [[], [], []];
    mock.method(Worker.prototype, 'postMessage', function post(this: Worker, task: WorkerTask, buffers: unknown) {
      posted.push({ worker: this, label: (task.input as { label: string }).label, buffers });
    });
    const { terminate } = Worker.prototype;
    mock.method(Worker.prototype, 'terminate', function end(this: Worker) {
      ended.push(this);
      return terminate.call(this);
    });
  });
  afterEach(() => {
    for (const crew of crews) crew.endIdle();
    mock.timers.reset();
    mock.reset();
  });

  function hire(options: Partial<CrewOptions> = {}): Crew {
    const crew = new Crew({ maxThreads: 1, maxWaiting: 2, maxMemoryInMb: 64, keptInMs: 60_000, ...options });
    crews.push(crew);
    return crew;
  }
  /** Asks for a task; `said` is how it ended, once it has. */
  function ask(crew: Crew, label: string, signal?: AbortSignal, limitInMs = 60_000) {
    const body = new Uint8Array(2);
    const input = { body, label, asBase64: false, firstIndex: 0 };
    const asked: { done: Promise<unknown>; said?: unknown; body: Uint8Array } = { done: Promise.resolve(), body };
    asked.done = crew.run({ name: 'readVectors', input }, { limitInMs, signal }).then(
      (value) => (asked.said = value),
      (error: unknown) => (asked.said = error),
    );
    return asked;
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const labels = (): string[] => posted.map(({ label }) => label);
  const answer = (at: number, message: unknown): boolean => posted[at]!.worker.emit('message', message);

  it('does a fixed number of tasks at once, keeps some waiting in turn and refuses the next', async () => {
    const crew = hire({ maxThreads: 2 });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((label) => ask(crew, label));
    await turn();
    assert.deepEqual(labels(), ['a', 'b']);
    assert.deepEqual(posted[0]?.buffers, [a?.body.buffer]);
    const refused = ask(crew, 'e');
    await refused.done;
    assert.ok(refused.said instanceof AppError);
    assert.deepEqual([refused.said.kind, refused.said.status], ['rateLimited', 429]);
    answer(1, { value: 'done' });
    assert.equal(await b?.done, 'done');
    await turn();
    assert.deepEqual(labels(), ['a', 'b', 'c']);
    assert.equal(posted[2]?.worker, posted[1]?.worker, 'on the thread that is free');
    const later = ask(crew, 'f');
    for (const [at, each] of [a, c, d, later].entries()) {
      answer(at === 0 ? 0 : at + 1, { value: at });
      await each?.done;
      await turn();
    }
    assert.deepEqual([labels(), ended], [['a', 'b', 'c', 'd', 'f'], []]);
  });

  it('ends the thread of a task that nobody waits for any more', async () => {
    const crew = hire();
    const leaving = new AbortController();
    const first = ask(crew, 'a', leaving.signal);
    await turn();
    leaving.abort(new Error('gone'));
    await first.done;
    assert.equal((first.said as Error).message, 'gone');
    assert.deepEqual(ended, [posted[0]?.worker]);
    const staying = new AbortController();
    const second = ask(crew, 'b', staying.signal);
    await turn();
    assert.notEqual(posted[1]?.worker, posted[0]?.worker);
    answer(1, { value: 1 });
    await second.done;
    staying.abort();
    await turn();
    assert.equal(ended.length, 1);
    crew.endIdle();
    crew.endIdle();
    assert.deepEqual(ended.slice(1), [posted[1]?.worker]);
  });

  it('reports a task that needs too much memory or loses its thread, and does the next on another', async () => {
    const crew = hire();
    for (const [end, expected] of [
      [
        (worker: Worker) => worker.emit('error', Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })),
        /^It needs more than 64 MB of memory, so it was stopped\.$/,
      ],
      [(worker: Worker) => worker.emit('error', new Error('a defect')), /^a defect$/],
      [(worker: Worker) => worker.emit('exit', 1), /^The worker thread of readVectors ended without a result$/],
    ] as const) {
      const asked = ask(crew, 'a');
      await turn();
      end(posted.at(-1)!.worker);
      await asked.done;
      assert.match((asked.said as Error).message, expected);
      assert.equal(asked.said instanceof AppError && asked.said.kind === 'tooLarge', expected.source.includes('64 MB'));
      assert.equal(ended.at(-1), posted.at(-1)?.worker);
    }
    assert.equal(new Set(ended).size, 3);
  });

  it('counts only the processor time that a task had, up to twelve times the limit', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    let [nowInMs, processorInMs] = [0, 0];
    mock.method(performance, 'now', () => nowInMs);
    mock.method(process, 'cpuUsage', () => ({ user: processorInMs * 600, system: processorInMs * 400 }));
    const pass = async (inMs: number, share: number): Promise<void> => {
      nowInMs += inMs;
      processorInMs += inMs * share;
      mock.timers.tick(inMs);
      await turn();
    };
    const crew = hire({ maxThreads: 2 });
    const alone = ask(crew, 'a', undefined, 400);
    await turn();
    answer(0, 'begun');
    for (let count = 0; count < 3; count += 1) await pass(100, 3);
    assert.deepEqual(ended, [], 'three processors make no time of its own go faster');
    await pass(100, 3);
    await alone.done;
    assert.equal((alone.said as Error).message, 'readVectors took longer than 400 ms');
    const [one, two] = [ask(crew, 'b', undefined, 400), ask(crew, 'c', undefined, 4000)];
    await turn();
    answer(1, 'begun');
    answer(2, 'begun');
    for (let count = 0; count < 7; count += 1) await pass(100, 1);
    assert.equal(ended.length, 1, 'two share one processor');
    await pass(100, 1);
    await one.done;
    assert.ok(one.said instanceof TooSlow);
    answer(2, { value: 1 });
    await two.done;
    const starved = ask(crew, 'd', undefined, 400);
    await turn();
    answer(3, 'begun');
    for (let count = 0; count < 47; count += 1) await pass(100, 0);
    assert.equal(ended.length, 2);
    await pass(100, 0);
    await starved.done;
    assert.ok(starved.said instanceof TooSlow);
  });
});
