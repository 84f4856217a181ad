import type { Job, Run, RunTask } from '../../api/schema/jobs/schemas.ts';
import { isTime } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import { runLabel } from '../rowWords.ts';
import {
  failedAtWork,
  failedPhases,
  notRunPhases,
  runColors,
  elapsedInMs,
  runDurationInMs,
  runStatus,
  type RunStatus,
  shownStatus,
  stateMessage,
  stoppingPhases,
} from '../runState.ts';
import { depthsOf, isRepairable, tasksOf, upstreamOf } from '../runTasks.ts';
import { formatShortAge, formatTime } from '../timeTexts.ts';
import type { PageProfile } from './pagePorts.ts';
import type { PageAction, PageState, RunView, Tone } from './pageProtocol.ts';
import { parametersShown, runFacts } from './runFacts.ts';

/** Everything known about a run when its page is drawn. */
export interface RunKnowledge {
  readonly run: Run;
  readonly job?: Job;
  /** All attempts of the run, oldest first; empty if there is only one. */
  readonly attempts: readonly Run[];
  readonly profile: PageProfile;
  /** When the service last reported this, in epoch milliseconds, if it does not answer now. */
  readonly lastSeenMs?: number;
  /** Whether the service no longer has the run, so that no action applies. */
  readonly isGone?: boolean;
  /** The task whose output is shown; `undefined` for a run without several tasks. */
  readonly shownTask?: string | undefined;
  /** Whether the service can repair the run. */
  readonly hasRepairs?: boolean;
  readonly error?: string;
  readonly notebookOutput?: { readonly result?: string; readonly truncated?: boolean };
  readonly frame?: RunView['frame'];
  readonly callers?: RunView['callers'];
  readonly hidden?: RunView['hidden'];
  /** Usual duration of a successful run of the job in milliseconds, if known. */
  readonly usualMs?: number | undefined;
  readonly notice?: RunView['notice'];
  readonly output: RunView['output'];
  readonly nowMs: number;
}

/** Builds the page of a run. */
export function runView(known: RunKnowledge): RunView {
  const { run, job, profile, nowMs } = known;
  const status = shownStatus(run, known.lastSeenMs === undefined);
  const at = known.lastSeenMs ?? nowMs;
  const message = messageOf(known, status);
  return {
    kind: 'run',
    state: stateOf(status),
    title: titleOf(run, status, at, known.lastSeenMs === undefined),
    subtitle: subtitleOf(known, status),
    ...(profile.isProduction ? { production: profile.name } : {}),
    ...headActions(known.isGone ? [] : actionsOf(known, status)),
    ...(known.notice ? { notice: known.notice } : {}),
    ...message,
    ...limitOf(job, status),
    ...(known.frame ? { frame: known.frame } : {}),
    callers: known.callers ?? [],
    ...(known.hidden?.length ? { hidden: known.hidden } : {}),
    ...resultOf(known),
    ...tasksView(known, at),
    time: timeOf(run, status, at),
    attempts: attemptsOf(known, at),
    ...(parametersShown(run, job) ? { parameters: parametersShown(run, job) } : {}),
    facts: runFacts(run, job, nowMs, { isGone: known.isGone, first: known.attempts[0] }),
    output: known.output,
  };
}

/** Returns a state as the pages draw it. */
export function stateOf(status: RunStatus): PageState {
  return { icon: status.icon.id.replace(/~spin$/, ''), tone: toneOf(status), spins: status.icon.id.endsWith('~spin') };
}

/** An outdated state is drawn as if nothing were active. */
function toneOf({ phase, icon, active }: RunStatus): Tone {
  if (phase === 'succeeded') return 'good';
  if (failedPhases.has(phase)) return 'bad';
  if (phase === 'succeededWithFailures') return 'look';
  const isGoing = active && icon.color !== runColors.skipped;
  return isGoing && (phase === 'running' || phase === 'finishing' || phase === 'pending') ? 'now' : 'none';
}

