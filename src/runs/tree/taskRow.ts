import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import type { RowClock } from '../rowWords.ts';
import { notRunPhases, runDurationInMs, shownStatus } from '../runState.ts';
import type { NamedTask } from '../runTasks.ts';
import type { TreeNode } from './treeRows.ts';

/** Returns the row of a task below the row of its run. A click on it opens the page of the run at this task. */
export function taskRow(run: TreeNode, task: NamedTask, { seenMs, isCurrent }: RowClock): TreeNode {
  const status = shownStatus(task, isCurrent);
  const duration = notRunPhases.has(status.phase) ? undefined : runDurationInMs(task, seenMs);
  const words = duration === undefined ? status.label : `${status.label} · ${formatDuration(duration)}`;
  return {
    id: `${run.id}/task/${task.task_key}`,
    kind: 'task',
    label: task.task_key,
    description: words,
    icon: status.icon,
    context: 'task',
    accessibleLabel: l10n.t('Task {0}, {1}', task.task_key, words),
    expandable: false,
    profileId: run.profileId,
    jobId: run.jobId,
    runId: run.runId,
    taskKey: task.task_key,
  };
}
