import type { JobFileService } from '../jobfile/services/jobFileService.ts';
import { lazy } from '../shared/lazy.ts';

/** The job file service, loaded by the first command that reads or writes a job file. */
export const loadJobFileService = lazy<JobFileService>(async () =>
  (await import('../jobfile/services/jobFileService.ts')).createJobFileService(),
);