function titleOf(run: Run, status: RunStatus, atMs: number, isCurrent: boolean): string {
  const duration = runDurationInMs(run, atMs);
  const words = duration === undefined ? undefined : formatDuration(duration);
  switch (status.phase) {
    case 'succeeded':
      return words ? l10n.t('Succeeded in {0}', words) : status.label;
    case 'succeededWithFailures':
    case 'failed':
    case 'timedOut':
    case 'cancelled':
      return words ? l10n.t('{0} after {1}', status.label, words) : status.label;
    case 'skipped':
    case 'internalError':
    case 'unknown':
      return status.label;
    default:
      if (!words) return status.label;
      return isCurrent
        ? l10n.t('{0} for {1}', status.label, words)
        : l10n.t('{0} when last seen', l10n.t('{0} for {1}', runStatus(run).label, words));
  }
}

function subtitleOf(
  { run, job, attempts, profile, lastSeenMs, usualMs, nowMs }: RunKnowledge,
  { active, phase }: RunStatus,
): string {
  const parts = [runLabel(run, job)];
  const number = (run.attempt_number ?? 0) + 1;
  const last = Math.max(number, ...attempts.map((each) => (each.attempt_number ?? 0) + 1));
  if (last > 1) parts.push(l10n.t('attempt {0} of {1}', number, last));
  const end = run.end_time ?? 0;
  if (end > 0 && isTime(end)) {
    const age = formatShortAge(end, nowMs);
    const time = formatTime(end, nowMs);
    // For old runs, and clocks that are ahead, the age is the time itself. Outdated states do not age.
    parts.push(
      lastSeenMs !== undefined || time.includes(age) ? l10n.t('ended {0}', time) : l10n.t('ended {0}, {1}', time, age),
    );
  } else if (run.start_time) parts.push(l10n.t('started {0}', formatTime(run.start_time, nowMs)));
  // The usual duration is no comparison for a run that did not finish.
  if (usualMs !== undefined && (active || phase === 'succeeded' || phase === 'timedOut'))
    parts.push(l10n.t('usually takes {0}', formatDuration(usualMs)));
  if (lastSeenMs !== undefined) parts.push(l10n.t('last seen {0}', formatTime(lastSeenMs, nowMs)));
  parts.push(profile.name);
  return parts.join(' · ');
}

function actionsOf(
  { run, profile: { isLocal, isReadOnly }, lastSeenMs, shownTask, hasRepairs = false }: RunKnowledge,
  status: RunStatus,
): (PageAction | false)[] {
  const isCurrent = lastSeenMs === undefined;
  const shown = tasksOf(run).find(({ task_key: key }) => key === shownTask);
  const isNotebook = (shown ?? run.task)?.['notebook_task'] !== undefined;
  const failed = failedPhases.has(status.phase);
  return [
    failed && { id: 'explain', label: l10n.t('Explain'), icon: 'comment-discussion', primary: true },
    failed && isLocal && { id: 'fix', label: l10n.t('Fix…'), icon: 'lightbulb' },
    isLocal && failedAtWork(run) && { id: 'debug', label: l10n.t('Debug Failure'), icon: 'debug-alt' },
    isNotebook && status.terminal && { id: 'cells', label: l10n.t('Show Cell Results'), icon: 'file' },
    isCurrent &&
      status.active &&
      !stoppingPhases.has(status.phase) &&
      !isReadOnly && { id: 'cancel', label: l10n.t('Cancel Run'), icon: 'debug-stop' },
    hasRepairs && isRepairable(run) && !isReadOnly && { id: 'repair', label: l10n.t('Repair Run…'), icon: 'tools' },
    !status.active && !isReadOnly && { id: 'repeat', label: l10n.t('Run Again'), icon: 'play' },
    { id: 'text', label: l10n.t('Open Output as Text'), icon: 'go-to-file' },
    status.terminal && { id: 'replay', label: l10n.t('Replay Here…'), icon: 'play' },
    !status.active &&
      !isReadOnly && { id: 'repeatWithChanges', label: l10n.t('Run Again with Changes…'), icon: 'play' },
    !status.active && { id: 'compare', label: l10n.t('Compare Output with Another Run…') },
    isNotebook && status.terminal && { id: 'export', label: l10n.t('Export…'), icon: 'export' },
    // An editor in a browser cannot find the pages of a service on this machine.
    /^https?:/.test(run.run_page_url ?? '') &&
      !/^https?:\/\/(127\.|localhost[:/]|\[::1\])/.test(run.run_page_url ?? '') && {
        id: 'browser',
        label: l10n.t('Open in Browser'),
        icon: 'link-external',
      },
    { id: 'curl', label: l10n.t('Copy as curl') },
  ];
}

