import assert from 'node:assert/strict';
import { limits } from '../../../../src/service/engine/admission.ts';

const days = 24 * 60 * 60 * 1000;

/** Jobs API 2.0, Limits. */
const ofTheDocument = {
  savedJobs: 12_000,
  creationsPerHour: 10_000,
  activeRuns: 1000,
  retentionInMs: 60 * days,
};
/** The same: less than 1000. */
const ofLists = { listRuns: 999, listRunsDefault: 20 };
const ofSchedules = { scheduledRuns: 900, skippedPerHour: 10_000 };

describe('the limits of a workspace', () => {
  it('are those of the document, and places that schedules leave for a user', () =>
    assert.deepEqual(limits, { ...ofTheDocument, ...ofLists, ...ofSchedules }));
});
