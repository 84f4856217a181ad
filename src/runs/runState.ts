import type { Run, RunState, RunTask } from '../api/schema/jobs/schemas.ts';
import { isTime } from '../shared/dateTimeFormat.ts';
import { l10n } from '../shared/l10n.ts';

/** State of a run, for people and code; `unknown` covers every value or combination that the document does not name. */
export type RunPhase =
  | 'queued'
  | 'blocked' // a task that waits for tasks before it
  | 'waitingForRetry'
  | 'pending'
  | 'running'
  | 'finishing'
  | 'cancelling'
  | 'stopping' // by a cancellation or a time-out: the service does not say which
  | 'timingOut'
  | 'succeeded'
  | 'succeededWithFailures'
  | 'failed'
  // Tasks that did not run: because of a task before them, because their condition was not met, or because somebody turned them off.
  | 'upstreamFailed'
  | 'upstreamCanceled'
  | 'excluded'
  | 'disabled'
  | 'timedOut'
  | 'cancelled'
  | 'skipped'
  | 'internalError'
  | 'unknown';

export interface RunStatus {
  readonly phase: RunPhase;
  /** Label of the phase; for an unknown one the server's own values. */
  readonly label: string;
  /** Whether the run holds resources or will, so that polling it soon is worthwhile. */
  readonly active: boolean;
  /** Whether nothing will change any more. Unknown states are terminal only if the run has an end. */
  readonly terminal: boolean;
  readonly icon: { readonly id: string; readonly color?: string };
}

/** Final phases of runs that did not reach their goal. */
export const failedPhases: ReadonlySet<RunPhase> = new Set(['failed', 'timedOut', 'internalError']);

/** Final phases of tasks and runs that did nothing. */
export const notRunPhases: ReadonlySet<RunPhase> = new Set([
  'skipped',
  'upstreamFailed',
  'upstreamCanceled',
  'excluded',
  'disabled',
]);

/** Phases that are about to end because of a request or a limit. */
export const stoppingPhases: ReadonlySet<RunPhase> = new Set(['cancelling', 'stopping', 'timingOut']);

type KnownPhase = Exclude<RunPhase, 'unknown'>;

/** Colors of this extension, declared in its manifest: the editor's own are too faint in some themes. */
export const runColors = {
  waiting: 'millrace.runWaiting',
  active: 'millrace.runActive',
  succeeded: 'millrace.runSucceeded',
  failed: 'millrace.runFailed',
  skipped: 'millrace.runSkipped',
} as const;

/** Active phases spin; their words say how far they are. */
const turning = { id: 'loading~spin', color: runColors.active };
const stopping = { id: 'loading~spin', color: runColors.skipped };

// The clock without a ring is missing in the oldest supported editor.
const waiting = { active: true, terminal: false, icon: { id: 'clock', color: runColors.skipped } };
const notRun = { active: false, terminal: true, icon: { id: 'debug-step-over', color: runColors.skipped } };

const drawn: Readonly<Record<KnownPhase, Omit<RunStatus, 'label'>>> = {
  queued: { ...waiting, phase: 'queued' },
  blocked: { ...waiting, phase: 'blocked' },
  waitingForRetry: { ...waiting, phase: 'waitingForRetry' },
  pending: { phase: 'pending', active: true, terminal: false, icon: turning },
  running: { phase: 'running', active: true, terminal: false, icon: turning },
  finishing: { phase: 'finishing', active: true, terminal: false, icon: turning },
  cancelling: { phase: 'cancelling', active: true, terminal: false, icon: stopping },
  stopping: { phase: 'stopping', active: true, terminal: false, icon: stopping },
  timingOut: {
    phase: 'timingOut',
    active: true,
    terminal: false,
    icon: { id: 'loading~spin', color: runColors.failed },
  },
  succeeded: { phase: 'succeeded', active: false, terminal: true, icon: { id: 'pass', color: runColors.succeeded } },
  succeededWithFailures: {
    phase: 'succeededWithFailures',
    active: false,
    terminal: true,
    icon: { id: 'warning', color: runColors.waiting },
  },
  upstreamFailed: { ...notRun, phase: 'upstreamFailed', icon: { id: 'debug-step-over', color: runColors.failed } },
  upstreamCanceled: { ...notRun, phase: 'upstreamCanceled' },
  excluded: { ...notRun, phase: 'excluded' },
  disabled: { ...notRun, phase: 'disabled' },
  failed: { phase: 'failed', active: false, terminal: true, icon: { id: 'error', color: runColors.failed } },
  timedOut: { phase: 'timedOut', active: false, terminal: true, icon: { id: 'watch', color: runColors.failed } },
  cancelled: {
    phase: 'cancelled',
    active: false,
    terminal: true,
    icon: { id: 'circle-slash', color: runColors.skipped },
  },
  skipped: { ...notRun, phase: 'skipped' },
  internalError: {
    phase: 'internalError',
    active: false,
    terminal: true,
    icon: { id: 'run-errors', color: runColors.failed },
  },
};