/** Returns the error if there is one, with the state's message beside it if that says more. */
function messageOf({ run, error }: RunKnowledge, status: RunStatus): Pick<RunView, 'message' | 'messageNote'> {
  const told = stateMessage(run);
  const why = status.phase === 'succeeded' ? '' : (error?.trim() ?? '');
  if (told.includes(why)) return told === '' ? {} : { message: told };
  if (why.includes(told)) return { message: why };
  return { message: why, messageNote: told };
}

/** Runs do not report their limit, so it is the job's current one. */
function limitOf(job: Job | undefined, { phase }: RunStatus): Pick<RunView, 'limit'> {
  const seconds = job?.settings?.timeout_seconds;
  if (!seconds || (phase !== 'timedOut' && phase !== 'timingOut')) return {};
  return {
    limit: {
      text: l10n.t('The job now allows {0}:', formatDuration(seconds * 1000)),
      link: { label: 'timeout_seconds', action: 'jobFile' },
    },
  };
}

function resultOf({ notebookOutput, run }: RunKnowledge): Pick<RunView, 'result'> {
  if (!notebookOutput || !runStatus(run).terminal) return {};
  const { result, truncated } = notebookOutput;
  if (result === undefined) return {};
  return { result: { label: truncated ? l10n.t('Result (first 1 MB)') : l10n.t('Result'), text: result } };
}

/** Returns queue, set-up, execution and clean-up, and for an active run how far it is. */
function timeOf(run: Run, status: RunStatus, atMs: number): RunView['time'] {
  const state = stateOf(status);
  const isWork = { tone: state.tone, ...(status.phase === 'timedOut' ? { striped: true } : {}) };
  const queue = run.queue_duration ?? 0;
  const setup = run.setup_duration ?? 0;
  const execution = run.execution_duration ?? 0;
  const cleanup = run.cleanup_duration ?? 0;
  const total = elapsedInMs(run, atMs) ?? 0;
  const parts: RunView['time'] = [];
  const add = (label: string, durationInMs: number, more: Omit<RunView['time'][number], 'label' | 'durationInMs'>) => {
    if (durationInMs > 0) parts.push({ label: `${label} ${formatDuration(durationInMs)}`, durationInMs, ...more });
  };
  add(l10n.t('Queue'), queue, { tone: 'none' });
  if (status.terminal) {
    add(l10n.t('Set-up'), setup, { tone: 'none' });
    add(l10n.t('Execution'), execution, isWork);
    add(l10n.t('Clean-up'), cleanup, { tone: 'none' });
    if (parts.length === 0) add(l10n.t('Total'), total, isWork);
    return parts;
  }
  const isLive = state.spins || state.tone === 'now';
  // A run that is being canceled may never have reached its execution.
  const going = run.state?.life_cycle_state;
  if (going === 'QUEUED') add(l10n.t('Queue'), total - queue, { tone: 'none', isLive });
  else if (going === 'PENDING')
    add(queue > 0 ? l10n.t('Set-up') : l10n.t('Queue and set-up'), total - queue, { tone: 'none', isLive });
  else if (going === 'RUNNING' || (going === 'TERMINATING' && execution > 0)) {
    add(l10n.t('Set-up'), setup, { tone: 'none' });
    if (execution > 0) {
      add(l10n.t('Execution'), execution, { tone: 'none' });
      add(l10n.t('Clean-up'), total - queue - setup - execution, { tone: state.tone, isLive });
    } else add(l10n.t('Execution'), total - queue - setup, { tone: state.tone, isLive });
  } else add(l10n.t('Total'), total, { tone: state.tone, isLive });
  return parts;
}

