import { fieldsOf, type Fields } from '../../../shared/fields.ts';
import { has } from './rule.ts';

/**
 * Clients read "Map of ParamPair" (Jobs API 2.0, NotebookTask and RunParameters) in two ways: as an object of names and values, and as a
 * list of pairs. Both mean the same; this file converts lists to objects.
 */

/**
 * Converts a list of `{key, value}` or `{name, value}` to an object, where the last value of a name wins; returns anything else unchanged.
 */
function mapOfPairs(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const pairs = value.map((pair: unknown) => {
    const fields = fieldsOf(pair);
    const name = fields?.['key'] ?? fields?.['name'];
    return typeof name === 'string' && has(fields, 'value') ? ([name, fields?.['value']] as const) : undefined;
  });
  return pairs.every((pair) => pair !== undefined) ? Object.fromEntries(pairs) : value;
}

function replaced(fields: Fields, name: string, change: (value: unknown) => unknown): Fields {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const after = before === undefined ? before : change(before);
  return after === before ? fields : { ...fields, [name]: after };
}

/** Replaces lists of pairs by objects in settings, a request that contains settings, or the parameters of a run. */
export function withParamMaps<T extends Fields>(fields: T): T {
  const inside = (value: unknown): unknown => (fieldsOf(value) ? withParamMaps(value as Fields) : value);
  const task = (value: unknown): unknown =>
    fieldsOf(value) ? replaced(value as Fields, 'base_parameters', mapOfPairs) : value;
  const tasks = (value: unknown): unknown => (Array.isArray(value) ? value.map(inside) : value);
  const forEach = (value: unknown): unknown => (fieldsOf(value) ? replaced(value as Fields, 'task', inside) : value);
  const changes = [
    ['notebook_params', mapOfPairs],
    ['notebook_task', task],
    ['new_settings', inside],
    ['tasks', tasks],
    ['for_each_task', forEach],
  ] as const;
  return changes.reduce((result: Fields, [name, change]) => replaced(result, name, change), fields) as T;
}
