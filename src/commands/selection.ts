import type { Job, Run } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { jobName } from '../runs/jobNames.ts';
import { isOneTime } from '../runs/runOrder.ts';
import { runStatus } from '../runs/runState.ts';
import { mayHaveTasks } from '../runs/runTasks.ts';
import { AppError, describeError, isAbort } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor, refreshAfter, requireProfile, storeOf } from './connectFor.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import { offer } from './offer.ts';
import { requestOfRun } from './oneTimeRun.ts';
import { runName } from './resolve.ts';
import { cancelRun, confirmLoss } from './runCommands.ts';
import { parametersOfRun } from './runNow.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** How many requests are sent concurrently; the others queue. */
const requestsAtOnce = 4;
/** Maximum rows named in a question, and failures in a report; the others are counted. */
const maxNamed = 15;

/** The jobs and runs of the selected rows, as last read. */
interface Selection {
  readonly connection: Connection;
  readonly jobs: readonly Job[];
  readonly runs: readonly Run[];
}

/** One of the selected rows, and what is done with it. */
interface Work {
  readonly name: string;
  act(signal: AbortSignal): Promise<unknown>;
}

interface Question {
  readonly question: string;
  /** The action, for the confirmation of a production profile. */
  readonly mutation: string;
  readonly verb: string;
  /** Shown below the names. */
  readonly note?: string;
}

/** Starts the selected jobs, and the selected runs again with their own parameters. */
export async function runSelected(services: CommandServices, targets: readonly Target[]): Promise<void> {
  const { connection, jobs, runs } = await selectionOf(services, targets);
  const { profile, client } = connection;
  let started = 0;
  const follow = async (start: Promise<{ run_id: string }>): Promise<void> => {
    services.watch(profile.id, (await start).run_id);
    started += 1;
  };
  // The lists may omit the parameters of a run with several tasks.
  const wholeRun = async (run: Run, signal: AbortSignal): Promise<Run> =>
    mayHaveTasks(run) ? client.jobs.getRun(run.run_id, { signal }) : run;
  const startAgain = async (run: Run, signal: AbortSignal): Promise<{ run_id: string }> =>
    isOneTime(run) || run.job_id === undefined
      ? // The lists may omit parts of a run.
        client.jobs.submit(requestOfRun(await client.jobs.getRun(run.run_id, { signal })), { signal })
      : client.jobs.runNow({ job_id: run.job_id, ...parametersOfRun(await wholeRun(run, signal)) }, { signal });
  const work = [
    ...jobs.map((job) => ({
      name: nameOfJob(job),
      act: (signal: AbortSignal) => follow(client.jobs.runNow({ job_id: job.job_id }, { signal })),
    })),
    ...runs.map((run) => ({
      name: nameOfRun(services, connection, run),
      act: (signal: AbortSignal) => follow(startAgain(run, signal)),
    })),
  ];
  const isDone = await doAll(services, connection, work, {
    question: l10n.t('Run {0} on {1}?', counted(jobs, runs), profile.name),
    mutation: l10n.t('Run {0}', counted(jobs, runs)),
    verb: l10n.t('Run'),
  });
  if (!isDone) return;
  void services.ui.info(
    started === 1
      ? l10n.t('Started 1 run on {0}.', profile.name)
      : l10n.t('Started {0} runs on {1}.', started, profile.name),
  );
}

