import type { RunsServices } from '../../../src/runs/host/registerRuns.ts';
import { RunStore } from '../../../src/runs/store/runStore.ts';
import type { Event } from '../../../src/shared/event.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { memento } from './editorStandIn.ts';

const never: Event<void> = () => ({ dispose: () => undefined });

/** What the runs are given: nothing is debugged, nothing was changed by others, and of no failure is the cause known. */
export function runsServices(own: Partial<RunsServices> = {}): RunsServices {
  return {
    log: silentLogger,
    store: new RunStore(),
    memento: memento(),
    debuggedRuns: { phaseOf: () => undefined, onDidChange: never },
    changesElsewhere: { seenMs: () => undefined, onDidChange: never },
    causeOf: async () => undefined,
    presentFailure: () => undefined,
    ...own,
  };
}
