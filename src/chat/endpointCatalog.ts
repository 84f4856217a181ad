import { Emitter, type Event } from '../shared/event.ts';
import type { ChatBackend } from './chatPorts.ts';
import type { Endpoint, ViewState } from './protocol.ts';
import { toFailure } from './session.ts';

/** The chat endpoints of the current profile. Failing to fetch the list is a failure, never an empty list. */
export class EndpointCatalog {
  readonly #backend: ChatBackend;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  #state: ViewState['endpoints'] = { status: 'loading', items: [] };
  #controller: AbortController | undefined;
  #loadedFor: string | undefined;
  /** Whether the list comes from the service itself. */
  #isWhole = false;

  constructor(backend: ChatBackend) {
    this.#backend = backend;
  }

  get state(): ViewState['endpoints'] {
    return this.#state;
  }

  /** Loads once per profile; later calls do nothing until `refresh`. */
  async ensureLoaded(): Promise<void> {
    if (this.#loadedFor !== this.#backend.profile.id) await this.refresh();
  }

  /** Replaces a list made without the service, which has now responded, by the service's own list. */
  async complete(): Promise<void> {
    if (!this.#isWhole && !this.#isLoading) await this.refresh();
  }

  get #isLoading(): boolean {
    return this.#state.status === 'loading' && this.#controller !== undefined && !this.#controller.signal.aborted;
  }

  /** Reloads the list; `start` also starts a stopped service. Never rejects: a failure is part of the state. */
  async refresh({ start = false }: { start?: boolean } = {}): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const isNewProfile = this.#loadedFor !== this.#backend.profile.id;
    this.#loadedFor = this.#backend.profile.id;
    if (isNewProfile) this.#isWhole = false;
    this.#set({ status: 'loading', items: isNewProfile ? [] : this.#state.items });
    try {
      const { items, isWhole } = await this.#backend.listEndpoints({ signal: controller.signal, start });
      if (controller.signal.aborted) return;
      this.#isWhole = isWhole;
      this.#set({ status: 'ready', items: unique(items) });
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#set({
        status: 'failed',
        items: unique([...this.#backend.knownEndpoints, ...this.#state.items]),
        failure: toFailure(error),
      });
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
