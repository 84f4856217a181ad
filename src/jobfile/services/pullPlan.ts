import { isFields, type Fields } from '../../shared/fields.ts';
import { settingsType } from '../model/fieldTree.ts';
import { kindOf, isBookkeeping, unmasked, type LastDeploy, type PlannedChange } from './deployPlan.ts';
import { differencesOf, overlapping, isSaidByServers } from './diffWithRemote.ts';
import { parseJobFile, writtenSettings } from './parseJobFile.ts';
import { fieldPlace, meaningOf, meaningText, type SettingsPlace } from './settingsMeaning.ts';
import { withSettings } from './withSettings.ts';

/** The effect of pulling a job's settings into a file, computed from the same three sides as a deploy. */
export interface PullPlan {
  /** The file with everything that the job has; the same text if it already has it. */
  readonly text: string;
  /** The settings in that text, from which the next deploy is planned. */
  readonly sent: Fields;
  /** The change to each setting that the file has or gets, in the document's order of fields. */
  readonly changes: readonly PlannedChange[];
  /** The changes that undo edits of the file since the last deploy; all of them if that is unknown. */
  readonly lost: readonly PlannedChange[];
  /** The file with both others' changes and its own; if both changed the same field, its own. Set only if a pull would lose something. */
  readonly merged?: string;
}

/**
 * Plans a pull.
 * @param text the file, which may have errors
 * @param theirs current settings of the job
 */
export function planPull(text: string, theirs: Fields, last?: LastDeploy): PullPlan {
  const { settings, document } = parseJobFile(text);
  const ours = settings ?? writtenSettings(document);
  const sent = takeTheirs(ours, theirs, last);
  const changes = differencesOf(sent, ours).map((difference): PlannedChange => ({
    ...difference,
    kind: kindOf({ ...difference, fallback: undefined }),
  }));
  if (changes.length === 0) return { text, sent, changes, lost: changes };
  const own = last && differencesOf(ours, last.sent ?? last.settings);
  const lost = own ? (overlapping(changes, own) as readonly PlannedChange[]) : changes;
  const merged = last && lost.length > 0 ? withSettings(text, mergeTheirs(ours, theirs, last)) : undefined;
  return { text: withSettings(text, sent), sent, changes, lost, ...(merged === undefined ? {} : { merged }) };
}

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
