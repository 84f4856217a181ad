import { shortened } from '../../shared/text.ts';
import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import type { Answer } from '../conversation.ts';
import type { PlaygroundTask } from '../conversationEvent.ts';
import { completionCount, resultText } from '../playground.ts';
import { copyButton } from './icons.ts';
import { formatCount } from './shortTexts.ts';
import { strings } from './strings.ts';

/** Maximum results shown at once; more are added on request. */
const shownAtOnce = 100;
/** Maximum characters of an input used as the label of its result; the whole text is shown above. */
const maxNameLength = 200;
/** Maximum vectors whose similarities are shown as a table; of more, the nearest can be shown. */
const maxTable = 20;

interface Result {
  readonly element: HTMLElement;
  /** Element that shows the received text, up to this length. */
  readonly text: HTMLElement;
  length: number;
  readonly note: HTMLElement;
}

/** Shows the results of a playground request: completions as plain text, or vectors with the nearest neighbor of each. */
export class ResultsView {
  readonly element = h('div', { class: 'results' });
  readonly #task: PlaygroundTask;
  readonly #copy: (text: string) => void;
  readonly #list = h('div', { class: 'result-list', role: 'list' });
  readonly #rest: HTMLButtonElement;
  readonly #head = h('div', { class: 'results-head' });
  readonly #sorting = h('span', { role: 'status' });
  #answer: Answer | undefined;
  #inputs: readonly string[] = [];
  #results: Result[] = [];
  #vectors: readonly number[][] = [];
  #shown = shownAtOnce;
  readonly #similarities = h('div', {
    class: 'similarities',
    role: 'region',
    label: strings.similarities,
    attributes: { tabindex: '0' },
  });

  constructor(task: PlaygroundTask, copy: (text: string) => void) {
    [this.#task, this.#copy] = [task, copy];
    this.#list.setAttribute('aria-label', task === 'embedding' ? strings.texts : strings.prompts);
    this.#rest = h('button', {
      class: 'link-button',
      onClick: () => {
        this.#shown += 10 * shownAtOnce;
        this.#draw();
      },
    });
    if (task === 'embedding')
      this.#head.append(
        h(
          'button',
          { class: 'link-button', onClick: () => this.#answer && copy(resultText(task, this.#answer)) },
          strings.copyVectors,
        ),
        this.#sorting,
      );
    setHidden(this.#similarities, true);
    this.element.append(this.#head, this.#similarities, this.#list, this.#rest);
  }

  update(answer: Answer, inputs: readonly string[]): void {
    this.#answer = answer;
    this.#inputs = inputs;
    this.#draw();
  }

  #draw(): void {
    const { choices, parameters } = this.#answer ?? { choices: [] };
    const isVectors = this.#task === 'embedding';
    if (isVectors && this.#vectors.length !== choices.length) {
      this.#vectors = choices.map(({ text }) => JSON.parse(text) as number[]);
      this.#drawSimilarities();
    }
    setHidden(this.#head, choices.length === 0);
    const copies = completionCount(parameters);
    for (const [position, { choice, text, finishReason = '' }] of choices.slice(0, this.#shown).entries()) {
      let result = this.#results[position];
      if (!result) {
        const input = this.#nameOf(Math.floor(choice / copies));
        result = isVectors ? this.#vectorRow(position, input) : this.#completion(choice, copies, input);
        this.#results.push(result);
        this.#list.append(result.element);
      }
      if (isVectors) continue;
      if (text.length > result.length) result.text.append(text.slice(result.length));
      result.length = text.length;
      setText(result.note, finishReason === 'stop' ? '' : finishReason);
    }
    // A single completion needs no heading.
    this.#list.classList.toggle('single', !isVectors && choices.length < 2);
    setHidden(this.#rest, choices.length <= this.#shown);
    setText(this.#rest, strings.jsonRest(choices.length - this.#shown));
  }

  #nameOf(position: number): string {
    return shortened(this.#inputs[position] ?? '', maxNameLength);
  }

  #completion(choice: number, copies: number, input: string): Result {
    const text = h('div', { class: 'plain' });
    const note = h('span', { class: 'result-note' });
    const title = [
      ...(this.#inputs.length > 1 ? [strings.promptNumber(Math.floor(choice / copies) + 1)] : []),
      ...(copies > 1 ? [strings.choiceOf((choice % copies) + 1, copies)] : []),
    ].join(', ');
    const head = h(
      'div',
      { class: 'result-head' },
      h('span', { class: 'result-title', title: input }, title),
      h('span', { class: 'result-input' }, input),
      note,
      copyButton(strings.copy, () => this.#copy(text.textContent)),
    );
    return { element: h('div', { class: 'result', role: 'listitem' }, head, text), text, length: 0, note };
  }

  #vectorRow(position: number, input: string): Result {
    const vector = this.#vectors[position] ?? [];
    const note = h('span', { class: 'result-note' });
    const text = h(
      'details',
      { class: 'vector' },
      h('summary', {}, strings.vectorOf(formatCount(vector.length), normOf(vector).toFixed(3))),
    );
    // Thousands of numbers are written only if somebody reads them.
    text.addEventListener('toggle', () => text.append(h('pre', {}, JSON.stringify(vector))), { once: true });
    const nearest = h(
      'button',
      {
        class: 'link-button nearest',
        label: strings.nearestTo(input),
        attributes: { 'aria-pressed': 'false' },
        onClick: () => this.#sort(position),
      },
      strings.nearest,
    );
    const head = h(
      'div',
      { class: 'result-head' },
      h('span', { class: 'result-title' }, this.#vectors.length > 1 ? formatCount(position + 1) : ''),
      h('span', { class: 'result-input', title: input }, input),
      note,
      // A single vector has no neighbor.
      this.#vectors.length > 1 && nearest,
    );
    return { element: h('div', { class: 'result', role: 'listitem' }, head, text), text, length: 0, note };
  }

  /** Draws the cosine similarity of each two vectors; the columns have the numbers of the rows. */
  #drawSimilarities(): void {
    const vectors = this.#vectors;
    setHidden(this.#similarities, vectors.length < 2 || vectors.length > maxTable);
    if (this.#similarities.hidden) return;
    const names = vectors.map((_, index) => `${formatCount(index + 1)} ${this.#nameOf(index)}`);
    this.#similarities.replaceChildren(
      h(
        'table',
        {},
        h('tr', {}, h('td', {}), ...names.map((name, index) => headerOf('col', name, formatCount(index + 1)))),
        ...vectors.map((vector, index) =>
          h(
            'tr',
            {},
            headerOf('row', names[index] ?? ''),
            ...vectors.map((other) => h('td', {}, cosineOf(vector, other).toFixed(2))),
          ),
        ),
      ),
    );
  }

  /** Sorts vectors by distance to one of them and shows the distances; the same button again restores the original order. */
  #sort(position: number): void {
    const pressed = this.#results[position]?.element.querySelector('.nearest');
    const isOn = pressed?.getAttribute('aria-pressed') !== 'true';
    this.#shown = this.#vectors.length;
    this.#draw();
    const center = this.#vectors[position] ?? [];
    const ranked = this.#results.map((result, index) => ({
      result,
      cosine: cosineOf(center, this.#vectors[index] ?? []),
    }));
    for (const { result, cosine } of ranked) {
      setText(result.note, isOn ? strings.similarity(cosine.toFixed(3)) : '');
      result.element
        .querySelector('.nearest')
        ?.setAttribute('aria-pressed', String(isOn && result === this.#results[position]));
    }
    if (isOn) ranked.sort((left, right) => right.cosine - left.cosine);
    this.#list.replaceChildren(...ranked.map(({ result }) => result.element));
    setText(this.#sorting, isOn ? strings.sortedBy(this.#nameOf(position)) : '');
    // Moving the button removed its focus.
    (pressed as HTMLElement | null | undefined)?.focus();
  }
}

function headerOf(scope: 'row' | 'col', title: string, text = title): HTMLElement {
  return h('th', { title, attributes: { scope } }, text);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

function normOf(vector: readonly number[]): number {
  return Math.sqrt(dot(vector, vector));
}

/** Returns the cosine similarity; 0 if either vector has no direction. */
function cosineOf(left: readonly number[], right: readonly number[]): number {
  const norms = normOf(left) * normOf(right);
  return norms === 0 ? 0 : dot(left, right) / norms;
}
