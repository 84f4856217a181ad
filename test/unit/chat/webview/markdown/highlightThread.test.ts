import assert from 'node:assert/strict';
import type * as HighlightThread from '../../../../../src/chat/webview/markdown/codeBlock.ts';
import '../workerHook.ts';

interface Job {
  readonly code: string;
  readonly language: string;
}

/** A thread of the page that answers when the test says so. */
class FakeWorker {
  static readonly all: FakeWorker[] = [];
  readonly jobs: Job[] = [];
  isEnded = false;
  readonly #listeners = new Map<string, (event: { data: unknown }) => void>();
  constructor() {
    FakeWorker.all.push(this);
  }
  addEventListener(name: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.set(name, listener);
  }
  postMessage(job: Job): void {
    this.jobs.push(job);
  }
  terminate(): void {
    this.isEnded = true;
  }
  say(name: 'message' | 'error', data?: unknown): void {
    this.#listeners.get(name)?.({ data });
  }
}

const timers = new Map<number, { run(): void; inMs: number }>();
const globals = globalThis as unknown as Record<string, unknown>;
const usual = { window: globals['window'], Worker: globals['Worker'] };

describe('the thread that colours code', () => {
  beforeEach(() => {
    FakeWorker.all.length = 0;
    timers.clear();
    globals['Worker'] = FakeWorker;
    globals['window'] = {
      setTimeout: (run: () => void, inMs: number) => {
        const id = timers.size + 1;
        timers.set(id, { run, inMs });
        return id;
      },
      clearTimeout: (id: number) => timers.delete(id),
    };
  });
  afterEach(() => void Object.assign(globals, usual));

  it('takes one text after the other, gives up what takes too long, and all of it after some of these', async () => {
    // A thread of its own: there is one a page, and other tests have ended theirs.
    const own: string = '../../../../../src/chat/webview/markdown/codeBlock.ts?own';
    const { coloursOf } = (await import(own)) as typeof HighlightThread;
    const worker = (): FakeWorker => FakeWorker.all.at(-1) as FakeWorker;
    assert.equal(await coloursOf('plain', ''), undefined);
    assert.equal(await coloursOf('x'.repeat(10_000_000), 'python'), undefined);
    assert.equal(FakeWorker.all.length, 0, 'no thread is begun for what has no colours');

    const [first, second] = [coloursOf('a', 'python'), coloursOf('b', 'sql')];
    assert.deepEqual(worker().jobs, [{ code: 'a', language: 'python' }]);
    worker().say('message', 'colours of a');
    assert.equal(await first, 'colours of a');
    assert.deepEqual(worker().jobs.at(-1), { code: 'b', language: 'sql' });
    worker().say('message', 'colours of b');
    assert.equal(await second, 'colours of b');
    assert.deepEqual([FakeWorker.all.length, timers.size], [1, 0], 'one thread does it, and no time-out is left');

    for (let overruns = 1; overruns <= 5; overruns += 1) {
      const slow = coloursOf('slow', 'python');
      const next = overruns < 5 ? coloursOf('quick', 'python') : undefined;
      const busy = worker();
      if (overruns === 5) busy.say('error');
      else {
        const [limit] = timers.values();
        assert.equal(limit?.inMs, 2000);
        limit?.run();
      }
      assert.equal(await slow, undefined);
      assert.ok(busy.isEnded);
      if (!next) continue;
      assert.notEqual(worker(), busy, 'what comes next gets a thread of its own');
      worker().say('message', 'quick colours');
      assert.equal(await next, 'quick colours');
    }
    const threads = FakeWorker.all.length;
    assert.equal(await coloursOf('c', 'python'), undefined);
    assert.equal(FakeWorker.all.length, threads);
  });
});
