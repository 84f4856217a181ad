import { isFields, type Fields } from '../../shared/fields.ts';
import { foreignFields } from '../model/foreignFields.ts';
import { differencesOf, holds, isSameDifference, overlapping, type Difference } from './diffWithRemote.ts';
import { hidesSome, isMaskOf, mask, meaningText } from './settingsMeaning.ts';

/** `reset`: the file leaves out a field with a default, which replaces the job's value. */
type ChangeKind = 'add' | 'change' | 'remove' | 'reset';

/** The change that a deploy makes to one setting of the job. */
export interface PlannedChange extends Difference {
  readonly kind: ChangeKind;
}

/** The last deploy of the file from here. */
export interface LastDeploy {
  /** The settings on the service after the deploy; any change since then was made by somebody else. */
  readonly settings: Fields;
  /** The settings in the file, or `undefined` if an earlier version did not store them. */
  readonly sent?: Fields;
}

/** The effect of a deploy, computed from three sides: the last deploy from here, the job on the service, and the file. */
export interface DeployPlan {
  readonly action: 'create' | 'update' | 'none';
  /** In the document's order of fields; empty if the job is created, since everything is new. */
  readonly changes: readonly PlannedChange[];
  /** Changes by somebody else since the last deploy from here: `file` is the old value, `job` the new one. */
  readonly moved: readonly Difference[];
  /** The changes that undo somebody else's work; all of them if the last deploy is unknown. */
  readonly lost: readonly PlannedChange[];
  readonly isLastDeployKnown: boolean;
  /** Whether the service hides a value that may differ from the file's, so that a deploy is needed in any case. */
  readonly mayDifferInSecrets: boolean;
}

/** Fields that services add to the settings they return, which nobody set or can set. */
const bookkeeping = new Set([
  'format',
  'edit_mode',
  'deployment',
  'creator_user_name',
  'run_as_user_name',
  'user_name',
  'created_time',
]);

/**
 * Plans a deploy.
 * @param ours settings in the file
 * @param theirs current settings of the job, or `undefined` if there is none
 */
export function planDeploy(ours: Fields, theirs: Fields | undefined, last?: LastDeploy): DeployPlan {
  const isLastDeployKnown = last !== undefined;
  if (!theirs)
    return { action: 'create', changes: [], moved: [], lost: [], isLastDeployKnown, mayDifferInSecrets: false };
  const habits = last?.sent ? differencesOf(last.sent, last.settings) : [];
  const moved = last ? differencesOf(last.settings, theirs).filter((difference) => !isRenewed(difference, habits)) : [];
  const now = last ? differencesWithHidden(ours, theirs, last.settings) : differencesOf(ours, theirs);
  const changes = [
    ...without(now, habits)
      .filter((difference) => !isServers(difference, habits, isLastDeployKnown))
      .map((difference): PlannedChange => ({ ...difference, kind: kindOf(difference) })),
    ...takenBack(now, moved, habits),
  ];
  const lost = last ? (overlapping(changes, moved) as readonly PlannedChange[]) : changes;
  const mayDifferInSecrets = !last && meaningText(unmasked(theirs, ours)) !== meaningText(theirs);
  return {
    action: changes.length > 0 ? 'update' : 'none',
    changes,
    moved,
    lost,
    isLastDeployKnown,
    mayDifferInSecrets,
  };
}

/** Returns the visible differences, and those of hidden values that differ in the file from what was last sent. */
function differencesWithHidden(ours: Fields, theirs: Fields, base: Fields): readonly Difference[] {
  const visible = differencesOf(ours, theirs);
  const shown = unmasked(theirs, base) as Fields;
  const seen = new Map(visible.map((difference) => [placeOf(difference), difference]));
  const all = differencesOf(ours, shown).map(
    (difference) =>
      seen.get(placeOf(difference)) ?? { ...difference, job: difference.job === undefined ? undefined : mask },
  );
  return all.length < visible.length ? visible : all;
}

/** Returns the place of a difference; an item that only the job has may have the same index as one in the file. */
function placeOf({ path, file }: Difference): string {
  return `${path} ${file === undefined ? 'job' : 'file'}`;
}

function without(differences: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  const known = new Map(others.map((one) => [placeOf(one), one]));
  return differences.filter((difference) => {
    const other = known.get(placeOf(difference));
    return !other || !isSameDifference(difference, other);
  });
}

