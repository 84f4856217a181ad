import { isFields, type Fields } from '../../shared/fields.ts';
import { settingsType } from '../model/fieldTree.ts';
import { isBookkeeping, unmasked, type LastDeploy } from './deployPlan.ts';
import { isSaidByServers } from './diffWithRemote.ts';
import { fieldPlace, meaningOf, meaningText, type SettingsPlace } from './settingsMeaning.ts';

const top: SettingsPlace = { type: settingsType };

/**
 * Returns the settings of a file that takes over everything from the job: keeps what the last deploy from here sent and others have not
 * changed, and drops what the service writes by itself. Secrets that the service hides stay as in the file.
 * @param ours current settings in the file, for its secrets
 */
export function takeTheirs(ours: Fields, theirs: Fields, last?: LastDeploy): Fields {
  const shown = unmasked(theirs, ours) as Fields;
  if (!last) return said(shown, ours, top) as Fields;
  return mergeValues(last.settings, last.sent ?? last.settings, shown, top, 'theirs') as Fields;
}

/** Returns the settings with both the file's and others' changes since the last deploy; if both changed the same field, the file wins. */
export function mergeTheirs(ours: Fields, theirs: Fields, last: LastDeploy): Fields {
  const sent = last.sent ?? last.settings;
  return mergeValues(sent, ours, takeTheirs(ours, theirs, last), top, 'ours') as Fields;
}

function mergeValues(
  base: unknown,
  ours: unknown,
  theirs: unknown,
  place: SettingsPlace,
  first: 'ours' | 'theirs',
): unknown {
  const text = (value: unknown): string => meaningText(meaningOf(value, place));
  if (text(theirs) === text(base)) return ours;
  if (isFields(ours) && isFields(theirs)) {
    const before = isFields(base) ? base : {};
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    const entries = names.map((name): [string, unknown] => [
      name,
      mergeValues(own(before, name), own(ours, name), own(theirs, name), fieldPlace(place.type, name), first),
    ]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  return text(ours) === text(base) || first === 'theirs' ? theirs : ours;
}

/** Returns the settings without values that mean nothing and those that only services write, unless the file has them too. */
function said(theirs: unknown, ours: unknown, place: SettingsPlace): unknown {
  if (!isFields(theirs)) return theirs;
  const written = isFields(ours) ? ours : {};
  const entries = Object.entries(theirs).filter(([name, value]) => {
    if (Object.hasOwn(written, name)) return true;
    if (place === top && isSaidByServers(theirs, name)) return false;
    const isUnknown = place.type?.kind === 'object' && !place.type.fields.has(name);
    return meaningOf(value, fieldPlace(place.type, name)) !== undefined && !(isUnknown && isBookkeeping(name));
  });
  return Object.fromEntries(
    entries.map(([name, value]) => [name, said(value, own(written, name), fieldPlace(place.type, name))]),
  );
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}
