import type { Run, RunState } from '../api/schema/jobs/schemas.ts';
import { isTime } from '../shared/dateTimeFormat.ts';
import { l10n } from '../shared/l10n.ts';

/** What a run is, for a person and for code; `unknown` covers every value or combination the document does not name. */
export type RunPhase =
  | 'queued'
  | 'pending'
  | 'running'
  | 'finishing'
  | 'cancelling'
  | 'stopping' // by a cancellation or a time-out: the service does not say which
  | 'timingOut'
  | 'succeeded'
  | 'failed'
  | 'timedOut'
  | 'cancelled'
  | 'skipped'
  | 'internalError'
  | 'unknown';

export interface RunStatus {
  readonly phase: RunPhase;
  /** Words for the phase; for an unknown one the server's own values, as they came. */
  readonly label: string;
  /** Holds resources or will: worth asking about again soon. */
  readonly active: boolean;
  /** Nothing will change any more. Unknown states are not terminal unless the run has an end. */
  readonly terminal: boolean;
  readonly icon: { readonly id: string; readonly color?: string };
}

/** A run that ended in one of these did not do what it was for. */
export const failedPhases: ReadonlySet<RunPhase> = new Set(['failed', 'timedOut', 'internalError']);

/** What goes on in one of these is about to end, because somebody or a limit wants it to. */
export const stoppingPhases: ReadonlySet<RunPhase> = new Set(['cancelling', 'stopping', 'timingOut']);

type KnownPhase = Exclude<RunPhase, 'unknown'>;

/** Colours of this extension, whose values are in its manifest: those of the editor are too faint beside the tree in some of its themes. */
export const runColors = {
  waiting: 'millrace.runWaiting',
  active: 'millrace.runActive',
  succeeded: 'millrace.runSucceeded',
  failed: 'millrace.runFailed',
  skipped: 'millrace.runSkipped',
} as const;

/** What goes on turns; how far it is, its words say. */
const turning = { id: 'loading~spin', color: runColors.active };
const stopping = { id: 'loading~spin', color: runColors.skipped };

const drawn: Readonly<Record<KnownPhase, Omit<RunStatus, 'label'>>> = {
  // The clock without a ring is missing in the oldest editor that is supported.
  queued: { phase: 'queued', active: true, terminal: false, icon: { id: 'clock', color: runColors.skipped } },
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
  failed: { phase: 'failed', active: false, terminal: true, icon: { id: 'error', color: runColors.failed } },
  timedOut: { phase: 'timedOut', active: false, terminal: true, icon: { id: 'watch', color: runColors.failed } },
  cancelled: {
    phase: 'cancelled',
    active: false,
    terminal: true,
    icon: { id: 'circle-slash', color: runColors.skipped },
  },
  skipped: {
    phase: 'skipped',
    active: false,
    terminal: true,
    icon: { id: 'debug-step-over', color: runColors.skipped },
  },
  internalError: {
    phase: 'internalError',
    active: false,
    terminal: true,
    icon: { id: 'run-errors', color: runColors.failed },
  },
};

