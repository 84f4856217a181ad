import { externalLink } from '../../externalLink.ts';
import { strings } from '../strings.ts';
import { allowedTags } from './tree.ts';

const tags: ReadonlySet<string> = new Set(allowedTags);
const htmlNamespace = 'http://www.w3.org/1999/xhtml';
const classes: ReadonlySet<string> = new Set([
  'image',
  'scroll',
  'scroll rows',
  'task',
  'task done',
  'align-left',
  'align-center',
  'align-right',
  '',
]);

/**
 * The second wall behind the renderer: goes through what was built and leaves only allowed elements and attributes, so that
 * a fault in the renderer does not become code. What is not allowed is replaced by its text; nothing has `href`, `src`,
 * `style` or a handler afterwards.
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
