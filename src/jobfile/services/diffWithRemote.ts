import { stringifyJson } from '../../shared/json.ts';
import { settingsType, type FieldType } from '../model/fieldTree.ts';

/** One place where a file and a job say different things. */
export interface Difference {
  /** Such as `new_cluster.num_workers` or `libraries[0].jar`. */
  readonly path: string;
  /** Undefined where the file says nothing. */
  readonly file: unknown;
  /** Undefined where the job says nothing. */
  readonly job: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** What servers write into every job although nobody gave it to them; it means the same as nothing. */
const saidByServers: Fields = {
  format: 'SINGLE_TASK',
  timeout_seconds: 0,
  max_retries: 0,
  min_retry_interval_millis: 0,
};

/** Lists in which the order says nothing: who is notified. */
const unordered = /^(?:email|webhook)_notifications\./;

/**
 * What a deploy would change in a job's settings (Jobs API 2.0, Endpoints rule 2), in the document's order of fields. Values
 * are compared by their meaning: the order of keys, and fields left out or set to their default, make no difference.
 */
export function differencesOf(file: Fields, job: Fields): readonly Difference[] {
  const names = [...new Set([...Object.keys(file), ...Object.keys(job)])].sort(
    (one, other) => orderOf(one) - orderOf(other),
  );
  return names.flatMap((name) => {
    const field = settingsType.fields.get(name);
    const said = (settings: Fields): unknown => {
      const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
      return value === saidByServers[name] ? undefined : meaning(value, field?.type, field?.meta.default);
    };
    return differences(name, said(file), said(job));
  });
}

/** Those of the first that touch a place of the second: the place itself, what holds it, or what is inside it. */
export function overlapping(differences: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  return differences.filter(({ path }) => others.some((other) => holds(path, other.path) || holds(other.path, path)));
}

function holds(outer: string, inner: string): boolean {
  return (
    inner.startsWith(outer) &&
    (inner.length === outer.length || inner[outer.length] === '.' || inner[outer.length] === '[')
  );
}

const positions = new Map([...settingsType.fields.keys()].map((name, index) => [name, index]));

function orderOf(name: string): number {
  return positions.get(name) ?? positions.size;
}

/** A value without what says nothing: nulls, defaults, and mappings or lists that are empty by that. */
function meaning(value: unknown, type: FieldType | undefined, fallback: unknown): unknown {
  if (value === null || value === undefined || value === fallback) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => meaning(item, type?.kind === 'list' ? type.element : undefined, undefined) ?? {});
    return items.length === 0 ? undefined : items;
  }
  if (typeof value === 'bigint') return value.toString();
  if (isFields(value)) {
    const fields = type?.kind === 'object' ? type.fields : undefined;
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => [
      name,
      meaning(item, fields?.get(name)?.type, fields?.get(name)?.meta.default),
    ]);
    const said = entries.filter(([, item]) => item !== undefined);
    // An empty cluster or library says that there is one; an empty notification says nothing.
    return said.length === 0 && type?.kind === 'object' ? undefined : Object.fromEntries(said);
  }
  return type?.kind === 'leaf' && type.type === 'int64' ? String(value) : value;
}

function differences(path: string, file: unknown, job: unknown): readonly Difference[] {
  if (isFields(file) && isFields(job)) {
    return [...new Set([...Object.keys(file), ...Object.keys(job)])].flatMap((name) =>
      differences(`${path}.${name}`, file[name], job[name]),
    );
  }
  if (Array.isArray(file) && Array.isArray(job)) return listDifferences(path, file, job);
  return sameText(file, job) ? [] : [{ path, file, job }];
}

function listDifferences(path: string, file: readonly unknown[], job: readonly unknown[]): readonly Difference[] {
  if (unordered.test(path) && sameText(file.map(textOf).sort(), job.map(textOf).sort())) return [];
  // Where an item came or went, the positions of the others say nothing.
  if (file.length !== job.length) return [{ path, file, job }];
  return file.flatMap((item, index) => differences(`${path}[${index}]`, item, job[index]));
}

function textOf(value: unknown): string {
  return stringifyJson(value ?? null);
}

function sameText(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
