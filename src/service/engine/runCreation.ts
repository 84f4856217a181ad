import type { Clock } from '../../shared/clock.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun, DebuggedRun } from './activeRun.ts';
import { parseSettings, type EngineSettings } from './engineSettings.ts';
import { runDetail } from './runDetail.ts';
import { isTerminal, type NewRun, type RunPlan } from './runRecord.ts';
import { transition } from './transition.ts';
import { limits } from './workspaceLimits.ts';

/** What starts a run. */
export interface RunStart {
  /** Absent for a one-time run. */
  jobId?: string;
  /** The settings as JSON text: the job's, or those of the submitted run. */
  settings: string;
  /** The same as values, if they were read already. */
  parsed?: EngineSettings;
  /** The run-now parameters as JSON text. Default `{}`. */
  parameters?: string;
  trigger: 'PERIODIC' | 'ONE_TIME' | 'RETRY';
  originalRunId?: string;
  parentRunId?: string;
  attemptNumber?: number;
  idempotencyToken?: string;
  /** Runs it under the debugger. */
  debug?: boolean;
}

export interface RunCreationOptions {
  store: Store;
  clock: Clock;
  notifier: Notifier;
  /** User name that runs are created by. */
  creator: string;
  activeCount: () => number;
  activeCountOf: (jobId: string) => number;
}

/**
 * Stores a new run, PENDING or SKIPPED, with its token; to be called within a transaction. The caller takes the run into
 * its care once that is stored.
 */
export function createRun(start: RunStart, options: RunCreationOptions): ActiveRun {
  const { store, clock, notifier } = options;
  const settings = start.parsed ?? parseSettings(start.settings);
  const plan: RunPlan = { settings: start.settings, parameters: start.parameters ?? '{}' };
  const now = clock.now();
  const fresh: NewRun = {
    jobId: start.jobId,
    oneTimeJobId: start.jobId === undefined ? store.jobs.takeId() : undefined,
    numberInJob: start.jobId === undefined ? 1 : store.jobs.nextNumber(start.jobId),
    originalRunId: start.originalRunId,
    parentRunId: start.parentRunId,
    attemptNumber: start.attemptNumber ?? 0,
    runType: start.jobId === undefined ? 'SUBMIT_RUN' : 'JOB_RUN',
    trigger: start.trigger,
    runName: settings.run_name ?? settings.name ?? 'Untitled',
    creator: options.creator,
    detail: runDetail(plan.settings, plan.parameters, { withSchedule: start.trigger === 'PERIODIC' }),
    lifeCycle: 'PENDING',
    message: 'Waiting for a place on this machine',
    createdAt: now,
  };
  const reason = skipReason(start, settings.max_concurrent_runs ?? 1, options);
  const run =
    reason === undefined
      ? fresh
      : { ...fresh, ...transition(fresh, { type: 'skipped', at: now, message: reason }).run };
  const record = store.runs.insert(run, isTerminal(run) ? undefined : plan);
  if (start.idempotencyToken !== undefined) store.tokens.insert(start.idempotencyToken, record.runId);
  if (isTerminal(record)) notifier.over(record, settings, false);
  const debug: DebuggedRun | undefined = start.debug === true ? { progress: { phase: 'waiting' } } : undefined;
  return { record, plan, settings, abort: new AbortController(), timers: {}, debug };
}

/** Jobs API 2.0, States and transitions: a run beyond the job's limit is SKIPPED at once. */
export function skipReason(start: RunStart, max: number, options: RunCreationOptions): string | undefined {
  if (start.jobId === undefined) return undefined;
  const active = options.activeCountOf(start.jobId);
  if (active >= max) {
    return max === 0
      ? 'max_concurrent_runs of the job is 0.'
      : `The job has ${active} active ${active === 1 ? 'run' : 'runs'} already, and its max_concurrent_runs is ${max}.`;
  }
  const [limit, who] =
    start.trigger === 'PERIODIC' ? [limits.scheduledRuns, 'schedules may start'] : [limits.activeRuns, 'it can hold'];
  return options.activeCount() >= limit
    ? `${options.activeCount()} runs are active in this workspace, as many as ${who}.`
    : undefined;
}