/** Returns the label of a phase. */
function labelOf(phase: KnownPhase): string {
  switch (phase) {
    case 'queued':
      return l10n.t('Queued');
    case 'blocked':
      return l10n.t('Blocked');
    case 'waitingForRetry':
      return l10n.t('Waiting for retry');
    case 'pending':
      return l10n.t('Pending');
    case 'running':
      return l10n.t('Running');
    case 'finishing':
      return l10n.t('Finishing');
    case 'cancelling':
      return l10n.t('Canceling');
    case 'stopping':
      return l10n.t('Stopping');
    case 'timingOut':
      return l10n.t('Timing out');
    case 'succeeded':
      return l10n.t('Succeeded');
    case 'succeededWithFailures':
      return l10n.t('Succeeded with failures');
    case 'upstreamFailed':
      return l10n.t('Upstream failed');
    case 'upstreamCanceled':
      return l10n.t('Upstream canceled');
    case 'disabled':
      return l10n.t('Disabled');
    case 'excluded':
      return l10n.t('Excluded');
    case 'failed':
      return l10n.t('Failed');
    case 'timedOut':
      return l10n.t('Timed out');
    case 'cancelled':
      return l10n.t('Canceled');
    case 'skipped':
      return l10n.t('Skipped');
    case 'internalError':
      return l10n.t('Internal error');
  }
}

/** Values that some servers send instead of the document's (Jobs API 2.0, Events, uses the same words). */
const resultAliases: Readonly<Record<string, string>> = { SUCCESSFUL: 'SUCCESS', TIMED_OUT: 'TIMEDOUT' };

/** Results of runs with several tasks, and of their tasks, in any final life cycle (services of today). */
const taskResults: Readonly<Record<string, KnownPhase>> = {
  SUCCESS_WITH_FAILURES: 'succeededWithFailures',
  UPSTREAM_FAILED: 'upstreamFailed',
  UPSTREAM_CANCELED: 'upstreamCanceled',
  EXCLUDED: 'excluded',
  DISABLED: 'disabled',
  MAXIMUM_CONCURRENT_RUNS_REACHED: 'skipped',
};

/**
 * Every meaningful combination of life cycle and result; `none` stands for no result. Any other combination contradicts itself or is not in
 * the document, and is `unknown`.
 */
const phases: Readonly<Record<string, Readonly<Record<string, KnownPhase>>>> = {
  BLOCKED: { none: 'blocked' },
  WAITING_FOR_RETRY: { none: 'waitingForRetry', FAILED: 'waitingForRetry', TIMEDOUT: 'waitingForRetry' },
  QUEUED: { none: 'queued', CANCELED: 'cancelling', TIMEDOUT: 'timingOut' },
  PENDING: { none: 'pending', CANCELED: 'cancelling', TIMEDOUT: 'timingOut' },
  RUNNING: { none: 'running', CANCELED: 'cancelling', TIMEDOUT: 'timingOut' },
  TERMINATING: {
    none: 'finishing',
    SUCCESS: 'finishing',
    FAILED: 'finishing',
    CANCELED: 'cancelling',
    TIMEDOUT: 'timingOut',
  },
  TERMINATED: { SUCCESS: 'succeeded', FAILED: 'failed', CANCELED: 'cancelled', TIMEDOUT: 'timedOut' },
  SKIPPED: { none: 'skipped', FAILED: 'skipped', CANCELED: 'skipped', TIMEDOUT: 'skipped' },
  INTERNAL_ERROR: {
    none: 'internalError',
    FAILED: 'internalError',
    CANCELED: 'internalError',
    TIMEDOUT: 'internalError',
  },
};

/** What tells the state of a run, or of a task of a run. */
export type StatefulRun = Pick<Run, 'state' | 'end_time' | 'task'> & Pick<RunTask, 'task_key'>;

/** Final life cycles, whatever the result says. */
const lastLifeCycles: ReadonlySet<string | undefined> = new Set(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);

/**
 * Returns the service's message about a run (Jobs API 2.0, RunState), or an empty string if it is the usual message of every active run.
 */
export function stateMessage({ state }: Pick<Run, 'state'>): string {
  const said = state?.state_message?.trim() ?? '';
  return said === 'In run' ? '' : said;
}

/**
 * Maps what the service reports to what is drawn and awaited (Jobs API 2.0, RunState). Total: a value or combination that is not in the
 * document becomes `unknown` with its own words, never an ordinary state.
 */
export function runStatus(run: StatefulRun): RunStatus {
  const { phase, ...look } = wordlessStatus(run);
  return { phase, ...look, label: phase === 'unknown' ? rawLabel(run.state ?? {}) : labelOf(phase) };
}

