import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { escapeHtml } from '../../shared/text.ts';

export interface SafeHtml {
  readonly html: string;
  /** Whether there is nothing to see: no text and no image. */
  readonly isBlank: boolean;
}

/**
 * Rebuilds HTML that a notebook printed from an allow-list: the result holds only listed elements and attributes, text and escaped
 * values. It has no scripts, styles, forms or frames, and nothing in it makes a request.
 */
export function safeHtml(html: string): SafeHtml {
  const output: string[] = [];
  const state = { output, isBlank: true };
  for (const node of parseFragment(html.slice(0, maxHtmlLength)).childNodes) write(node, 0, state);
  return { html: output.join(''), isBlank: state.isBlank };
}

/** Longer than any table that a person reads; bounds the work. */
const maxHtmlLength = 8 * 1024 * 1024;
/** Elements nested deeper than this are dropped. */
const maxDepth = 100;

const allowedElements = new Set(
  (
    'a abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ' +
    'ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var'
  ).split(' '),
);
const voidElements = new Set(['br', 'hr', 'img', 'col']);
/** Elements whose text does not belong to the page. */
const droppedWithText = new Set(
  'script style title textarea iframe noscript noembed noframes template xmp plaintext object select'.split(' '),
);

const numberValue = /^-?\d{1,5}(\.\d{1,4})?%?$/;
const allowedAttributes: Readonly<Record<string, RegExp>> = {
  align: /^(left|right|center|justify)$/i,
  alt: /^[^]{0,1000}$/,
  colspan: numberValue,
  height: numberValue,
  href: /^(https?:\/\/|mailto:)[^\s]+$/i,
  open: /^[^]{0,10}$/,
  rowspan: numberValue,
  scope: /^(col|row|colgroup|rowgroup)$/i,
  src: /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]+$/,
  start: numberValue,
  title: /^[^]{0,1000}$/,
  valign: /^(top|middle|bottom|baseline)$/i,
  width: numberValue,
};

function write(node: DefaultTreeAdapterTypes.ChildNode, depth: number, state: { output: string[]; isBlank: boolean }) {
  if (tree.isTextNode(node)) {
    state.output.push(escapeHtml(node.value));
    state.isBlank &&= node.value.trim() === '';
    return;
  }
  if (!tree.isElementNode(node) || depth >= maxDepth || droppedWithText.has(node.tagName)) return;
  const name = node.tagName;
  const opening = openingTag(node);
  if (opening !== undefined) state.output.push(opening);
  if (opening !== undefined && name === 'img') state.isBlank = false;
  for (const child of node.childNodes) write(child, depth + 1, state);
  if (opening !== undefined && !voidElements.has(name)) state.output.push(`</${name}>`);
}

/** @returns `undefined` if the element is not allowed; its children may still be. */
function openingTag({ tagName, attrs }: DefaultTreeAdapterTypes.Element): string | undefined {
  if (!allowedElements.has(tagName)) return undefined;
  const kept = new Map<string, string>();
  for (const { name, value } of attrs)
    if (Object.hasOwn(allowedAttributes, name) && allowedAttributes[name]?.test(value)) kept.set(name, value);
  if (tagName === 'img' && !kept.has('src')) return undefined;
  if (tagName !== 'img') kept.delete('src');
  if (tagName !== 'a') kept.delete('href');
  else if (kept.has('href')) kept.set('rel', 'noreferrer noopener');
  return `<${tagName}${[...kept].map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join('')}>`;
}
