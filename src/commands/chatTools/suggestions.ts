import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Suggestion } from '../../chat/chatTools.ts';
import type { ToolRun } from '../../chat/conversationEvent.ts';
import type { Connection } from '../../connection/connection.ts';
import { groupAttempts } from '../../runs/attempts.ts';
import { jobName } from '../../runs/jobNames.ts';
import { runStatus } from '../../runs/runState.ts';
import { l10n } from '../../shared/l10n.ts';
import { type Disposable, toDisposable } from '../../shared/lifecycle.ts';
import { shortened } from '../../shared/text.ts';
import { storeOf } from '../connectFor.ts';
import { deployAndOffer } from '../deployAndOffer.ts';
import { fixName } from '../fix/fixRun.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import { runName } from '../resolve.ts';
import type { CommandServices } from '../services.ts';
import { days, isBad } from './runTools.ts';
import { pageSize } from './toolCall.ts';

/** Suggests what may interest somebody who opens the chat: a run that failed today or is running, and a job file that is not deployed. */
export async function suggest(services: CommandServices, nowMs: number): Promise<Suggestion[]> {
  const connection = await services.connections.connectIfUsed();
  if (!connection) return [];
  const { runs } = await connection.client.jobs.listRuns({ limit: pageSize }, { retry: 'fail' });
  const { fromMs } = days('today', nowMs);
  // A run whose later attempt succeeded has not failed.
  const latest = groupAttempts(runs).map(([attempt]) => attempt);
  const profileId = connection.profile.id;
  const suggestions: Suggestion[] = [];
  const isFixed = (failed: Run): boolean =>
    latest.some((run) => isGreenAfter(run, failed, fixName(runName(services, connection, failed))));
  const [first, ...others] = latest.filter((run) => isBad(run) && (run.start_time ?? 0) >= fromMs && !isFixed(run));
  if (first) {
    const { run_id: runId } = first;
    const icon = 'error';
    suggestions.push(
      others.length === 0
        ? {
            icon,
            title: l10n.t('1 run failed today'),
            prompt: `/why ${runId}`,
            deed: l10n.t('Explain'),
          }
        : {
            icon,
            title: l10n.t('{0} runs failed today', others.length + 1),
            prompt: '/failed today',
            deed: l10n.t('Show'),
          },
      {
        icon,
        title: l10n.t('{0} failed', shortened(runName(services, connection, first))),
        prompt: l10n.t('Suggest a fix'),
        deed: l10n.t('Fix'),
        take: () => services.fix({ profileId, runId }),
      },
    );
  }
  const going = latest.find((run) => runStatus(run).active);
  if (going)
    suggestions.push({
      icon: 'loading',
      title: l10n.t('{0} is running', shortened(runName(services, connection, going))),
      prompt: connection.profile.name,
      deed: l10n.t('Watch'),
      take: () => openRunOf(services, { profileId, runId: going.run_id }),
    });
  const file = await undeployedFile(services, connection);
  if (file)
    suggestions.push({
      icon: 'cloud',
      title: file.name,
      deed: l10n.t('Deploy'),
      prompt: l10n.t('Not deployed to {0}', connection.profile.name),
      take: () => deployAndOffer(services, { uri: file.uri }),
    });
  return suggestions;
}

/** Returns whether a later run of the failed run's job, or the run that checked its fix, succeeded. */
function isGreenAfter(run: Run, failed: Run, fix: string): boolean {
  const isOfJob = run.job_id !== undefined && run.job_id === failed.job_id;
  return (
    (isOfJob || run.run_name === fix) &&
    runStatus(run).phase === 'succeeded' &&
    (run.start_time ?? 0) > (failed.start_time ?? 0)
  );
}

/** Calls the listener only when the suggestions may change, to avoid needless requests. */
export function onDidChangeSuggestions({ runs }: CommandServices, listener: () => void): Disposable {
  // The state on which the suggestions depend.
  const basis = (): string =>
    `${runs.freshness.kind} ${runs.jobs.length} ${runs.activeRuns.map(({ run_id: id }) => id).join()}`;
  let seen = basis();
  const changes = runs.onDidChange(() => {
    const now = basis();
    if (now !== seen) listener();
    seen = now;
  });
  const ends = runs.onDidFinishRun(() => listener());
  return toDisposable(() => {
    changes.dispose();
    ends.dispose();
  });
}

export async function openRunOf(
  services: CommandServices,
  { profileId, runId }: Pick<ToolRun, 'profileId' | 'runId'>,
): Promise<void> {
  const { openRun } = await import('../runCommands.ts');
  await openRun(services, { profileId, runId });
}

/** Maximum job files checked for one that is not deployed. */
const maxFiles = 20;

/** Returns the first job file in the workspace that names no job and whose name no job of the profile has. */
async function undeployedFile(
  services: CommandServices,
  connection: Connection,
): Promise<{ uri: string; name: string } | undefined> {
  const { ui, deployments } = services;
  const store = storeOf(services, connection);
  // Unknown until the jobs have been listed; after that, this is called again.
  if (store?.freshness.kind !== 'fresh') return undefined;
  const files = (await ui.jobFiles()).filter(
    ({ uri }) => deployments.jobIdOf(connection.profile.id, uri) === undefined,
  );
  if (files.length === 0) return undefined;
  const { parse } = await loadJobFileService();
  const names = new Set(store.jobs.map((job) => jobName(job).trim()));
  for (const file of files.slice(0, maxFiles)) {
    const { settings, jobId } = parse((await ui.textOf(file.uri)) ?? '');
    const name = settings?.name?.trim();
    if (name && jobId === undefined && !names.has(name)) return file;
  }
  return undefined;
}
