import { libraryKinds } from '../../api/schema/jobs/schemas.ts';
import { listedTaskKinds } from '../../api/schema/jobs/taskKinds.ts';
import { l10n } from '../../shared/l10n.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { fieldText, typeWords } from '../model/fieldText.ts';
import { type Field, fieldAt, type FieldType, jobFileType, settingsType } from '../model/fieldTree.ts';
import { areBundleKeys, withinJob } from '../model/settingsRoot.ts';
import { parseDocument } from '../yaml/document.ts';
import { cursorContext, type CursorContext } from './cursorContext.ts';
import { namesAt } from './jobNames.ts';
import { firstStop, itemSnippet, keySnippet, placeholders, type TemplateFiles, templates } from './snippets.ts';
import { ownTimeZone, timeZoneNames } from './validate.ts';

export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'value' | 'reference' | 'file' | 'template';
  readonly detail?: string;
  /** Markdown. */
  readonly documentation?: string;
  /** In the editor's snippet syntax. */
  readonly snippet: string;
  readonly start: number;
  readonly end: number;
  /** The text to compare with what is typed, instead of the label. */
  readonly filter?: string;
  /** Items are sorted by this number. */
  readonly order: number;
  readonly deprecated?: boolean;
  /** Whether to suggest values for the inserted key at once. */
  readonly suggestsMore?: boolean;
  /** The text inserted into the file, if it differs from the label. */
  readonly value?: string;
  /** Whether the list is valid only until something is typed, and must be requested again then. */
  readonly isPartial?: boolean;
}

export interface CompletionOptions {
  readonly liveValues?: LiveValues;
  readonly signal?: AbortSignal;
}

