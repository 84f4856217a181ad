import { BlockStream, type BlockChange, type References } from './blockStream.ts';
import { CodeBlock, type CodeActions } from './codeBlock.ts';
import { render } from './render.ts';
import type { CodeNode } from './tree.ts';

/** How long text is drawn in one frame, in milliseconds; the rest follows in later frames. */
const drawingInMs = 8;
/** Characters processed per step: few enough to be parsed and drawn within a frame, together with the open block. */
const stepLength = 1_200;
/**
 * Maximum weight of a part that the browser lays out as a whole, and skips while it is not visible; 20 characters weigh as much as one
 * element.
 */
const maxPartWeight = 150;
const charactersPerWeight = 20;
/** Pause after drawing, as a multiple of its duration: after a frame of 10 ms, the next one waits 20 ms. */
const restPerWork = 2;

/**
 * Shows a growing Markdown text. Finished blocks never change again; only the open one is replaced. Each call draws what fits into its
 * time; `update` returns when to call it again for the rest.
 */
export class MarkdownView {
  readonly element: HTMLElement;
  readonly #actions: CodeActions;
  #drawing: Drawing;
  #isSecond = false;
  #isDone = false;
  #notBeforeMs = 0;

  constructor(actions: CodeActions) {
    this.#actions = actions;
    this.element = document.createElement('div');
    this.element.className = 'markdown';
    this.#drawing = new Drawing(this.element, actions);
  }

  /**
   * Draws the text, which must start with the text of the previous call.
   * @param untilMs the time of `performance.now()` after which drawing stops for this frame
   * @returns milliseconds to wait before drawing the rest, or 0
   */
  update(text: string, isFinished: boolean, untilMs = performance.now() + drawingInMs): number {
    if (this.#isDone || (text.length === this.#drawing.length && !isFinished)) return 0;
    const startMs = performance.now();
    if (!isFinished && startMs < this.#notBeforeMs) return this.#notBeforeMs - startMs;
    const isDrawn = this.#drawing.advance(text, isFinished, untilMs);
    if (isDrawn && isFinished) this.#finish(text);
    const costMs = performance.now() - startMs;
    this.#notBeforeMs = costMs > drawingInMs ? startMs + costMs * (1 + restPerWork) : 0;
    return isDrawn ? 0 : Math.max(1, this.#notBeforeMs - performance.now());
  }

  #finish(text: string): void {
    const { references } = this.#drawing;
    if (references && !this.#isSecond) {
      // A link may have been used before its definition: read the text once more, and show the result when it is complete.
      this.#isSecond = true;
      this.#drawing = new Drawing(document.createElement('div'), this.#actions, references);
      this.update(text, true);
      return;
    }
    if (this.#isSecond) this.element.replaceChildren(...this.#drawing.element.childNodes);
    this.#isDone = true;
  }
}

/** One pass that draws a text into an element. */
class Drawing {
  readonly element: HTMLElement;
  readonly #actions: CodeActions;
  readonly #stream: BlockStream;
  #length = 0;
  #part: HTMLElement | undefined;
  #partWeight = 0;
  #openNodes: ChildNode[] = [];
  #code: CodeBlock | undefined;

  constructor(element: HTMLElement, actions: CodeActions, references?: References) {
    this.element = element;
    this.#actions = actions;
    this.#stream = new BlockStream(references);
  }

  /** Number of characters processed. */
  get length(): number {
    return this.#length;
  }

  get references(): References | undefined {
    return this.#stream.references;
  }

  /**
   * Draws more of the text.
   * @returns whether all of it is on screen
   */
  advance(text: string, isFinished: boolean, untilMs: number): boolean {
    let open: BlockChange | undefined;
    const apply = (changes: readonly BlockChange[]): void => {
      for (const change of changes) {
        // The next change replaces the open block, so only its last state is drawn.
        open = change.type === 'block' && !change.finished ? change : undefined;
        if (!open) this.#apply(change);
      }
    };
    while (this.#length < text.length && performance.now() < untilMs) {
      this.#stream.push(text.slice(this.#length, this.#length + stepLength));
      this.#length = Math.min(text.length, this.#length + stepLength);
      apply(this.#stream.take());
    }
    const isDrawn = this.#length === text.length && (!isFinished || performance.now() < untilMs);
    if (isDrawn && isFinished) apply(this.#stream.finish());
    if (open) this.#apply(open);
    if (isDrawn && isFinished) this.#openNodes = [];
    return isDrawn;
  }

  #apply(change: BlockChange): void {
    switch (change.type) {
      case 'block':
        this.#replaceOpen([...render(change.nodes, (node) => this.#codeBlock(node, change.finished)).childNodes]);
        if (change.finished) this.#finishBlock(change.continues);
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
        this.#finishBlock();
    }
  }

  #replaceOpen(nodes: ChildNode[]): void {
    for (const node of this.#openNodes) node.remove();
    this.#part ??= this.#startPart();
    this.#part.append(...nodes);
    this.#openNodes = nodes;
  }

  #finishBlock(continues = false): void {
    if (continues) this.#part?.classList.add('continues');
    for (const node of this.#openNodes) this.#partWeight += weightOf(node);
    this.#openNodes = [];
    if (continues || this.#partWeight >= maxPartWeight) this.#part = undefined;
  }

  #startPart(): HTMLElement {
    const part = document.createElement('div');
    part.className = 'part';
    this.#partWeight = 0;
    this.element.append(part);
    return part;
  }

  #codeBlock(node: CodeNode, isFinished: boolean): HTMLElement {
    const block = new CodeBlock(node.language, this.#actions);
    block.append(node.text);
    if (isFinished) block.finish();
    return block.element;
  }
}

function weightOf(node: ChildNode): number {
  return node instanceof Element
    ? 1 + node.getElementsByTagName('*').length + (node.textContent?.length ?? 0) / charactersPerWeight
    : 0;
}