/** Returns the same without the label, for code that checks thousands of runs. */
export function wordlessStatus(run: StatefulRun): Omit<RunStatus, 'label'> {
  const state: Partial<RunState> = run.state ?? {};
  // A run with several tasks, which has no `task`, ends like this if one of them failed, although its service did all it had to.
  const isOfTasks = run.task === undefined && run.task_key === undefined;
  // Services of today say so of a single program too.
  const isOfProgram = isOfTasks || state.state_message?.startsWith('Workload failed') === true;
  const isTaskFailure = isOfProgram && state.life_cycle_state === 'INTERNAL_ERROR' && state.result_state === 'FAILED';
  const phase = isTaskFailure ? 'failed' : phaseOf(state);
  if (phase !== 'unknown') return drawn[phase];
  const ended = (run.end_time ?? 0) > 0 || lastLifeCycles.has(state.life_cycle_state);
  return { phase, active: !ended, terminal: ended, icon: { id: 'question', color: runColors.skipped } };
}

/** Returns whether the run was skipped because its job had no room: it says nothing about the job. */
export function isSkipped(run: StatefulRun): boolean {
  return wordlessStatus(run).phase === 'skipped';
}

/**
 * Returns whether the run failed while executing. A run that never began, for example because a file is missing, raised nothing and stops
 * nowhere.
 */
export function failedAtWork(run: Run): boolean {
  // The duration of a run with several tasks is 0 (Jobs API 2.0, Run).
  const hasTasks = run['format'] === 'MULTI_TASK' || Boolean(run.tasks?.length);
  return (hasTasks || run.execution_duration !== 0) && wordlessStatus(run).phase === 'failed';
}

/**
 * Returns the status to show: a run that was active when last seen may have ended, so it neither spins nor claims to be active.
 * @param isCurrent whether the service has just reported it
 */
export function shownStatus(run: StatefulRun, isCurrent: boolean): RunStatus {
  const status = runStatus(run);
  if (isCurrent || !status.active) return status;
  return {
    ...status,
    label: l10n.t('{0} when last seen', status.label),
    icon: { id: 'sync-ignored', color: runColors.skipped },
  };
}

/** Whether a debugged run is running or paused. */
export type DebugPhase = 'going' | 'held';

/** Returns the status of a run that may be debugged. A run that is ending shows that instead. */
export function debuggedStatus(status: RunStatus, debug: DebugPhase | undefined): RunStatus {
  if (debug === undefined || (status.phase !== 'running' && status.phase !== 'pending')) return status;
  return debug === 'held'
    ? {
        ...status,
        label: l10n.t('Paused in the debugger'),
        icon: { id: 'debug-pause', color: runColors.waiting },
      }
    : {
        ...status,
        label: l10n.t('{0} in the debugger', status.label),
        icon: { id: 'debug-alt', color: status.icon.color },
      };
}

function phaseOf(state: Partial<RunState>): RunPhase {
  const result = state.result_state || 'none';
  const ofTask = lastLifeCycles.has(state.life_cycle_state) ? own(taskResults, result) : undefined;
  if (ofTask) return ofTask;
  const ofLifeCycle = own(phases, state.life_cycle_state ?? '');
  const phase = (ofLifeCycle && own(ofLifeCycle, own(resultAliases, result) ?? result)) ?? 'unknown';
  // The flag alone does not tell a user from the scheduler; beside a result that does, it adds nothing.
  const isGoing = phase === 'queued' || phase === 'pending' || phase === 'running' || phase === 'finishing';
  return isGoing && state.user_cancelled_or_timedout ? 'stopping' : phase;
}

/** Looks a word of a server up in a table, ignoring the properties that every object inherits. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function rawLabel(state: Partial<RunState>): string {
  const words = [state.life_cycle_state, state.result_state].filter((word) => word !== undefined && word !== '');
  if (words.length === 0) return l10n.t('State not reported');
  if (state.life_cycle_state === 'TERMINATED' && !state.result_state) return l10n.t('TERMINATED, result not reported');
  return words.join(', ');
}

/**
 * Returns how long the run has executed in milliseconds, without queue, set-up and clean-up; before it executes, how long it has waited.
 * Returns `undefined` if it never executed, or if the service does not say.
 */
export function runDurationInMs(run: Run, nowMs: number): number | undefined {
  if (run.run_duration) return run.run_duration;
  if (run.execution_duration) return run.execution_duration;
  const before = (run.queue_duration ?? 0) + (run.setup_duration ?? 0);
  if (wordlessStatus(run).terminal && before > 0) return undefined;
  const elapsed = elapsedInMs(run, nowMs);
  const isWaiting = run.state?.life_cycle_state === 'PENDING' || run.state?.life_cycle_state === 'QUEUED';
  return elapsed === undefined || isWaiting ? elapsed : Math.max(0, elapsed - before);
}

/** Returns the time from the start of a run to its end, or to now if it is active; `undefined` before the start. */
export function elapsedInMs(run: StatefulRun & Pick<Run, 'start_time'>, nowMs: number): number | undefined {
  const { terminal } = wordlessStatus(run);
  // A finished run takes no more time, even if the service does not say when it ended.
  if (!run.start_time || (terminal && !run.end_time)) return undefined;
  const end = run.end_time ? run.end_time : nowMs;
  // There is no duration between numbers that are not times.
  if (!isTime(run.start_time) || !isTime(end)) return undefined;
  return Math.max(0, end - run.start_time);
}
