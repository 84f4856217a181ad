import type * as vscode from 'vscode';
import { Emitter } from '../../shared/event.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { readArrangement, type Arrangement, type JobOrder } from '../tree/arrangement.ts';

const arrangementKey = 'millrace.jobs.arrangement';
const pinsKey = 'millrace.jobs.pinned';

/** The arrangement and pinned jobs of the jobs view; both outlive the window, for this workspace. */
export class KeptArrangement implements Disposable {
  readonly #memento: vscode.Memento;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #arrangement: Arrangement;
  readonly #pins = new Map<string, ReadonlySet<string>>();

  /** @param defaultSort order until the user chooses one in this workspace */
  constructor(memento: vscode.Memento, defaultSort?: JobOrder) {
    this.#memento = memento;
    this.#arrangement = readArrangement(memento.get(arrangementKey), defaultSort);
    const kept = memento.get<unknown>(pinsKey);
    for (const [profileId, jobIds] of Object.entries(typeof kept === 'object' && kept !== null ? kept : {}))
      if (Array.isArray(jobIds)) this.#pins.set(profileId, new Set(jobIds.filter((id) => typeof id === 'string')));
  }

  get current(): Arrangement {
    return this.#arrangement;
  }

  async change(change: Partial<Arrangement>): Promise<void> {
    this.#arrangement = { ...this.#arrangement, ...change };
    this.#changed.fire();
    await this.#memento.update(arrangementKey, this.#arrangement);
  }

  /** Returns the IDs of the profile's pinned jobs; the same set object while the IDs are the same. */
  pinned(profileId: string): ReadonlySet<string> {
    const known = this.#pins.get(profileId) ?? new Set();
    this.#pins.set(profileId, known);
    return known;
  }

  async pin(profileId: string, jobIds: readonly string[], isPinned: boolean): Promise<void> {
    const pins = new Set(this.pinned(profileId));
    for (const jobId of jobIds) {
      if (isPinned) pins.add(jobId);
      else pins.delete(jobId);
    }
    this.#pins.set(profileId, pins);
    this.#changed.fire();
    const kept = [...this.#pins].filter(([, ids]) => ids.size > 0).map(([id, ids]) => [id, [...ids]] as const);
    await this.#memento.update(pinsKey, Object.fromEntries(kept));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
