import type { Fields } from '../../shared/fields.ts';
import { kindOf, type LastDeploy, type PlannedChange } from './deployPlan.ts';
import { differencesOf, overlapping } from './diffWithRemote.ts';
import { mergeTheirs, takeTheirs } from './mergeTheirs.ts';
import { parseJobFile, writtenSettings } from './parseJobFile.ts';
import { withSettings } from './withSettings.ts';

/** What a pull of a job's settings does to a file, from the same three sides as a deploy. */
export interface PullPlan {
  /** The file with all that the job has; the same text if it says that already. */
  readonly text: string;
  /** What that text says: what the next deploy is planned from. */
  readonly sent: Fields;
  /** What becomes of each setting that the file has or gets, in the document's order of fields. */
  readonly changes: readonly PlannedChange[];
  /** Those of the changes that undo what was written into the file since the last deploy; all if that is not known. */
  readonly lost: readonly PlannedChange[];
  /** The file with what others changed and what it changed itself; if both did, its own. Only if something would be lost. */
  readonly merged?: string;
}

/**
 * The plan of a pull.
 * @param text the file, which may have errors
 * @param theirs what the job has
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
