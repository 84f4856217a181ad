import { describeError } from '../shared/errors.ts';
import { Emitter } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import type { ChatPorts } from './chatPorts.ts';
import type { Suggestion } from './chatTools.ts';
import type { Prompt } from './prompt.ts';
import type { ViewState } from './protocol.ts';

/** Maximum suggestions shown; users do not read more. */
const maxShown = 4;

type Ports = Pick<ChatPorts, 'tools' | 'log' | 'suggestions' | 'editor'>;

/** Suggestions of an empty conversation: for the present state if it is known, otherwise questions for beginners. */
export class TimelySuggestions implements Disposable {
  items: readonly Suggestion[] = [];
  readonly #ports: Ports;
  readonly #prompt: Pick<Prompt, 'attachSelection'>;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  #isLooking = false;
  #isDated = false;
  #isDisposed = false;
  #selected: string | undefined;

  constructor(ports: Ports, prompt: Pick<Prompt, 'attachSelection'>) {
    this.#ports = ports;
    this.#prompt = prompt;
  }

  get #all(): Suggestion[] {
    const { editor, suggestions } = this.#ports;
    const prompt = editor.selected;
    const selection =
      prompt === undefined
        ? []
        : [{ title: l10n.t('Selection'), prompt, icon: 'lines' as const, deed: l10n.t('Attach') }];
    const take = (): Promise<void> => this.#prompt.attachSelection();
    return [...selection.map((each) => ({ ...each, take })), ...this.items, ...suggestions].slice(0, maxShown);
  }

  get shown(): ViewState['suggestions'] {
    return this.#all.map(({ take, ...shown }) => ({ ...shown, ...(take && { isDeed: true }) }));
  }

  /** Handles a change of the editor's selection. */
  selectionChanged(): void {
    const { selected } = this.#ports.editor;
    if (selected === this.#selected) return;
    this.#selected = selected;
    this.#changed.fire();
  }

  /** Runs the action that is suggested under this title, if it still is. */
  async take(wanted: string): Promise<void> {
    await this.#all.find(({ title }) => title === wanted)?.take?.();
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
