import { l10n } from '../../shared/l10n.ts';
import { sameJson } from '../../shared/sameJson.ts';
import { settingsType } from '../model/fieldTree.ts';
import { settingsPath } from '../model/settingsRoot.ts';
import { entryOf, findPath, type JobDocument, parseDocument } from '../yaml/document.ts';
import { nodeValue } from '../yaml/nodeValue.ts';
import { changed, columnOf, lineStart, type TextChange } from '../yaml/textRange.ts';
import { type MapEntry, type MapNode, resolved } from '../yaml/yamlNode.ts';
import { isOrdered, type ListedSettings, listFields, singleTask, taskKey, tasksOf } from './taskList.ts';
import { toYaml, valueToYaml } from './toYaml.ts';

/** Maximum files created by one click. */
const maxFiles = 20;

/**
 * Returns fixes that turn a list of tasks into single-task jobs: a single task moves to the job itself, and independent tasks move to a
 * file each. Returns none if part of the list would be lost.
 */
export function taskListFixes(document: JobDocument): readonly QuickFix[] {
  const settings = settingsOf(document);
  const count = settings ? tasksOf(settings).length : 0;
  if (!settings || count === 0 || document.problems.length > 0) return [];
  if (count === 1) {
    const changes = changesFor(document, settings, 0);
    return changes
      ? [{ title: l10n.t('Make {0} the task of the job', taskKey(settings, 0)), changes, isPreferred: true }]
      : [];
  }
  return isOrdered(settings) || count > maxFiles ? [] : split(document, settings, count);
}

/** Returns fixes that make a job of each task, with all settings of the whole job, including its schedule. The first stays in this file. */
function split(document: JobDocument, settings: ListedSettings, count: number): readonly QuickFix[] {
  const names = Array.from({ length: count }, (_, index) => taskKey(settings, index));
  if (new Set(names).size < count) return [];
  const base = typeof settings['name'] === 'string' ? `${settings['name']}: ` : '';
  const texts = names.map((name, index) => changesFor(document, settings, index, `${base}${name}`));
  const [changes] = texts;
  const newFiles = texts.slice(1).map((change, index) => ({
    name: names[index + 1] ?? '',
    text: change ? changed(document.text, change) : '',
  }));
  if (!changes || texts.includes(undefined)) return [];
  return [{ title: l10n.t('Make {0} job files, one for each task', count), changes, newFiles, isPreferred: false }];
}

function settingsOf(document: JobDocument): ListedSettings | undefined {
  const node = resolved(findPath(document.root, settingsPath(document.root))?.node);
  if (node?.kind !== 'map') return undefined;
  const { value, isCut } = nodeValue(node);
  return isCut ? undefined : (value as ListedSettings);
}

/**
 * Returns the changes that leave one task of the list. The result is parsed again, and the changes are returned only if it is as expected.
 * @param name the job's new name; a job ID in the file stays with the first task
 */
function changesFor(
  document: JobDocument,
  settings: ListedSettings,
  index: number,
  name = settings['name'] ?? taskKey(settings, index),
): readonly TextChange[] | undefined {
  const single = singleTask(settings, index);
  const { root, text } = document;
  const base = settingsPath(root);
  const map = resolved(findPath(root, base)?.node);
  if ('why' in single || map?.kind !== 'map' || root === null) return undefined;
  const { job_id: _jobId, ...bare } = single.settings;
  const keepsId = index === 0;
  const idEntry = entryOf(root, 'job_id');
  const expected = { ...bare, name };
  if (map.flow) {
    const id = resolved(idEntry?.value);
    const jobId =
      keepsId && id?.kind === 'scalar' && /^[0-9]{1,19}$/.test(String(id.value)) ? String(id.value) : undefined;
    return [{ start: 0, end: text.length, text: toYaml(expected, jobId === undefined ? {} : { jobId }) }];
  }
  const changes = new BlockRewrite(text, map).changes(index, single.moved, single, name);
  if (!keepsId && idEntry) changes.push(removal(text, idEntry));
  const after = parseDocument(changed(text, changes));
  const found = after.problems.length > 0 ? undefined : settingsOf(after);
  if (!found) return undefined;
  const { job_id: _id, ...said } = found;
  return sameJson(said, expected) ? changes : undefined;
}

/** Moves lines of a file, with their comments, from its list of tasks to the job. */
class BlockRewrite {
  readonly #text: string;
  readonly #settings: MapNode;
  readonly #column: number;

  constructor(text: string, settings: MapNode) {
    this.#text = text;
    this.#settings = settings;
    this.#column = columnOf(text, settings.start);
  }

