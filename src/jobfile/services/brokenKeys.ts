import { l10n } from '../../shared/l10n.ts';
import { similarNames } from '../../shared/similarNames.ts';
import type { ObjectType } from '../model/fieldTree.ts';
import { resolved, type Problem, type MapEntry } from '../yaml/jobDocument.ts';

/** The merge key, with its common typos. */
const mergeKey = /^<{1,3}$/;

/** Returns a problem for a key without a space after its colon, which YAML reads as one text with its value. */
export function closeColon(
  text: string,
  start: number,
  type: ObjectType,
  source: string,
): { name: string; problem: Problem } | undefined {
  const [, name = ''] = /^([a-z_]+|<<):\S/.exec(text) ?? [];
  const colon = start + name.length;
  if ((!type.fields.has(name) && !mergeKey.test(name)) || source[colon] !== ':') return undefined;
  const problem: Problem = {
    code: 'syntax',
    message: l10n.t('A colon must be followed by a space. Add one.'),
    start: colon,
    end: colon + 1,
    severity: 'error',
    data: { replacements: [': '] },
  };
  return { name, problem };
}

/** Returns the entry without the value that is part of its key, as above, if the name is mistyped as well: the name is reported first. */
export function withoutValue(entry: MapEntry, names: readonly string[]): MapEntry {
  const { key, value } = entry;
  const [, name = ''] = /^([\w-]+):\S/.exec(key.name) ?? [];
  if (name === '' || resolved(value)?.end !== value.start || similarNames(name, names).length === 0) return entry;
  return { value, key: { ...key, name, end: key.start + name.length } };
}

/** Returns a problem for a value that cannot be merged in, so that the mapping's fields are incomplete. */
export function unmerged({ key, value }: MapEntry): Problem | undefined {
  if (!mergeKey.test(key.name)) return undefined;
  return {
    code: 'wrongType',
    message: l10n.t('{0} merges nothing here. Write "<<: *name", with the name of an anchor (&name) above.', key.name),
    start: key.start,
    end: Math.max(key.end, value.end),
    severity: 'error',
  };
}

export function isMergeKey(name: string): boolean {
  return mergeKey.test(name);
}
