import type { Fields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { valueText } from './changesInWords.ts';
import { planDeploy, type LastDeploy, type PlannedChange } from './deployPlan.ts';
import type { Difference } from './diffWithRemote.ts';
import { parseJobFile } from './parseJobFile.ts';

/** How a file stands to its job. `differs`: what was deployed last is not known; `broken`: the file has errors. */
type SyncKind = 'same' | 'here' | 'there' | 'both' | 'differs' | 'broken';

/** A setting that a deploy would change, from three sides; each value as a text, empty if it is not set. */
interface SyncRow {
  readonly setting: string;
  readonly last: string;
  readonly job: string;
  readonly file: string;
  readonly deploy: string;
}

/** Beyond so many rows the user looks at the comparison of the whole texts. */
const maxRows = 10;

/**
 * Compares a file with its job and with its last deploy from here.
 * @param theirs the settings that the job has now
 */
export function syncOf(text: string, theirs: Fields, last?: LastDeploy): { kind: SyncKind; rows: SyncRow[] } {
  const { settings } = parseJobFile(text);
  if (!settings) return { kind: 'broken', rows: [] };
  const { changes, moved, lost } = planDeploy(settings, theirs, last);
  // What a deploy would do had nobody else changed the job: that is what was changed in the file.
  const isHere = last !== undefined && planDeploy(settings, last.settings, last).changes.length > 0;
  const isThere = moved.length > 0;
  const kind = isHere ? (isThere ? 'both' : 'here') : isThere ? 'there' : 'differs';
  const rowOf = (change: PlannedChange): SyncRow => {
    const { path, job, file } = change;
    const move = moved.find((one) => one.path === path);
    const deploy = deployWords(change);
    return {
      setting: path,
      last: last ? written(move ? move.file : job) : '',
      job: written(job),
      file: written(file),
      deploy: last && lost.includes(change) ? l10n.t('{0}, against the change there', deploy) : deploy,
    };
  };
  // Who changes both alike has nothing to deploy.
  return changes.length === 0 ? { kind: 'same', rows: [] } : { kind, rows: changes.slice(0, maxRows).map(rowOf) };
}

function written(value: Difference['job']): string {
  return value === undefined ? '' : valueText(value);
}

function deployWords({ kind }: PlannedChange): string {
  if (kind === 'add') return l10n.t('Adds it');
  if (kind === 'change') return l10n.t('Changes it');
  return kind === 'remove' ? l10n.t('Removes it') : l10n.t('Sets the default');
}