/** Returns the changes of values that the service had set by itself and somebody cleared: the service will set them again. */
function takenBack(
  differences: readonly Difference[],
  moved: readonly Difference[],
  habits: readonly Difference[],
): PlannedChange[] {
  const isTold = new Set(differences.map(({ path }) => path));
  const own = new Map(habits.filter(({ file }) => file === undefined).map((habit) => [habit.path, habit.job]));
  return moved
    .filter(({ path }) => own.has(path) && !isTold.has(path))
    .map((move) => ({ ...move, file: undefined, kind: 'reset', fallback: own.get(move.path) }));
}

/** Returns the kind of change that turns `job` into `file`. */
export function kindOf({ file, job, fallback }: Difference): ChangeKind {
  if (job === undefined) return 'add';
  if (file !== undefined) return 'change';
  return fallback === undefined ? 'remove' : 'reset';
}

/** Returns whether only the service can have set a field at this place. */
export function isBookkeeping(place: string): boolean {
  const name = place.slice(place.lastIndexOf('.') + 1);
  return bookkeeping.has(name) || !foreignFields.has(name);
}

/** Returns whether the service sets and updates the value by itself, such as a time of the last change. */
function isRenewed({ unknown, file, job }: Difference, habits: readonly Difference[]): boolean {
  if (unknown === undefined || file === undefined || job === undefined || !isBookkeeping(unknown)) return false;
  return habits.some((habit) => habit.file === undefined && holds(habit.path, unknown));
}

/**
 * Returns whether a field that only the job has, and that the document does not define, comes from the service rather than from a person.
 */
function isServers({ path, unknown, file }: Difference, habits: readonly Difference[], isKnown: boolean): boolean {
  // An object that the file defines itself is complete in the file.
  if (unknown !== path || file !== undefined || !isBookkeeping(unknown)) return false;
  return !isKnown || habits.some((habit) => habit.file === undefined && holds(habit.path, path));
}

/**
 * Returns the settings to store after a deploy: those now on the service, with its own spellings and additions, however it changed the
 * values that were sent. There is one exception: if the previous deploy left a value, or its absence, as sent, and the same was sent again,
 * the service cannot be what changed it. Somebody else did, at that very moment, so the sent value is stored and the next deploy detects
 * the change. Anything that was the same before and after the deploy is the service's own doing.
 * @param before settings of the job before the deploy, or `undefined` if it was created
 */
export function settingsAfter(sent: Fields, stored: Fields, before: Fields | undefined, last?: LastDeploy): Fields {
  const result: Record<string, unknown> = unmasked(stored, sent) as Record<string, unknown>;
  if (!before || !last?.sent) return result;
  const learned = [...differencesOf(last.sent, last.settings), ...differencesOf(last.sent, sent)];
  for (const found of without(differencesOf(sent, stored), differencesOf(sent, before))) {
    const { path: at, file, unknown } = found;
    const [name = at] = at.split(/[.[]/, 1);
    const isAddition = file === undefined && at !== name;
    if (unknown !== undefined || isAddition || overlapping([found], learned).length > 0) continue;
    if (Object.hasOwn(sent, name)) result[name] = sent[name];
    else delete result[name];
  }
  return result;
}

/** Returns the values that the service stored differently from what was sent, for the first time, except hidden ones. */
export function rewritten(sent: Fields, stored: Fields, last?: LastDeploy): readonly Difference[] {
  const habits = new Set(last?.sent ? differencesOf(last.sent, last.settings).map(({ path }) => path) : []);
  return differencesOf(sent, stored).filter(
    ({ path, file, job, unknown }) =>
      unknown === undefined && (file !== undefined || !/[.[]/.test(path)) && !habits.has(path) && !hidesSome(job),
  );
}

/** Returns the settings with the sent values in place of the service's masks, so that a change of a secret can be detected. */
export function unmasked(shown: unknown, given: unknown): unknown {
  if (Array.isArray(shown))
    return shown.map((item, index) => unmasked(item, Array.isArray(given) ? given[index] : undefined));
  if (isFields(shown))
    return Object.fromEntries(
      Object.entries(shown).map(([name, item]) => [name, unmasked(item, isFields(given) ? given[name] : undefined)]),
    );
  return isMaskOf(shown, given) ? given : shown;
}
