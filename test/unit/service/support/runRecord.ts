import type { RunRecord } from '../../../../src/service/store/runRecord.ts';

/** A run as it is stored, started for the first time and waiting, unless it is changed. */
export const runRecord = (change: Partial<RunRecord> = {}): RunRecord => ({
  runId: '1',
  jobId: '3',
  numberInJob: 1,
  attemptNumber: 0,
  runType: 'JOB_RUN',
  trigger: 'ONE_TIME',
  runName: 'n',
  creator: 'c',
  detail: '"task":{}',
  hidden: false,
  lifeCycle: 'PENDING',
  message: '',
  createdAt: 0,
  ...change,
});
