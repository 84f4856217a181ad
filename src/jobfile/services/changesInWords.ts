import { stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { shortened } from '../../shared/shortened.ts';
import type { PlannedChange } from './deployPlan.ts';
import type { Difference } from './diffWithRemote.ts';
import { isMask } from './settingsMeaning.ts';

/** A question is read, not studied: the comparison shows the rest. */
const maxLines = 10;
const maxValueLength = 80;

/** What a deploy does to each setting of the job, one a line. */
export function changesInWords(changes: readonly PlannedChange[], max = maxLines): string {
  return lines(changes, max, (change) => {
    const place = onOneLine(change.path);
    switch (change.kind) {
      case 'add':
        return l10n.t('• {0}: {1} is added', place, valueText(change.file));
      case 'change':
        if (isMask(change.job)) return l10n.t('• {0}: what the service hides becomes what the file says', place);
        return l10n.t('• {0}: {1} becomes {2}', place, valueText(change.job), valueText(change.file));
      case 'remove':
        return l10n.t('• {0}: {1} is removed', place, valueText(change.job));
      default:
        return l10n.t('• {0}: {1} goes back to the default ({2})', place, valueText(change.job), defaultText(change));
    }
  });
}

/** What somebody else changed since the last deploy, one a line. */
export function movesInWords(moved: readonly Difference[], max = maxLines): string {
  return lines(moved, max, ({ path, file, job }) => {
    const place = onOneLine(path);
    if (file === undefined) return l10n.t('• {0}: {1} was added', place, valueText(job));
    if (job === undefined) return l10n.t('• {0}: {1} was removed', place, valueText(file));
    if (isMask(job)) return l10n.t('• {0}: what the service hides became another', place);
    return l10n.t('• {0}: {1} became {2}', place, valueText(file), valueText(job));
  });
}

function lines<T>(items: readonly T[], max: number, line: (item: T) => string): string {
  const shown = items.slice(0, max).map(line);
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [l10n.t('• and {0} more', more)] : [])].join('\n');
}

function defaultText({ fallback }: Difference): string {
  return onOneLine(typeof fallback === 'object' ? stringifyJson(fallback) : String(fallback));
}

/** A value as JSON, in one line of bounded length. */
export function valueText(value: unknown): string {
  return onOneLine(stringifyJson(value));
}

/** Shortened, on one line. */
function onOneLine(text: string): string {
  return shortened(text.replace(/\s+/g, ' '), maxValueLength);
}
