import assert from 'node:assert/strict';
import type { JobsClient } from '../../../../src/api/client/client.ts';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { SingleRuns } from '../../../../src/runs/polling/singleRuns.ts';
import type { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError, type ErrorKind } from '../../../../src/shared/errors.ts';

describe('runs that are asked for by themselves', () => {
  const run = { run_id: '7' } as Run;
  let removed: string[];
  let expectedRunIds: Set<string>;
  let answer: Run | ErrorKind;
  let options: { signal?: AbortSignal; retry?: unknown } | undefined;
  let single: SingleRuns;
  const { signal } = new AbortController();
  const jobs = {
    getRun: async (_id: string, given: typeof options) => {
      options = given;
      if (typeof answer === 'string') throw new AppError(answer, 'no');
      return answer;
    },
  } as unknown as JobsClient;
  const ask = async (next: Run | ErrorKind, id = '7', by = signal): Promise<Run | undefined> => {
    answer = next;
    return single.read(jobs, id, by);
  };

  beforeEach(() => {
    [removed, expectedRunIds] = [[], new Set()];
    single = new SingleRuns({ expectedRunIds, removeRun: (id: string) => removed.push(id) } as unknown as RunStore);
  });

  it('are taken out at once when they are gone, unless they were started a moment ago', async () => {
    assert.equal(await ask('notFound'), undefined);
    assert.deepEqual(removed, ['7']);
    expectedRunIds.add('8');
    await ask('notFound', '8');
    assert.deepEqual(removed, ['7']);
    await ask('notFound', '8');
    assert.deepEqual(removed, ['7', '8']);
  });

  it('are given up after the second refusal in a row, each counted by itself', async () => {
    for (const kind of ['rejected', 'forbidden', 'protocol'] as const) {
      await ask(kind);
      await ask(kind, '8');
      assert.deepEqual(removed, [], kind);
      await ask(run);
      await ask(run, '8');
      await ask(kind);
      assert.deepEqual(removed, [], `${kind}: it was answered between`);
      single.clear();
      await ask(kind);
      assert.deepEqual(removed, [], `${kind}: of another profile`);
      await ask(kind);
      assert.deepEqual(removed.splice(0), ['7'], kind);
      await ask(kind);
      assert.deepEqual(removed, [], `${kind}: counted anew`);
      await ask(run);
    }
  });

  it('stay when the service is at fault, which is told, or when nobody asks any more', async () => {
    for (const kind of ['network', 'unauthenticated', 'unavailable', 'rateLimited'] as ErrorKind[])
      for (let count = 0; count < 3; count += 1) await assert.rejects(ask(kind), { kind });
    await ask('notFound', '7', AbortSignal.abort());
    assert.deepEqual(removed, []);
  });
});
