import * as vscode from 'vscode';
import { filterWords, isFiltered, type Arrangement, type JobOrder } from '../tree/arrangement.ts';
import type { TreeModel } from '../tree/treeModel.ts';

export interface ViewWords {
  readonly description: string;
  /** A line above the rows; undefined if the rows, or the view's welcome, say it all. */
  readonly message: string | undefined;
}

/** What the view says of itself: the profile, what is filtered and how many rows that leaves. */
export function viewWords(profileName: string, arrangement: Arrangement, model: TreeModel): ViewWords {
  const words = filterWords(arrangement);
  const { isByTime } = model;
  const order = orderWords(isByTime ? 'time' : arrangement.sort);
  const description = [profileName, ...order, ...(words === undefined ? [] : [words])].join(' · ');
  // Counting looks at each job, which is for nothing where none is left out.
  if (words === undefined) return { description, message: undefined };
  const { counts } = model;
  // A message keeps the welcome away, which has the button that clears the filter.
  if (counts.shown === 0) return { description, message: undefined };
  const shown = isByTime
    ? vscode.l10n.t('{0} of {1} loaded runs match: {2}', counts.shown, counts.all, words)
    : vscode.l10n.t('{0} of {1} jobs match: {2}', counts.shown, counts.all, words);
  const unasked =
    counts.unasked > 0 ? [vscode.l10n.t('The last result of {0} more is not known yet.', counts.unasked)] : [];
  return { description, message: [shown, ...unasked].join('. ') };
}

/** What the view's menus and its welcome depend on. */
export function viewContext(arrangement: Arrangement): Readonly<Record<string, boolean>> {
  return { 'millrace.jobsFiltered': isFiltered(arrangement), 'millrace.jobsByTime': arrangement.by === 'time' };
}

/** The order by name goes without saying. */
function orderWords(order: JobOrder | 'time'): string[] {
  switch (order) {
    case 'time':
      return [vscode.l10n.t('all runs by time')];
    case 'lastRun':
      return [vscode.l10n.t('by last run')];
    case 'nextRun':
      return [vscode.l10n.t('by next run')];
    case 'name':
      return [];
  }
}
