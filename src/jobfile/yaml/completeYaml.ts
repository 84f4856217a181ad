import {
  Composer,
  Lexer,
  Parser,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type CST,
  type Document,
  type ParsedNode,
  type Scalar,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { l10n } from '../../shared/l10n.ts';
import { Anchors } from './anchors.ts';
import {
  unreadFrom,
  resolved,
  type Problem,
  type AliasNode,
  type KeyNode,
  type MapEntry,
  type ScalarNode,
  type ScalarValue,
  type YamlNode,
} from './jobDocument.ts';
import { maxDigits } from './plainScalar.ts';
import {
  continuedLine,
  isUnclosedBracket,
  isUnclosedQuote,
  syntaxMessage,
  openingQuote,
  unclosedBracket,
} from './syntaxErrors.ts';

/** Deeper than any job file, and shallow enough that the library's recursion cannot exhaust the stack. */
const maxDepth = 100;

/**
 * Maximum cost of a text, in tokens; costlier texts are not parsed. About 1,500 lines that the fast reader cannot read, and some 50 ms for
 * texts made to be slow. Tokens in flow collections cost the library several times as much.
 */
const maxCost = 20_000;
const flowCost = 4;
const escapeCost = 2;
/** How many characters of a long text cost as much as a token. */
const charactersPerToken = 16;

/** The cost that the remaining parts of one text may use. */
export interface Budget {
  cost: number;
}

export function newBudget(): Budget {
  return { cost: maxCost };
}

/** Returns a budget for one more attempt with another reader. */
export function refill(budget: Budget): Budget {
  budget.cost = Math.max(budget.cost, maxCost * 0.75);
  return budget;
}

export interface CompleteResult {
  readonly root: YamlNode | null;
  /** At most one problem: anything after a syntax error is guesswork. */
  readonly problems: readonly Problem[];
}

/**
 * Parses any YAML with the full library, from offset `from` to `to` of a text; the anchors before `from` are known. Integers stay exact.
 * Never throws or recurses without a limit, and its cost grows only with the length of the text.
 */
export function parseComplete(
  text: string,
  from = 0,
  to = text.length,
  budget: Budget = newBudget(),
  anchors = new Anchors(),
): CompleteResult {
  const source = from === 0 && to === text.length ? text : text.slice(from, to);
  const tokens = readTokens(source, budget);
  if (!Array.isArray(tokens))
    return {
      root: null,
      problems: [tokens.tooDeep ? tooDeep(from + tokens.stoppedAt) : tooLarge(from + tokens.stoppedAt)],
    };
  const documents = compose(tokens, source.length);
  const document = documents[0];
  if (!document) return { root: null, problems: [] };
  const problems = syntaxProblems(document, tokens, source, from);
  if (documents.length > 1 && problems.length === 0) {
    const at = from + (documents[1]?.range[0] ?? 0);
    problems.push({
      code: 'syntax',
      message: syntaxMessage({ code: 'MULTIPLE_DOCS', message: '' }),
      start: at,
      end: Math.min(at + 3, to),
      severity: 'error',
    });
  }
  const converter = new Converter(source, from, anchors);
  const root = document.contents === null ? null : converter.node(document.contents as ParsedNode, 0);
  return {
    root: root?.kind === 'scalar' && root.style === 'empty' ? null : root,
    problems: problems.length > 0 ? problems : converter.problems.slice(0, 1),
  };
}

function readTokens(source: string, budget: Budget): CST.Token[] | { stoppedAt: number; tooDeep: boolean } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(source)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    const tooDeep = parser.stack.length > maxDepth;
    budget.cost -= parser.stack[parser.stack.length - 1]?.type === 'flow-collection' ? flowCost : 1;
    if (lexeme.length > 1000) budget.cost -= lexeme.length / charactersPerToken;
    if (lexeme.startsWith('"') && lexeme.includes('\\')) budget.cost -= escapeCost * (lexeme.split('\\').length - 1);
    if (tooDeep || budget.cost < 0)
      return { stoppedAt: Math.max(0, Math.min(parser.offset, source.length - 1)), tooDeep };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Returns the first two documents: a second one is already an error. */
function compose(tokens: readonly CST.Token[], length: number): Document.Parsed[] {
  // Pretty errors and the library's own duplicate key check take seconds on large files.
  const composer = new Composer({
    version: '1.2',
    intAsBigInt: true,
    uniqueKeys: false,
    prettyErrors: false,
    strict: true,
    logLevel: 'silent',
    // Tags such as !!omap and !!set produce values that no job has.
    resolveKnownTags: false,
    customTags: (tags) => tags.map((tag) => (isIntegerTag(tag) ? shortInteger(tag) : tag)),
  });
  const documents: Document.Parsed[] = [];
  // The library creates an Error with a stack trace for each syntax error, which is most of the cost of a broken text.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const document of composer.compose(tokens, true, length)) {
      documents.push(document);
      if (documents.length === 2) break;
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return documents;
}

function isIntegerTag(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.tag === 'tag:yaml.org,2002:int';
}

/** Returns the tag limited to short integers: the cost of parsing one grows faster than its length. */
function shortInteger(tag: ScalarTag): ScalarTag {
  return { ...tag, resolve: (source, ...rest) => (source.length > maxDigits ? source : tag.resolve(source, ...rest)) };
}

function tooLarge(at: number): Problem {
  const message = l10n.t(
    'The file is too large to be read unless it is plain YAML, and it has something else: an error, an anchor, a tag or a multi-line text. The rest was not checked. Shorten it, or check the last change.',
  );
  return unreadFrom(at, 'tooLarge', message);
}

function tooDeep(at: number): Problem {
  const message = l10n.t(
    'The file is nested deeper than {0} levels, which no job is. The rest was not checked. Remove the nesting.',
    maxDepth,
  );
  return unreadFrom(at, 'tooDeep', message);
}

function syntaxProblems(
  document: Document.Parsed,
  tokens: readonly CST.Token[],
  source: string,
  from: number,
): Problem[] {
  // An unknown tag would be dropped and its value sent as something else.
  const error = document.errors[0] ?? document.warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (!error) return [];
  const problem = (start: number, end: number, message = syntaxMessage(error)): Problem[] => [
    { code: 'syntax', message, start: from + start, end: from + end, severity: 'error' },
  ];
  const conflict = conflictMark.exec(source);
  if (conflict) {
    const message = l10n.t('This is a merge conflict. Keep one side, and remove the lines with <, = and >.');
    return problem(conflict.index, conflict.index + conflict[0].length, message);
  }
  const opening = isUnclosedBracket(error)
    ? unclosedBracket(tokens)
    : isUnclosedQuote(error)
      ? openingQuote(tokens, error.pos[0])
      : undefined;
  if (opening !== undefined) return problem(opening, opening + 1);
  // The library reports text after a scalar as text outside the mapping.
  const isComma =
    error.code === 'UNEXPECTED_TOKEN' && error.message.endsWith('-quoted-scalar token') && isJson.test(source);
  const words = isComma ? syntaxMessage({ code: 'MISSING_CHAR', message: 'Missing ,' }) : undefined;
  if (error.message.endsWith('scalar at node end') && /['"][ \t]*$/.test(source.slice(0, error.pos[0]))) {
    const message = l10n.t(
      'This follows the closing quote of a text. Double each quote inside of the text, or use the other kind of quotes around it.',
    );
    return problem(...visibleRange(source, error.pos[0], error.pos[1]), message);
  }
  const line = error.code === 'BLOCK_AS_IMPLICIT_KEY' ? continuedLine(source, error.pos[0]) : undefined;
  if (line) return problem(line.start, line.end, line.message);
  return problem(
    ...visibleRange(source, error.pos[0], error.code === 'BAD_DQ_ESCAPE' ? error.pos[0] + 2 : error.pos[1]),
    words,
  );
}

/** The markers that Git leaves around a merge conflict. */
const conflictMark = /^(?:<{7}|={7}|>{7})(?= |$)/m;
const isJson = /^\s*\{/;

/** Returns a range on one line with at least one character, so that there is something to underline. */
function visibleRange(source: string, start: number, end: number): [number, number] {
  let first = Math.min(Math.max(start, 0), source.length);
  if (first === source.length || source[first] === '\n') {
    while (first > 0 && /\s/.test(source[first - 1] ?? '')) first--;
    first = Math.max(0, first - 1);
  }
  // Marking the misplaced text is clearer than marking the space before it.
  const text = /^[ ]+(?=[^\s])/.exec(source.slice(first, first + 1000))?.[0].length ?? 0;
  if (text > 0 && source.slice(source.lastIndexOf('\n', first) + 1, first).trim() === '')
    return wordAt(source, first + text);
  const lineEnd = source.indexOf('\n', first);
  const last = Math.min(Math.max(end, first + 1), lineEnd < 0 ? source.length : lineEnd);
  return [first, Math.max(last, first + 1)];
}

/** Returns the range of the key or word that starts here. */
function wordAt(source: string, start: number): [number, number] {
  const word = /^[^\s:]+/.exec(source.slice(start, start + 1000))?.[0].length ?? 1;
  return [start, start + word];
}

class Converter {
  readonly problems: Problem[] = [];
  readonly #source: string;
  readonly #from: number;
  readonly #anchors: Anchors;

  constructor(source: string, from: number, anchors: Anchors) {
    this.#source = source;
    this.#from = from;
    this.#anchors = anchors;
  }

  node(node: ParsedNode, emptyStart: number): YamlNode {
    const converted = this.#convert(node, emptyStart);
    // Set only when the node is complete, so that no alias ever contains itself.
    this.#anchor(node, converted);
    return converted;
  }

  #anchor(node: ParsedNode, converted: YamlNode): void {
    if (!isAlias(node) && node.anchor !== undefined && node.anchor !== '') this.#anchors.set(node.anchor, converted);
  }

  #convert(node: ParsedNode, emptyStart: number): YamlNode {
    const from = this.#from;
    const [start, end] = node.range;
    if (isAlias(node)) return this.#alias(node);
    if (isMap(node)) {
      const entries = node.items.map((pair) => this.#entry(pair.key as ParsedNode, pair.value as ParsedNode | null));
      const flow = node.flow === true;
      const [first, last] = [entries[0], entries[entries.length - 1]];
      return {
        kind: 'map',
        start: flow || !first ? from + start : first.key.start,
        end: flow || !last ? from + end : last.value.end,
        flow,
        entries,
      };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.node(item as ParsedNode, this.#afterDash(item as ParsedNode)));
      const flow = node.flow === true;
      return {
        kind: 'seq',
        start: from + start,
        end: flow ? from + end : (items[items.length - 1]?.end ?? from + end),
        flow,
        items,
      };
    }
    if (isScalar(node)) return this.#scalar(node, emptyStart);
    return { kind: 'scalar', start: from + emptyStart, end: from + emptyStart, value: null, style: 'empty' };
  }

  #alias({ source: name, range: [start, end] }: Alias.Parsed): AliasNode {
    const place = { start: this.#from + start, end: this.#from + end };
    const target = this.#anchors.get(name);
    if (!target && !this.#anchors.mayBeLost(name)) {
      this.problems.push({
        code: 'syntax',
        message: l10n.t('There is no anchor &{0} before this alias. Add it, or quote the text.', name),
        ...place,
        severity: 'error',
      });
    }
    return { kind: 'alias', ...place, name, target };
  }

  /** Returns the offset of an empty list item: after its dash. */
  #afterDash(item: ParsedNode): number {
    const dash = this.#source.lastIndexOf('-', item.range[0]);
    return dash >= 0 ? dash + 1 : item.range[0];
  }

  #entry(key: ParsedNode | null, value: ParsedNode | null): MapEntry {
    const keyNode = this.#key(key);
    const keyEnd = keyNode.end - this.#from;
    const colon = /^[ \t]*:/.exec(this.#source.slice(keyEnd, keyEnd + 1000));
    const emptyStart = keyEnd + (colon?.[0].length ?? 0);
    if (value === null)
      return {
        key: keyNode,
        value: {
          kind: 'scalar',
          start: this.#from + emptyStart,
          end: this.#from + emptyStart,
          value: null,
          style: 'empty',
        },
      };
    return { key: keyNode, value: this.node(value, emptyStart) };
  }

  #key(key: ParsedNode | null): KeyNode {
    const [start, end] = key === null ? [0, 0] : key.range;
    const place = { start: this.#from + start, end: this.#from + end };
    if (isScalar(key)) {
      this.#anchor(key, this.#scalar(key, start));
      return { ...place, name: key.type === 'PLAIN' ? (key.source ?? '') : String(key.value) };
    }
    if (isAlias(key)) {
      const target = resolved(this.#alias(key));
      if (!target) return { ...place, name: '' };
      if (target.kind === 'scalar') return { ...place, name: String(target.value) };
    }
    this.problems.push({
      code: 'syntax',
      message: l10n.t('A key must be a text. Write a name before the colon.'),
      ...place,
      end: Math.max(place.end, place.start + 1),
      severity: 'error',
    });
    return { ...place, name: '' };
  }

  #scalar(node: Scalar.Parsed, emptyStart: number): ScalarNode {
    const [start, end] = node.range;
    const value = exactValue(node.value);
    switch (node.type) {
      case 'BLOCK_FOLDED':
      case 'BLOCK_LITERAL': {
        const visible = this.#source.slice(start, end).replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '').length;
        return { kind: 'scalar', start: this.#from + start, end: this.#from + start + visible, value, style: 'block' };
      }
      case 'QUOTE_DOUBLE':
        return { kind: 'scalar', start: this.#from + start, end: this.#from + end, value, style: 'double' };
      case 'QUOTE_SINGLE':
        return { kind: 'scalar', start: this.#from + start, end: this.#from + end, value, style: 'single' };
      default: {
        const at = this.#from + emptyStart;
        if (start === end)
          return { kind: 'scalar', start: at, end: at, value: value === '' ? null : value, style: 'empty' };
        return { kind: 'scalar', start: this.#from + start, end: this.#from + end, value, style: 'plain' };
      }
    }
  }
}

function exactValue(value: unknown): ScalarValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : String(value as object);
}
