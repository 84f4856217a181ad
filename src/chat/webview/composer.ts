import { paragraphs, sizeText } from '../../shared/text.ts';
import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import type { CommandCompletion } from '../conversationEvent.ts';
import { isByLine } from '../playground.ts';
import type { ParamsOf, ViewState } from '../protocol.ts';
import { CompletionList, isAttachment } from './completionList.ts';
import { icon, iconButton } from './icons.ts';
import { type QueueActions, QueueView } from './queueView.ts';
import { formatCount } from './shortTexts.ts';
import { strings } from './strings.ts';

export interface ComposerActions extends QueueActions {
  /** Resolves to true if the host accepted the text. */
  send(text: string): Promise<boolean>;
  stop(): void;
  chooseEndpoint(): void;
  /** Attaches files or what has a name, or lets the user choose. */
  attachContext(what?: ParamsOf<'attachContext'>): void;
  removeAttachment(index: number): void;
  chooseProfile(): void;
  toggleParameters(): void;
  /** Sets whether each line is a separate input in a playground. */
  separateLines(isOn: boolean): void;
  /** Lets the user choose the functions that the model may call in this conversation. */
  chooseTools(): void;
  draftChanged(text: string): void;
  /** Returns the user's last message. */
  previousPrompt(): string | undefined;
  /** Requests completions of a command. */
  complete(text: string): Promise<readonly CommandCompletion[]>;
}

/** Height in pixels above which the prompt scrolls; in a low window, the style sets a lower one. */
const maxPromptHeight = 220;

/** The prompt with its endpoint, parameters, attachments, and the button that sends or stops. */
export class Composer {
  readonly element: HTMLElement;
  readonly #actions: ComposerActions;
  readonly #input: HTMLTextAreaElement;
  readonly #chips = h('div', { class: 'chips' });
  readonly #endpointName = h('span', { class: 'endpoint-name' });
  readonly #endpoint: HTMLButtonElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #parameters: HTMLButtonElement;
  readonly #tools: HTMLButtonElement;
  readonly #lines: HTMLButtonElement;
  #isByLine = false;
  readonly #changedCount = h('span', { class: 'changed-count', attributes: { 'aria-hidden': 'true' } });
  readonly #profileName = h('span', { class: 'profile-name' });
  readonly #profile: HTMLButtonElement;
  readonly #production = h('span', { class: 'production' }, strings.production);
  readonly #toolbar = h('div', { class: 'toolbar' });
  readonly #queue: QueueView;
  readonly #completions: CompletionList;
  #lastQueued: string | undefined;
  #placeholder: string = strings.promptPlaceholder;
  #isStreaming = false;
  #drawnAttachments = '';

