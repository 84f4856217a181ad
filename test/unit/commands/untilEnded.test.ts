import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Client } from '../../../src/api/client/client.ts';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { untilEnded } from '../../../src/commands/replay/replay.ts';
import { settle } from '../../support/fakeClock.ts';

describe('the end of a run that a command waits for', () => {
  let states: string[];
  let asked: { runId: string; signal?: AbortSignal }[];
  const client = {
    jobs: {
      getRun: async (runId: string, { signal }: { signal?: AbortSignal }): Promise<Run> => {
        asked.push({ runId, signal });
        const state = states.shift() ?? 'TERMINATED';
        return { run_id: runId, state: { life_cycle_state: state } };
      },
    },
  } as unknown as Client;
  beforeEach(() => {
    [states, asked] = [[], []];
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  it('is told with the run as it is then, and asked for once in a while until it comes', async () => {
    const { signal } = new AbortController();
    states = ['PENDING', 'RUNNING', 'TERMINATING', 'INTERNAL_ERROR'];
    let ended: Run | undefined;
    void untilEnded(client, '5', signal).then((run) => (ended = run));
    for (const count of [1, 2, 3]) {
      await settle();
      assert.deepEqual([asked.length, ended], [count, undefined]);
      mock.timers.tick(1_000);
    }
    await settle();
    assert.deepEqual([asked.length, ended?.state?.life_cycle_state], [4, 'INTERNAL_ERROR']);
    assert.ok(asked.every((one) => one.runId === '5' && one.signal === signal));
  });

  it('needs no wait where it has ended already', async () => {
    assert.equal((await untilEnded(client, '5')).run_id, '5');
  });

  it('is not waited for any more when the command is stopped, nor where the run cannot be read', async () => {
    const stop = new AbortController();
    states = ['RUNNING', 'RUNNING'];
    const waiting = untilEnded(client, '5', stop.signal);
    await settle();
    stop.abort();
    await assert.rejects(waiting);
    assert.equal(asked.length, 1);
    const gone = { jobs: { getRun: () => Promise.reject(new Error('gone')) } } as unknown as Client;
    await assert.rejects(untilEnded(gone, '5'), /gone/);
  });
});
