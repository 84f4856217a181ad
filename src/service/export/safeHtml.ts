import { escapeHtml } from '../../shared/escapeHtml.ts';
import { decodeEntities } from './entityTable.ts';

export interface SafeHtml {
  readonly html: string;
  /** Whether there is nothing to be seen: no text and no picture. */
  readonly isBlank: boolean;
}

/**
 * HTML that a notebook made, rebuilt from a list of what is allowed: nothing of the input is copied unless it is a name
 * of the list, text or an escaped value, and every element that is opened is closed. There is no script, no style, no
 * form, no frame, and nothing that makes a request.
 */
export function safeHtml(html: string): SafeHtml {
  const output: string[] = [];
  const open: string[] = [];
  let isBlank = true;
  // Longer than any table that a person reads; the work stays bounded whatever a notebook prints.
  for (const token of tokens(html.slice(0, maxHtmlLength))) {
    if (token.kind === 'text') {
      output.push(escapeHtml(decodeEntities(token.text)));
      isBlank &&= token.text.trim() === '';
    } else if (token.kind === 'open') {
      const isKept = openElement(token, open, output);
      isBlank &&= !(isKept && token.name === 'img');
    } else closeElement(token.name, open, output);
  }
  for (const name of open.toReversed()) output.push(`</${name}>`);
  return { html: output.join(''), isBlank };
}

const maxHtmlLength = 8 * 1024 * 1024;
const deepest = 100;

const elements = new Set(
  (
    'a abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ' +
    'ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var'
  ).split(' '),
);
const emptyElements = new Set(['br', 'hr', 'img', 'col']);
// Their text is not text of the page.
const droppedWithText = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'iframe',
  'noscript',
  'noembed',
  'noframes',
  'template',
  'xmp',
  'plaintext',
  'object',
  'select',
]);

const numberValue = /^-?\d{1,5}(\.\d{1,4})?%?$/;
const attributes: Record<string, RegExp> = {
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

type Token =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: [string, string][] }
  | { kind: 'close'; name: string };

// Each step goes forward or ends, so that no text takes longer than its length.
function* tokens(html: string): Generator<Token> {
  const lowered = html.toLowerCase();
  const beginning = /<[a-z/!?]/gi;
  let position = 0;
  while (position < html.length) {
    beginning.lastIndex = position;
    const start = beginning.exec(html)?.index ?? html.length;
    if (start > position) yield { kind: 'text', text: html.slice(position, start) };
    if (start === html.length) return;
    const match = /^<(\/?)([a-zA-Z][a-zA-Z0-9:-]*)/.exec(html.slice(start, start + 64));
    if (!match) {
      const isMarkup = html[start + 1] === '!' || html[start + 1] === '?';
      if (!isMarkup) yield { kind: 'text', text: '<' };
      position = isMarkup ? after(html, html.startsWith('<!--', start) ? '-->' : '>', start) : start + 1;
      continue;
    }
    const [begun, slash, written = ''] = match;
    const name = written.toLowerCase();
    const end = endOfTag(html, start + begun.length);
    if (end === html.length) return;
    if (slash) yield { kind: 'close', name };
    else if (!droppedWithText.has(name))
      yield { kind: 'open', name, attributes: attributesOf(html.slice(start + begun.length, end)) };
    position = end + 1;
    if (!slash && droppedWithText.has(name)) {
      const close = lowered.indexOf(`</${name}`, position);
      position = close < 0 ? html.length : after(html, '>', close);
    }
  }
}

function after(html: string, what: string, from: number): number {
  const index = html.indexOf(what, from);
  return index < 0 ? html.length : index + what.length;
}

/** Where the tag's closing bracket is, outside of quotes; the end of the text if there is none. */
function endOfTag(html: string, from: number): number {
  for (let position = from; position < html.length; position += 1) {
    const character = html[position];
    if (character === '>') return position;
    if (character !== '"' && character !== "'") continue;
    const close = html.indexOf(character, position + 1);
    if (close < 0) return html.length;
    position = close;
  }
  return html.length;
}

function attributesOf(text: string): [string, string][] {
  const found: [string, string][] = [];
  for (const [, name = '', quoted, singly, bare] of text.matchAll(
    /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>]+)))?/g,
  ))
    found.push([name.toLowerCase(), decodeEntities(quoted ?? singly ?? bare ?? '')]);
  return found;
}

/** @returns whether the element is one that may be there */
function openElement(token: Extract<Token, { kind: 'open' }>, open: string[], output: string[]): boolean {
  if (!elements.has(token.name) || open.length >= deepest) return false;
  const kept = new Map<string, string>();
  for (const [name, value] of token.attributes) {
    if (!kept.has(name) && Object.hasOwn(attributes, name) && attributes[name]?.test(value)) kept.set(name, value);
  }
  if (token.name === 'img' ? !kept.has('src') : kept.has('src')) return false;
  if (token.name !== 'a') kept.delete('href');
  else if (kept.has('href')) kept.set('rel', 'noreferrer noopener');
  output.push(`<${token.name}${[...kept].map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join('')}>`);
  if (!emptyElements.has(token.name)) open.push(token.name);
  return true;
}

function closeElement(name: string, open: string[], output: string[]): void {
  if (!open.includes(name)) return;
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    output.push(`</${last}>`);
    if (last === name) return;
  }
}
