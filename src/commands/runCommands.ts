import type { Run, ViewsToExport } from '../api/schema/jobs/schemas.ts';
import { taskKindOf } from '../api/schema/jobs/taskKinds.ts';
import { buttonOn, type Connection } from '../connection/connection.ts';
import { readableExport } from '../runs/exportedNotebook.ts';
import { exportFileNames } from '../runs/exportNames.ts';
import { isNewer, isOneTime } from '../runs/runOrder.ts';
import { runStatus } from '../runs/runState.ts';
import type { NamedTask } from '../runs/runTasks.ts';
import { AppError } from '../shared/errors.ts';
import type { Fields } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor, refreshAfter, storeOf } from './connectFor.ts';
import { offer } from './offer.ts';
import { connectToRun, resolveRun, resolveTask, runName } from './resolve.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Cancels a run; the tree shows "Cancelling" until the service reports the end (runs/cancel). */
export async function cancelRun(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const run = await resolveRun(
    services,
    connection,
    target,
    l10n.t('Cancel run'),
    (candidate) => runStatus(candidate).active,
  );
  if (!run) return;
  const name = runName(services, connection, run);
  const what = l10n.t('Cancel run {0} ({1})', name, run.run_id);
  if (!(await services.connections.confirmMutation(what, connection, { verb: l10n.t('Cancel Run') }))) return;
  const takeBack = services.cancelling(connection.profile.id, [run.run_id]);
  try {
    await services.ui.progress(l10n.t('Canceling {0} on {1}', name, connection.profile.name), (signal) =>
      connection.client.jobs.cancelRun(run.run_id, { signal }),
    );
  } catch (error) {
    takeBack();
    throw error;
  }
  // If the run was seen ending during the request, that was already reported.
  const seen = storeOf(services, connection)?.run(run.run_id);
  if (!seen || runStatus(seen).active) services.watch(connection.profile.id, run.run_id);
  await refreshAfter(services, connection);
}

/** Shows the page of a run in an editor tab, at the task of the target if it has one. */
export async function openRun(services: CommandServices, target: Target): Promise<void> {
  const found = await connectToRun(services, target, l10n.t('Open run'));
  if (found) await services.ui.openRun(found.connection.profile.id, found.run.run_id, found.name, target.taskKey);
}

/**
 * Compares the outputs of two runs, the older one on the left: the two selected runs, or one and another run of the same job if there is
 * one.
 */
export async function compareRuns(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const hasEnded = (run: Run): boolean => !runStatus(run).active;
  const selected = (target.all ?? []).filter(({ runId }) => runId !== undefined);
  if (selected.length > 2) {
    await services.ui.info(l10n.t('{0} runs are selected, but exactly two can be compared.', selected.length));
    return;
  }
  const [one = target, two] = selected;
  const first = await resolveRun(services, connection, one, l10n.t('Compare the output of a run'), hasEnded);
  if (!first) return;
  const name = runName(services, connection, first);
  const other = await resolveRun(
    services,
    connection,
    two ?? { ...(first.job_id === undefined || isOneTime(first) ? {} : { jobId: first.job_id }) },
    l10n.t('Compare the output of {0} with', name),
    (run) => run.run_id !== first.run_id && hasEnded(run),
  );
  if (!other) return;
  // A selected run may be active; its output is not complete yet.
  const going = [first, other].find((run) => !hasEnded(run));
  if (going) {
    await services.ui.info(
      l10n.t('{0} is still running, so nothing was compared.', runName(services, connection, going)),
    );
    return;
  }
  // Of runs with several tasks, the same task is compared.
  const task = await resolveTask(services, connection, first, one);
  const otherTask = task && (await resolveTask(services, connection, other, { taskKey: task.task_key }));
  const sides = [
    { run: first, task },
    { run: other, task: otherTask },
  ].toSorted((a, b) => (isNewer(a.run, b.run) ? 1 : -1));
  const [left = '', right = ''] = sides.map((side) => nameOfOutput(runName(services, connection, side.run), side.task));
  const [leftId = '', rightId = ''] = sides.map((side) => side.task?.run_id ?? side.run.run_id);
  await services.ui.compareOutputs(connection.profile.id, [leftId, rightId], l10n.t('{0} ↔ {1}', left, right));
}

export async function showOutput(services: CommandServices, target: Target): Promise<void> {
  const found = await connectToRun(services, target, l10n.t('Open output as text'));
  if (!found) return;
  const { connection, run, name } = found;
  const task = target.taskKey === undefined ? undefined : await resolveTask(services, connection, run, target);
  await services.ui.showRunOutput(connection.profile.id, task?.run_id ?? run.run_id, nameOfOutput(name, task));
}

/** Returns the name of a run's output, or of the output of one of its tasks. */
function nameOfOutput(name: string, task: NamedTask | undefined): string {
  return task ? `${name} ${task.task_key}` : name;
}

/** Opens the run's page; an address from a server must be a web URL. */
export async function openRunPage(services: CommandServices, target: Target): Promise<void> {
  const found = await connectToRun(
    services,
    target,
    l10n.t('Open run in the browser'),
    (candidate) => candidate.run_page_url !== undefined,
  );
  if (!found) return;
  const { run, name } = found;
  const url = URL.parse(run.run_page_url ?? '');
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new AppError(
      'protocol',
      l10n.t('{0} has no page that can be opened in a browser, so nothing was opened.', name),
      { remedy: l10n.t('Use "Open Run" to see the run\'s output.') },
    );
  }
  await services.ui.openExternal(url.href);
}

