import { fieldsOf, type Fields } from '../../../shared/fields.ts';
import { has } from './rule.ts';

/**
 * "Map of ParamPair" (Jobs API 2.0, NotebookTask and RunParameters) is read in two ways by clients: as an object of names
 * and values, and as a list of pairs. Both say the same; here they become the object.
 */

/** A list of `{key, value}` or `{name, value}` as an object, the last of one name; anything else as it is. */
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

/** Settings, a request that holds some, or the parameters of a run, with objects in place of lists of pairs. */
export function withParamMaps<T extends Fields>(fields: T): T {
  const inside = (value: unknown): unknown => (fieldsOf(value) ? withParamMaps(value as Fields) : value);
  const task = (value: unknown): unknown =>
    fieldsOf(value) ? replaced(value as Fields, 'base_parameters', mapOfPairs) : value;
  return replaced(
    replaced(replaced(fields, 'notebook_params', mapOfPairs), 'notebook_task', task),
    'new_settings',
    inside,
  ) as T;
}
