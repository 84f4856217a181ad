import { taskKinds } from '../../api/schema/jobs/taskKinds.ts';
import { fieldsOf, sameJson, type Fields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { settingsType } from '../model/fieldTree.ts';
import { isBundle, settingsPath, withinJob } from '../model/settingsRoot.ts';
import { entryOf, findPath, type JobDocument, nodeAt, parseDocument } from '../yaml/document.ts';
import { type MapEntry, type MapNode, resolved } from '../yaml/jobDocument.ts';
import { nodeValue } from '../yaml/nodeValue.ts';
import { changed, columnOf, lineStart, type TextChange, type TextRange } from '../yaml/textRange.ts';

/** A change of a file that fixes or suppresses a problem, or writes the same in another form. */
export interface QuickFix {
  readonly title: string;
  readonly changes: readonly TextChange[];
  /** Whether this is the most likely fix. */
  readonly isPreferred: boolean;
}

/** Fields of a job that exist only for its list of tasks. */
const listFields: readonly string[] = ['tasks', 'job_clusters', 'format'];
/** Fields of a task that have a meaning only in a list. */
const onlyListed: readonly string[] = ['task_key', 'depends_on', 'run_if', 'job_cluster_key', 'description'];
/** Fields of a job of one task that a list has in its task. */
const ofTask: readonly string[] = [
  ...taskKinds,
  'existing_cluster_id',
  'new_cluster',
  'libraries',
  'max_retries',
  'min_retry_interval_millis',
  'retry_on_timeout',
];

/**
 * Returns the other form of a job with one task, for a cursor on `tasks` or on the kind of the task: the task at the top of the job, which
 * every version of the API knows, or in a list. Returns nothing if part of the job would be lost.
 */
export function otherForm(document: JobDocument, offset: number): readonly QuickFix[] {
  const { root, problems } = document;
  const at = nodeAt(root, offset);
  const [name, ...deeper] = withinJob(at?.path ?? []) ?? [];
  const map = resolved(findPath(root, settingsPath(root))?.node);
  if (at?.onKey !== true || deeper.length > 0 || isBundle(root) || map?.kind !== 'map' || map.flow) return [];
  const settings = settingsOf(document);
  if (!settings || problems.length > 0) return [];
  const lines = new Lines(document.text, columnOf(document.text, map.start));
  const form =
    name === 'tasks'
      ? topForm(settings, map, lines)
      : taskKinds.some((kind) => kind === name)
        ? listForm(settings, map, lines)
        : undefined;
  // The text is the proof: it must be read as the settings that are meant.
  const after = form && parseDocument(changed(document.text, form.changes));
  return form && after?.problems.length === 0 && sameJson(settingsOf(after), form.settings)
    ? [{ title: form.title, changes: form.changes, isPreferred: false }]
    : [];
}

function settingsOf({ root }: JobDocument): Fields | undefined {
  const { value, isCut } = nodeValue(findPath(root, settingsPath(root))?.node ?? null);
  return isCut ? undefined : fieldsOf(value);
}

interface Form {
  readonly title: string;
  readonly changes: readonly TextChange[];
  readonly settings: Fields;
}

function topForm(settings: Fields, map: MapNode, lines: Lines): Form | undefined {
  const tasks = resolved(entryOf(map, 'tasks')?.value);
  const task = tasks?.kind === 'seq' && tasks.items.length === 1 ? resolved(tasks.items[0]) : undefined;
  const fields = fieldsOf((settings['tasks'] as unknown[])[0]);
  if (task?.kind !== 'map' || task.flow || !fields || !taskKinds.some((kind) => kind in fields)) return undefined;
  const kept = Object.keys(fields).filter((name) => !onlyListed.includes(name));
  const dependsOn = fields['depends_on'];
  const waits = Array.isArray(dependsOn) && dependsOn.length > 0;
  if (waits || kept.some((name) => name in settings || !settingsType.fields.has(name))) return undefined;
  const clusterKey = fields['job_cluster_key'];
  const cluster = clusterKey === undefined ? undefined : sharedCluster(map, clusterKey);
  if (clusterKey !== undefined && !cluster) return undefined;
  const moved = [...task.entries.filter(({ key }) => kept.includes(key.name)), ...(cluster ? [cluster] : [])];
  const [first] = task.entries;
  const comments = first && !moved.includes(first) ? lines.commentsAbove(first, 0) : '';
  return {
    title: l10n.t('Make {0} the task of the job', String(fields['task_key'] ?? '')),
    changes: listFields.flatMap((name) => {
      const entry = entryOf(map, name);
      return entry ? [{ ...lines.of(entry), text: name === 'tasks' ? `${comments}${lines.moved(moved, 0)}` : '' }] : [];
    }),
    settings: {
      ...without(settings, listFields),
      ...without(fields, onlyListed),
      ...(cluster && { new_cluster: nodeValue(cluster.value).value }),
    },
  };
}

function listForm(settings: Fields, map: MapNode, lines: Lines): Form | undefined {
  const moved = map.entries.filter(({ key }) => ofTask.includes(key.name));
  if ('tasks' in settings || moved.length === 0) return undefined;
  const task = {
    task_key: 'main',
    ...without(
      settings,
      Object.keys(settings).filter((name) => !ofTask.includes(name)),
    ),
  };
  const indent = ' '.repeat(lines.column);
  const head = `${indent}tasks:\n${indent}  - task_key: main\n`;
  return {
    title: l10n.t('Move the task to a list of tasks'),
    changes: moved.map((entry, index) => ({
      ...lines.withComments(entry),
      text: index === 0 ? `${head}${lines.moved(moved, 4)}` : '',
    })),
    settings: { ...without(settings, ofTask), tasks: [task] },
  };
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function sharedCluster(map: MapNode, key: unknown): MapEntry | undefined {
  const list = resolved(entryOf(map, 'job_clusters')?.value);
  const found = (list?.kind === 'seq' ? list.items : []).find(
    (item) => nodeValue(entryOf(item, 'job_cluster_key')?.value ?? null).value === key,
  );
  return entryOf(found, 'new_cluster');
}

/** The lines of the entries of block mappings. */
class Lines {
  readonly #text: string;
  /** Column of the settings. */
  readonly column: number;

  constructor(text: string, column: number) {
    this.#text = text;
    this.column = column;
  }

  /** Returns the range of an entry's lines. */
  of({ key, value }: MapEntry): TextRange {
    const end = Math.max(key.end, value.end);
    // The range of a value that ends with its line may include the line break.
    const at = this.#text.indexOf('\n', this.#text[end - 1] === '\n' ? end - 1 : end);
    return { start: lineStart(this.#text, key.start), end: at < 0 ? this.#text.length : at + 1 };
  }

  /** Returns the range of an entry's lines and of the comments above it. */
  withComments(entry: MapEntry): TextRange {
    const { start: own, end } = this.of(entry);
    let start = own;
    while (start > 0 && /^\s*#/.test(this.#text.slice(lineStart(this.#text, start - 1), start)))
      start = lineStart(this.#text, start - 1);
    return { start, end };
  }

  /** Returns the comments above an entry, indented by more spaces than the settings. */
  commentsAbove(entry: MapEntry, more: number): string {
    const above = this.#text.slice(this.withComments(entry).start, this.of(entry).start);
    return above.replace(/^ *#/gm, `${' '.repeat(this.column + more)}#`);
  }

  /** Returns the lines of entries with their comments, indented by more spaces than the settings. */
  moved(entries: readonly MapEntry[], more: number): string {
    return entries
      .map((entry) => `${this.commentsAbove(entry, more)}${this.#indented(entry, this.column + more)}`)
      .join('');
  }

  #indented(entry: MapEntry, column: number): string {
    const own = columnOf(this.#text, entry.key.start);
    // A dash before the key stays with the list.
    const lines = this.#text.slice(entry.key.start, this.of(entry).end).replace(/\n$/, '').split('\n');
    return lines
      .map((line, index) => {
        const spaces = index === 0 ? own : line.length - line.trimStart().length;
        return line.trim() === '' ? '\n' : `${' '.repeat(Math.max(0, spaces + column - own))}${line.trimStart()}\n`;
      })
      .join('');
  }
}
