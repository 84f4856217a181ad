import { describeError } from '../shared/errors.ts';
import { Emitter } from '../shared/event.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import type { ChatPorts } from './chatPorts.ts';
import type { Suggestion } from './chatTools.ts';

/** What the present state suggests to whoever sees an empty conversation; none if it cannot be known. */
export class TimelySuggestions implements Disposable {
  items: readonly Suggestion[] = [];
  readonly #ports: Pick<ChatPorts, 'tools' | 'log'>;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #isLooking = false;
  #isDated = false;
  #isDisposed = false;

  constructor(ports: Pick<ChatPorts, 'tools' | 'log'>) {
    this.#ports = ports;
  }

  /** Refreshes the suggestions. Any number of calls during a refresh cause exactly one more. */
  look(): void {
    this.#isDated = true;
    if (!this.#isLooking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#isDated && !this.#isDisposed) {
      this.#isDated = false;
      try {
        this.items = await this.#ports.tools.suggest();
      } catch (error) {
        this.items = [];
        this.#ports.log.debug(`Nothing timely can be suggested: ${describeError(error)}`);
      }
    }
    this.#isLooking = false;
    if (!this.#isDisposed) this.#changed.fire();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#changed.dispose();
  }
}
