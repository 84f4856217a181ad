import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { runStatus } from '../../../../src/runs/runState.ts';
import { outlineIds } from '../../../../src/runs/webview/outlines.ts';

describe('the icons of the pages', () => {
  it('are there for every state of a run, known or not', () => {
    const lives = ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED', 'SKIPPED', 'INTERNAL_ERROR', 'BLOCKED'];
    const results = [undefined, 'SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED', 'OTHER'];
    const ids = lives.flatMap((life) =>
      results.map((result) => {
        const state = { life_cycle_state: life, result_state: result } as Run['state'];
        return runStatus({ state }).icon.id.replace(/~spin$/, '');
      }),
    );
    assert.deepEqual(
      [...new Set(ids)].filter((id) => !outlineIds.has(id)),
      [],
    );
  });
});
