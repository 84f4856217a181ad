import { jobSettingsFields } from '../../api/schema/jobs/schemas.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { listed, shortened } from '../../shared/text.ts';
import { invalidParameter, type ApiError } from '../base/apiError.ts';
import { joinMembers, rawElements, rawMembers } from '../store/rawJson.ts';

/** Field that identifies the entries of an array (Jobs API 2.0, Endpoints rule 3). Other arrays are replaced. */
const keyFields: Readonly<Record<string, string>> = {
  tasks: 'task_key',
  job_clusters: 'job_cluster_key',
  environments: 'environment_key',
  parameters: 'name',
};

/**
 * Returns the settings after an update, as JSON text: top-level fields are replaced, keyed arrays merged, `fields_to_remove` removed.
 * Unchanged parts keep their text.
 *
 * @param changes `new_settings` as JSON text
 * @throws ApiError for a field that cannot be removed
 */
export function mergeSettings(current: string, changes: string, fieldsToRemove: readonly string[]): string {
  const members = rawMembers(current);
  for (const [name, value] of rawMembers(changes)) {
    if (value === 'null') continue;
    const before = members.get(name);
    const keyField = keyFields[name];
    const merges = keyField !== undefined && value.startsWith('[') && before?.startsWith('[') === true;
    members.set(name, merges ? mergeArrays(before, value, keyField) : value);
  }
  for (const field of fieldsToRemove) remove(members, field);
  return joinMembers(members);
}

function mergeArrays(current: string, changes: string, keyField: string): string {
  const entries = new Map<string, string>();
  for (const text of [...rawElements(current), ...rawElements(changes)]) {
    entries.set(keyOf(text, keyField) ?? text, text);
  }
  return `[${[...entries.values()].join(',')}]`;
}

function keyOf(element: string, keyField: string): string | undefined {
  return element.startsWith('{') ? rawMembers(element).get(keyField) : undefined;
}

/** Arrays whose entries can be removed individually (Jobs API 2.0, Endpoints rule 3). */
const removableFrom: ReadonlySet<string> = new Set(['tasks', 'job_clusters']);

/** Top-level fields that a job of this version may have. Other fields are known if the job has them. */
const knownFields = [...Object.keys(jobSettingsFields), ...Object.keys(keyFields)];

function remove(members: Map<string, string>, field: string): void {
  const slash = field.indexOf('/');
  if (slash === -1) {
    if (!members.delete(field) && !knownFields.includes(field)) throw notRemovable(field, members);
    return;
  }
  const name = field.slice(0, slash);
  const keyField = keyFields[name];
  if (keyField === undefined || !removableFrom.has(name) || field.indexOf('/', slash + 1) !== -1)
    throw notRemovable(field, members);
  const current = members.get(name) ?? '[]';
  const elements = current.startsWith('[') ? rawElements(current) : [];
  const key = JSON.stringify(field.slice(slash + 1));
  const kept = elements.filter((element) => keyOf(element, keyField) !== key);
  if (kept.length === elements.length) {
    const keys = elements.flatMap((element) => keyOf(element, keyField) ?? []).slice(0, 20);
    const remedy = keys.length === 0 ? `The job has no ${name}` : `Its ${name} are ${listed(keys)}`;
    throw invalidParameter(
      `fields_to_remove: there is no ${shortened(field, 100)} in the job. Nothing was changed. ${remedy}.`,
    );
  }
  // An empty list means that the job has none.
  if (kept.length === 0) members.delete(name);
  else members.set(name, `[${kept.join(',')}]`);
}

function notRemovable(field: string, members: Map<string, string>): ApiError {
  const [similar] = field.length > 100 ? [] : similarNames(field, [...new Set([...members.keys(), ...knownFields])]);
  const remedy =
    similar === undefined
      ? 'Only top-level fields, and entries of tasks and job_clusters can, such as "schedule" or ' +
        '"tasks/<task_key>". To change part of a field, send the whole field in new_settings.'
      : `Did you mean ${similar}?`;
  return invalidParameter(
    `fields_to_remove: ${shortened(field, 100)} cannot be removed. Nothing was changed. ${remedy}`,
  );
}
