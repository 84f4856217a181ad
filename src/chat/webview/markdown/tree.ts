import { externalLink } from '../../externalLink.ts';
import type { Token } from './parser.ts';

const simpleTags = {
  paragraph_open: 'p',
  bullet_list_open: 'ul',
  ordered_list_open: 'ol',
  list_item_open: 'li',
  blockquote_open: 'blockquote',
  table_open: 'table',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
  th_open: 'th',
  td_open: 'td',
  em_open: 'em',
  strong_open: 'strong',
  s_open: 's',
} as const;

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** The only elements that a model's text can become; the sanitizer allows the same. */
export const allowedTags = [
  ...Object.values(simpleTags),
  ...headings,
  ...(['hr', 'br', 'code', 'a', 'span', 'div'] as const),
];

type AllowedTag = (typeof allowedTags)[number];

/** Our own marker classes, never from the model. */
export const marks = ['image', 'scroll', 'scroll rows', 'task', 'task done'] as const;
export const alignments = ['left', 'center', 'right'] as const;

export interface ElementNode {
  readonly kind: 'element';
  readonly tag: AllowedTag;
  /** The link's validated URL. */
  readonly link?: string;
  /** First number of an ordered list. */
  start?: number;
  align?: (typeof alignments)[number];
  /** Column header for a table cell, shown in views too narrow for columns. */
  label?: string;
  mark?: (typeof marks)[number];
  readonly children: MarkdownNode[];
}

export interface CodeNode {
  readonly kind: 'code';
  readonly language: string;
  readonly text: string;
}

export type MarkdownNode = ElementNode | CodeNode | string;

/**
 * Converts Markdown tokens to a tree of allowed elements and text. Anything else (raw HTML, an unknown token) becomes text; an image
 * becomes a link to it, and a link that may not be opened becomes its text.
 */
export function toTree(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const stack: MarkdownNode[][] = [root];
  const add = (node: MarkdownNode): void => void stack.at(-1)?.push(node);
  const columns = new Columns();
  let isItemStart = false;
  for (const token of tokens) {
    columns.pass(token);
    if (token.type === 'list_item_open') isItemStart = true;
    if (token.nesting === -1) {
      if (stack.length > 1) stack.pop();
    } else if (token.nesting === 1) {
      const element = openElement(token);
      if (!element) stack.push(stack.at(-1) ?? root); // Transparent: its children take its place.
      else {
        // A wide table scrolls in its own frame.
        add(element.tag === 'table' ? columns.frame(element) : element);
        if (element.tag === 'td') columns.label(element);
        stack.push(element.children);
      }
    } else if (token.type === 'inline') {
      const nodes = toTree(token.children ?? []);
      for (const node of isItemStart ? withTask(nodes) : nodes) add(node);
      isItemStart = false;
    } else {
      add(leaf(token));
    }
  }
  return root;
}

/** Maximum columns of a table that is shown as rows in a narrow view; wider tables scroll. */
const maxRowColumns = 6;
const maxLabelLength = 100;

/** The column headers of a table, for its cells. */
class Columns {
  #heads: string[] = [];
  #column = 0;
  #isHead = false;
  #frame: ElementNode | undefined;

  /** A wide table scrolls in its own frame. */
  frame(table: ElementNode): ElementNode {
    this.#heads = [];
    this.#frame = { kind: 'element', tag: 'div', mark: 'scroll', children: [table] };
    return this.#frame;
  }

  pass({ type, children }: Token): void {
    if (type === 'tr_open') this.#column = 0;
    if (type === 'th_open') this.#isHead = true;
    if (type === 'inline' && this.#isHead) {
      const head = (children ?? []).map(({ content }) => content).join('');
      this.#heads.push(head.slice(0, maxLabelLength));
    }
    if (type === 'th_close') this.#isHead = false;
    if (type === 'thead_close' && this.#frame && this.#heads.length <= maxRowColumns) this.#frame.mark = 'scroll rows';
  }

  label(cell: ElementNode): void {
    const label = this.#heads[this.#column];
    if (label) cell.label = label;
    this.#column += 1;
  }
}

/** Replaces "[ ] " or "[x] " at the start of an item by a checkbox. */
function withTask(nodes: MarkdownNode[]): MarkdownNode[] {
  const [first, ...rest] = nodes;
  if (typeof first !== 'string') return nodes;
  const box = /^\[([ xX])\] /.exec(first);
  if (!box) return nodes;
  return [
    { kind: 'element', tag: 'span', mark: box[1] === ' ' ? 'task' : 'task done', children: [] },
    first.slice(box[0].length),
    ...rest,
  ];
}

function openElement(token: Token): ElementNode | undefined {
  // A tight list's paragraphs are hidden: their text goes directly into the item.
  if (token.hidden) return undefined;
  if (token.type === 'heading_open') {
    const tag = headings[Number(token.tag.slice(1)) - 1] ?? 'h6';
    return { kind: 'element', tag, children: [] };
  }
  if (token.type === 'link_open') {
    const link = externalLink(attribute(token, 'href'));
    return link === undefined
      ? { kind: 'element', tag: 'span', children: [] }
      : { kind: 'element', tag: 'a', link, children: [] };
  }
  const tag: AllowedTag | undefined = simpleTags[token.type as keyof typeof simpleTags];
  if (!tag) return { kind: 'element', tag: 'span', children: [] };
  const element: ElementNode = { kind: 'element', tag, children: [] };
  if (tag === 'ol') {
    const start = Number(token.attrGet('start') ?? 1);
    if (Number.isSafeInteger(start) && start !== 1) element.start = start;
  }
  if (tag === 'th' || tag === 'td') {
    const style = attribute(token, 'style');
    element.align = alignments.find((align) => style === `text-align:${align}`);
  }
  return element;
}

function leaf(token: Token): MarkdownNode {
  switch (token.type) {
    case 'text':
      return token.content;
    // Models write line breaks on purpose: poems, addresses, "key: value" lines.
    case 'softbreak':
    case 'hardbreak':
      return { kind: 'element', tag: 'br', children: [] };
    case 'hr':
      return { kind: 'element', tag: 'hr', children: [] };
    case 'code_inline':
      return { kind: 'element', tag: 'code', children: [token.content] };
    case 'fence':
      return { kind: 'code', language: languageOf(token.info), text: token.content };
    case 'code_block':
      return { kind: 'code', language: '', text: token.content };
    case 'image':
      return image(token);
    default:
      return token.content;
  }
}

/** Returns a link to the image, which is never loaded and opened only by the user. */
function image(token: Token): MarkdownNode {
  const source = attribute(token, 'src');
  const label = token.content || source;
  const link = externalLink(source);
  return link === undefined
    ? { kind: 'element', tag: 'span', mark: 'image', children: [label] }
    : { kind: 'element', tag: 'a', mark: 'image', link, children: [label] };
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

/** Returns the first word of a fence's info string if it is a plain name. */
export function languageOf(info: string): string {
  return /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? '';
}
