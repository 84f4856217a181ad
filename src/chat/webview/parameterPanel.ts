import type { Parameters } from '../conversationEvent.ts';
import type { ParameterField } from '../parameterForm.ts';
import { h, setText } from './dom.ts';
import { iconButton } from './iconButton.ts';
import { strings } from './strings.ts';

type Value = Parameters[string];
/** What the field's text means; `problem` keeps it from being sent. */
type Reading = { value: Value | undefined; problem?: undefined } | { problem: string };

interface Row {
  field: ParameterField;
  control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  problem: HTMLElement;
  element: HTMLElement;
}

/** The parameters of a conversation as a form made from the request's schema. Empty fields are not sent at all. */
export class ParameterPanel {
  readonly element: HTMLElement;
  readonly #body = h('div', { class: 'parameter-rows' });
  readonly #problem = h('div', { class: 'panel-problem', role: 'alert' });
  readonly #change: (parameters: Parameters) => Promise<string | undefined>;
  #rows: Row[] = [];
  /** The last change, on its way to the host. */
  #pending: Promise<void> = Promise.resolve();
  #submitting = 0;
  #drawnFields = '';

  /** `change` answers with what is wrong, or undefined. */
  constructor(change: (parameters: Parameters) => Promise<string | undefined>, close: () => void) {
    this.#change = change;
    this.element = h(
      'section',
      { class: 'parameters', label: strings.parameters, attributes: { id: 'parameters' } },
      h(
        'div',
        { class: 'panel-head' },
        h('h2', {}, strings.parameters),
        h('button', { class: 'link-button', onClick: () => this.#reset() }, strings.resetParameters),
        iconButton('close', strings.closeParameters, close),
      ),
      this.#problem,
      this.#body,
    );
    this.element.hidden = true;
  }

  update(fields: readonly ParameterField[], parameters: Parameters): void {
    const drawn = JSON.stringify(fields);
    if (drawn !== this.#drawnFields) {
      this.#drawnFields = drawn;
      this.#rows = fields.map((field) => this.#row(field));
      this.#body.replaceChildren(...this.#rows.map((row) => row.element));
    }
    // What is on its way to the host is newer than what comes from there.
    if (this.#submitting > 0) return;
    for (const row of this.#rows) {
      // What is being typed is not replaced under the user's hands.
      if (row.control === document.activeElement) continue;
      const text = toText(row.field, parameters[row.field.name]);
      if (row.control.value !== text && !row.problem.textContent) row.control.value = text;
    }
  }

  #row(field: ParameterField): Row {
    const id = `parameter-${field.name}`;
    const control = controlFor(field);
    control.id = id;
    control.setAttribute('aria-describedby', `${id}-description ${id}-problem`);
    const problem = h('div', { class: 'field-problem', attributes: { id: `${id}-problem` } });
    const row: Row = {
      field,
      control,
      problem,
      element: h(
        'div',
        { class: `parameter ${field.kind}` },
        h('label', { attributes: { for: id } }, labelOf(field.name)),
        control,
        h('div', { class: 'field-description', attributes: { id: `${id}-description` } }, field.description),
        problem,
      ),
    };
    control.addEventListener('change', () => this.#submit());
    return row;
  }

  #submit(): void {
    this.#submitting += 1;
    this.#pending = this.#pending.then(() => this.#send()).finally(() => (this.#submitting -= 1));
  }

  /** Hands over every field that is right, and marks each that is not. */
  async #send(): Promise<void> {
    const problems = new Map<Row, string>();
    const values = new Map<Row, Value>();
    for (const row of this.#rows) {
      const reading = read(row.field, row.control.value);
      if (reading.problem !== undefined) problems.set(row, reading.problem);
      else if (reading.value !== undefined) values.set(row, reading.value);
    }
    const parameters = (): Parameters =>
      Object.fromEntries([...values].map(([{ field }, value]) => [field.name, value]));
    let refusal = await this.#change(parameters());
    while (refusal !== undefined) {
      const wrong = this.#namedIn(refusal).filter(([row]) => values.has(row));
      if (wrong.length === 0) break;
      for (const [row, problem] of wrong) {
        problems.set(row, problem);
        values.delete(row);
      }
      refusal = await this.#change(parameters());
    }
    for (const row of this.#rows) mark(row, problems.get(row));
    setText(this.#problem, refusal ?? '');
  }

  /** The host names the field first, one a line; a refusal that names none stands above all fields. */
  #namedIn(refusal: string): [row: Row, problem: string][] {
    return refusal.split('\n').flatMap((line) => {
      const row = this.#rows.find(
        ({ field }) => line.startsWith(field.name) && !/[\w-]/.test(line.charAt(field.name.length)),
      );
      return row ? [[row, line] as [Row, string]] : [];
    });
  }

  #reset(): void {
    for (const row of this.#rows) row.control.value = '';
    this.#submit();
  }

  /** Whether every field holds what a request may have, the host's answer to the last change included. */
  async isValid(): Promise<boolean> {
    await this.#pending;
    return this.#problem.textContent === '' && this.#rows.every((row) => row.problem.textContent === '');
  }

  focusProblem(): void {
    this.#rows.find((row) => row.problem.textContent !== '')?.control.focus();
  }
}

function mark(row: Row, problem: string | undefined): void {
  setText(row.problem, problem ?? '');
  row.control.setAttribute('aria-invalid', String(problem !== undefined));
}

function labelOf(name: string): string {
  return name === 'system' ? strings.systemPrompt : name;
}

function controlFor(field: ParameterField): Row['control'] {
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const options =
      field.kind === 'boolean'
        ? [
            ['true', strings.on],
            ['false', strings.off],
          ]
        : (field.options ?? []).map((option) => [option, option]);
    return h(
      'select',
      {},
      h('option', { attributes: { value: '' } }, withDefault(field)),
      ...options.map(([value = '', label = '']) => h('option', { attributes: { value } }, label)),
    );
  }
  if (field.kind === 'number' || field.kind === 'integer') {
    return h('input', {
      attributes: { type: 'text', inputmode: 'decimal', placeholder: withDefault(field) + limits(field) },
    });
  }
  const hints = { text: '', lines: strings.onePerLine, json: strings.jsonValue };
  return h('textarea', {
    attributes: {
      rows: field.kind === 'text' ? '3' : '2',
      placeholder: hints[field.kind] || withDefault(field),
      spellcheck: 'false',
    },
  });
}

