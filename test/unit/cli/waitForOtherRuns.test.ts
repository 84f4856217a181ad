import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '../../../src/api/client/index.ts';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { waitForOtherRuns } from '../../../src/cli/openService.ts';
import { isAbort } from '../../../src/shared/errors.ts';

const run = (id: number, more: Partial<Run> = {}): Run => ({
  run_id: String(id),
  original_attempt_run_id: String(id),
  trigger: 'ONE_TIME',
  state: { life_cycle_state: 'RUNNING' },
  ...more,
});

/** What is active at each look; then nothing. */
async function wait(looks: readonly (readonly Run[])[], ownRunId?: string) {
  let look = 0;
  const said: string[] = [];
  const listRuns: Client['jobs']['listRuns'] = async ({ active_only: isActive, limit = 20, offset = 0 } = {}) => {
    assert.equal(isActive, true);
    const all = looks[look] ?? [];
    const isLast = offset + limit >= all.length;
    if (isLast) look += 1;
    return { runs: all.slice(offset, offset + limit), has_more: !isLast };
  };
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let isOver = false;
    const end = waitForOtherRuns({ listRuns } as Client['jobs'], {
      signal: new AbortController().signal,
      ownRunId,
      say: (text) => said.push(text),
    }).finally(() => (isOver = true));
    let inMs = 0;
    for (let turn = 0; !isOver && turn < 1000; turn += 1) {
      await nextTurn();
      if (isOver) break;
      mock.timers.tick(100);
      inMs += 100;
    }
    await end;
    return { looks: look, said: said.length, inMs };
  } finally {
    mock.timers.reset();
  }
}

describe('the end of a service that one command started', () => {
  it('waits for the runs of other commands and says so once, and stays until they have read how they ended', async () => {
    assert.deepEqual(await wait([[run(2)], [run(2)], []]), { looks: 3, said: 1, inMs: 2400 });
  });

  it('does not wait for its own run, nor for those of schedules and those that try again', async () => {
    const nobodys = [run(3, { trigger: 'PERIODIC' }), run(4, { original_attempt_run_id: '3' })];
    assert.deepEqual(await wait([[run(5), ...nobodys]], '5'), { looks: 1, said: 0, inMs: 0 });
  });

  it('waits no longer than is wanted', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      for (const looks of [[[run(2)]], [[run(2)], []]]) {
        const end = new AbortController();
        let look = 0;
        const signals: unknown[] = [];
        const listRuns: Client['jobs']['listRuns'] = async (_of, options) => {
          signals.push(options?.signal);
          return { runs: [...(looks[Math.min(look++, looks.length - 1)] ?? [])], has_more: false };
        };
        const waiting = waitForOtherRuns({ listRuns } as Client['jobs'], {
          signal: end.signal,
          ownRunId: undefined,
          say: () => {},
        });
        for (let turn = 0; turn < 8; turn += 1) {
          await nextTurn();
          if (look < looks.length) mock.timers.tick(200);
        }
        end.abort();
        await assert.rejects(waiting, isAbort);
        assert.ok(signals.every((signal) => signal === end.signal));
        await waitForOtherRuns({ listRuns } as Client['jobs'], {
          signal: end.signal,
          ownRunId: undefined,
          say: assert.fail,
        });
      }
    } finally {
      mock.timers.reset();
    }
  });

  it('finds the run of another command behind any number of those that nobody waits for', async () => {
    const many = Array.from({ length: 250 }, (_, index) => run(100 + index, { trigger: 'PERIODIC' }));
    assert.deepEqual(await wait([[...many, run(2)], []], '5'), { looks: 2, said: 1, inMs: 2200 });
  });
});
