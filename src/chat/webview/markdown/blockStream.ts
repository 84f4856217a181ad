import { parseMarkdown, type Env, type Token } from './parser.ts';
import { languageOf, toTree, type MarkdownNode } from './tree.ts';

/** A change to the blocks on screen when the text grows. At most one block is open at any time, the last. */
export type BlockChange =
  /** Replaces the open block; a finished one never changes again. With `continues`, the block was split and the next one belongs to it. */
  | { type: 'block'; nodes: MarkdownNode[]; finished: boolean; continues?: true }
  /** Turns the open block into a code block that grows by `codeText`. */
  | { type: 'codeStart'; language: string }
  | { type: 'codeText'; text: string }
  | { type: 'codeEnd' };

interface OpenFence {
  readonly marker: string;
  readonly minimumLength: number;
  readonly indent: number;
  /** Whether the beginning of the current line has been emitted: the rest neither closes the fence nor loses its indentation. */
  isInLine: boolean;
}

export type References = NonNullable<Env['references']>;

const definition = /^ {0,3}\[[^\][\r\n]+\]:/m;
/** Maximum number of link definitions. */
const maxReferences = 500;
/**
 * Maximum length of a block; a longer one is split. The open block is parsed again with each piece of text and must never block the page.
 */
const maxBlockLength = 4_000;
const maxBlockLines = 60;
/** Length above which an incomplete code line is emitted; no closing line is that long. */
const maxHeldBack = 2_000;

/**
 * Parses Markdown that arrives in pieces. Only the text after the last finished block is parsed again, and the inside of a fenced code
 * block is not parsed at all, so the cost of a long answer is nearly linear. The blocks are the same as for the whole text, however it was
 * cut: a block is finished only when the next one has begun on a complete line. Only blocks longer than a page ever shows at once are
 * split: a list between two items, a table between two rows with a repeated header.
 */
export class BlockStream {
  /** The text after the last finished block; inside a fence, the text not emitted yet. */
  #tail = '';
  #pendingReturn = false;
  #fence: OpenFence | undefined;
  /** Link definitions of finished blocks. */
  #references: References;

  /** @param references link definitions that occur later in the text */
  constructor(references: References = {}) {
    this.#references = { ...references };
  }

