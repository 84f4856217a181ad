import { isAbort } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import type { ChatBackend } from './chatPorts.ts';
import type { Endpoint, ViewState } from './protocol.ts';
import { toFailure } from './session.ts';

/** The chat endpoints of the current profile. A list that cannot be had is a failure, never an empty list. */
export class EndpointCatalog {
  readonly #backend: ChatBackend;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  #state: ViewState['endpoints'] = { status: 'loading', items: [] };
  #controller: AbortController | undefined;
  #loadedFor: string | undefined;

  constructor(backend: ChatBackend) {
    this.#backend = backend;
  }

  get state(): ViewState['endpoints'] {
    return this.#state;
  }

  /** Loads once a profile; later calls do nothing until `refresh`. */
  async ensureLoaded(): Promise<void> {
    if (this.#loadedFor !== this.#backend.profile.id) await this.refresh();
  }

  /** Never rejects: a failure is part of the state. */
  async refresh(): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const isNewProfile = this.#loadedFor !== this.#backend.profile.id;
    this.#loadedFor = this.#backend.profile.id;
    this.#set({ status: 'loading', items: isNewProfile ? [] : this.#state.items });
    try {
      const items = await this.#backend.listEndpoints({ signal: controller.signal });
      if (!controller.signal.aborted) this.#set({ status: 'ready', items: unique(items) });
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return;
      this.#set({ status: 'failed', items: unique(this.#backend.knownEndpoints), failure: toFailure(error) });
    }
  }

  dispose(): void {
    this.#controller?.abort();
    this.#changed.dispose();
  }

  #set(state: ViewState['endpoints']): void {
    this.#state = state;
    this.#changed.fire();
  }
}

function unique(items: readonly Endpoint[]): Endpoint[] {
  return [...new Map([...items].reverse().map((item) => [item.name, item])).values()].reverse();
}