/** Returns whether a task of the run is a notebook; lists leave several tasks out. */
function hasNotebook(run: Run): boolean {
  const tasks: readonly Fields[] = run.task ? [run.task] : (run.tasks ?? []);
  return tasks.some((task) => task['notebook_task'] !== undefined);
}

/** Shows a notebook run with what each cell gave: tables, pictures and the values of last expressions (runs/export). */
export async function showCells(services: CommandServices, target: Target): Promise<void> {
  const found = await connectToRun(
    services,
    target,
    l10n.t('Show cell results'),
    (candidate) => hasNotebook(candidate) && !runStatus(candidate).active,
  );
  if (!found) return;
  const { connection, run } = found;
  const task = await resolveTask(services, connection, run, target);
  const name = nameOfOutput(found.name, task);
  const [notebook] = await services.ui.progress(l10n.t('Exporting {0}', name), (signal) =>
    connection.client.jobs.exportRun({ run_id: task?.run_id ?? run.run_id, views_to_export: 'CODE' }, { signal }),
  );
  if (notebook?.content) await services.ui.previewHtml(notebook.name ?? name, readableExport(notebook.content));
  else await services.ui.info(l10n.t('The service has no notebook of {0}.', name));
}

/** Writes the views of a notebook run as HTML files to a folder that the user chooses (runs/export). */
export async function exportRun(services: CommandServices, target: Target): Promise<void> {
  const found = await connectToRun(services, target, l10n.t('Export run'), hasNotebook);
  if (!found) return;
  const { connection, run } = found;
  const task = await resolveTask(services, connection, run, target);
  const name = nameOfOutput(found.name, task);
  const runId = task?.run_id ?? run.run_id;
  // Services may leave the kind of a task out.
  const isOther = task
    ? taskKindOf(task as Fields) !== undefined && task['notebook_task'] === undefined
    : run.task && run.task['notebook_task'] === undefined;
  if (isOther) {
    throw new AppError(
      'invalid',
      l10n.t('{0} is not a notebook run, so nothing was exported. Only notebook runs can be exported.', name),
      {
        operation: 'jobs/runs/export',
        remedy: l10n.t('Use "Open Run" to see the run\'s output.'),
      },
    );
  }
  const views = await services.ui.pick<ViewsToExport>(l10n.t('Export {0}', name), l10n.t('Which views?'), [
    { label: l10n.t('Code'), description: l10n.t('the notebook with its results'), value: 'CODE' },
    { label: l10n.t('Dashboards'), value: 'DASHBOARDS' },
    { label: l10n.t('All'), value: 'ALL' },
  ]);
  if (!views) return;
  const items = await services.ui.progress(l10n.t('Exporting {0}', name), (signal) =>
    connection.client.jobs.exportRun({ run_id: runId, views_to_export: views }, { signal }),
  );
  if (items.length === 0) {
    await services.ui.info(l10n.t('{0} has no such view, so nothing was written.', name));
    return;
  }
  const folder = await services.ui.chooseFolder(l10n.t('Folder for the export of {0}', name));
  if (!folder) return;
  const fileNames = exportFileNames(runId, items);
  const written: string[] = [];
  for (const [index, item] of items.entries())
    written.push(await services.ui.writeExport(folder, fileNames[index] ?? `${runId}.html`, item.content ?? ''));
  const [first] = items;
  offer(services.ui, l10n.t('Exported {0} to {1}.', name, written.join(', ')), l10n.t('Preview'), () =>
    services.ui.previewHtml(first?.name ?? name, readableExport(first?.content ?? '')),
  );
}

export async function deleteRun(services: CommandServices, target: Target): Promise<void> {
  const found = await connectToRun(services, target, l10n.t('Delete run'), (candidate) => !runStatus(candidate).active);
  if (!found) return;
  const { connection, run, name } = found;
  const isSure = await confirmLoss(services, connection, {
    question: l10n.t('Delete run {0} on {1}?', name, connection.profile.name),
    detail: l10n.t('Its output is deleted too. This cannot be undone.'),
    button: l10n.t('Delete'),
    mutation: l10n.t('Delete run {0} ({1})', name, run.run_id),
  });
  if (!isSure) return;
  await connection.client.jobs.deleteRun(run.run_id);
  storeOf(services, connection)?.removeRun(run.run_id);
  await refreshAfter(services, connection);
}

interface Loss {
  readonly question: string;
  readonly detail: string;
  /** A verb; the profile's name is added. */
  readonly button: string;
  /** The action, for the confirmation that a production profile asks instead. */
  readonly mutation: string;
}

/**
 * Asks whether the user accepts a loss. Asks once: for a production profile, its own confirmation is used.
 * @throws AppError before any question if the profile is read-only
 */
export async function confirmLoss(
  { connections, ui }: CommandServices,
  connection: Connection,
  { question, detail, button, mutation }: Loss,
): Promise<boolean> {
  const isSure = await connections.confirmMutation(mutation, connection, { verb: button, detail });
  return (
    isSure && (connection.profile.production || ui.confirm(question, detail, buttonOn(button, connection.profile)))
  );
}
