import { externalLink } from '../../externalLink.ts';
import { strings } from '../strings.ts';
import { alignments, allowedTags, type CodeNode, type ElementNode, type MarkdownNode, marks } from './tree.ts';

/**
 * Renders the tree as DOM, element by element, and sanitizes it. A link has no `href`: the page cannot navigate, and the host opens the URL
 * after a confirmation. `codeBlock` creates the element for fenced code, which is our own and inserted after sanitizing.
 */
export function render(nodes: readonly MarkdownNode[], codeBlock: (node: CodeNode) => HTMLElement): DocumentFragment {
  const { fragment, places } = build(nodes);
  sanitize(fragment);
  for (const { place, node } of places) place.replaceWith(codeBlock(node));
  return fragment;
}

/** Placeholder for a code block. */
interface Place {
  readonly place: HTMLElement;
  readonly node: CodeNode;
}

/** Builds the tree as unsanitized DOM, with an empty placeholder for each code block. */
export function build(nodes: readonly MarkdownNode[]): { fragment: DocumentFragment; places: Place[] } {
  const fragment = document.createDocumentFragment();
  const places: Place[] = [];
  fragment.append(...nodes.map((node) => toDom(node, places)));
  return { fragment, places };
}

function toDom(node: MarkdownNode, blocks: Place[]): Node {
  if (typeof node === 'string') return document.createTextNode(node);
  if (node.kind === 'code') {
    const place = document.createElement('div');
    blocks.push({ place, node });
    return place;
  }
  const element = document.createElement(node.tag);
  addAttributes(element, node);
  element.append(...node.children.map((child) => toDom(child, blocks)));
  return element;
}

function addAttributes(element: HTMLElement, node: ElementNode): void {
  if (node.link !== undefined) {
    element.setAttribute('data-link', node.link);
    element.setAttribute('role', 'link');
    element.setAttribute('tabindex', '0');
    element.title = strings.linkTitle(node.link);
  }
  if (node.start !== undefined) element.setAttribute('start', String(node.start));
  if (node.align) element.className = `align-${node.align}`;
  if (node.mark) element.className = node.mark;
  if (node.mark === 'scroll' || node.mark === 'scroll rows') element.setAttribute('tabindex', '0');
  if (node.label !== undefined) element.setAttribute('data-label', node.label);
  if (node.mark === 'task' || node.mark === 'task done') {
    element.setAttribute('role', 'img');
    element.setAttribute('aria-label', node.mark === 'task' ? strings.taskOpen : strings.taskDone);
  }
}

/** Returns the URL of the link that was clicked or has the focus, read from the element. */
export function linkOf(target: EventTarget | null): string | undefined {
  const link = target instanceof Element ? target.closest('a[data-link]') : null;
  return link?.getAttribute('data-link') ?? undefined;
}

const tags: ReadonlySet<string> = new Set(allowedTags);
const htmlNamespace = 'http://www.w3.org/1999/xhtml';
const classes: ReadonlySet<string> = new Set(['', ...marks, ...alignments.map((align) => `align-${align}`)]);

/**
 * Removes all elements and attributes that are not allowed, as a second safeguard behind the renderer, so that a bug there cannot run code.
 * An element that is not allowed is replaced by its text; afterwards nothing has `href`, `src`, `style` or a handler.
 */
export function sanitize(root: ParentNode): void {
  for (const child of [...root.childNodes]) {
    if (child.nodeType === Node.TEXT_NODE) continue;
    if (!(child instanceof HTMLElement) || child.namespaceURI !== htmlNamespace || !tags.has(child.localName)) {
      child.replaceWith(document.createTextNode(child.nodeType === Node.ELEMENT_NODE ? (child.textContent ?? '') : ''));
      continue;
    }
    for (const attribute of [...child.attributes]) {
      if (!isAllowed(child.localName, attribute.name, attribute.value)) child.removeAttributeNode(attribute);
    }
    sanitize(child);
  }
}

function isAllowed(tag: string, name: string, value: string): boolean {
  switch (name) {
    case 'class':
      return classes.has(value);
    case 'data-link':
      return tag === 'a' && externalLink(value) !== undefined;
    case 'data-label':
      return tag === 'td';
    case 'aria-label':
      return tag === 'span' && (value === strings.taskOpen || value === strings.taskDone);
    case 'title':
    case 'tabindex':
    case 'role':
      if (name === 'role' && tag === 'span') return value === 'img';
      return tag === 'a' || (tag === 'div' && name === 'tabindex');
    case 'start':
      return tag === 'ol' && /^\d{1,9}$/.test(value);
    default:
      return false;
  }
}