/** A phase in words. */
function labelOf(phase: KnownPhase): string {
  switch (phase) {
    case 'queued':
      return l10n.t('Queued');
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

/** Some servers write these values for the document's (Jobs API 2.0, Events, uses the same words). */
const resultAliases: Readonly<Record<string, string>> = { SUCCESSFUL: 'SUCCESS', TIMED_OUT: 'TIMEDOUT' };

/**
 * Every combination of life cycle and result that means something; `none` stands for no result. What is not here contradicts itself or
 * is not in the document, and is `unknown`.
 */
const phases: Readonly<Record<string, Readonly<Record<string, KnownPhase>>>> = {
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
/** Life cycles after which nothing comes, whatever the result says. */
const lastLifeCycles: ReadonlySet<string | undefined> = new Set(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);

/** What the service says of a run beside its state (Jobs API 2.0, RunState); empty if it is what services say of every run that goes on. */
export function stateMessage({ state }: Pick<Run, 'state'>): string {
  const said = state?.state_message?.trim() ?? '';
  return said === 'In run' ? '' : said;
}

/**
 * The one mapping from what the service says to what is drawn and waited for (Jobs API 2.0, RunState). Total:
 * a value or combination that is not in the document becomes `unknown` with its own words, never something ordinary.
 */
export function runStatus(run: Pick<Run, 'state' | 'end_time'>): RunStatus {
  const { phase, ...look } = wordlessStatus(run);
  return { phase, ...look, label: phase === 'unknown' ? rawLabel(run.state ?? {}) : labelOf(phase) };
}

/** The same without the words, for whoever looks at thousands of runs. */
export function wordlessStatus(run: Pick<Run, 'state' | 'end_time'>): Omit<RunStatus, 'label'> {
  const state: Partial<RunState> = run.state ?? {};
  const phase = phaseOf(state);
  if (phase !== 'unknown') return drawn[phase];
  const ended = (run.end_time ?? 0) > 0 || lastLifeCycles.has(state.life_cycle_state);
  return { phase, active: !ended, terminal: ended, icon: { id: 'question', color: runColors.skipped } };
}

/** A run that its job had no room for: it says nothing of how the job goes. */
export function isSkipped(run: Pick<Run, 'state' | 'end_time'>): boolean {
  return wordlessStatus(run).phase === 'skipped';
}

/** What never began, such as a file that is missing, raised nothing and halts nowhere. */
export function failedAtWork(run: Pick<Run, 'state' | 'end_time' | 'execution_duration'>): boolean {
  return run.execution_duration !== 0 && wordlessStatus(run).phase === 'failed';
}

/**
 * The status as it is shown: a run that was going when it was last seen may have ended since, so it neither spins nor says that it goes on.
 * @param isCurrent whether the service has just said so
 */
export function shownStatus(run: Pick<Run, 'state' | 'end_time'>, isCurrent: boolean): RunStatus {
  const status = runStatus(run);
  if (isCurrent || !status.active) return status;
  return {
    ...status,
    label: l10n.t('{0} when last seen', status.label),
    icon: { id: 'sync-ignored', color: runColors.skipped },
  };
}

/** Whether a debugger lets a run go on, or holds it at a line. */
export type DebugPhase = 'going' | 'held';

/** The status of a run that may be debugged. One that is ending shows that. */
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
  const ofLifeCycle = own(phases, state.life_cycle_state ?? '');
  const phase = (ofLifeCycle && own(ofLifeCycle, own(resultAliases, result) ?? result)) ?? 'unknown';
  // The flag alone does not tell a user from the scheduler; beside a result that does, it says nothing more.
  const isGoing = phase === 'queued' || phase === 'pending' || phase === 'running' || phase === 'finishing';
  return isGoing && state.user_cancelled_or_timedout ? 'stopping' : phase;
}

/** Servers write any words: those that every object has are none of the table. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function rawLabel(state: Partial<RunState>): string {
  const words = [state.life_cycle_state, state.result_state].filter((word) => word !== undefined && word !== '');
  if (words.length === 0) return l10n.t('State not reported');
  if (state.life_cycle_state === 'TERMINATED' && !state.result_state) return l10n.t('TERMINATED, result not reported');
  return words.join(', ');
}

/** Total duration in milliseconds by the document's rule, or what has passed so far; undefined before the start. */
export function runDurationInMs(run: Run, nowMs: number): number | undefined {
  if (run.run_duration) return run.run_duration;
  const { terminal } = wordlessStatus(run);
  const parts = (run.setup_duration ?? 0) + (run.execution_duration ?? 0) + (run.cleanup_duration ?? 0);
  if (terminal && parts > 0) return parts;
  // One that is over takes no time any more, also where the service does not say when it ended.
  if (!run.start_time || (terminal && !run.end_time)) return undefined;
  const end = run.end_time ? run.end_time : nowMs;
  // Between numbers that are not moments there is no time.
  if (!isTime(run.start_time) || !isTime(end)) return undefined;
  return Math.max(0, end - run.start_time);
}
