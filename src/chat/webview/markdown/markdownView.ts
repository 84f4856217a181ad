import { BlockStream, type BlockChange } from './blockStream.ts';
import { CodeBlock, type CodeActions } from './codeBlock.ts';
import { render } from './render.ts';
import type { CodeNode } from './tree.ts';

/** Share of the time that drawing may take: after a frame that cost 10 ms the next one waits 20 ms. */
const restPerWork = 2;

/**
 * A markdown text that grows, on screen. Finished blocks are never touched again; only the open one is replaced. Draws at
 * once what it is given, unless the last drawing was expensive: then `update` answers when it wants to be called again.
 */
export class MarkdownView {
  readonly element: HTMLElement;
  readonly #actions: CodeActions;
  #stream = new BlockStream();
  #length = 0;
  #isFinished = false;
  #openNodes: ChildNode[] = [];
  #code: CodeBlock | undefined;
  #notBeforeMs = 0;

  constructor(actions: CodeActions) {
    this.#actions = actions;
    this.element = document.createElement('div');
    this.element.className = 'markdown';
  }

  /**
   * Draws the text, which must start with what was given before.
   * @returns milliseconds to wait before the rest is drawn, or 0
   */
  update(text: string, isFinished: boolean): number {
    if (this.#isFinished || (text.length === this.#length && !isFinished)) return 0;
    const startMs = performance.now();
    if (!isFinished && startMs < this.#notBeforeMs) return this.#notBeforeMs - startMs;
    this.#stream.push(text.slice(this.#length));
    this.#length = text.length;
    for (const change of isFinished ? this.#stream.finish() : this.#stream.take()) this.#apply(change);
    if (isFinished) this.#finish(text);
    const costMs = performance.now() - startMs;
    this.#notBeforeMs = costMs > 8 ? startMs + costMs * (1 + restPerWork) : 0;
    return 0;
  }

  #finish(text: string): void {
    this.#isFinished = true;
    if (!this.#stream.hasDefinitions) return;
    // A link may have been used before it was defined.
    const whole = new BlockStream();
    whole.push(text);
    this.element.replaceChildren();
    this.#openNodes = [];
    this.#code = undefined;
    for (const change of whole.finish()) this.#apply(change);
  }

  #apply(change: BlockChange): void {
    switch (change.type) {
      case 'block':
        this.#replaceOpen([...render(change.nodes, (node) => this.#finishedCode(node)).childNodes]);
        if (change.finished) this.#openNodes = [];
        return;
      case 'codeStart':
        this.#code = new CodeBlock(change.language, this.#actions);
        this.#replaceOpen([this.#code.element]);
        return;
      case 'codeText':
        this.#code?.append(change.text);
        return;
      case 'codeEnd':
        this.#code?.finish();
        this.#code = undefined;
        this.#openNodes = [];
    }
  }

  #replaceOpen(nodes: ChildNode[]): void {
    for (const node of this.#openNodes) node.remove();
    this.element.append(...nodes);
    this.#openNodes = nodes;
  }

  #finishedCode(node: CodeNode): HTMLElement {
    const block = new CodeBlock(node.language, this.#actions);
    block.append(node.text);
    block.finish();
    return block.element;
  }
}
