import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { mock } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Crew, TooSlow } from '../../../../src/service/background/crew.ts';
import type { WorkerTask } from '../../../../src/service/background/serveTasks.ts';
import { UpstreamError } from '../../../../src/service/base/apiError.ts';
import { readVectors } from '../../../../src/service/models/upstream/readVectors.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { cpuOf } from '../../../support/cpuTime.ts';
import './crewLimits.part.ts';

/** A server's answer with so many numbers. */
function vectorsTask(numbers: number): WorkerTask {
  const body = new TextEncoder().encode(
    JSON.stringify({ data: [{ embedding: Array.from({ length: numbers }, () => 0.123456) }] }),
  );
  return { name: 'readVectors', input: { body, label: 'A server', asBase64: false, firstIndex: 0 } };
}

describe('threads for heavy work', () => {
  it('may each work for the limit, however many others they share the processors with', async () => {
    const crew = new Crew({ maxThreads: 12, maxWaiting: 20, maxMemoryInMb: 512, keptInMs: 60_000 });
    try {
      await crew.run(vectorsTask(10), { limitInMs: 60_000 });
      const aloneInMs = await cpuOf(() => crew.run(vectorsTask(150_000), { limitInMs: 60_000 }));
      // Twelve at once take six times as long on two processors, and none of them works for longer.
      const limitInMs = Math.max(100, 5 * aloneInMs);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => crew.run(vectorsTask(150_000), { limitInMs })),
      );
      assert.deepEqual(
        answers.map((answer) => (answer as { count: number }).count),
        Array.from({ length: 12 }, () => 1),
      );
    } finally {
      crew.endIdle();
    }
  });

  it('leave no listener and no timer behind, however a task ends', async () => {
    const crew = new Crew({ maxThreads: 1, maxWaiting: 2, maxMemoryInMb: 512, keptInMs: 0 });
    const { signal } = new AbortController();
    const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    // Mocha's own timer begins once the test has given way.
    await Promise.resolve();
    const before = timers();
    await crew.run(vectorsTask(10), { limitInMs: 60_000, signal });
    const broken: WorkerTask = {
      name: 'readVectors',
      input: { body: new TextEncoder().encode('{'), label: 'A server', asBase64: false, firstIndex: 0 },
    };
    await assert.rejects(crew.run(broken, { limitInMs: 60_000, signal }));
    const [first, second] = [1, 2].map(() => crew.run(vectorsTask(10), { limitInMs: 60_000, signal }));
    await Promise.all([first, second]);
    assert.deepEqual([getEventListeners(signal, 'abort').length, timers()], [0, before]);
  });

  it('hand on why something failed, as it was said', async () => {
    const crew = new Crew({ maxThreads: 1, maxWaiting: 2, maxMemoryInMb: 512, keptInMs: 60_000 });
    try {
      const body = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode('{"data":[5]}');
      const input = { label: 'A server', asBase64: false, firstIndex: 0 };
      const here = ((): unknown => {
        try {
          return readVectors({ body: body(), ...input });
        } catch (error) {
          return error;
        }
      })();
      assert.ok(here instanceof UpstreamError);
      await assert.rejects(
        crew.run({ name: 'readVectors', input: { body: body(), ...input } }, { limitInMs: 60_000 }),
        (there) => {
          assert.ok(there instanceof UpstreamError);
          for (const part of ['kind', 'message', 'remedy', 'status', 'errorCode', 'retryable'] as const)
            assert.equal(there[part], here[part], part);
          return true;
        },
      );
      const odd: WorkerTask = { name: 'embed' as 'readVectors', input: undefined as never };
      await assert.rejects(
        crew.run(odd, { limitInMs: 60_000 }),
        (error) => error instanceof Error && !isAppError(error),
      );
    } finally {
      crew.endIdle();
    }
  });

  it('are ended when nobody has needed them for a while, and are used again before', async () => {
    const end = mock.method(Worker.prototype, 'terminate');
    const crew = new Crew({ maxThreads: 1, maxWaiting: 2, maxMemoryInMb: 512, keptInMs: 500 });
    try {
      await crew.run(vectorsTask(10), { limitInMs: 60_000 });
      await crew.run(vectorsTask(10), { limitInMs: 60_000 });
      assert.equal(end.mock.callCount(), 0);
      const until = performance.now() + 10_000;
      while (end.mock.callCount() === 0 && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(end.mock.callCount(), 1);
    } finally {
      end.mock.restore();
      crew.endIdle();
    }
  });

  it('are ended when they have worked for the limit', async () => {
    const crew = new Crew({ maxThreads: 2, maxWaiting: 2, maxMemoryInMb: 512, keptInMs: 60_000 });
    try {
      await crew.run(vectorsTask(10), { limitInMs: 60_000 });
      await assert.rejects(crew.run(vectorsTask(3_000_000), { limitInMs: 20 }), TooSlow);
    } finally {
      crew.endIdle();
    }
  });
});