  changes(
    index: number,
    moved: readonly string[],
    { settings, sharedCluster }: { settings: ListedSettings; sharedCluster?: number },
    name: unknown,
  ): TextChange[] {
    const lines = [this.#task(index, moved, settings)];
    if (sharedCluster !== undefined) lines.push(this.#cluster(sharedCluster, settings));
    const named = entryOf(this.#settings, 'name');
    const nameText = valueToYaml(name).trimEnd();
    if (!named) lines.unshift(`${this.#indent}name: ${nameText}\n`);
    const changes = listFields.flatMap((field) => {
      const entry = entryOf(this.#settings, field);
      if (!entry) return [];
      return [{ ...removal(this.#text, entry), text: field === 'tasks' ? lines.join('') : '' }];
    });
    const isRenamed = named?.value.kind === 'scalar' && named.value.value !== name;
    return isRenamed ? [...changes, { start: named.value.start, end: named.value.end, text: nameText }] : changes;
  }

  get #indent(): string {
    return ' '.repeat(this.#column);
  }

  #task(index: number, moved: readonly string[], settings: ListedSettings): string {
    const list = resolved(entryOf(this.#settings, 'tasks')?.value);
    const task = list?.kind === 'seq' ? list.items[index] : undefined;
    const entries = task?.kind === 'map' && !task.flow ? task.entries : [];
    if (list?.kind !== 'seq' || !moved.every((name) => entries.some(({ key }) => key.name === name)))
      return this.#written(Object.fromEntries(moved.map((name) => [name, settings[name]])));
    const before = index === 0 ? entryOf(this.#settings, 'tasks')?.key.end : list.items[index - 1]?.end;
    const above = this.#lines(nextLine(this.#text, before ?? 0), lineStart(this.#text, task?.start ?? 0), 0);
    return [above, ...entries.map((entry, at) => this.#entry(entries, at, moved.includes(entry.key.name)))].join('');
  }

  /** Returns an entry with the comments above it; the comments of removed entries are removed too. */
  #entry(entries: readonly MapEntry[], at: number, isMoved: boolean): string {
    const { key, value } = entries[at] ?? {};
    if (!key || !value || !isMoved) return '';
    const column = columnOf(this.#text, key.start);
    const previous = entries[at - 1];
    const above = previous
      ? this.#lines(nextLine(this.#text, endOf(previous)), lineStart(this.#text, key.start), column)
      : '';
    const end = nextLine(this.#text, endOf({ key, value }));
    return `${above}${this.#indent}${this.#lines(key.start, end, column).trimStart()}`;
  }

  #cluster(index: number, settings: ListedSettings): string {
    const list = resolved(entryOf(this.#settings, 'job_clusters')?.value);
    const item = list?.kind === 'seq' ? list.items[index] : undefined;
    const entry = item?.kind === 'map' && !item.flow ? entryOf(item, 'new_cluster') : undefined;
    if (!entry) return this.#written({ new_cluster: settings['new_cluster'] });
    const column = columnOf(this.#text, entry.key.start);
    const end = nextLine(this.#text, endOf(entry));
    return `${this.#indent}${this.#lines(entry.key.start, end, column).trimStart()}`;
  }

  /** Returns lines that start at a column, moved to the column of the settings. */
  #lines(start: number, end: number, column: number): string {
    const by = column === 0 ? Infinity : column - this.#column;
    const text = this.#text.slice(start, end);
    if (text.trim() === '') return '';
    const lines = text.split('\n').map((line) => {
      const spaces = line.length - line.trimStart().length;
      return by === Infinity
        ? `${line.trim() === '' ? '' : this.#indent}${line.trimStart()}`
        : line.slice(Math.min(by, spaces));
    });
    const joined = lines.join('\n');
    return joined.endsWith('\n') ? joined : `${joined}\n`;
  }

  #written(fields: ListedSettings): string {
    return valueToYaml(fields, settingsType).replace(/^(?=.)/gm, this.#indent);
  }
}

function endOf({ key, value }: MapEntry): number {
  return Math.max(key.end, value.end);
}

function removal(text: string, entry: MapEntry): TextChange {
  return { start: lineStart(text, entry.key.start), end: nextLine(text, endOf(entry)), text: '' };
}

/** Returns the start of the line after an offset, or the end of the text. */
function nextLine(text: string, offset: number): number {
  // The range of a value that ends with its line may include the line break.
  const at = text.indexOf('\n', text[offset - 1] === '\n' ? offset - 1 : offset);
  return at < 0 ? text.length : at + 1;
}

/** A change of a file that fixes or suppresses a problem. */
export interface QuickFix {
  readonly title: string;
  readonly changes: readonly TextChange[];
  /** Whether this is the most likely fix. */
  readonly isPreferred: boolean;
  /** Job files to create beside this one; each name shows its content. */
  readonly newFiles?: readonly { readonly name: string; readonly text: string }[];
}
