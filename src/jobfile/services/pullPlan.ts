import type { Fields } from '../../shared/fields.ts';
import { kindOf, type LastDeploy, type PlannedChange } from './deployPlan.ts';
import { differencesOf, overlapping } from './diffWithRemote.ts';
import { mergeTheirs, takeTheirs } from './mergeTheirs.ts';
import { parseJobFile, writtenSettings } from './parseJobFile.ts';
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
