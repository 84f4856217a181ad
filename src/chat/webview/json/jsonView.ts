import source from 'worker:./checkWorker.ts';
import type { CheckTask } from '../../../shared/jsonSchema/checkJsonText.ts';
import { h, setHidden, setText } from '../../../shared/webview/dom.ts';
import { BoundedThread } from '../boundedThread.ts';
import { iconButton } from '../iconButton.ts';
import { icon, type IconName } from '../icons.ts';
import { showCopied } from '../markdown/codeBlock.ts';
import { strings } from '../strings.ts';
import type { CheckReply } from './checkWorker.ts';
import { type AskedJson, jsonOf } from './jsonAnswer.ts';
import { jsonTree } from './jsonTree.ts';

const limitInMs = 2_000;
const maxOverruns = 5;

const thread = new BoundedThread<CheckTask, CheckReply>(source, limitInMs, maxOverruns);

interface Actions {
  copy(text: string): void;
  newFile(text: string, language: string): void;
}

/** An answer that is JSON: what its schema says of it, and the value as a tree or as the text that came. */
export class JsonView {
  readonly element: HTMLElement;
  readonly #verdict = h('span', { class: 'json-verdict' });
  readonly #actions: HTMLElement;
  readonly #tree = h('button', { class: 'choice', onClick: () => this.#show(true) }, strings.jsonTree);
  readonly #text = h('button', { class: 'choice', onClick: () => this.#show(false) }, strings.jsonText);
  readonly #body = h('div', { class: 'json-body' });
  readonly #textElement: () => HTMLElement;
  #json: ReturnType<typeof jsonOf>;
  #drawn: string | undefined;
  #isTree = true;

  /** @param textElement what shows the text of the answer */
  constructor(actions: Actions, textElement: () => HTMLElement) {
    this.#textElement = textElement;
    const copyButton = iconButton('copy', strings.copy, () => {
      actions.copy(this.#json?.text ?? '');
      showCopied(copyButton, strings.copy);
    });
    this.#actions = h(
      'span',
      { class: 'code-actions' },
      this.#tree,
      this.#text,
      copyButton,
      iconButton('newFile', strings.newFileOfCode, () => actions.newFile(this.#json?.text ?? '', 'json')),
    );
    this.element = h(
      'div',
      { class: 'json-answer' },
      h('div', { class: 'code-head' }, this.#verdict, this.#actions),
      this.#body,
    );
    this.element.hidden = true;
  }

  /** Shows the whole text of an answer that has ended, if it is JSON or was asked to be; else nothing. */
  update(text: string, asked: AskedJson | undefined): void {
    const state = `${asked ? JSON.stringify(asked) : ''}\n${text}`;
    if (state === this.#drawn) return;
    this.#drawn = state;
    this.#json = jsonOf(text);
    this.#body.replaceChildren(...(this.#json ? [jsonTree(this.#json.value)] : []));
    setHidden(this.#actions, !this.#json);
    setHidden(this.element, !this.#json && !asked);
    this.#show(this.#isTree);
    void this.#judge(state, asked);
  }

  /** What is being written is neither yet. */
  hide(): void {
    if (this.#drawn === undefined) return;
    [this.#drawn, this.#json] = [undefined, undefined];
    setHidden(this.element, true);
    setHidden(this.#textElement(), false);
  }

  #show(isTree: boolean): void {
    this.#isTree = isTree;
    this.#tree.setAttribute('aria-pressed', String(isTree));
    this.#text.setAttribute('aria-pressed', String(!isTree));
    setHidden(this.#body, !isTree || !this.#json);
    setHidden(this.#textElement(), isTree && this.#json !== undefined);
  }

  async #judge(state: string, asked: AskedJson | undefined): Promise<void> {
    if (!this.#json) return this.#say('warning', strings.jsonNot);
    if (!asked?.schema) return this.#say(undefined, strings.json);
    const name = asked.name ?? strings.jsonSchema;
    this.#say(undefined, strings.jsonChecking(name));
    const reply = await thread.ask({ text: this.#json.text, schema: asked.schema });
    if (state !== this.#drawn) return;
    if (!reply) this.#say('warning', strings.jsonUnchecked(name));
    else if (reply.problem === undefined) this.#say('pass', strings.jsonFits(name));
    else this.#say('error', strings.jsonMisses(name, reply.problem));
  }

  #say(name: IconName | undefined, text: string): void {
    const words = h('span');
    setText(words, text);
    this.#verdict.replaceChildren(...(name ? [icon(name)] : []), words);
  }
}
