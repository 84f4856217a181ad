/** How long the poller waits between its polls. */
export interface PollIntervals {
  /** While a run is active. */
  readonly activeInMs: number;
  /** While nothing runs: new runs of schedules and colleagues still appear. Grows to four times as long while nothing changes. */
  readonly idleInMs: number;
  /** Maximum age of the job list: it may be 20 MB, and runs are what changes. */
  readonly jobListInMs: number;
  /** Longest pause after failures. */
  readonly maxBackOffInMs: number;
}

export const remoteIntervals: PollIntervals = {
  activeInMs: 3000,
  idleInMs: 30_000,
  jobListInMs: 60_000,
  maxBackOffInMs: 120_000,
};
/** The local service answers within a millisecond, so its runs are shown as they change. */
export const localIntervals: PollIntervals = {
  activeInMs: 700,
  idleInMs: 5000,
  jobListInMs: 5000,
  maxBackOffInMs: 15_000,
};
