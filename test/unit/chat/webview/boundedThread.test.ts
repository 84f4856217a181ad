import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { BoundedThread } from '../../../../src/chat/webview/boundedThread.ts';

describe('another thread of the page', () => {
  class FakeWorker extends EventTarget {
    readonly asked: unknown[] = [];
    isEnded = false;
    constructor(address: string) {
      super();
      if (refusal) throw refusal;
      addresses.push(address);
      workers.push(this);
    }
    postMessage(request: unknown): void {
      this.asked.push(request);
    }
    terminate(): void {
      this.isEnded = true;
    }
    says(data: unknown): void {
      this.dispatchEvent(new MessageEvent('message', { data }));
    }
  }
  let workers: FakeWorker[];
  let addresses: string[];
  let refusal: Error | undefined;
  const globals = globalThis as { Worker?: unknown; window?: unknown };
  const before = { Worker: globals.Worker, window: globals.window };
  beforeEach(() => {
    [workers, addresses, refusal] = [[], [], undefined];
    mock.timers.enable({ apis: ['setTimeout'] });
    Object.assign(globals, {
      Worker: FakeWorker,
      window: { setTimeout: (work: () => void, inMs: number) => setTimeout(work, inMs), clearTimeout },
    });
  });
  afterEach(() => {
    mock.timers.reset();
    Object.assign(globals, before);
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const asking = (thread: BoundedThread<string, string>, ...requests: string[]) => {
    const replies: (string | undefined)[] = [];
    for (const [index, request] of requests.entries())
      void thread.ask(request).then((reply) => (replies[index] = reply ?? 'none'));
    return replies;
  };

  it('answers one request after the other, in their order, and is started once', async () => {
    const thread = new BoundedThread<string, string>('source', 100, 2);
    const replies = asking(thread, 'a', 'b');
    assert.deepEqual([workers.length, workers[0]?.asked], [1, ['a']]);
    assert.match(addresses[0] ?? '', /^blob:/);
    workers[0]?.says('A');
    await settle();
    assert.deepEqual([replies, workers[0]?.asked], [['A'], ['a', 'b']]);
    workers[0]?.says('B');
    await settle();
    assert.deepEqual([replies, workers.length], [['A', 'B'], 1]);
    mock.timers.tick(1000);
    await settle();
    assert.equal(workers[0]?.isEnded, false, 'what was answered in time is over');
  });

  it('is ended where one takes too long, which has no reply, and begun anew for the next', async () => {
    const thread = new BoundedThread<string, string>('source', 100, 2);
    const replies = asking(thread, 'a', 'b', 'c');
    mock.timers.tick(99);
    await settle();
    assert.deepEqual([replies, workers[0]?.isEnded], [[], false]);
    mock.timers.tick(1);
    await settle();
    assert.deepEqual([replies, workers[0]?.isEnded, workers[1]?.asked], [['none'], true, ['b']]);
    mock.timers.tick(100);
    await settle();
    assert.deepEqual([replies, workers.length], [['none', 'none', 'none'], 2], 'two were too slow');
    assert.equal(await thread.ask('d'), undefined);
    assert.equal(workers.length, 2);
  });

  it('gives no reply where it fails, or the page may have none', async () => {
    const thread = new BoundedThread<string, string>('source', 100, 2);
    const replies = asking(thread, 'a');
    workers[0]?.dispatchEvent(new Event('error'));
    await settle();
    assert.deepEqual([replies, workers[0]?.isEnded], [['none'], true]);
    refusal = new Error('no threads');
    assert.equal(await thread.ask('b'), undefined);
    refusal = undefined;
    assert.equal(await thread.ask('c'), undefined, 'that was the last try');
    assert.equal(workers.length, 1);
  });
});
