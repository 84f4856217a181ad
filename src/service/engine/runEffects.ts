import type { DebugProgress } from '../runners/runner.ts';
import type { ActiveRun } from './activeRun.ts';
import type { ActiveRuns } from './activeRuns.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Notifier } from './notifier.ts';
import { executeRun, type ExecutionOptions } from './runExecution.ts';
import { removeRunFolder } from './runFolder.ts';
import { toEach } from './runJournal.ts';
import type { RunRetries } from './runRetries.ts';
import type { RunTimers } from './runTimers.ts';
import type { RunEffect } from './transition.ts';

/** Does what follows from a change of a run that is stored. */
export type RunEffects = Readonly<Record<RunEffect, (run: ActiveRun) => void>>;

export interface RunEffectsOptions extends Omit<ExecutionOptions, 'onDebugging'> {
  readonly notifier: Notifier;
  readonly active: ActiveRuns;
  readonly timers: RunTimers;
  readonly dispatcher: Dispatcher;
  readonly retries: RunRetries;
}

export function createRunEffects(options: RunEffectsOptions): RunEffects {
  const { store, clock, notifier, logger, journal, dataFolder, active, timers, dispatcher, retries } = options;
  const cleaning: ActiveRun[] = [];

  function onDebugging(run: ActiveRun, progress: DebugProgress): void {
    if (!run.debug) return;
    const wasHeld = run.debug.progress.phase === 'held';
    run.debug.progress = progress;
    if (wasHeld !== (progress.phase === 'held')) store.changes.add('runs');
    if (progress.phase !== 'left') return;
    run.debug.leftAt = clock.now();
    timers.arm(run);
  }

  function recordCleaned(): void {
    journal.recordSoon(toEach(cleaning.splice(0), { type: 'cleaned', at: clock.now() }));
  }

  return {
    execute(run) {
      timers.arm(run);
      run.execution = executeRun(run, { ...options, onDebugging });
    },
    abort(run) {
      timers.clear(run);
      run.abort.abort();
    },
    cleanUp(run) {
      timers.clear(run);
      // Many runs that end together are stored together.
      if (cleaning.push(run) === 1) clock.schedule(0, recordCleaned);
    },
    announceStart() {
      notifier.wake();
    },
    settle(run) {
      const { runId, hidden, retryAt } = run.record;
      timers.clear(run);
      active.release(run);
      if (hidden) removeRunFolder(dataFolder, runId, logger);
      if (retryAt !== undefined) retries.check();
      notifier.wake();
      dispatcher.check();
    },
  };
}
