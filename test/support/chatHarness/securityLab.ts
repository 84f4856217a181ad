/** Runs in a browser: each wall against script in a model's text, alone. Bundled as the global `lab`. */
import { MarkdownView } from '../../../src/chat/webview/markdown/markdownView.ts';
import { parseMarkdown } from '../../../src/chat/webview/markdown/parser.ts';
import { build, sanitize } from '../../../src/chat/webview/markdown/render.ts';
import { toTree } from '../../../src/chat/webview/markdown/tree.ts';

const nothing = () => undefined;
const noActions = { copy: nothing, insert: nothing, newFile: nothing, apply: nothing };

function place(): HTMLElement {
  const element = document.createElement('div');
  document.body.append(element);
  return element;
}

/** The renderer without sanitizer. */
export function renderOnly(payloads: readonly string[]): void {
  for (const payload of payloads) place().append(build(toTree(parseMarkdown(payload))).fragment);
}

/** The sanitizer on what a browser makes of the payload as HTML. */
export function sanitizeOnly(payloads: readonly string[]): void {
  for (const payload of payloads) {
    const parsed = new DOMParser().parseFromString(`<body>${payload}</body>`, 'text/html');
    // In the inert document: an image starts to load as soon as it belongs to this one.
    sanitize(parsed.head);
    sanitize(parsed.body);
    place().append(...parsed.head.childNodes, ...parsed.body.childNodes);
  }
}

/** No wall at all: only the page's policy is left, if it has one. */
export function insertRaw(payloads: readonly string[]): void {
  for (const payload of payloads) place().innerHTML = payload;
}

/** The whole view, each payload cut in two at every place, with a drawing between. */
export function streamSplit(payloads: readonly string[]): number {
  const target = place();
  let count = 0;
  for (const payload of payloads) {
    for (let at = 1; at < payload.length; at += 1) {
      const view = new MarkdownView(noActions);
      target.replaceChildren(view.element);
      view.update(payload.slice(0, at), false);
      view.update(payload, false);
      view.update(payload, true);
      count += 1;
    }
  }
  return count;
}

/** Everything a user could press. */
export function pressEverything(): void {
  for (const element of [
    ...document.querySelectorAll<HTMLElement>('a, button, input, form, summary, [tabindex], area'),
  ]) {
    element.focus?.();
    element.click?.();
    element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
  }
}
