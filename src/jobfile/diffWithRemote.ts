import { stringifyJson } from '../shared/json.ts';
import { settingsType, type FieldType } from './fieldTree.ts';

/** One top-level field that a deploy changes. */
export interface FieldChange {
  readonly field: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** Where inside the field they differ, such as `new_cluster.num_workers`. */
  readonly paths: readonly string[];
}

export interface DeployPreview {
  /** With jobs/reset: the file replaces everything, so what it does not have is removed. */
  readonly reset: readonly FieldChange[];
  /** With jobs/update, whose arrays with key fields are merged: what stays although the file does not have it. */
  readonly keptByUpdate: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a deploy would do to a job's settings (Jobs API 2.0, Endpoints rules 2 and 3). Values are compared by their
 * meaning: the order of keys, and fields left out or set to their default, make no difference.
 */
export function previewDeploy(local: Fields, remote: Fields): DeployPreview {
  const names = [...new Set([...Object.keys(local), ...Object.keys(remote)])].sort((one, other) => orderOf(one) - orderOf(other));
  const reset = names.flatMap((field) => changeOf(field, local[field], remote[field]) ?? []);
  const keptByUpdate = reset.filter((change) => change.kind === 'removed').map((change) => change.field);
  for (const [array, key] of mergedArrays) {
    const kept = itemsOf(remote[array], key).filter((item) => local[array] !== undefined && !itemsOf(local[array], key).includes(item));
    keptByUpdate.push(...kept.map((item) => `${array}/${item}`));
  }
  return { reset, keptByUpdate };
}

/** Arrays that update merges, by the field that identifies their entries. */
const mergedArrays = [['tasks', 'task_key'], ['job_clusters', 'job_cluster_key']] as const;

function itemsOf(value: unknown, key: string): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => (isFields(item) && typeof item[key] === 'string' ? [item[key]] : []));
}

function orderOf(name: string): number {
  const index = [...settingsType.fields.keys()].indexOf(name);
  return index < 0 ? settingsType.fields.size : index;
}

function changeOf(field: string, local: unknown, remote: unknown): FieldChange | undefined {
  const type = settingsType.fields.get(field);
  const paths = differences(field, meaning(local, type?.type, type?.meta.default), meaning(remote, type?.type, type?.meta.default));
  if (paths.length === 0) return undefined;
  return { field, kind: local === undefined ? 'removed' : remote === undefined ? 'added' : 'changed', paths };
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
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => [name, meaning(item, fields?.get(name)?.type, fields?.get(name)?.meta.default)]);
    const said = entries.filter(([, item]) => item !== undefined);
    // An empty cluster or library says that there is one; an empty notification says nothing.
    return said.length === 0 && type?.kind === 'object' ? undefined : Object.fromEntries(said);
  }
  return type?.kind === 'leaf' && type.type === 'int64' ? String(value) : value;
}

function differences(path: string, local: unknown, remote: unknown): string[] {
  if (isFields(local) && isFields(remote)) {
    return [...new Set([...Object.keys(local), ...Object.keys(remote)])].flatMap((name) => differences(`${path}.${name}`, local[name], remote[name]));
  }
  if (Array.isArray(local) && Array.isArray(remote)) {
    return Array.from({ length: Math.max(local.length, remote.length) }, (_, index) => differences(`${path}[${index}]`, local[index], remote[index])).flat();
  }
  return stringifyJson(local ?? null) === stringifyJson(remote ?? null) ? [] : [path];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