function tasksView({ run, lastSeenMs, shownTask }: RunKnowledge, atMs: number): Pick<RunView, 'tasks'> {
  const tasks = tasksOf(run);
  if (tasks.length === 0) return {};
  const depths = depthsOf(tasks);
  return {
    tasks: tasks.map((task) => {
      const status = shownStatus(task, lastSeenMs === undefined);
      const isHeldBack = notRunPhases.has(status.phase);
      const duration = isHeldBack ? undefined : runDurationInMs(task, atMs);
      return {
        key: task.task_key,
        state: stateOf(status),
        words: status.label,
        duration: duration === undefined ? '' : formatDuration(duration),
        isHeldBack,
        depth: depths.get(task.task_key) ?? 0,
        upstream: [...upstreamOf(task)],
        isShown: task.task_key === shownTask,
      };
    }),
  };
}

/** A period that the list of attempts shows. */
interface Attempt {
  readonly label: string;
  readonly run: Pick<Run, 'state' | 'start_time' | 'end_time'>;
  /** Run whose page shows it. */
  readonly runId?: string | undefined;
  readonly isThis: boolean;
}

/** Returns the attempts of a run, or its repairs, and those of the shown task. */
function attemptsOf(known: RunKnowledge, atMs: number): RunView['attempts'] {
  const { run, attempts, lastSeenMs, shownTask } = known;
  const ofTask = (run.tasks ?? []).filter(({ task_key: key }) => key !== undefined && key === shownTask);
  const repairs = repairsOf(run);
  const all: Attempt[] = [
    ...attempts.map((each) => ({
      label: l10n.t('Attempt {0}', (each.attempt_number ?? 0) + 1),
      run: each,
      runId: each.run_id,
      isThis: each.run_id === run.run_id,
    })),
    ...(repairs.length > 1 ? repairs : []),
    ...(ofTask.length > 1 ? ofTask.map((task) => attemptOfTask(task, ofTask.at(-1) === task)) : []),
  ];
  const timed = all.filter((each) => each.run.start_time && isTime(each.run.start_time));
  if (timed.length < 2) return [];
  const startOf = ({ run: { start_time: start } }: Attempt): number => start ?? 0;
  const endOf = (each: Attempt): number => startOf(each) + (elapsedInMs(each.run, atMs) ?? 0);
  const first = Math.min(...timed.map(startOf));
  const span = Math.max(1, Math.max(...timed.map(endOf)) - first);
  return timed.map((each) => ({
    label: each.label,
    state: stateOf(shownStatus(each.run, lastSeenMs === undefined)),
    from: (startOf(each) - first) / span,
    to: (endOf(each) - first) / span,
    duration: formatDuration(endOf(each) - startOf(each)),
    ...(each.runId === undefined ? {} : { runId: each.runId }),
    isThis: each.isThis,
  }));
}

/** Returns the original run and its repairs (Jobs API 2.1, RepairHistoryItem). */
function repairsOf({ repair_history: history = [] }: Run): Attempt[] {
  let number = 0;
  return history.map((item, index) => ({
    label: item.type === 'REPAIR' ? l10n.t('Repair {0}', ++number) : l10n.t('Original run'),
    run: item,
    isThis: index === history.length - 1,
  }));
}

function attemptOfTask(task: RunTask, isLast: boolean): Attempt {
  const label = l10n.t('{0}, attempt {1}', task.task_key ?? '', (task.attempt_number ?? 0) + 1);
  return { label, run: task, runId: task.run_id, isThis: isLast };
}

/** Maximum number of buttons. The last one then leads to the rest. */
const maxButtons = 5;

/** Returns the buttons of a page's head, most important first, and the actions without a button. */
export function headActions(all: readonly (PageAction | false | undefined)[]): {
  actions: PageAction[];
  more?: PageAction[];
} {
  const offered = all.filter((each): each is PageAction => typeof each === 'object');
  if (offered.length <= maxButtons) return { actions: offered };
  return { actions: offered.slice(0, maxButtons - 1), more: offered.slice(maxButtons - 1) };
}
