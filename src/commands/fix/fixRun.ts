import { endpointTaskOf } from '../../api/schema/inference/endpoints.ts';
import type { JobSettings, Run, SubmitRequest } from '../../api/schema/jobs/schemas.ts';
import { type Connection, localProfile } from '../../connection/connection.ts';
import { jobName } from '../../runs/jobNames.ts';
import { isOneTime } from '../../runs/runOrder.ts';
import { runStatus } from '../../runs/runState.ts';
import { AppError } from '../../shared/errors.ts';
import { ifFound } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { askChatAboutRun, outputOf } from '../askChat.ts';
import { connectFor, refreshAfter } from '../connectFor.ts';
import { deployAndOffer } from '../deployAndOffer.ts';
import { filesThatKnow } from '../fileOfJob.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import { offer } from '../offer.ts';
import { requestOfRun, requestOfSettings } from '../oneTimeRun.ts';
import { replayedRun } from '../replay/plan.ts';
import { replayRun, untilEnded } from '../replay/replay.ts';
import { resolveRun, runName } from '../resolve.ts';
import type { EditedParameters } from '../runParameters.ts';
import type { CommandServices } from '../services.ts';
import type { Target } from '../target.ts';
import type { WorkspaceFile } from '../ui.ts';
import { requireTrust, review } from './applyCode.ts';
import { askModel } from './askModel.ts';
import { dataPathRule, dataRule, folderRule } from './dataRules.ts';
import { type FailedRun, type Proposal, readFailure, type Rule } from './failedRun.ts';
import { codePathRule, jobFileRule, libraryRule, parameterRule } from './jobRules.ts';
import { syntaxRules } from './syntaxRules.ts';

/** Maximum rounds of changing and running; anything still wrong then needs a person. */
const maxRounds = 3;

/**
 * Fixes a local run that failed, or a job file that cannot run: shows the cause and a change, and after each change that the user accepts
 * runs the job again with the failed run's parameters. It changes no job and no other service.
 */
export async function fixRun(services: CommandServices, target: Target): Promise<void> {
  const { ui } = services;
  requireTrust(ui);
  const subject = target.uri === undefined ? await failedRun(services, target) : await brokenFile(services, target.uri);
  if (!subject) return;
  const loop = new FixLoop(services, subject);
  for (let round = 1; round <= maxRounds; round += 1) {
    const ended = await loop.round(round);
    if (ended === 'stop') return;
    if (ended === 'mended') return loop.offerDeploy();
  }
  await loop.giveUp(l10n.t('{0} changes did not fix {1}: {2}', maxRounds, subject.name, loop.error));
}

interface Subject {
  readonly connection: Connection;
  /** Display name of what failed. */
  readonly name: string;
  /** `undefined` if the job file could not run at all. */
  readonly run: Run | undefined;
  /** Workspace path. */
  readonly jobFile: string | undefined;
}

/**
 * Returns the run to fix.
 * @returns `undefined` if the user canceled, or replays the run here first
 */
async function failedRun(services: CommandServices, target: Target): Promise<Subject | undefined> {
  // A local run is fixed on this machine, whatever the current profile is.
  const isOfHere = target.profileId === localProfile.id;
  const local = isOfHere ? await services.connections.connectTo(localProfile.id, { byUser: true }) : undefined;
  const connection = local ?? (await connectFor(services, target));
  const { client, profile } = connection;
  const isFailed = (run: Run): boolean => ['failed', 'timedOut', 'internalError'].includes(runStatus(run).phase);
  const seen = await resolveRun(services, connection, target, l10n.t('Fix a failed run'), isFailed);
  if (!seen) return undefined;
  const name = runName(services, connection, seen);
  if (profile.kind !== 'local') {
    const replay = l10n.t('Replay Here…');
    const answer = await services.ui.warn(
      l10n.t(
        '{0} ran on {1}. Fixes are made on this machine only: replay it here, then fix the copy.',
        name,
        profile.name,
      ),
      replay,
    );
    if (answer === replay) await replayRun(services, { ...target, runId: seen.run_id });
    return undefined;
  }
  if (!isFailed(seen)) {
    await services.ui.info(l10n.t('{0} did not fail, so there is nothing to fix.', name));
    return undefined;
  }
  const run = await client.jobs.getRun(seen.run_id);
  const jobId = run.job_id;
  const job = jobId === undefined ? undefined : await ifFound(client.jobs.get(jobId));
  const known = job ? await filesThatKnow(services, profile.id, job) : [];
  const wanted = job ? jobName(job) : run.run_name;
  const paths = new Map((await services.ui.jobFiles()).map((file) => [file.uri, file.name]));
  const [own] = known.length === 1 ? known : await filesOfName(services, [...paths.keys()], wanted);
  return { connection, name, run, jobFile: own === undefined ? undefined : paths.get(own) };
}

