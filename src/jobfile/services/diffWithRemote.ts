import { isFields, type Fields } from '../../shared/fields.ts';
import { settingsType, type FieldType } from '../model/fieldTree.ts';
import { listPairs } from './listPairs.ts';
import { fieldPlace, isMaskOf, itemPlace, meaningOf, meaningText, type SettingsPlace } from './settingsMeaning.ts';

/** A place at which a file and a job differ. */
export interface Difference {
  /** Such as `new_cluster.num_workers` or `libraries[0].jar`; the index is that in the file, otherwise that in the job. */
  readonly path: string;
  /** Value as written, or `undefined` if the file does not set it. */
  readonly file: unknown;
  /** Value as written, or `undefined` if the job does not set it. */
  readonly job: unknown;
  /** The outermost place that the difference affects: the list, if the indexes of its items have no meaning. */
  readonly scope: string;
  /** The default, in the document's words or as a value, or `undefined` if there is none. */
  readonly fallback: unknown;
  /** The outermost field of the path that the document does not define, or `undefined` if it defines all of them. */
  readonly unknown: string | undefined;
}

/** Returns whether servers write the value into such a job unasked: it follows from the other fields. */
export function isSaidByServers(settings: Fields, name: string): boolean {
  if (name !== 'format') return false;
  const format = valueOf(settings, name);
  return format === 'SINGLE_TASK' || (format === 'MULTI_TASK' && valueOf(settings, 'tasks') !== undefined);
}

/** Lists in which neither order nor repetition has a meaning. */
const unordered =
  /^(?:(?:email|webhook)_notifications\.\w+|libraries|libraries\[\d+\]\.maven\.exclusions|health\.rules|new_cluster\.ssh_public_keys)$/;
/** Services change the case of email addresses. */
const withoutCase = /^email_notifications\./;

/**
 * Returns what a deploy would change in a job's settings (Jobs API 2.0, Endpoints rule 2), in the document's order of fields. Values are
 * compared by their meaning: the order of keys and of unordered lists, absent fields or defaults, numbers written as texts, blanks around
 * names and masked secrets make no difference.
 */
export function differencesOf(file: Fields, job: Fields): readonly Difference[] {
  const names = namesOf(file, job).sort((one, other) => orderOf(one) - orderOf(other));
  return names.flatMap((name) => {
    const said = (settings: Fields): unknown => (isSaidByServers(settings, name) ? undefined : valueOf(settings, name));
    return differences(
      name,
      said(file),
      said(job),
      fieldPlace(settingsType, name),
      settingsType.fields.has(name) ? undefined : name,
    );
  });
}

/** Returns the differences that overlap any of the others: the same place, or one that contains the other. */
export function overlapping(differences: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  return differences.filter(({ scope }) =>
    others.some((other) => holds(scope, other.scope) || holds(other.scope, scope)),
  );
}

/** Returns whether both have the same place and the same values. */
export function isSameDifference(one: Difference, other: Difference): boolean {
  return one.path === other.path && textOf(one.file) === textOf(other.file) && textOf(one.job) === textOf(other.job);
}

export function holds(outer: string, inner: string): boolean {
  return (
    inner.startsWith(outer) &&
    (inner.length === outer.length || inner[outer.length] === '.' || inner[outer.length] === '[')
  );
}

const positions = new Map([...settingsType.fields.keys()].map((name, index) => [name, index]));

function orderOf(name: string): number {
  return positions.get(name) ?? positions.size;
}

function namesOf(file: Fields, job: Fields): string[] {
  return [...new Set([...Object.keys(file), ...Object.keys(job)])];
}

function valueOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}

function differences(
  path: string,
  file: unknown,
  job: unknown,
  place: SettingsPlace,
  unknown: string | undefined,
): Difference[] {
  const { type } = place;
  if (isFields(file) && isFields(job)) {
    return namesOf(file, job).flatMap((name) =>
      differences(
        `${path}.${name}`,
        valueOf(file, name),
        valueOf(job, name),
        fieldPlace(type, name),
        unknown ?? (knows(type, name) ? undefined : `${path}.${name}`),
      ),
    );
  }
  if (Array.isArray(file) && Array.isArray(job) && file.length > 0 && job.length > 0)
    return listDifferences(path, file, job, type, unknown);
  if (isMaskOf(job, file)) return [];
  if (textIn(path, meaningOf(file, place)) === textIn(path, meaningOf(job, place))) return [];
  const fallback = type?.kind === 'leaf' ? place.fallback : undefined;
  return [{ path, file, job, scope: path, fallback, unknown }];
}

function knows(type: FieldType | undefined, name: string): boolean {
  return type?.kind === 'map' || (type?.kind === 'object' && type.fields.has(name));
}

function listDifferences(
  path: string,
  file: readonly unknown[],
  job: readonly unknown[],
  type: FieldType | undefined,
  unknown: string | undefined,
): Difference[] {
  const place = itemPlace(type);
  const isSet = unordered.test(path);
  // Lists inside an item of such a list are unordered too.
  const textOfItem = (item: unknown): string => {
    const meaning = meaningOf(item, place);
    return textIn(path, isSet ? sorted(meaning) : meaning);
  };
  const pairs = listPairs(file.map(textOfItem), job.map(textOfItem), { isSet });
  const scope = file.length === job.length && !isSet ? undefined : path;
  // Lists with little in common are reported as a whole: nobody reads a hundred changed indexes.
  if (!pairs) return [{ path, file, job, scope: path, fallback: undefined, unknown }];
  return pairs.flatMap(([own, other]) =>
    differences(
      `${path}[${own ?? other}]`,
      own === undefined ? undefined : file[own],
      other === undefined ? undefined : job[other],
      place,
      unknown,
    ).map((difference) => (scope === undefined ? difference : { ...difference, scope })),
  );
}

function sorted(meaning: unknown): unknown {
  if (Array.isArray(meaning)) return meaning.map(meaningText).sort((one, other) => (one < other ? -1 : 1));
  if (!isFields(meaning)) return meaning;
  return Object.fromEntries(Object.entries(meaning).map(([name, value]) => [name, sorted(value)]));
}

function textIn(path: string, meaning: unknown): string {
  const text = meaningText(meaning);
  return withoutCase.test(path) ? text.toLowerCase() : text;
}

function textOf(value: unknown): string {
  return meaningText(meaningOf(value, {}));
}
