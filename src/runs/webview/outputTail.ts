import { l10n } from '../../shared/l10n.ts';
import { sizeText } from '../../shared/text.ts';
import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import { styledParts, type StyledText } from '../output/ansi.ts';
import { OutputLines } from '../output/outputLines.ts';

/** More lines than a page shows. */
const maxLines = 80;

/**
 * The newest lines of an output that arrives faster than it is read. They stand below the lines that were read, and go once the gap is
 * closed.
 */
export class OutputTail {
  readonly element = h('div', { class: 'tail' });
  readonly #missing = h('p', { class: 'quiet missing' });
  readonly #lines = h('div', { class: 'tail-lines' });
  readonly #span: (part: StyledText) => Node;

  constructor(span: (part: StyledText) => Node) {
    this.#span = span;
    this.element.append(this.#missing, this.#lines);
    this.element.hidden = true;
  }

  show(text: string, missingBytes: number): void {
    setHidden(this.element, text === '');
    setText(this.#missing, l10n.t('{0} between these lines are still being read.', sizeText(missingBytes)));
    const lines = new OutputLines();
    lines.append(text);
    const drawn: HTMLElement[] = [];
    for (let line = Math.max(0, lines.count - maxLines); line < lines.count; line += 1)
      drawn.push(h('div', {}, ...styledParts(lines.line(line), lines.styleAt(line)).parts.map(this.#span)));
    this.#lines.replaceChildren(...drawn);
  }
}
