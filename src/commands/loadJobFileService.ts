import type { JobFileService } from '../jobfile/services/jobFileService.ts';
import { lazy } from '../shared/lazy.ts';

/** Job files as a language; loaded by the first command that reads or writes one. */
export const loadJobFileService = lazy<JobFileService>(async () =>
  (await import('../jobfile/services/jobFileService.ts')).createJobFileService(),
);
