import type { RunProgress } from '../store/runRecord.ts';
import type { GraphResult, OmittedResult } from './graph.ts';

/** Events of a run. `at` is epoch milliseconds. */
export type RunEvent =
  | { type: 'skipped'; at: number; message: string }
  | { type: 'released'; at: number }
  | { type: 'omitted'; at: number; result: OmittedResult; message: string }
  | { type: 'dispatched'; at: number; clusterId: string }
  | { type: 'started'; at: number; sparkContextId: string; note?: string }
  | { type: 'finished'; at: number; result: GraphResult; message: string; note?: string }
  | { type: 'notCarriedOut'; at: number; message: string }
  | { type: 'cancelRequested'; at: number; message: string }
  | { type: 'timedOut'; at: number; message: string }
  | { type: 'cleaned'; at: number }
  | { type: 'repaired'; at: number }
  | { type: 'serviceLost'; at: number; message: string };

/** Effects of a transition. */
export type RunEffect =
  | 'execute' // start the task with its runner
  | 'abort' // end the task's processes
  | 'cleanUp' // release what the run used
  | 'announceStart'
  | 'settle'; // the run has ended: announce it, plan a retry, free its place

export interface Transition {
  readonly run: RunProgress;
  readonly effects: readonly RunEffect[];
}

/**
 * Computes the next state of a run (Jobs API 2.0, States and transitions). An event that no longer applies changes nothing: a terminal
 * state stays, and a result never changes.
 */
export function transition(run: RunProgress, event: RunEvent): Transition {
  const next = apply(run, event);
  return next ?? { run, effects: [] };
}

function apply(run: RunProgress, event: RunEvent): Transition | undefined {
  switch (run.lifeCycle) {
    case 'PENDING':
      return fromPending(run, event);
    case 'RUNNING':
      return fromRunning(run, event);
    case 'TERMINATING':
      return fromTerminating(run, event);
    case 'BLOCKED':
      return fromBlocked(run, event);
    case 'TERMINATED':
    case 'INTERNAL_ERROR':
      return event.type === 'repaired' ? { run: repaired(run, event.at), effects: ['announceStart'] } : undefined;
    default:
      return undefined;
  }
}

/** The message of a run that the dispatcher has not started yet. */
export const waitingMessage = 'Waiting for a place on this machine';

/** A task that waits for others has not begun: its time starts when it is released. */
function fromBlocked(run: RunProgress, event: RunEvent): Transition | undefined {
  switch (event.type) {
    case 'released':
      return { run: { ...run, lifeCycle: 'PENDING', createdAt: event.at, message: waitingMessage }, effects: [] };
    case 'omitted':
      return { run: end(run, event.result, event), effects: ['settle'] };
    case 'cancelRequested':
      return { run: { ...end(run, 'CANCELED', event), stopping: 'CANCELED' }, effects: ['settle'] };
    default:
      return undefined;
  }
}

function end(
  run: RunProgress,
  result: OmittedResult | 'CANCELED',
  event: { at: number; message: string },
): RunProgress {
  return { ...run, lifeCycle: 'TERMINATED', result, message: event.message, createdAt: event.at, endedAt: event.at };
}

/** A repaired run continues with new runs of some of its tasks. */
function repaired(run: RunProgress, at: number): RunProgress {
  // Named, since what is left out is kept.
  const forgotten = { result: undefined, stopping: undefined, terminatingAt: undefined, endedAt: undefined };
  return { ...run, ...forgotten, lifeCycle: 'RUNNING', dispatchedAt: at, runningAt: at, message: 'In run' };
}

function fromPending(run: RunProgress, event: RunEvent): Transition | undefined {
  const waits = run.dispatchedAt === undefined;
  switch (event.type) {
    case 'skipped':
      return { run: { ...run, lifeCycle: 'SKIPPED', message: event.message, endedAt: event.at }, effects: ['settle'] };
    case 'dispatched':
      if (!waits) return undefined;
      return {
        run: { ...run, dispatchedAt: event.at, clusterId: event.clusterId, message: 'In preparation' },
        effects: ['execute'],
      };
    case 'started':
      if (waits) return undefined;
      return {
        run: {
          ...run,
          lifeCycle: 'RUNNING',
          runningAt: event.at,
          sparkContextId: event.sparkContextId,
          message: event.note === undefined ? 'In run' : `In run. ${event.note}`,
        },
        effects: ['announceStart'],
      };
    case 'finished':
      return finish(run, event);
    case 'notCarriedOut':
      return fail(run, event);
    case 'cancelRequested':
    case 'timedOut':
      return { run: stop(run, event), effects: [waits ? 'cleanUp' : 'abort'] };
    case 'serviceLost':
      // A waiting run has lost nothing: it is dispatched after the restart.
      if (waits) return undefined;
      return fail(run, event);
    default:
      return undefined;
  }
}

function fromRunning(run: RunProgress, event: RunEvent): Transition | undefined {
  switch (event.type) {
    case 'finished':
      return finish(run, event);
    case 'notCarriedOut':
    case 'serviceLost':
      return fail({ ...run, result: 'FAILED' }, event);
    case 'cancelRequested':
    case 'timedOut': {
      const stopped = stop(run, event);
      return { run: { ...stopped, result: stopped.stopping }, effects: ['abort'] };
    }
    default:
      return undefined;
  }
}

function fromTerminating(run: RunProgress, event: RunEvent): Transition | undefined {
  switch (event.type) {
    case 'finished':
    case 'notCarriedOut':
      if (!run.stopping) return undefined;
      // The requested end has come. How the task took it no longer matters, only what it left.
      return {
        run:
          event.type === 'finished' && event.note !== undefined
            ? { ...run, message: withNote(run.message, event.note) }
            : run,
        effects: ['cleanUp'],
      };
    case 'cleaned':
    case 'serviceLost':
      return {
        run: { ...run, lifeCycle: 'TERMINATED', result: run.result ?? run.stopping ?? 'CANCELED', endedAt: event.at },
        effects: ['settle'],
      };
    default:
      return undefined;
  }
}

/** Appends a note to a message. */
export function withNote(message: string, note: string | undefined): string {
  return [message, note].filter(Boolean).join(' ');
}

function finish(run: RunProgress, { result, message, at }: Extract<RunEvent, { type: 'finished' }>): Transition {
  return { run: { ...run, lifeCycle: 'TERMINATING', result, message, terminatingAt: at }, effects: ['cleanUp'] };
}

/** Fails a run that the service could not execute, or not to its end. */
function fail(run: RunProgress, { message, at }: { message: string; at: number }): Transition {
  return { run: { ...run, lifeCycle: 'INTERNAL_ERROR', message, endedAt: at }, effects: ['settle'] };
}

function stop(
  run: RunProgress,
  event: { type: 'cancelRequested' | 'timedOut'; at: number; message: string },
): RunProgress {
  const stopping = event.type === 'timedOut' ? 'TIMEDOUT' : 'CANCELED';
  return { ...run, lifeCycle: 'TERMINATING', stopping, message: event.message, terminatingAt: event.at };
}

/** Returns whether the run was canceled by a user or timed out (RunState, user_cancelled_or_timedout). */
export function isCancelledOrTimedOut(run: RunProgress): boolean {
  return run.stopping !== undefined;
}
