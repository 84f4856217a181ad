import assert from 'node:assert/strict';
import { Crew, TooSlow } from '../../../../src/service/background/crew.ts';
import type { WorkerTask } from '../../../../src/service/background/worker.ts';
import { cpuOf } from '../../../support/cpuTime.ts';

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
