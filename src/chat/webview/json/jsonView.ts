import source from 'worker:./checkWorker.ts';
import type { CheckTask } from '../../../shared/jsonSchema/checkJsonText.ts';
import { shortened } from '../../../shared/text.ts';
import { h, setHidden, setText } from '../../../shared/webview/dom.ts';
import { BoundedThread } from '../boundedThread.ts';
import { copyButton, icon, iconButton, type IconName } from '../icons.ts';
import { strings } from '../strings.ts';
import type { CheckReply } from './checkWorker.ts';
import { type AskedJson, jsonOf } from './jsonAnswer.ts';

const limitInMs = 2_000;
const maxOverruns = 5;

const thread = new BoundedThread<CheckTask, CheckReply>(source, limitInMs, maxOverruns);

interface Actions {
  copy(text: string): void;
  newFile(text: string, language: string): void;
}

/** Shows an answer that is JSON: the result of the schema check, and the value as a tree or as the original text. */
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

  /** @param textElement returns the element that shows the answer's text */
  constructor(actions: Actions, textElement: () => HTMLElement) {
    this.#textElement = textElement;
    this.#actions = h(
      'span',
      { class: 'code-actions' },
      this.#tree,
      this.#text,
      copyButton(strings.copy, () => actions.copy(this.#json?.text ?? '')),
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

  /** Shows a finished answer if it is JSON or JSON was requested; otherwise shows nothing. */
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

  /** Hides the view while an answer is being written. */
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

/** Maximum entries of one list or object added to the page at a time. */
const maxEntries = 200;
/** Maximum characters of a string; the answer's text contains the whole string. */
const maxTextLength = 5_000;
/** Number of lines to show initially; levels are expanded until it is reached. */
const openLines = 60;
const openDepth = 4;

/** Returns JSON as a tree with collapsible branches, each created when first opened. */
export function jsonTree(value: object): HTMLElement {
  const left = { lines: openLines };
  const tree = h('div', { class: 'json-tree', role: 'group', label: strings.json });
  fill(tree, value, 0, left);
  return tree;
}

function fill(parent: HTMLElement, value: object, depth: number, left: { lines: number }): void {
  const entries = Object.entries(value) as [string, unknown][];
  left.lines -= entries.length;
  const add = (from: number): void => {
    parent.append(
      ...entries.slice(from, from + maxEntries).map(([name, each]) => entry(name, each, depth, left)),
      ...(entries.length > from + maxEntries ? [rest(from + maxEntries)] : []),
    );
  };
  const rest = (from: number): HTMLElement => {
    const button = h(
      'button',
      {
        class: 'link-button json-rest',
        onClick: () => {
          button.remove();
          add(from);
        },
      },
      strings.jsonRest(entries.length - from),
    );
    return button;
  };
  add(0);
}

function entry(name: string, value: unknown, depth: number, left: { lines: number }): HTMLElement {
  const key = h('span', { class: 'hljs-attr' }, name);
  if (typeof value !== 'object' || value === null) return h('div', { class: 'json-leaf' }, key, ': ', leaf(value));
  const count = Object.keys(value).length;
  const size = Array.isArray(value) ? strings.jsonItems(count) : strings.jsonKeys(count);
  if (count === 0) return h('div', { class: 'json-leaf' }, key, ' ', h('span', { class: 'json-size' }, size));
  const children = h('div', { class: 'json-children' });
  const node = h(
    'details',
    { class: 'json-node' },
    h('summary', {}, key, ' ', h('span', { class: 'json-size' }, size)),
    children,
  );
  let isFilled = false;
  const unfold = (): void => {
    if (isFilled) return;
    isFilled = true;
    fill(children, value, depth + 1, left);
  };
  if (depth + 1 < openDepth && count <= left.lines) {
    node.open = true;
    unfold();
  } else node.addEventListener('toggle', unfold);
  return node;
}

function leaf(value: unknown): HTMLElement {
  if (typeof value === 'string') {
    return h('span', { class: 'hljs-string' }, JSON.stringify(shortened(value, maxTextLength)));
  }
  const kind = typeof value === 'number' || typeof value === 'bigint' ? 'hljs-number' : 'hljs-literal';
  return h('span', { class: kind }, String(value));
}
