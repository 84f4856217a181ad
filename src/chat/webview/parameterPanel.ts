import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import type { Parameters } from '../conversationEvent.ts';
import type { ParameterField } from '../parameterForm.ts';
import type { ParamsOf } from '../protocol.ts';
import { iconButton } from './icons.ts';
import { strings } from './strings.ts';

type Value = Parameters[string];
type FileParameter = ParamsOf<'parameterFromFile'>['name'];
/** The parsed text of a field; a `problem` prevents sending it. */
type Reading = { value: Value | undefined; problem?: undefined } | { problem: string };

interface Row {
  readonly field: ParameterField;
  readonly control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  readonly problem: HTMLElement;
  readonly element: HTMLElement;
}

/** Fields grouped by purpose, in the order of the form; a field without a group goes to the end of the output group. */
const groups: readonly { label: string; names: readonly string[] }[] = [
  { label: strings.instructions, names: ['system', 'each_line', 'whole_text', 'instruction'] },
  { label: strings.sampling, names: ['temperature', 'top_p', 'top_k'] },
  {
    label: strings.output,
    names: ['max_tokens', 'stop', 'n', 'response_format', 'logprobs', 'top_logprobs', 'stream'],
  },
  { label: strings.tools, names: ['tools', 'tool_choice'] },
];

/** Presets; they affect only the sampling fields. */
const presets: readonly { id: string; label: string; temperature?: string }[] = [
  { id: '', label: strings.presetOwn },
  { id: 'default', label: strings.presetDefault, temperature: '' },
  { id: 'precise', label: strings.presetPrecise, temperature: '0.2' },
  { id: 'creative', label: strings.presetCreative, temperature: '1.3' },
];

/** Returns a field's value in a preset; fields that are not for sampling keep their own value. */
function presetValue(id: string, { field, control }: Row): string {
  if (field.name === 'temperature') return presets.find((preset) => preset.id === id)?.temperature ?? '';
  return field.name === 'top_p' || field.name === 'top_k' ? '' : control.value;
}

const fileLabels: Readonly<Record<FileParameter, string>> = {
  system: strings.instructionsFromFile,
  response_format: strings.schemaFromFile,
  tools: strings.functionsFromFile,
};

function fileParameter(name: string): FileParameter | undefined {
  return Object.keys(fileLabels).find((each): each is FileParameter => each === name);
}