  constructor(actions: ComposerActions) {
    this.#actions = actions;
    this.#queue = new QueueView(actions);
    this.#input = h('textarea', {
      class: 'prompt',
      label: strings.prompt,
      attributes: { rows: '1', placeholder: strings.promptPlaceholder },
    });
    this.#completions = new CompletionList(this.#input, actions.complete, (chosen, begun) => {
      if (!isAttachment(chosen)) this.text = chosen.text;
      else if (chosen.text.endsWith(':')) this.#replace(begun, chosen.text);
      else {
        this.#replace(begun, '');
        const { uri, named = chosen.text.slice(1) } = chosen;
        this.#actions.attachContext(uri === undefined ? { named } : { uris: [uri] });
        return;
      }
      void this.#completions.update();
    });
    this.#endpoint = h(
      'button',
      { class: 'endpoint', onClick: () => actions.chooseEndpoint() },
      this.#endpointName,
      icon('chevron'),
    );
    this.#send = iconButton('send', strings.send, () => void this.#submit());
    this.#send.classList.add('send');
    this.#stop = iconButton('stop', strings.stop, () => actions.stop());
    this.#stop.classList.add('stop');
    this.#parameters = iconButton('settings', strings.parameters, () => actions.toggleParameters());
    this.#parameters.setAttribute('aria-controls', 'parameters');
    this.#parameters.append(this.#changedCount);
    this.#tools = iconButton('tools', strings.toolsOff, () => actions.chooseTools());
    this.#lines = h(
      'button',
      {
        class: 'icon-button lines',
        title: strings.eachLine,
        onClick: () => actions.separateLines(!this.#isByLine),
      },
      icon('lines'),
      h('span', {}, strings.eachLine),
    );
    const attach = iconButton('attach', strings.attach, () => actions.attachContext());
    this.#profile = h(
      'button',
      { class: 'profile', onClick: () => actions.chooseProfile() },
      this.#profileName,
      this.#production,
    );
    this.element = h(
      'footer',
      { class: 'composer' },
      this.#queue.element,
      this.#completions.element,
      h('div', { class: 'box' }, this.#chips, this.#input, this.#toolbar),
    );
    this.#toolbar.append(
      attach,
      this.#tools,
      this.#parameters,
      this.#lines,
      h('div', { class: 'destination' }, this.#endpoint, this.#profile, this.#send, this.#stop),
    );
    // Until the state arrives, it is unknown where a message would go and whether one is being answered.
    this.#toolbar.style.visibility = 'hidden';
    this.#listen();
    takeDropped((uris) => actions.attachContext({ uris }));
  }

  get text(): string {
    return this.#input.value;
  }

  set text(text: string) {
    this.#input.value = text;
    this.#changed();
  }

  /** Focuses the prompt at once if the view has the focus, otherwise when it gets it: a list or editor opened meanwhile keeps it. */
  focus(): void {
    if (document.hasFocus()) this.#input.focus();
    else (document.activeElement as HTMLElement | null)?.blur();
  }

  update(view: ViewState, isStreaming: boolean, isPanelOpen: boolean): void {
    this.#toolbar.style.visibility = '';
    this.#isStreaming = isStreaming;
    this.#lastQueued = view.queue.at(-1)?.id;
    this.#queue.update(view, isStreaming);
    this.#drawTask(view);
    const next = view.nextStops ? strings.promptStops : strings.promptWhileWriting;
    this.#input.placeholder = isStreaming ? next : this.#placeholder;
    this.#drawEndpoint(view);
    this.#drawTools(view.tools);
    this.#drawAttachments(view.attachments);
    setText(this.#profileName, view.profile.name);
    this.#profile.classList.toggle('local', view.profile.isLocal);
    setHidden(this.#production, !view.profile.isProduction);
    this.#profile.title = strings.profile(view.profile.name);
    const changed = Object.keys(view.parameters).length;
    this.#parameters.classList.toggle('marked', changed > 0);
    setText(this.#changedCount, changed > 0 ? formatCount(changed) : '');
    const parameters = changed > 0 ? strings.parametersChanged(changed) : strings.parameters;
    setName(this.#parameters, parameters);
    this.#parameters.setAttribute('aria-expanded', String(isPanelOpen));
    this.#drawButtons();
  }

  #listen(): void {
    this.#input.addEventListener('input', () => {
      this.#changed();
      void this.#completions.update();
    });
    this.#input.addEventListener('keydown', (event) => {
      if (!event.isComposing && this.#completions.handle(event)) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      // With Alt, the key moves to the messages.
      const recalls = event.key === 'ArrowUp' && !event.altKey && !event.isComposing && this.text === '';
      if (recalls && this.#recall()) event.preventDefault();
      // During a composition, Enter belongs to the input method.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#submit();
    });
  }

  /** Replaces the word before the cursor. */
  #replace(word: string, by: string): void {
    const end = this.#input.selectionStart;
    const start = end - word.length;
    this.text = this.text.slice(0, start) + by + this.text.slice(end);
    this.#input.setSelectionRange(start + by.length, start + by.length);
  }

  /** Restores the last queued or sent message into an empty prompt. */
  #recall(): boolean {
    if (this.#lastQueued !== undefined) {
      this.#actions.takeBack(this.#lastQueued, true);
      return true;
    }
    const text = this.#actions.previousPrompt();
    if (text !== undefined) this.text = text;
    return text !== undefined;
  }

  /** Shows a text that is already stored. */
  restore(text: string): void {
    // Setting the same text again would move the cursor.
    if (this.#input.value !== text) this.#input.value = text;
    this.#fit();
  }

  #changed(): void {
    this.#fit();
    this.#actions.draftChanged(this.#input.value);
  }

  #fit(): void {
    this.#input.style.height = 'auto';
    this.#input.style.height = `${Math.min(this.#input.scrollHeight, maxPromptHeight)}px`;
    this.#drawButtons();
  }

  async #submit(): Promise<void> {
    const { text } = this;
    if (text.trim() === '' && this.#chips.childElementCount === 0) return;
    // The draft stays unchanged until the host has accepted it as a message.
    this.restore('');
    const isTaken = await this.#actions.send(text);
    const typed = this.text;
    // Restore a rejected message before the text typed meanwhile.
    if (!isTaken) this.restore(paragraphs(text, typed));
    // Text typed before the host accepted the message was deleted with its draft.
    if (typed !== '') this.#actions.draftChanged(this.text);
  }

  #drawButtons(): void {
    const hadFocus = document.activeElement === this.#send || document.activeElement === this.#stop;
    setHidden(this.#send, this.#isStreaming);
    setHidden(this.#stop, !this.#isStreaming);
    this.#send.disabled = this.#input.value.trim() === '' && this.#chips.childElementCount === 0;
    if (hadFocus && document.activeElement === document.body) this.focus();
  }

  #drawAttachments(attachments: ViewState['attachments']): void {
    const state = JSON.stringify(attachments);
    if (state === this.#drawnAttachments) return;
    this.#drawnAttachments = state;
    this.#chips.replaceChildren(
      ...attachments.map(({ label, size }, index) =>
        h(
          'span',
          { class: 'chip' },
          h('span', { title: label }, label),
          h('span', { class: 'size' }, sizeText(size)),
          iconButton('close', strings.removeAttachment(label), () => this.#actions.removeAttachment(index)),
        ),
      ),
    );
  }

  #drawTask({ task, parameters }: ViewState): void {
    this.#isByLine = isByLine(task, parameters);
    const placeholders = this.#isByLine ? strings.promptsOf : strings.promptOf;
    this.#placeholder = task ? placeholders[task] : strings.promptPlaceholder;
    setHidden(this.#lines, task === undefined);
    this.#lines.setAttribute('aria-pressed', String(this.#isByLine));
  }

  #drawTools(tools: ViewState['tools']): void {
    setHidden(this.#tools, tools.count === 0);
    const { length } = tools.names;
    const title = length > 0 ? strings.toolsOn(length, tools.count) : strings.toolsOff;
    setName(this.#tools, title);
    this.#tools.classList.toggle('on', length > 0);
  }

  #drawEndpoint({ endpoints, endpoint }: ViewState): void {
    const none = endpoints.status === 'loading' ? strings.endpointsLoading : strings.noEndpoints;
    setText(this.#endpointName, endpoint ?? none);
    setName(this.#endpoint, strings.endpointOf(endpoint ?? none));
  }
}

/** Sets what screen readers and the tooltip say about a button. */
function setName(button: HTMLButtonElement, name: string): void {
  if (button.title === name) return;
  button.title = name;
  button.setAttribute('aria-label', name);
}

/**
 * Handles dropped files by their URIs, and rows of the jobs view by an empty list, since the host knows which rows. The editor passes a
 * drag to a webview only while Shift is held.
 */
function takeDropped(take: (uris: string[]) => void): void {
  const isTaken = (event: DragEvent, kinds = /uri-list$|tree\.millrace/): boolean =>
    event.dataTransfer?.types.some((type) => kinds.test(type)) === true;
  const mark = (isOver: boolean): void => void document.body.classList.toggle('dropping', isOver);
  for (const type of ['dragenter', 'dragover'] as const) {
    document.addEventListener(type, (event) => {
      if (!isTaken(event)) return;
      event.preventDefault();
      mark(true);
    });
  }
  // A drag that moves from one element to the next also leaves the first.
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) mark(false);
  });
  document.addEventListener('drop', (event) => {
    mark(false);
    if (!isTaken(event)) return;
    event.preventDefault();
    const lists = ['application/vnd.code.uri-list', 'text/uri-list'].map((type) => event.dataTransfer?.getData(type));
    const uris = (lists.find(Boolean) ?? '').split(/\r?\n/).filter((uri) => uri !== '' && !uri.startsWith('#'));
    if (uris.length > 0 || isTaken(event, /tree\./)) take(uris);
  });
}
