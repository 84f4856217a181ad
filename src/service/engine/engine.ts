import { doesNotExist } from '../base/apiError.ts';
import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import { ActiveRuns } from './activeRuns.ts';
import { createAdmission } from './admission.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Engine, EngineOptions } from './engineContract.ts';
import { createHandover } from './handover.ts';
import { createRun } from './runCreation.ts';
import { createRunEffects } from './runEffects.ts';
import { createRunEnds } from './runEnds.ts';
import { createJournal } from './runJournal.ts';
import { createRunRetries } from './runRetries.ts';
import type { RunStart } from './runStart.ts';
import { createRunTimers } from './runTimers.ts';

/** The engine of one data folder; `recover` is to be called before the first run is started. */
export function createEngine(options: EngineOptions): Engine {
  const { store, notifier } = options;
  let closed = false;
  const isClosing = (): boolean => closed;

  const active = new ActiveRuns();
  const base = { ...options, isClosing, active };
  const admission = createAdmission(base);
  // Storing a change has effects (timers, notifications, retries), and these store changes in turn.
  const journal = createJournal({ ...base, perform: (run, effect) => effects[effect](run) });
  const parts = { ...base, admission, journal };
  const dispatcher = createDispatcher(parts);
  const timers = createRunTimers(parts);
  const retries = createRunRetries({ ...parts, dispatcher });
  const ends = createRunEnds({ ...parts, retries, get });
  const handover = createHandover({ ...parts, retries, dispatcher });
  const children = { start, get, whenOver, cancel: ends.cancel };
  const effects = createRunEffects({ ...parts, timers, dispatcher, retries, children });

  function start(request: RunStart, within?: () => void): RunRecord {
    admission.check(request);
    const run = store.transaction(() => {
      within?.();
      return createRun(request, parts);
    });
    active.adopt(run);
    notifier.wake();
    dispatcher.check();
    return run.record;
  }

  function get(runId: string): RunRecord | undefined {
    const record = active.find(runId)?.record ?? store.runs.get(runId);
    return record?.hidden ? undefined : record;
  }

  async function whenOver(runId: string): Promise<RunRecord | undefined> {
    const run = get(runId);
    if (!run) throw doesNotExist('Run', runId);
    return isTerminal(run) && run.retryAt === undefined ? run : active.waiters.wait(runId);
  }

  function dispose(): void {
    closed = true;
    retries.dispose();
    dispatcher.dispose();
    timers.dispose();
  }

  return {
    ...ends,
    start,
    startScheduled(scheduled, within) {
      const request: RunStart = { ...scheduled, trigger: 'PERIODIC' };
      if (admission.mayStore(request)) start(request, within);
      else store.transaction(within);
    },
    get,
    whenOver,
    debugProgress: (runId) => active.find(runId)?.debug?.progress,
    get heldRuns() {
      return active.all.filter(({ debug }) => debug?.progress.phase === 'held').map(({ record }) => record.runId);
    },
    get activeCount() {
      return active.count;
    },
    timeoutChanged: timers.timeoutChanged,
    recover: handover.takeUp,
    async close() {
      if (closed) return;
      dispose();
      await handover.leave();
    },
    dispose,
  };
}
