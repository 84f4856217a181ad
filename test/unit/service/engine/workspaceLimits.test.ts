import assert from 'node:assert/strict';
import { limits } from '../../../../src/service/engine/workspaceLimits.ts';

describe('the limits of a workspace', () => {
  it('are those of the document, and places that schedules leave for a user', () =>
    assert.deepEqual(limits, {
      activeRuns: 1000,
      scheduledRuns: 900,
      skippedPerHour: 10_000,
      savedJobs: 12_000,
      creationsPerHour: 10_000,
      listRuns: 999,
      listRunsDefault: 20,
      retentionInMs: 5_184_000_000,
    }));
});
