import { parseMarkdown, type Env, type Token } from './parser.ts';
import { languageOf, toTree, type TreeNode } from './tree.ts';

/** What a text that grows does to the blocks on screen. At most one block is open at any time, the last. */
export type BlockChange =
  /** Replaces the open block; a finished one is never touched again. */
  | { type: 'block'; nodes: TreeNode[]; finished: boolean }
  /** The open block becomes a code block that grows by `codeText`. */
  | { type: 'codeStart'; language: string }
  | { type: 'codeText'; text: string }
  | { type: 'codeEnd' };

interface OpenFence {
  marker: string;
  minimumLength: number;
  indent: number;
}

const definition = /^ {0,3}\[[^\]\n]+\]:/m;

/**
 * Markdown that arrives in pieces. Only what follows the last finished block is parsed again, and the inside of a fenced code
 * block is not parsed at all, so a long answer costs little more than its length. The blocks that come out are those of the
 * whole text, however it was cut: a block is finished only when the next one began on a complete line.
 */
export class BlockStream {
  /** The text after the last finished block; inside a fence, after what was handed over. */
  #tail = '';
  #pendingReturn = false;
  #fence: OpenFence | undefined;
  /** Link definitions of finished blocks. */
  #references: NonNullable<Env['references']> = {};

  /** True where links are defined in one place and used in another: only a parse of the whole text gets all of them. */
  get hasDefinitions(): boolean {
    return Object.keys(this.#references).length > 0;
  }

  push(text: string): void {
    // CR and CRLF count as one line end, also where the two arrive apart.
    let joined = this.#pendingReturn ? `\r${text}` : text;
    this.#pendingReturn = joined.endsWith('\r');
    if (this.#pendingReturn) joined = joined.slice(0, -1);
    this.#tail += joined.includes('\r') ? joined.replaceAll(/\r\n?/g, '\n') : joined;
  }

  /** What changed since the last call. */
  take(): BlockChange[] {
    return this.#run(false);
  }

  /** What changes when no more text comes: everything is finished. */
  finish(): BlockChange[] {
    if (this.#pendingReturn) {
      this.#pendingReturn = false;
      this.#tail += '\n';
    }
    return this.#run(true);
  }

  #run(isEnd: boolean): BlockChange[] {
    const changes: BlockChange[] = [];
    // Each turn either leaves a fence, enters one or is the last.
    for (;;) {
      if (this.#fence) {
        if (!this.#readFence(this.#fence, isEnd, changes)) return changes;
      } else if (!this.#readBlocks(isEnd, changes)) {
        return changes;
      }
    }
  }

  /** Parses the tail; true where it ended in a fence whose inside is to be read next. */
  #readBlocks(isEnd: boolean, changes: BlockChange[]): boolean {
    if (this.#tail === '') return false;
    const env: Env = { references: { ...this.#references } };
    const blocks = topLevelBlocks(parseMarkdown(this.#tail, env));
    const lineStarts = startsOfLines(this.#tail);
    const completeLines = lineStarts.length - 1;
    const last = blocks.at(-1);
    const endsInFence = last !== undefined && last.tokens[0]?.type === 'fence' && last.firstLine < completeLines;
    // The first block that more text could still change.
    let open = blocks.length;
    if (!isEnd) {
      open = Math.max(blocks.length - 1, 0);
      while (open > 0 && (blocks[open]?.firstLine ?? 0) >= completeLines) open -= 1;
    }
    if (endsInFence && open >= blocks.length - 1) open = blocks.length - 1;
    const finished = blocks.slice(0, open);
    const rest = blocks.slice(open);
    if (finished.length > 0) changes.push({ type: 'block', nodes: finished.flatMap((block) => toTree(block.tokens)), finished: true });
    const restStart = rest[0] ? (lineStarts[rest[0].firstLine] ?? 0) : isEnd ? this.#tail.length : 0;
    this.#advance(restStart);
    if (endsInFence && rest.length === 1) return this.#enterFence(rest[0]?.tokens[0], changes);
    // Also with nothing in it: what looked like a paragraph may have become the definition of a link.
    changes.push({ type: 'block', nodes: rest.flatMap((block) => toTree(block.tokens)), finished: false });
    return false;
  }

  #advance(length: number): void {
    const done = this.#tail.slice(0, length);
    this.#tail = this.#tail.slice(length);
    if (!definition.test(done)) return;
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
    };
    this.#tail = this.#tail.slice(headerEnd + 1);
    changes.push({ type: 'codeStart', language: languageOf(token.info) });
    return true;
  }

  /** Hands over the lines inside; true where the fence was closed and there may be more behind it. */
  #readFence(fence: OpenFence, isEnd: boolean, changes: BlockChange[]): boolean {
    const closing = new RegExp(`^ {0,3}\\${fence.marker}{${fence.minimumLength},}[ \\t]*$`);
    let text = '';
    let position = 0;
    for (;;) {
      const lineEnd = this.#tail.indexOf('\n', position);
      if (lineEnd < 0 && !isEnd) break;
      const line = this.#tail.slice(position, lineEnd < 0 ? undefined : lineEnd);
      const isLast = lineEnd < 0;
      if (closing.test(line) || isLast) {
        if (!closing.test(line) && line !== '') text += outdent(line, fence.indent);
        if (text !== '') changes.push({ type: 'codeText', text });
        changes.push({ type: 'codeEnd' });
        this.#tail = isLast ? '' : this.#tail.slice(lineEnd + 1);
        this.#fence = undefined;
        return !isLast;
      }
      text += `${outdent(line, fence.indent)}\n`;
      position = lineEnd + 1;
    }
    // A line that is not complete is held back: it may turn out to be the closing one, or lose its indentation.
    this.#tail = this.#tail.slice(position);
    if (text !== '') changes.push({ type: 'codeText', text });
    return false;
  }
}

interface Block {
  firstLine: number;
  tokens: Token[];
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

/** Offsets of the lines; one more than there are line ends. */
function startsOfLines(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The line without the fence's own indentation; a tab reaches to the next multiple of four, and what is left of it stays. */
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