/** Cancels the active runs among the selected rows, and those of the selected jobs. */
export async function cancelSelected(services: CommandServices, targets: readonly Target[]): Promise<void> {
  const { connection, jobs, runs } = await selectionOf(services, targets);
  const { profile, client } = connection;
  const jobIds = new Set(jobs.map((job) => job.job_id));
  const ofJobs = services.runs.activeRuns.filter((run) => !isOneTime(run) && jobIds.has(run.job_id ?? ''));
  const active = [...new Map([...runs, ...ofJobs].map((run) => [run.run_id, run])).values()].filter(
    (run) => runStatus(run).active,
  );
  const [only] = active;
  if (!only) {
    await services.ui.info(l10n.t('None of the selected rows has an active run, so nothing was canceled.'));
    return;
  }
  if (active.length === 1) return cancelRun(services, { runId: only.run_id, profileId: profile.id });
  const work = active.map((run) => ({
    name: nameOfRun(services, connection, run),
    async act(signal: AbortSignal) {
      const takeBack = services.cancelling(profile.id, [run.run_id]);
      try {
        await client.jobs.cancelRun(run.run_id, { signal });
        services.watch(profile.id, run.run_id);
      } catch (error) {
        takeBack();
        throw error;
      }
    },
  }));
  await doAll(services, connection, work, {
    question: l10n.t('Cancel {0} runs on {1}?', active.length, profile.name),
    mutation: l10n.t('Cancel {0} runs', active.length),
    verb: l10n.t('Cancel Runs'),
  });
}

/** Deletes the selected jobs and runs, and offers the settings of the jobs as job files. */
export async function deleteSelected(services: CommandServices, targets: readonly Target[]): Promise<void> {
  const { connection, jobs, runs } = await selectionOf(services, targets);
  const { profile, client } = connection;
  const store = storeOf(services, connection);
  const jobIds = new Set(jobs.map((job) => job.job_id));
  // A job's runs are deleted with it.
  const others = runs.filter((run) => isOneTime(run) || !jobIds.has(run.job_id ?? ''));
  const ended = others.filter((run) => !runStatus(run).active);
  if (jobs.length + ended.length === 0) {
    await services.ui.info(l10n.t('Active runs cannot be deleted, so nothing was deleted. Cancel them first.'));
    return;
  }
  const deleted: Job['settings'][] = [];
  const work = [
    ...jobs.map((job) => ({
      name: nameOfJob(job),
      async act(signal: AbortSignal) {
        const { settings } = await client.jobs.get(job.job_id, { signal });
        await client.jobs.delete(job.job_id, { signal });
        deleted.push(settings);
        store?.removeJob(job.job_id);
      },
    })),
    ...ended.map((run) => ({
      name: nameOfRun(services, connection, run),
      async act(signal: AbortSignal) {
        await client.jobs.deleteRun(run.run_id, { signal });
        store?.removeRun(run.run_id);
      },
    })),
  ];
  const notes = [
    ...(jobs.length > 0 ? [l10n.t('The run history of a job is deleted with it, and its active runs end.')] : []),
    ...(ended.length < others.length ? [l10n.t('Active runs are kept. Cancel them first.')] : []),
    l10n.t('This cannot be undone.'),
  ];
  await doAll(services, connection, work, {
    question: l10n.t('Delete {0} on {1}?', counted(jobs, ended), profile.name),
    mutation: l10n.t('Delete {0}', counted(jobs, ended)),
    verb: l10n.t('Delete'),
    note: notes.join(' '),
  }).finally(() => {
    if (deleted.length === 0) return;
    offer(
      services.ui,
      l10n.t('Deleted {0} on {1}.', counted(deleted, []), profile.name),
      l10n.t('Open Settings'),
      async () => {
        const { toYaml } = await loadJobFileService();
        for (const settings of deleted) await services.ui.openUntitled('millrace-job', toYaml(settings ?? {}, {}));
      },
    );
  });
}

