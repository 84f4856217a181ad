import { Emitter } from '../../shared/event.ts';

/** The runs whose debug sessions are open in this window. */
export class DebuggedRuns {
  readonly #phases = new Map<string, 'going' | 'held'>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  /** Whether the run goes on or is held at a line; undefined if it has no session here. */
  phaseOf(runId: string): 'going' | 'held' | undefined {
    return this.#phases.get(runId);
  }

  /** @param phase undefined if the session is over */
  set(runId: string, phase: 'going' | 'held' | undefined): void {
    if (this.#phases.get(runId) === phase) return;
    if (phase === undefined) this.#phases.delete(runId);
    else this.#phases.set(runId, phase);
    this.#changed.fire();
  }
}
