import { isFields, type Fields } from '../../shared/fields.ts';
import { foreignFields } from '../model/foreignFields.ts';
import { differencesOf, holds, isSameDifference, overlapping, type Difference } from './diffWithRemote.ts';
import { hidesSome, isMaskOf, mask, meaningText } from './settingsMeaning.ts';

/** `reset`: the file leaves out what has a default, which takes the place of what the job has. */
type ChangeKind = 'add' | 'change' | 'remove' | 'reset';

/** What a deploy does to one setting of the job. */
export interface PlannedChange extends Difference {
  readonly kind: ChangeKind;
}

/** What the last deploy of the file from here did. */
export interface LastDeploy {
  /** What the service had after it; a change of it since then is somebody else's. */
  readonly settings: Fields;
  /** What the file said; undefined if an earlier version did not keep it. */
  readonly sent?: Fields;
}

/** What a deploy would do, from three sides: what was last deployed from here, what the service has, and what the file says. */
export interface DeployPlan {
  readonly action: 'create' | 'update' | 'none';
  /** In the document's order of fields; none if the job is created, since all of it is new. */
  readonly changes: readonly PlannedChange[];
  /** What somebody else changed since the last deploy from here: `file` is what it was, `job` what it is. */
  readonly moved: readonly Difference[];
  /** Those of the changes that undo what somebody else did; all of them if the last deploy is not known. */
  readonly lost: readonly PlannedChange[];
  readonly isLastDeployKnown: boolean;
  /** The service hides a value, and nothing tells whether it is that of the file: a deploy has something to do all the same. */
  readonly mayDifferInSecrets: boolean;
}

/** Names that services write into the settings they answer, which nobody gave them and nobody can set. */
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
 * The plan of a deploy.
 * @param ours what the file says
 * @param theirs what the job has now; undefined if there is none
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

/** Those that can be seen, and those for which the file now has another value than the one that was sent and is hidden. */
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

/** An item that only the job has may have the position of one of the file's. */
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

/** What the service had set by itself and somebody set to what says nothing: the service will set it again. */
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

/** What making `file` of `job` does to a setting. */
export function kindOf({ file, job, fallback }: Difference): ChangeKind {
  if (job === undefined) return 'add';
  if (file !== undefined) return 'change';
  return fallback === undefined ? 'remove' : 'reset';
}

/** Whether only the service can have given a field of this place. */
export function isBookkeeping(place: string): boolean {
  const name = place.slice(place.lastIndexOf('.') + 1);
  return bookkeeping.has(name) || !foreignFields.has(name);
}

/** What the service wrote by itself and writes anew, such as a time of the last change. */
function isRenewed({ unknown, file, job }: Difference, habits: readonly Difference[]): boolean {
  if (unknown === undefined || file === undefined || job === undefined || !isBookkeeping(unknown)) return false;
  return habits.some((habit) => habit.file === undefined && holds(habit.path, unknown));
}

/** What only the service says, in words that the document does not know, if nothing tells that a person gave it. */
function isServers({ path, unknown, file }: Difference, habits: readonly Difference[], isKnown: boolean): boolean {
  // Inside what the file says itself, it says all.
  if (unknown !== path || file !== undefined || !isBookkeeping(unknown)) return false;
  return !isKnown || habits.some((habit) => habit.file === undefined && holds(habit.path, path));
}

/**
 * What is kept of a deploy as the job's settings: what the service has now, with its own spellings and additions, whatever it made of
 * the values that were sent. Only if the deploy before left a value, or its absence, as it was sent, and the same was sent again,
 * it cannot be the service that made another one of it: then somebody else was there in the moment between, and it stays as it was
 * sent, so that the next deploy finds the change. What was so before the deploy and after it is the service's own will.
 * @param before what the job had before the deploy; undefined if it was created
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

/** Values that the service stored differently from what was sent, for the first time; values that it hides are left out. */
export function rewritten(sent: Fields, stored: Fields, last?: LastDeploy): readonly Difference[] {
  const habits = new Set(last?.sent ? differencesOf(last.sent, last.settings).map(({ path }) => path) : []);
  return differencesOf(sent, stored).filter(
    ({ path, file, job, unknown }) =>
      unknown === undefined && (file !== undefined || !/[.[]/.test(path)) && !habits.has(path) && !hidesSome(job),
  );
}

/** The settings with what was sent in place of the service's masks, so that a change of a secret can be seen. */
export function unmasked(shown: unknown, given: unknown): unknown {
  if (Array.isArray(shown))
    return shown.map((item, index) => unmasked(item, Array.isArray(given) ? given[index] : undefined));
  if (isFields(shown))
    return Object.fromEntries(
      Object.entries(shown).map(([name, item]) => [name, unmasked(item, isFields(given) ? given[name] : undefined)]),
    );
  return isMaskOf(shown, given) ? given : shown;
}