/** Returns completions at an offset of a possibly incomplete text: fields in the document's order, and values. */
export async function complete(
  text: string,
  offset: number,
  options: CompletionOptions = {},
): Promise<readonly Completion[]> {
  const opened = /\{\{[\w. -]*$/.exec(text.slice(Math.max(0, offset - maxReference), offset));
  if (opened) return referenceItems(text, offset - opened[0].length, offset);
  const context = cursorContext(text, offset);
  if (!context) return [];
  const path = withinJob(context.path);
  const found = path && fieldAt(path);
  // What a bundle has at its top, no job has.
  if (!found || (context.path.length === 0 && areBundleKeys([...context.siblings]))) return [];
  const { field } = found;
  // The job's own ID is beside the settings.
  const type = found.type === jobFileType && context.path.length > 0 ? settingsType : found.type;
  if (context.place === 'value')
    return showAll(await valueItems(type, field, context, text, options), text.slice(context.start, offset), field);
  const fields = context.place === 'keyOrItem' || context.flow || type.kind !== 'list' ? type : undefined;
  if (fields?.kind === 'object')
    return [
      // An empty file most likely needs a whole template first.
      ...(context.path.length === 0 && context.siblings.size === 0 && !context.flow
        ? templateItems(context, await templateFiles(options))
        : []),
      ...fieldItems(fields.fields.values(), context),
    ];
  if (context.place === 'keyOrItem') return valueItems(type, field, context, text, options);
  // A new line below a key whose value is a list.
  return type.kind === 'list' ? [listItem(type.element, context)] : [];
}

/** Groups of mutually exclusive fields: if one is present, the others are not offered. */
const exclusive: readonly (readonly string[])[] = [
  [...listedTaskKinds, 'tasks'],
  libraryKinds,
  ['existing_cluster_id', 'new_cluster', 'job_cluster_key', 'environment_key'],
  ['num_workers', 'autoscale'],
];

function isExcluded(name: string, siblings: ReadonlySet<string>): boolean {
  return exclusive.some((group) => group.includes(name) && group.some((other) => siblings.has(other)));
}

function fieldItems(fields: Iterable<Field>, context: CursorContext): Completion[] {
  const items: Completion[] = [];
  for (const field of fields) {
    if (context.siblings.has(field.name) || isExcluded(field.name, context.siblings)) continue;
    items.push({
      label: field.name,
      kind: 'field',
      detail: field.required ? l10n.t('{0}, required', typeWords(field.type)) : typeWords(field.type),
      documentation: fieldText(field),
      snippet: keySnippet(field, context),
      start: context.start,
      end: context.end,
      filter: context.quoted ? `"${field.name}"` : undefined,
      order: firstField + items.length,
      deprecated: field.meta.deprecated,
      suggestsMore: !context.hasColon && suggestsValues(field),
    });
  }
  return items;
}

/** Returns whether there are values to choose from at the cursor's next position. */
function suggestsValues(field: Field): boolean {
  const { type, meta } = field;
  if (type.kind === 'leaf')
    return type.type === 'boolean' || type.type === 'choice' || meta.refersTo !== undefined || field.name in keyLists;
  const first = firstStop(field);
  return first !== undefined && suggestsValues(first);
}

/**
 * Makes all items match a complete value, such as a snippet's suggestion: it is to be replaced, and filtering by it would hide the
 * alternatives.
 */
function showAll(items: readonly Completion[], written: string, field: Field | undefined): readonly Completion[] {
  const value = written.replace(/^(["'])(.*)\1$/, '$2');
  const isWhole =
    value === placeholders[field?.name ?? ''] || items.some(({ label, value: own }) => (own ?? label) === value);
  return isWhole ? items.map((item) => ({ ...item, filter: written, isPartial: true })) : items;
}

/** Sort position of the first field, after the templates. */
const firstField = 100;

/** Returns existing files for the templates, so that these can be run unchanged. */
async function templateFiles({ liveValues, signal }: CompletionOptions): Promise<TemplateFiles> {
  if (!liveValues) return {};
  const [python, notebook] = await Promise.all(
    (['pythonFile', 'notebook'] as const).map(async (kind) => likeliest(await liveValues.list(kind, { signal }))),
  );
  return { python, notebook };
}

/** Returns the most likely program: programs are higher up than their modules and tests. */
function likeliest(files: readonly LiveValue[]): string | undefined {
  const depth = ({ value }: LiveValue): number => value.split('/').length;
  return files.toSorted((one, other) => depth(one) - depth(other))[0]?.value;
}

function templateItems(context: CursorContext, files: TemplateFiles): Completion[] {
  return templates(files).map(({ label, detail, snippet }, index) => ({
    label,
    kind: 'template',
    detail,
    snippet,
    start: context.start,
    end: context.end,
    order: index,
  }));
}

function listItem(element: FieldType, context: CursorContext): Completion {
  const [list = ''] = context.path.filter((step) => typeof step === 'string').slice(-1);
  return {
    label: '- ',
    kind: 'field',
    detail: typeWords(element),
    snippet: itemSnippet(list, element),
    start: context.start,
    end: context.end,
    order: 0,
    suggestsMore: element.kind === 'object',
  };
}

const liveKinds: Readonly<Record<string, LiveKind>> = {
  job: 'job',
  cluster: 'cluster',
  sparkVersion: 'sparkVersion',
  nodeType: 'nodeType',
  notebook: 'notebook',
  pythonFile: 'pythonFile',
};

async function valueItems(
  type: FieldType,
  field: Field | undefined,
  context: CursorContext,
  text: string,
  { liveValues, signal }: CompletionOptions,
): Promise<readonly Completion[]> {
  if (type.kind !== 'leaf') return [];
  const quote = text[context.start] === '"' || text[context.start] === "'" ? (text[context.start] ?? '') : '';
  const write = (value: string): string => valueSnippet(value, type.type, context, quote);
  const item = (value: string, order: number, more: Partial<Completion> = {}): Completion => ({
    label: value,
    kind: 'value',
    snippet: write(value),
    start: context.start,
    end: context.end,
    order,
    filter: quote === '' ? undefined : `${quote}${value}`,
    ...more,
  });
  if (type.type === 'boolean')
    return ['true', 'false'].map((value, index) =>
      item(value, index, { detail: field?.meta.default === (value === 'true') ? l10n.t('default') : undefined }),
    );
  if (type.type === 'choice')
    return type.values.map((value, index) =>
      item(value, index, { detail: field?.meta.default === value ? l10n.t('default') : undefined }),
    );
  const list = keyLists[field?.name ?? ''];
  if (list !== undefined && context.path.includes('tasks')) {
    const names = namesAt(parseDocument(text), context.start).filter((place) => place.isEntry && place.list === list);
    // A task does not wait for itself.
    const own = list === 'tasks' ? names.findLast(({ start }) => start < context.start) : undefined;
    return names
      .filter((place) => place !== own)
      .map(({ name }, index) => item(name, index, { kind: 'reference', value: name }));
  }
  const refersTo = field?.meta.refersTo;
  if (refersTo === 'timezone') {
    const own = ownTimeZone();
    // After UTC, in which a schedule means the same everywhere.
    return timeZoneNames().map((name, index) =>
      name === own
        ? item(name, 1, { detail: l10n.t('time zone of this machine') })
        : item(name, index === 0 ? 0 : index + 1),
    );
  }
  if (refersTo === 'cron')
    return cronPresets.map((expression, index) =>
      item(expression, index, { detail: describeCron(expression, 'UTC').replace(/, UTC$/, '') }),
    );
  const kind = field?.name === 'zone_id' ? 'zone' : refersTo === undefined ? undefined : liveKinds[refersTo];
  if (kind === undefined || !liveValues) return [];
  const live = await liveValues.list(kind, { signal });
  return live.map((value, index) => liveItem(value, kind, item(value.value, index)));
}

/** The lists whose entries the fields of a task name. */
const keyLists: Readonly<Record<string, 'tasks' | 'job_clusters' | 'environments'>> = {
  task_key: 'tasks',
  job_cluster_key: 'job_clusters',
  environment_key: 'environments',
};

/** Maximum characters from the braces of a reference to the cursor. */
const maxReference = 300;

/** References to values that a run knows (Jobs API 2.1, dynamic value references). */
const runReferences = [
  'job.id',
  'job.run_id',
  'job.name',
  'job.start_time.iso_date',
  'job.trigger.type',
  'task.name',
  'task.execution_count',
];

/** Returns the references that a job can use; they replace the text from `start` to the cursor. */
function referenceItems(text: string, start: number, offset: number): Completion[] {
  // The open braces may hide the rest of the file from the parser.
  const document = parseDocument(`${text.slice(0, start)}x${text.slice(offset)}`);
  const names = namesAt(document, start).filter(({ isEntry }) => isEntry);
  const own = names.findLast((place) => place.list === 'tasks' && place.start < start);
  const of = (list: string): string[] =>
    names.filter((place) => place.list === list && place !== own).map(({ name }) => name);
  const all = [
    ...of('parameters').map((name) => `job.parameters.${name}`),
    ...of('tasks').flatMap((key) => [`tasks.${key}.values.`, `tasks.${key}.result_state`]),
    ...runReferences,
  ];
  // YAML reads bare braces at the start of a value as a mapping.
  const quote = /(?:[:[,-][ ]+|\[)$/.test(text.slice(Math.max(0, start - maxReference), start)) ? '"' : '';
  const end = offset + (/^\}{1,2}/.exec(text.slice(offset, offset + 2))?.[0].length ?? 0);
  return all.map((name, order) => ({
    label: `{{${name}}}`,
    kind: 'reference',
    snippet: `${quote}{{${escapeSnippet(name)}${name.endsWith('.') ? '${1:name}' : ''}\\}\\}${quote}`,
    start,
    end,
    order,
  }));
}

function liveItem(value: LiveValue, kind: LiveKind, base: Completion): Completion {
  const isFile = kind === 'notebook' || kind === 'pythonFile';
  return {
    ...base,
    kind: isFile ? 'file' : 'reference',
    label: value.label ?? value.value,
    value: value.value,
    detail: value.label === undefined ? value.detail : [value.value, value.detail].filter(Boolean).join(' · '),
    filter: base.filter ?? (value.label === undefined ? undefined : `${value.value} ${value.label}`),
  };
}

/** Returns a value as inserted at the cursor: quoted if YAML would misread it. */
function valueSnippet(value: string, type: string, context: CursorContext, quote: string): string {
  const isText = type === 'text' || type === 'choice';
  const needsQuotes =
    isText &&
    (context.quoted ||
      /^[-+.0-9]+$|^[&*!|>%@`{[?]|^(?:true|false|null|~|yes|no|on|off)$|: | #|^$/i.test(value) ||
      (context.flow && /[,[\]{}]/.test(value)));
  const mark = quote !== '' ? quote : needsQuotes ? '"' : '';
  return `${context.needsSpace ? ' ' : ''}${mark}${escapeSnippet(value)}${mark}`;
}

function escapeSnippet(text: string): string {
  return text.replace(/[$}\\]/g, '\\$&');
}

/** The most common expressions; their descriptions are generated from them. */
const cronPresets: readonly string[] = [
  '0 0 8 * * ?',
  '0 30 2 ? * MON-FRI',
  '0 0 * * * ?',
  '0 0/15 * * * ?',
  '0 0 6 ? * MON',
  '0 0 0 1 * ?',
  '0 0 20 L * ?',
  '0 0 9 ? * 2#1',
];

/** An existing object to which a field can refer. */
export interface LiveValue {
  /** The text inserted into the file. */
  readonly value: string;
  /** A display name, such as a job's. */
  readonly label?: string;
  readonly detail?: string;
}

/** Kinds of objects that fields refer to and that can be listed. */
export type LiveKind = 'job' | 'cluster' | 'sparkVersion' | 'nodeType' | 'zone' | 'notebook' | 'pythonFile';

/** Lists existing objects: IDs from the service, files from the workspace. Returns an empty list if none are available. */
export interface LiveValues {
  list(kind: LiveKind, options?: { signal?: AbortSignal }): Promise<readonly LiveValue[]>;
}