/** Returns the only job file whose job has this name. */
async function filesOfName(
  services: CommandServices,
  uris: readonly string[],
  wanted: string | undefined,
): Promise<string[]> {
  const { parse } = await loadJobFileService();
  const texts = await Promise.all(
    uris.slice(0, 300).map(async (uri) => ({ uri, text: await services.ui.textOf(uri) })),
  );
  const found = texts.filter(({ text }) => text !== undefined && parse(text).settings?.name?.trim() === wanted?.trim());
  return found.length === 1 ? found.map(({ uri }) => uri) : [];
}

async function brokenFile(services: CommandServices, uri: string): Promise<Subject | undefined> {
  const { connections, ui } = services;
  const jobFile = (await ui.jobFiles()).find((file) => file.uri === uri)?.name;
  if (jobFile === undefined)
    throw new AppError('invalid', l10n.t('This is not a job file of the workspace, so nothing was changed.'));
  const connection = await connections.connectTo('local', { byUser: true });
  return connection && { connection, name: jobFile, run: undefined, jobFile };
}

function parametersOf(run: Run | undefined): EditedParameters {
  return run?.overriding_parameters ?? {};
}

type End = 'mended' | 'again' | 'stop';

class FixLoop {
  readonly #services: CommandServices;
  readonly #subject: Subject;
  /** The last failed run, or `undefined` if nothing could run yet. */
  #run: Run | undefined;
  /** The model that the user chose for failures that no rule can fix. */
  #endpoint: string | undefined;
  error = '';

  constructor(services: CommandServices, subject: Subject) {
    this.#services = services;
    this.#subject = subject;
    this.#run = subject.run;
  }