  /** Link definitions found so far. If there are any, only a second pass finds all their uses. */
  get references(): References | undefined {
    return Object.keys(this.#references).length > 0 ? this.#references : undefined;
  }

  push(text: string): void {
    // CR and CRLF each count as one line end, even if CR and LF arrive separately.
    let joined = this.#pendingReturn ? `\r${text}` : text;
    this.#pendingReturn = joined.endsWith('\r');
    if (this.#pendingReturn) joined = joined.slice(0, -1);
    this.#tail += joined.includes('\r') ? joined.replaceAll(/\r\n?/g, '\n') : joined;
  }

  /** Returns the changes since the last call. */
  take(): BlockChange[] {
    return this.#run(false);
  }

  /** Returns the changes at the end of the text: every block is finished. */
  finish(): BlockChange[] {
    if (this.#pendingReturn) {
      this.#pendingReturn = false;
      this.#tail += '\n';
    }
    return this.#run(true);
  }

  #run(isEnd: boolean): BlockChange[] {
    const changes: BlockChange[] = [];
    // Each iteration either leaves a fence, enters one or is the last.
    for (;;) {
      if (this.#fence) {
        if (!this.#readFence(this.#fence, isEnd, changes)) return changes;
      } else if (!this.#readBlocks(isEnd, changes)) {
        return changes;
      }
    }
  }

  /** Parses the beginning of the tail. Returns whether there is more to read after it. */
  #readBlocks(isEnd: boolean, changes: BlockChange[]): boolean {
    if (this.#tail === '') return false;
    const text = this.#tail.slice(0, endOfWindow(this.#tail));
    const isWhole = text.length === this.#tail.length;
    const env: Env = { references: { ...this.#references } };
    const blocks = topLevelBlocks(parseMarkdown(text, env));
    const lineStarts = startsOfLines(text);
    const completeLines = lineStarts.length - 1;
    const last = blocks.at(-1);
    const endsInFence = last !== undefined && last.tokens[0]?.type === 'fence' && last.firstLine < completeLines;
    // The first block that more text could still change.
    let open = blocks.length;
    if (!isEnd || !isWhole) {
      open = Math.max(blocks.length - 1, 0);
      while (open > 0 && (blocks[open]?.firstLine ?? 0) >= completeLines) open -= 1;
    }
    if (endsInFence && open >= blocks.length - 1) open = blocks.length - 1;
    const rest = blocks.slice(open);
    const restStart = rest[0] ? (lineStarts[rest[0].firstLine] ?? 0) : isEnd && isWhole ? text.length : 0;
    const entersFence = endsInFence && rest.length === 1;
    if (!isWhole && restStart === 0 && !entersFence) return this.#cut(text, lineStarts, blocks[0], changes);
    const finished = blocks.slice(0, open);
    if (finished.length > 0)
      changes.push({ type: 'block', nodes: finished.flatMap((block) => toTree(block.tokens)), finished: true });
    this.#advance(restStart);
    if (entersFence) return this.#enterFence(rest[0]?.tokens[0], changes);
    if (!isWhole) return true;
    // Emit it even if empty: an apparent paragraph may have become a link definition.
    changes.push({ type: 'block', nodes: rest.flatMap((block) => toTree(block.tokens)), finished: false });
    return false;
  }

  /** Finishes the part of a block that fills the whole of `text`, and continues with the rest as a separate block. */
  #cut(text: string, lineStarts: readonly number[], block: Block | undefined, changes: BlockChange[]): boolean {
    const end = placeToCut(text, lineStarts, block);
    const tokens = parseMarkdown(text.slice(0, end), { references: { ...this.#references } });
    changes.push({ type: 'block', nodes: toTree(tokens), finished: true, continues: true });
    const heading = block?.tokens[0]?.type === 'table_open' ? text.slice(0, lineStarts[2] ?? 0) : '';
    this.#advance(end);
    if (heading.length < end / 2) this.#tail = heading + this.#tail;
    return true;
  }

  #advance(length: number): void {
    const done = this.#tail.slice(0, length);
    this.#tail = this.#tail.slice(length);
    if (Object.keys(this.#references).length >= maxReferences || !definition.test(done)) return;
    const env: Env = { references: this.#references };
    parseMarkdown(done, env);
    this.#references = env.references ?? {};
  }

  #enterFence(token: Token | undefined, changes: BlockChange[]): boolean {
    if (!token) return false;
    const headerEnd = this.#tail.indexOf('\n');
    const header = this.#tail.slice(0, headerEnd);
    this.#fence = {
      marker: token.markup.charAt(0),
      minimumLength: token.markup.length,
      indent: header.length - header.trimStart().length,
      isInLine: false,
    };
    this.#tail = this.#tail.slice(headerEnd + 1);
    changes.push({ type: 'codeStart', language: languageOf(token.info) });
    return true;
  }

  /** Emits the lines inside a fence. Returns whether the fence was closed, so that more may follow. */
  #readFence(fence: OpenFence, isEnd: boolean, changes: BlockChange[]): boolean {
    const closing = new RegExp(`^ {0,3}\\${fence.marker}{${fence.minimumLength},}[ \\t]*$`);
    let text = '';
    let position = 0;
    for (;;) {
      const lineEnd = this.#tail.indexOf('\n', position);
      if (lineEnd < 0 && !isEnd) break;
      const line = this.#tail.slice(position, lineEnd < 0 ? undefined : lineEnd);
      const isLast = lineEnd < 0;
      const isClosing = !fence.isInLine && closing.test(line);
      if (isClosing || isLast) {
        if (!isClosing) text += lineInside(line, fence);
        if (text !== '') changes.push({ type: 'codeText', text });
        changes.push({ type: 'codeEnd' });
        this.#tail = isLast ? '' : this.#tail.slice(lineEnd + 1);
        this.#fence = undefined;
        return !isLast;
      }
      text += `${lineInside(line, fence)}\n`;
      fence.isInLine = false;
      position = lineEnd + 1;
    }
    // Hold back an incomplete line: it may become the closing line, or lose its indentation.
    this.#tail = this.#tail.slice(position);
    if (this.#tail.length > maxHeldBack) {
      text += lineInside(this.#tail, fence);
      fence.isInLine = true;
      this.#tail = '';
    }
    if (text !== '') changes.push({ type: 'codeText', text });
    return false;
  }
}

interface Block {
  readonly firstLine: number;
  readonly tokens: Token[];
}

function topLevelBlocks(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = [];
  let current: Block | undefined;
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) {
      current = { firstLine: token.map?.[0] ?? 0, tokens: [] };
      blocks.push(current);
    }
    current?.tokens.push(token);
  }
  return blocks;
}

/** Returns the end of the text to parse in one step. */
function endOfWindow(text: string): number {
  let end = 0;
  for (let lines = 0; lines < maxBlockLines; lines += 1) {
    const lineEnd = text.indexOf('\n', end);
    if (lineEnd < 0 || lineEnd >= maxBlockLength) return Math.min(text.length, maxBlockLength);
    end = lineEnd + 1;
  }
  return end;
}

/**
 * Returns where to split a block that is too long: before the last item of its list, otherwise before its last line, otherwise between two
 * words, if at least half of it remains.
 */
function placeToCut(text: string, lineStarts: readonly number[], block: Block | undefined): number {
  const item = block?.tokens.findLast((token) => token.type === 'list_item_open' && token.level === 1);
  const places = [lineStarts[item?.map?.[0] ?? 0] ?? 0, lineStarts.at(-1) ?? 0, text.lastIndexOf(' ') + 1];
  const place = places.find((offset) => offset >= text.length / 2);
  if (place !== undefined) return place;
  // Do not split a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}

/** Returns the offsets of the line starts; one more than there are line ends. */
function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineInside(line: string, fence: OpenFence): string {
  return fence.isInLine ? line : outdent(line, fence.indent);
}

/** Returns the line without the fence's own indentation; a tab extends to the next multiple of four, and the remainder is kept. */
function outdent(line: string, indent: number): string {
  let column = 0;
  let cut = 0;
  while (column < indent) {
    const character = line.charAt(cut);
    if (character !== ' ' && character !== '\t') break;
    column += character === ' ' ? 1 : 4 - (column % 4);
    cut += 1;
  }
  return ' '.repeat(Math.max(0, column - indent)) + line.slice(cut);
}
