import type { ViewState } from '../protocol.ts';
import { h, setHidden, setText } from './dom.ts';
import { icon } from './icons.ts';
import { QueueView } from './queueView.ts';
import { strings } from './strings.ts';

export interface ComposerActions {
  /** Resolves true where the text was taken over. */
  send(text: string): Promise<boolean>;
  stop(): void;
  selectEndpoint(name: string): void;
  nameEndpoint(): void;
  /** The list is about to be looked at. */
  endpointsOpened(): void;
  refreshEndpoints(): void;
  attachSelection(): void;
  removeAttachment(index: number): void;
  chooseProfile(): void;
  toggleParameters(): void;
  draftChanged(text: string): void;
  sendQueued(): void;
  takeBack(id: string, edit: boolean): void;
  /** What was asked last. */
  previousPrompt(): string | undefined;
}

/** The option that asks for a name; no endpoint can be called so, since names hold no space. */
const anotherEndpoint = ' another';
/** Taller than this the prompt scrolls. */
const tallestPrompt = 220;

/** The prompt with its endpoint, parameters, attachments, and the button that sends or stops. */
export class Composer {
  readonly element: HTMLElement;
  readonly #actions: ComposerActions;
  readonly #input: HTMLTextAreaElement;
  readonly #chips = h('div', { class: 'chips' });
  readonly #endpoints: HTMLSelectElement;
  readonly #refresh: HTMLButtonElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #parameters: HTMLButtonElement;
  readonly #profileName = h('span', { class: 'profile-name' });
  readonly #profile: HTMLButtonElement;
  readonly #production = h('span', { class: 'production' }, strings.production);
  readonly #queue: QueueView;
  #lastQueued: string | undefined;
  #isStreaming = false;
  #drawnEndpoints = '';
  #drawnAttachments = '';

