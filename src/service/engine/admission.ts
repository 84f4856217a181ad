import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { ApiError } from '../base/apiError.ts';
import type { ActiveRuns } from './activeRuns.ts';
import { parseSettings } from './engineSettings.ts';
import type { RunStart } from './runStart.ts';

/** Decides which runs may start. */
export interface Admission {
  /** Returns whether the workspace has its maximum number of active runs. */
  isFull(): boolean;
  /** @throws ApiError 503 while the service stops, 429 if the workspace is full: the run is not stored */
  check(start: RunStart): void;
  /** Jobs API 2.0, States and transitions: a run beyond the job's limit is SKIPPED at once. */
  skipReason(start: RunStart, max: number | undefined): string | undefined;
  /** Returns whether a scheduled run is worth storing: it starts, or is one of the first SKIPPED runs of the hour. */
  mayStore(scheduled: RunStart): boolean;
}

export interface AdmissionOptions {
  readonly active: Pick<ActiveRuns, 'count' | 'ofJob'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isClosing: () => boolean;
}

export function createAdmission({ active, clock, logger, isClosing }: AdmissionOptions): Admission {
  const skips = createSkips(clock, logger);
  const isFull = (): boolean => active.count >= limits.activeRuns;

  function skipReason({ jobId, trigger }: RunStart, max = 1): string | undefined {
    if (jobId === undefined) return undefined;
    const { length } = active.ofJob(jobId);
    if (length >= max) {
      return max === 0
        ? 'max_concurrent_runs of the job is 0.'
        : `The job has ${length} active ${length === 1 ? 'run' : 'runs'} already, and its max_concurrent_runs is ${max}.`;
    }
    const [limit, who] =
      trigger === 'PERIODIC' ? [limits.scheduledRuns, 'schedules may start'] : [limits.activeRuns, 'it can hold'];
    return active.count >= limit ? `${active.count} runs are active in this workspace, as many as ${who}.` : undefined;
  }

  return {
    isFull,
    skipReason,
    check({ trigger }) {
      if (isClosing())
        throw new ApiError(
          503,
          'TEMPORARILY_UNAVAILABLE',
          'The local service is stopping; no run was started. Start it again.',
        );
      // A scheduled run is not a request that a client could repeat, so it is SKIPPED.
      if (isFull() && trigger !== 'PERIODIC') {
        throw new ApiError(
          429,
          'REQUEST_LIMIT_EXCEEDED',
          `${limits.activeRuns} runs are active in this workspace, which is the maximum; no run was started. Repeat the request when one has ended.`,
          { retryAfterInSeconds: 5 },
        );
      }
    },
    mayStore: (scheduled) =>
      skipReason(scheduled, parseSettings(scheduled.settings).max_concurrent_runs) === undefined || skips.mayStore(),
  };
}

const hourInMs = 60 * 60 * 1000;

/** Counts skipped runs of schedules. */
interface Skips {
  /** Returns whether another skipped run is stored. */
  mayStore(): boolean;
}

function createSkips(clock: Clock, logger: Logger): Skips {
  let hour = { beganAt: clock.now(), count: 0 };
  return {
    mayStore() {
      if (clock.now() - hour.beganAt >= hourInMs) {
        const notStored = hour.count - limits.skippedPerHour;
        if (notStored > 0)
          logger.warn(
            `${notStored} further runs of schedules were skipped within an hour and are not listed. Let these schedules fire less often.`,
          );
        hour = { beganAt: clock.now(), count: 0 };
      }
      hour.count += 1;
      if (hour.count === limits.skippedPerHour + 1) {
        logger.warn(
          `${limits.skippedPerHour} runs of schedules were skipped within an hour; further ones of this hour ` +
            'are not listed. Let these schedules fire less often.',
        );
      }
      return hour.count <= limits.skippedPerHour;
    },
  };
}

/** Limits of the whole workspace (Jobs API 2.0, Limits). */
export const limits = {
  activeRuns: 1000,
  /** Maximum number of active runs from schedules, so that a user can always start one. */
  scheduledRuns: 900,
  /** Maximum number of SKIPPED scheduled runs stored per hour. Further ones are counted in the log only. */
  skippedPerHour: 10_000,
  savedJobs: 12_000,
  creationsPerHour: 10_000,
  /** runs/list: less than 1000; 0 means 999. */
  listRuns: 999,
  listRunsDefault: 20,
  /** runs/list of version 2.1, whose further runs are on further pages. */
  listRunsInPages: 25,
  retentionInMs: 60 * 24 * 60 * 60 * 1000,
} as const;