/** Shows the parameters of a conversation as a form generated from the request's schema. Empty fields are not sent. */
export class ParameterPanel {
  readonly element: HTMLElement;
  readonly #body = h('div', { class: 'parameter-rows' });
  readonly #problem = h('div', { class: 'panel-problem', role: 'alert' });
  readonly #change: (parameters: Parameters) => Promise<string | undefined>;
  readonly #fromFile: (name: FileParameter) => void;
  readonly #changed = h('span', { class: 'changed-fields' });
  readonly #preset = h(
    'select',
    { label: strings.preset, title: strings.preset },
    ...presets.map(({ id, label }) => h('option', { attributes: { value: id } }, label)),
  );
  #rows: Row[] = [];
  /** The last change being sent to the host. */
  #pending: Promise<void> = Promise.resolve();
  #submitting = 0;
  #drawnFields = '';
  /** The values that the host sent last. */
  #given = '';
  /** Counter that changes with each conversation. */
  #conversation = 0;

  /** `change` resolves to the problem, or `undefined`. */
  constructor(
    change: (parameters: Parameters) => Promise<string | undefined>,
    close: () => void,
    fromFile: (name: FileParameter) => void,
    choosePreset: () => void,
  ) {
    this.#change = change;
    this.#fromFile = fromFile;
    this.#preset.addEventListener('change', () => this.#usePreset());
    this.element = h(
      'section',
      { class: 'parameters', label: strings.parameters, attributes: { id: 'parameters' } },
      h(
        'div',
        { class: 'panel-head' },
        h('h2', {}, strings.parameters, ' ', this.#changed),
        this.#preset,
        h('button', { class: 'link-button', onClick: () => this.#reset() }, strings.resetParameters),
        iconButton('close', strings.closeParameters, close),
      ),
      this.#problem,
      h('button', { class: 'link-button', onClick: choosePreset }, strings.savedPresets),
      this.#body,
    );
    this.element.hidden = true;
  }

  update(fields: readonly ParameterField[], parameters: Parameters): void {
    const drawn = JSON.stringify(fields);
    if (drawn !== this.#drawnFields) {
      this.#drawnFields = drawn;
      this.#rows = fields.map((field) => this.#row(field));
      setHidden(this.#preset, !fields.some(({ name }) => name === 'temperature'));
      this.#body.replaceChildren(...groups.map((group) => this.#group(group)));
    }
    const given = JSON.stringify(this.#rows.map(({ field }) => parameters[field.name]));
    const isOther = given !== this.#given;
    this.#given = given;
    // A change being sent is newer than the host's values.
    if (this.#submitting > 0) return;
    for (const row of this.#rows) {
      // Do not replace text that the user is typing.
      if (row.control === document.activeElement) continue;
      const text = toText(row.field, parameters[row.field.name]);
      if (row.control.value !== text && !row.problem.textContent) row.control.value = text;
    }
    this.#markChanged();
    // Values loaded from a file may have resolved another field's problem.
    if (isOther && this.#rows.some((row) => row.problem.textContent)) this.#submit();
  }

  /** Discards the problems of the previous conversation, which do not apply to this one's values. */
  forget(): void {
    this.#conversation += 1;
    this.#submitting = 0;
    for (const row of this.#rows) {
      row.control.value = '';
      mark(row, undefined);
    }
    setText(this.#problem, '');
  }

  #group({ label, names }: (typeof groups)[number]): HTMLElement {
    const known = new Set<string>(groups.flatMap((group) => group.names));
    // Fields added to the schema later go to the output group.
    const others = names.includes('max_tokens') ? this.#rows.filter(({ field }) => !known.has(field.name)) : [];
    const rows = [...names.flatMap((name) => this.#rows.filter(({ field }) => field.name === name)), ...others];
    const element = h('div', { role: 'group', label }, h('h3', {}, label), ...rows.map((row) => row.element));
    setHidden(element, rows.length === 0);
    return element;
  }

  /** Marks and counts the fields that differ from the service's defaults, and selects the matching preset. */
  #markChanged(): void {
    for (const { element, control } of this.#rows) element.classList.toggle('changed', control.value !== '');
    const count = this.#rows.filter(({ control }) => control.value !== '').length;
    setText(this.#changed, count === 0 ? '' : strings.changedFields(count));
    const is = (id: string): boolean => this.#rows.every((row) => presetValue(id, row) === (row.control.value || ''));
    const current = presets.find(({ id }) => id !== '' && is(id))?.id ?? '';
    if (this.#preset.value !== current) this.#preset.value = current;
  }

  /** Applies the preset, changing only the fields that it contains. */
  #usePreset(): void {
    const { value } = this.#preset;
    if (value === '') return;
    for (const row of this.#rows) row.control.value = presetValue(value, row);
    this.#submit();
  }

  #row(field: ParameterField): Row {
    const id = `parameter-${field.name}`;
    const control = controlFor(field);
    control.id = id;
    control.setAttribute('aria-describedby', `${id}-hint ${id}-description ${id}-problem`);
    const isShort = field.kind === 'number' || field.kind === 'integer' || field.kind === 'boolean';
    const name = fileParameter(field.name);
    const problem = h('div', { class: 'field-problem', attributes: { id: `${id}-problem` } });
    // Names are marked as code for documents; here the backticks would be read as quotes.
    const description = field.description.replaceAll('`', '');
    const row: Row = {
      field,
      control,
      problem,
      element: h(
        'div',
        { class: `parameter ${field.kind}${isShort ? ' short' : ''}`, title: isShort ? description : undefined },
        h('label', { attributes: { for: id } }, labelOf(field.name)),
        control,
        isShort && h('span', { class: 'field-hint', attributes: { id: `${id}-hint` } }, hintOf(field)),
        h(
          'div',
          { class: isShort ? 'visually-hidden' : 'field-description', attributes: { id: `${id}-description` } },
          description,
        ),
        name && h('button', { class: 'link-button', onClick: () => this.#fromFile(name) }, fileLabels[name]),
        problem,
      ),
    };
    control.addEventListener('change', () => this.#submit());
    control.addEventListener('input', () => this.#markChanged());
    return row;
  }

  #submit(): void {
    const conversation = this.#conversation;
    this.#submitting += 1;
    this.#pending = this.#pending
      .then(() => this.#send(conversation))
      .finally(() => (this.#submitting -= Number(conversation === this.#conversation)));
  }

  /** Sends all valid fields and marks the others. */
  async #send(conversation: number): Promise<void> {
    // It was queued behind another change, and the fields now belong to another conversation.
    if (conversation !== this.#conversation) return;
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
    if (conversation !== this.#conversation) return;
    for (const row of this.#rows) mark(row, problems.get(row));
    this.#markChanged();
    setText(this.#problem, refusal ?? '');
  }

  /** Finds the field that each line of the host's refusal names at its start; a refusal without a field is shown above all fields. */
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

  /** Returns whether every field is valid, including the host's reply to the last change. */
  async isValid(): Promise<boolean> {
    await this.#pending;
    return this.#problem.textContent === '' && this.#rows.every((row) => row.problem.textContent === '');
  }

  focusProblem(): void {
    const wrong = this.#rows.find((row) => row.problem.textContent !== '');
    wrong?.control.focus();
    wrong?.problem.scrollIntoView({ block: 'nearest' });
  }
}

function mark(row: Row, problem: string | undefined): void {
  setText(row.problem, problem ?? '');
  row.control.setAttribute('aria-invalid', String(problem !== undefined));
}

function labelOf(name: string): string {
  const labels: Record<string, string> = {
    system: strings.systemPrompt,
    each_line: strings.eachLine,
    whole_text: strings.wholeText,
  };
  return labels[name] ?? name;
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
      h('option', { attributes: { value: '' } }, optionByDefault(field)),
      ...options.map(([value = '', label = '']) => h('option', { attributes: { value } }, label)),
    );
  }
  if (field.kind === 'number' || field.kind === 'integer') {
    return h('input', {
      attributes: { type: 'text', inputmode: 'decimal', placeholder: strings.notSet },
    });
  }
  const hints = { text: '', lines: strings.onePerLine, json: strings.jsonValue };
  return h('textarea', {
    attributes: {
      rows: field.kind === 'text' ? '3' : '2',
      placeholder: hints[field.kind] || strings.notSet,
      spellcheck: 'false',
    },
  });
}

/** Returns the label of the empty option. */
function optionByDefault({ defaultText }: ParameterField): string {
  if (!defaultText) return strings.notSet;
  return strings.byDefault(defaultText === 'true' ? strings.on : defaultText === 'false' ? strings.off : defaultText);
}

/** Returns, for example, "0 to 2, default 1". */
function hintOf({ kind, minimum, maximum, aboveMinimum, defaultText }: ParameterField): string {
  const lowerBound = minimum === undefined ? [] : [aboveMinimum ? strings.above(minimum) : strings.atLeast(minimum)];
  const limits =
    minimum !== undefined && maximum !== undefined
      ? [aboveMinimum ? strings.betweenAbove(minimum, maximum) : strings.between(minimum, maximum)]
      : lowerBound;
  const isNamed = defaultText !== undefined && defaultText !== '' && kind !== 'boolean';
  return [...limits, ...(isNamed ? [strings.defaultValue(defaultText)] : [])].join(', ');
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
