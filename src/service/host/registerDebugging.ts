import * as vscode from 'vscode';
import { Emitter } from '../../shared/event.ts';
import type { DebugSessionServices } from './debugSessions.ts';

/** Debug sessions of this window. */
export interface EditorDebugging extends vscode.Disposable {
  readonly debuggedRuns: DebuggedRuns;
}

/** Registers debug sessions of the type `millrace`: each starts a run of the local service. Their code loads with the first session. */
export function registerDebugging(services: Omit<DebugSessionServices, 'debuggedRuns'>): EditorDebugging {
  const debuggedRuns = new DebuggedRuns();
  const factory = vscode.debug.registerDebugAdapterDescriptorFactory('millrace', {
    createDebugAdapterDescriptor: async (session) =>
      (await import('./debugSessions.ts')).createDebugAdapter({ ...services, debuggedRuns }, session),
  });
  return { debuggedRuns, dispose: () => factory.dispose() };
}

/** The runs whose debug sessions are open in this window. */
class DebuggedRuns {
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