  constructor(actions: ComposerActions) {
    this.#actions = actions;
    this.#queue = new QueueView(actions);
    this.#input = h('textarea', {
      class: 'prompt',
      label: strings.prompt,
      attributes: { rows: '1', placeholder: strings.promptPlaceholder },
    });
    this.#endpoints = h('select', { class: 'endpoint', label: strings.endpoint, title: strings.endpoint });
    this.#refresh = h(
      'button',
      {
        class: 'icon-button',
        label: strings.refreshEndpoints,
        title: strings.refreshEndpoints,
        onClick: () => actions.refreshEndpoints(),
      },
      icon('refresh'),
    );
    this.#send = h(
      'button',
      { class: 'icon-button send', label: strings.send, title: strings.send, onClick: () => void this.#submit() },
      icon('send'),
    );
    this.#stop = h(
      'button',
      { class: 'icon-button stop', label: strings.stop, title: strings.stop, onClick: () => actions.stop() },
      icon('stop'),
    );
    this.#parameters = h(
      'button',
      {
        class: 'icon-button',
        label: strings.parameters,
        title: strings.parameters,
        onClick: () => actions.toggleParameters(),
        attributes: { 'aria-expanded': 'false', 'aria-controls': 'parameters' },
      },
      icon('sliders'),
    );
    const attach = h(
      'button',
      { class: 'icon-button', label: strings.attach, title: strings.attach, onClick: () => actions.attachSelection() },
      icon('attach'),
    );
    this.#profile = h(
      'button',
      { class: 'profile', onClick: () => actions.chooseProfile() },
      icon('server'),
      this.#profileName,
      this.#production,
    );
    this.element = h(
      'footer',
      { class: 'composer' },
      this.#queue.element,
      h(
        'div',
        { class: 'box' },
        this.#chips,
        this.#input,
        h(
          'div',
          { class: 'toolbar' },
          attach,
          this.#endpoints,
          this.#refresh,
          this.#parameters,
          h('span', { class: 'spacer' }),
          this.#send,
          this.#stop,
        ),
      ),
      this.#profile,
    );
    this.#listen();
  }

  get text(): string {
    return this.#input.value;
  }

  set text(text: string) {
    this.#input.value = text;
    this.#changed();
  }

  focus(): void {
    this.#input.focus();
  }

  update(view: ViewState, isStreaming: boolean, hasParameters: boolean, isPanelOpen: boolean): void {
    this.#isStreaming = isStreaming;
    this.#lastQueued = view.queue.at(-1)?.id;
    this.#queue.update(view.queue, isStreaming);
    this.#input.placeholder = isStreaming ? strings.promptWhileWriting : strings.promptPlaceholder;
    this.#drawEndpoints(view);
    this.#drawAttachments(view.attachments.map((attachment) => attachment.label));
    setText(this.#profileName, view.profile.name);
    setHidden(this.#production, !view.profile.isProduction);
    this.#profile.title = strings.profile(view.profile.name);
    this.#parameters.classList.toggle('marked', hasParameters);
    this.#parameters.setAttribute('aria-expanded', String(isPanelOpen));
    this.#drawButtons();
  }

  #listen(): void {
    this.#input.addEventListener('input', () => this.#changed());
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowUp' && this.text === '' && !event.isComposing && this.#recall()) event.preventDefault();
      // While a composition is open, Enter belongs to the input method.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#submit();
    });
    this.#endpoints.addEventListener('pointerdown', () => this.#actions.endpointsOpened());
    this.#endpoints.addEventListener('keydown', ({ key }) => {
      if (['Enter', ' ', 'ArrowDown', 'ArrowUp', 'F4'].includes(key)) this.#actions.endpointsOpened();
    });
    this.#endpoints.addEventListener('change', () => {
      if (this.#endpoints.value === anotherEndpoint) {
        this.#drawnEndpoints = ''; // Whatever comes of it, the picker is drawn anew.
        this.#actions.nameEndpoint();
      } else {
        this.#actions.selectEndpoint(this.#endpoints.value);
      }
    });
  }

  /** What was queued or asked last comes back into an empty prompt. */
  #recall(): boolean {
    if (this.#lastQueued !== undefined) {
      this.#actions.takeBack(this.#lastQueued, true);
      return true;
    }
    const text = this.#actions.previousPrompt();
    if (text !== undefined) this.text = text;
    return text !== undefined;
  }

  /** Puts a text there that is kept already. */
  restore(text: string): void {
    this.#input.value = text;
    this.#fit();
  }

  #changed(): void {
    this.#fit();
    this.#actions.draftChanged(this.#input.value);
  }

  #fit(): void {
    this.#input.style.height = 'auto';
    this.#input.style.height = `${Math.min(this.#input.scrollHeight, tallestPrompt)}px`;
    this.#input.style.overflowY = this.#input.scrollHeight > tallestPrompt ? 'auto' : 'hidden';
    this.#drawButtons();
  }

  async #submit(): Promise<void> {
    const { text } = this;
    if (text.trim() === '' && this.#chips.childElementCount === 0) return;
    this.text = '';
    // Put back what was not taken over, unless something new was typed meanwhile.
    if (!(await this.#actions.send(text)) && this.text === '') this.text = text;
  }

  #drawButtons(): void {
    const hadFocus = document.activeElement === this.#send || document.activeElement === this.#stop;
    setHidden(this.#send, this.#isStreaming);
    setHidden(this.#stop, !this.#isStreaming);
    this.#send.disabled = this.#input.value.trim() === '' && this.#chips.childElementCount === 0;
    if (hadFocus && document.activeElement === document.body) this.#input.focus();
  }

  #drawAttachments(labels: readonly string[]): void {
    const state = JSON.stringify(labels);
    if (state === this.#drawnAttachments) return;
    this.#drawnAttachments = state;
    this.#chips.replaceChildren(
      ...labels.map((label, index) =>
        h(
          'span',
          { class: 'chip' },
          h('span', {}, label),
          h(
            'button',
            {
              class: 'icon-button small',
              label: strings.removeAttachment(label),
              title: strings.removeAttachment(label),
              onClick: () => this.#actions.removeAttachment(index),
            },
            icon('close'),
          ),
        ),
      ),
    );
  }

  #drawEndpoints(view: ViewState): void {
    const { endpoints, endpoint } = view;
    this.#refresh.setAttribute('aria-busy', String(endpoints.status === 'loading'));
    // While it is listed again the picker may be open: it is drawn anew for new items only.
    const state = JSON.stringify([endpoints.items.length === 0 && endpoints.status, endpoints.items, endpoint]);
    if (state === this.#drawnEndpoints) return;
    this.#drawnEndpoints = state;
    const groups = new Map<string, HTMLOptionElement[]>();
    const known = endpoints.items.some((item) => item.name === endpoint);
    const items =
      endpoint === undefined || known
        ? endpoints.items
        : [...endpoints.items, { name: endpoint, group: strings.otherGroup }];
    for (const item of items) {
      const option = h('option', { attributes: { value: item.name }, title: item.detail }, item.name);
      groups.set(item.group, [...(groups.get(item.group) ?? []), option]);
    }
    const empty = endpoints.status === 'loading' ? strings.endpointsLoading : strings.noEndpoints;
    this.#endpoints.replaceChildren(
      ...(items.length === 0 ? [h('option', { attributes: { value: '', disabled: '', selected: '' } }, empty)] : []),
      ...[...groups].map(([label, options]) => h('optgroup', { attributes: { label } }, ...options)),
      h('option', { attributes: { value: anotherEndpoint } }, strings.anotherEndpoint),
    );
    this.#endpoints.value = endpoint ?? '';
  }
}
