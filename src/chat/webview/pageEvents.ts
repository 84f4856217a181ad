import { takesFindKey } from '../../shared/webview/dom.ts';
import { linkOf } from './markdown/render.ts';

/** What keys and clicks anywhere on the page do. */
interface PageActions {
  openFind(): void;
  /** Moves to the message before or after. */
  step(by: 1 | -1): void;
  /** Closes what is open, otherwise stops the answer. */
  escape(): void;
  openLink(url: string): void;
}

/** How long the editor waits for the second key of a chord, in milliseconds. */
const chordInMs = 5000;

/** Handles the keys that belong to no part of the page, and links in answers. */
export function listenToPage(actions: PageActions): void {
  let chordUntilMs = 0;
  const openLink = (event: Event): void => {
    const url = linkOf(event.target);
    if (url === undefined) return;
    event.preventDefault();
    actions.openLink(url);
  };
  document.addEventListener('click', openLink);
  document.addEventListener('keydown', (event) => {
    const { key, code, altKey, ctrlKey, metaKey, shiftKey, timeStamp } = event;
    // The second key of the editor's chords, which begin with Ctrl+Alt+J, is not typed: the editor also handles the keys of a webview.
    if (!/^(?:Alt|Control|Meta|Shift)/.test(key)) {
      if (timeStamp < chordUntilMs) event.preventDefault();
      chordUntilMs = code === 'KeyJ' && altKey && (ctrlKey || metaKey) ? timeStamp + chordInMs : 0;
    }
    if (takesFindKey(event)) actions.openFind();
    const by = { ArrowUp: -1 as const, ArrowDown: 1 as const }[key];
    if (by && altKey && !shiftKey && !ctrlKey && !metaKey) {
      event.preventDefault();
      actions.step(by);
    }
    // In an open list, Escape only closes the list.
    if (key === 'Escape' && !event.isComposing && document.activeElement?.tagName !== 'OPTION') actions.escape();
    if (key === 'Enter' || key === ' ') openLink(event);
  });
}
