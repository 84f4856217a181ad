import type { Run } from '../../api/schema/jobs/schemas.ts';
import { wordlessStatus } from '../runState.ts';
import type { RunStore } from '../store/runStore.ts';
import { sameToReaders } from '../store/sameToReaders.ts';

export interface OpenTasksOptions {
  readonly store: Pick<RunStore, 'run'>;
  /** Reads the tasks of a run into the store. */
  load(runId: string): Promise<void>;
}

/** Reads the tasks of the runs whose rows are open: when they are opened, and again when a poll has found that their run goes on. */
export class OpenTasks {
  readonly #options: OpenTasksOptions;
  /** The runs as they were when their tasks were last requested, by ID. */
  readonly #requestedFor = new Map<string, Run>();

  constructor(options: OpenTasksOptions) {
    this.#options = options;
  }

  /**
   * Reads the tasks of a run whose row is being opened.
   * @throws AppError if they cannot be read
   */
  async read(runId: string): Promise<void> {
    const { store, load } = this.#options;
    await load(runId);
    const run = store.run(runId);
    if (run) this.#requestedFor.set(runId, run);
  }

  /** Reads the tasks again of those runs that have changed, once after each poll. */
  refresh(runIds: Iterable<string>): void {
    for (const runId of runIds) {
      const run = this.#options.store.run(runId);
      const before = this.#requestedFor.get(runId);
      if (!run || !before || run === before) continue;
      this.#requestedFor.set(runId, run);
      // What failed is requested after the next poll.
      if (wordlessStatus(run).active || !sameToReaders(before, run)) this.read(runId).catch(() => undefined);
    }
  }
}