function withDefault(field: ParameterField): string {
  return field.defaultText === undefined || field.defaultText === ''
    ? strings.notSet
    : strings.defaultValue(field.defaultText);
}

function limits(field: ParameterField): string {
  const { minimum, maximum, aboveMinimum } = field;
  if (minimum !== undefined && maximum !== undefined) return ` · ${aboveMinimum ? '> ' : ''}${minimum} – ${maximum}`;
  return minimum === undefined ? '' : ` · ${aboveMinimum ? '>' : '≥'} ${minimum}`;
}

function toText(field: ParameterField, value: Value | undefined): string {
  if (value === undefined || value === null) return '';
  if (field.kind === 'lines') return Array.isArray(value) ? value.map(String).join('\n') : String(value);
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, field.kind === 'json' ? 2 : undefined);
}

function read(field: ParameterField, text: string): Reading {
  if (text.trim() === '') return { value: undefined };
  switch (field.kind) {
    case 'boolean':
      return { value: text === 'true' };
    case 'number':
    case 'integer': {
      const value = Number(text.trim().replace(',', '.'));
      return Number.isFinite(value) ? { value } : { problem: strings.notNumber };
    }
    case 'lines':
      return { value: text.split('\n').filter((line) => line !== '') };
    case 'json':
      try {
        return { value: JSON.parse(text) as Value };
      } catch {
        return { problem: strings.notJson };
      }
    default:
      return { value: text };
  }
}
