/** Jobs API 2.0, Limits: those that hold for the workspace as a whole. */
export const limits = {
  activeRuns: 1000,
  /** So many of them may come from schedules, so that a user can always start one. */
  scheduledRuns: 900,
  /** Runs of schedules that are SKIPPED and stored; further ones of the hour are counted in the log only. */
  skippedPerHour: 10_000,
  savedJobs: 12_000,
  creationsPerHour: 10_000,
  /** runs/list: less than 1000; 0 means this. */
  listRuns: 999,
  listRunsDefault: 20,
  retentionInMs: 60 * 24 * 60 * 60 * 1000,
} as const;
