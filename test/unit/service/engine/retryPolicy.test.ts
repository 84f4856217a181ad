import assert from 'node:assert/strict';
import { retryDueAt } from '../../../../src/service/engine/runJournal.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { runRecord } from '../support/runRecord.ts';

const failed = (more: Partial<RunRecord>): RunRecord =>
  runRecord({ lifeCycle: 'TERMINATED', result: 'FAILED', createdAt: 100_000, endedAt: 130_000, ...more });

describe('when a run is retried', () => {
  it('waits min_retry_interval_millis from the start of the failed attempt, not from its end', () => {
    assert.equal(retryDueAt(failed({}), { max_retries: 1, min_retry_interval_millis: 45_000 }), 145_000);
    assert.equal(retryDueAt(failed({}), { max_retries: 1, min_retry_interval_millis: 20_000 }), 130_000);
    assert.equal(retryDueAt(failed({}), { max_retries: 1 }), 130_000);
  });

  it('pauses for a second from the third endless retry on', () => {
    assert.deepEqual(
      [0, 1, 2, 500].map((attemptNumber) => retryDueAt(failed({ attemptNumber }), { max_retries: -1 })),
      [130_000, 130_000, 131_000, 131_000],
    );
    assert.equal(retryDueAt(failed({ attemptNumber: 2 }), { max_retries: 5 }), 130_000);
  });

  it("does not retry beyond max_retries, a cancelled run, a deleted job's or a one-time run", () => {
    for (const more of [
      { attemptNumber: 1 },
      { stopping: 'CANCELED' as const },
      { stopping: 'TIMEDOUT' as const },
      { hidden: true },
      { jobId: undefined },
      { result: 'SUCCESS' as const },
    ]) {
      assert.equal(retryDueAt(failed(more), { max_retries: 1 }), undefined, JSON.stringify(more));
    }
    assert.equal(retryDueAt(failed({ stopping: 'TIMEDOUT' }), { max_retries: 1, retry_on_timeout: true }), 130_000);
  });
});
