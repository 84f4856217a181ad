import type * as vscode from 'vscode';

const keptKey = 'millrace.runs.started';
/** Maximum runs; the oldest are dropped. */
const maxRuns = 50;
/** After a longer time, users check the jobs view anyway. */
const maxAgeInMs = 7 * 24 * 3_600_000;

/** A run whose end the user waits for. */
interface KeptRun {
  readonly profileId: string;
  readonly runId: string;
  readonly sinceMs: number;
}

/** The runs that were started here and whose end is not reported yet: they outlive the window, for this workspace. */
export class KeptStartedRuns {
  readonly #memento: Pick<vscode.Memento, 'get' | 'update'>;
  readonly #now: () => number;
  #runs: readonly KeptRun[];

  constructor(memento: Pick<vscode.Memento, 'get' | 'update'>, now: () => number = Date.now) {
    this.#memento = memento;
    this.#now = now;
    const kept = memento.get<unknown>(keptKey);
    this.#runs = Array.isArray(kept) ? kept.filter(isKeptRun) : [];
  }

  /** The runs of an earlier window that are not too old, in the order in which they started. */
  get recent(): readonly KeptRun[] {
    return this.#runs.filter(({ sinceMs }) => Math.abs(this.#now() - sinceMs) < maxAgeInMs);
  }

  add(profileId: string, runId: string): void {
    this.#set([...this.#without(profileId, runId), { profileId, runId, sinceMs: this.#now() }].slice(-maxRuns));
  }

  delete(profileId: string, runId: string): void {
    const others = this.#without(profileId, runId);
    if (others.length < this.#runs.length) this.#set(others);
  }

  #without(profileId: string, runId: string): readonly KeptRun[] {
    return this.#runs.filter((run) => run.profileId !== profileId || run.runId !== runId);
  }

  #set(runs: readonly KeptRun[]): void {
    this.#runs = runs;
    void this.#memento.update(keptKey, runs);
  }
}

function isKeptRun(value: unknown): value is KeptRun {
  const { profileId, runId, sinceMs } = (value ?? {}) as Record<string, unknown>;
  return typeof profileId === 'string' && typeof runId === 'string' && typeof sinceMs === 'number';
}