/** Pauses or resumes the schedules of the selected jobs. */
export async function pauseSelected(
  services: CommandServices,
  targets: readonly Target[],
  isPaused: boolean,
): Promise<void> {
  const { connection, jobs } = await selectionOf(services, targets);
  const { profile, client } = connection;
  const status: 'PAUSED' | 'UNPAUSED' = isPaused ? 'PAUSED' : 'UNPAUSED';
  const other = jobs.filter(({ settings }) => {
    const schedule = settings?.schedule;
    return schedule && (schedule.pause_status ?? 'UNPAUSED') !== status;
  });
  if (other.length === 0) {
    await services.ui.info(
      isPaused
        ? l10n.t('None of the selected jobs has a running schedule, so nothing was changed.')
        : l10n.t('None of the selected jobs has a paused schedule, so nothing was changed.'),
    );
    return;
  }
  const work = other.map((job) => ({
    name: nameOfJob(job),
    // The update replaces the whole schedule, so it is read first.
    async act(signal: AbortSignal) {
      const schedule = (await client.jobs.get(job.job_id, { signal })).settings?.schedule;
      if (!schedule) return;
      const changed = { schedule: { ...schedule, pause_status: status } };
      await client.jobs.update({ job_id: job.job_id, new_settings: changed }, { signal });
    },
  }));
  const count = counted(other, []);
  await doAll(services, connection, work, {
    question: isPaused
      ? l10n.t('Pause the schedules of {0} on {1}?', count, profile.name)
      : l10n.t('Resume the schedules of {0} on {1}?', count, profile.name),
    mutation: isPaused ? l10n.t('Pause the schedules of {0}', count) : l10n.t('Resume the schedules of {0}', count),
    verb: isPaused ? l10n.t('Pause') : l10n.t('Resume'),
  });
}

async function selectionOf(services: CommandServices, targets: readonly Target[]): Promise<Selection> {
  const connection = await connectFor(services, targets[0] ?? {});
  for (const target of targets) requireProfile(services, target, connection.profile);
  const store = storeOf(services, connection);
  return {
    connection,
    jobs: targets.flatMap(({ jobId, runId }) => {
      const job = jobId === undefined || runId !== undefined ? undefined : store?.job(jobId);
      return job ? [job] : [];
    }),
    runs: targets.flatMap(({ runId }) => {
      const run = runId === undefined ? undefined : store?.run(runId);
      return run ? [run] : [];
    }),
  };
}

/**
 * Asks once, with the names of all rows, then does the work.
 * @returns false if the user declined or there is nothing to do
 * @throws AppError that names the rows whose request failed
 */
async function doAll(
  services: CommandServices,
  connection: Connection,
  work: readonly Work[],
  { question, mutation, verb, note }: Question,
): Promise<boolean> {
  if (work.length === 0) return false;
  const detail = listed(work.map(({ name }) => name));
  const isSure = await confirmLoss(services, connection, {
    question,
    detail: note === undefined ? detail : `${detail}\n\n${note}`,
    button: verb,
    mutation,
  });
  if (!isSure) return false;
  const failures: string[] = [];
  const left = [...work];
  const worker = async (signal: AbortSignal): Promise<void> => {
    for (let next = left.shift(); next && !signal.aborted; next = left.shift())
      try {
        await next.act(signal);
      } catch (error) {
        if (!isAbort(error)) failures.push(`${next.name}: ${describeError(error)}`);
      }
  };
  await services.ui.progress(`${mutation}, ${connection.profile.name}`, async (signal) => {
    await Promise.all(Array.from({ length: requestsAtOnce }, () => worker(signal)));
  });
  await refreshAfter(services, connection);
  if (failures.length > 0)
    throw new AppError(
      'rejected',
      l10n.t('{0}: {1} of {2} failed. {3}', mutation, failures.length, work.length, listed(failures)),
    );
  return true;
}

function listed(lines: readonly string[]): string {
  const more = lines.length - maxNamed;
  return [...lines.slice(0, maxNamed), ...(more > 0 ? [l10n.t('and {0} more', more)] : [])].join('\n');
}

function counted(jobs: readonly unknown[], runs: readonly unknown[]): string {
  const ofJobs = jobs.length === 1 ? l10n.t('1 job') : l10n.t('{0} jobs', jobs.length);
  const ofRuns = runs.length === 1 ? l10n.t('1 run') : l10n.t('{0} runs', runs.length);
  if (runs.length === 0) return ofJobs;
  return jobs.length === 0 ? ofRuns : l10n.t('{0} and {1}', ofJobs, ofRuns);
}

function nameOfJob(job: Job): string {
  return `${jobName(job)} (${job.job_id})`;
}

function nameOfRun(services: CommandServices, connection: Connection, run: Run): string {
  return `${runName(services, connection, run)} (${run.run_id})`;
}