  async round(round: number): Promise<End> {
    const { ui } = this.#services;
    const failure = await this.#readFailure();
    this.error = failure.error;
    let wanted: Proposal | undefined;
    const cause = await findCause(failure);
    if (typeof cause === 'object') {
      const answer = await this.#review(failure, cause, round);
      if (answer === 'discard') return 'stop';
      if (answer === 'apply') wanted = cause;
    }
    if (!wanted) {
      const made = await this.#askModel(failure, typeof cause === 'string' ? cause : undefined);
      if (!made) return 'stop';
      if ((await this.#review(failure, made, round)) !== 'apply') return 'stop';
      wanted = made;
    }
    const { file, text } = wanted;
    await ui.replaceText(file.uri, file.text, text);
    if (!(await ui.save(file.uri)))
      throw new AppError('rejected', l10n.t('{0} could not be saved, so nothing was run.', file.path));
    return this.#runAgain(round);
  }

  /** Runs the job from the current file if it is valid; otherwise fixes the file's next mistake first. */
  async #runAgain(round: number): Promise<End> {
    const { ui } = this.#services;
    const { connection, name } = this.#subject;
    const { jobFile, request, isRunnable } = await this.#known();
    if (!isRunnable) return 'again';
    const job = await this.#jobAsItIs(jobFile?.settings);
    const title = l10n.t('{0} (fix {1})', name, round);
    this.#run = await ui.progress(l10n.t('Running {0}', title), async (signal) => {
      const { jobs } = connection.client;
      const { run_id: runId } = await (job === undefined
        ? jobs.submit({ ...request, run_name: title }, { signal })
        : jobs.runNow({ ...parametersOf(this.#subject.run), job_id: job }, { signal }));
      await refreshAfter(this.#services, connection);
      return untilEnded(connection.client, runId, signal);
    });
    await refreshAfter(this.#services, connection);
    return runStatus(this.#run).phase === 'succeeded' ? 'mended' : 'again';
  }

  /** Returns the job of the failed run if its settings match the file, so that the job itself can be run instead of a copy. */
  async #jobAsItIs(settings: JobSettings | undefined): Promise<string | undefined> {
    const { connection, run } = this.#subject;
    if (run?.job_id === undefined || isOneTime(run)) return undefined;
    const job = await ifFound(connection.client.jobs.get(run.job_id));
    const { differences } = await loadJobFileService();
    return job && (!settings || differences(settings, job.settings ?? {}).length === 0) ? job.job_id : undefined;
  }

  /** Returns the current job file, and the request for a run with the failed run's parameters. */
  async #known(): Promise<Pick<FailedRun, 'jobFile' | 'request'> & { isRunnable: boolean }> {
    const { ui } = this.#services;
    const { run, name, jobFile: path } = this.#subject;
    const file = path === undefined ? undefined : await ui.workspaceFile(path);
    const settings = file && (await loadJobFileService()).parse(file.text).settings;
    const task: SubmitRequest = settings ? requestOfSettings(settings) : run ? requestOfRun(run) : {};
    const isRunnable = file === undefined || settings !== undefined;
    const whole: Run = { ...run, run_id: run?.run_id ?? '', task, cluster_spec: undefined };
    const request = isRunnable ? replayedRun(whole, name).request : task;
    return { jobFile: file && { file, settings }, request, isRunnable };
  }

  async #readFailure(): Promise<FailedRun> {
    const { ui } = this.#services;
    const { connection } = this.#subject;
    const { jobFile, request } = await this.#known();
    const read = (path: string): Promise<WorkspaceFile> => ui.workspaceFile(path);
    const known = { jobFile, request, files: await ui.workspaceFiles(''), read };
    const run = this.#run;
    const output = run
      ? await ui.progress(l10n.t('Loading {0}', this.#subject.name), (signal) => outputOf(connection, run, signal))
      : {};
    return readFailure({ ...output, ...(run && !output.metadata ? { metadata: run } : {}) }, known);
  }

  async #review(
    { error, steps: [step] }: FailedRun,
    change: Proposal,
    round: number,
  ): Promise<'apply' | 'model' | 'discard'> {
    const { file } = change;
    if (file.isDirty)
      throw new AppError('rejected', l10n.t('{0} has unsaved changes, so it was not changed.', file.path), {
        remedy: l10n.t('Save it, then fix the run again.'),
      });
    const line = step && (step.file.text.split('\n')[step.line - 1] ?? '').trim().slice(0, 100);
    const parts = [
      error.slice(0, 300),
      step && l10n.t('{0}, line {1}: {2}', step.file.path, step.line, line ?? ''),
      change.what,
      round > 1 && l10n.t('Change {0}. The maximum is {1}.', round, maxRounds),
    ];
    const [apply, other] = [l10n.t('Apply and Run Again'), l10n.t('Ask a Model…')];
    const message = parts.filter((part) => typeof part === 'string' && part !== '').join(' — ');
    const answer = await review(this.#services.ui, change, message, [
      apply,
      ...(this.#endpoint === undefined ? [other] : []),
    ]);
    if (answer === undefined) return 'discard';
    return answer === apply ? 'apply' : 'model';
  }

  /**
   * Asks a model for a fix.
   * @returns `undefined` if there is no model, the user canceled, or the model has no change, which is then reported
   */
  async #askModel(failure: FailedRun, cause: string | undefined): Promise<Proposal | undefined> {
    const { ui } = this.#services;
    const { client } = this.#subject.connection;
    const why = cause ?? failure.error;
    if (this.#endpoint === undefined) {
      const listed = (await ifFound(client.inference.listEndpoints())) ?? [];
      const models = listed.filter(({ name, task }) => name !== 'guide' && (endpointTaskOf(task) ?? 'chat') === 'chat');
      if (models.length === 0) {
        await this.giveUp(l10n.t('No fix found: {0}', why));
        return undefined;
      }
      const items = models.map(({ name, description }) => ({ label: name, description, value: name }));
      const title = l10n.t('No fix found: {0}', why);
      this.#endpoint = await ui.pick(title, l10n.t('Model that gets the error and the files of its trace'), items);
    }
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return undefined;
    const made = await ui.progress(l10n.t('Asking {0}', endpoint), (signal) =>
      askModel(client, endpoint, failure, signal),
    );
    if (typeof made === 'object') return made;
    await this.giveUp(l10n.t('{0} found no fix: {1}', endpoint, made));
    return undefined;
  }

  /** Reports that there is no fix, and offers an explanation. */
  async giveUp(message: string): Promise<void> {
    const run = this.#run;
    if (!run) return void (await this.#services.ui.warn(message));
    const explain = l10n.t('Explain');
    const { profile } = this.#subject.connection;
    if ((await this.#services.ui.warn(message, explain)) === explain)
      await askChatAboutRun(this.#services, { runId: run.run_id, profileId: profile.id });
  }

  async offerDeploy(): Promise<void> {
    const { ui } = this.#services;
    const { name, jobFile } = this.#subject;
    const message = l10n.t('{0} now succeeds on this machine.', name);
    const file = jobFile === undefined ? undefined : await ui.workspaceFile(jobFile);
    if (!file) return void (await ui.info(message));
    offer(ui, message, l10n.t('Deploy…'), () => deployAndOffer(this.#services, { uri: file.uri }));
  }
}

/** All rules, in the order in which they are tried. */
const rules: readonly Rule[] = [
  jobFileRule,
  libraryRule,
  codePathRule,
  syntaxRules,
  parameterRule,
  folderRule,
  dataPathRule,
  dataRule,
];

/** Returns the change that certainly fixes the failure, otherwise the reason why there is none, if the cause is known. */
export async function findCause(failure: FailedRun): Promise<Proposal | string | undefined> {
  for (const rule of rules) {
    const found = await rule(failure);
    if (found !== undefined) return found;
  }
  return undefined;
}
