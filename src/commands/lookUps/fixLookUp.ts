import { endpointTaskOf } from '../../api/schema/inference/endpoints.ts';
import type { ChatChunk } from '../../api/schema/inference/schemas.ts';
import type { JobSettings, Run, SubmitRequest } from '../../api/schema/jobs/schemas.ts';
import type { LookUpAnswer } from '../../chat/chatTools.ts';
import type { AnswerLink } from '../../chat/conversationEvent.ts';
import { type Connection, localProfile } from '../../connection/connection.ts';
import { jobName } from '../../runs/jobNames.ts';
import { isOneTime } from '../../runs/runOrder.ts';
import { runStatus } from '../../runs/runState.ts';
import { mainTask } from '../../runs/runTasks.ts';
import { AppError } from '../../shared/errors.ts';
import { ifFound, withoutIsolation } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { outputOf } from '../askChat.ts';
import { refreshAfter } from '../connectFor.ts';
import { deployAndOffer } from '../deployAndOffer.ts';
import { filesThatKnow } from '../fileOfJob.ts';
import { requireTrust } from '../fix/applyCode.ts';
import { applyDiff, diffOf, isApplied, readDiff } from '../fix/applyDiff.ts';
import { askModel, firstCode } from '../fix/askModel.ts';
import { type FailedRun, type Proposal, readFailure } from '../fix/failedRun.ts';
import { findCause } from '../fix/findCause.ts';
import { fixName, isFailed, onLocal } from '../fix/fixRun.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import { requestOfRun, requestOfSettings } from '../oneTimeRun.ts';
import { replayedRun } from '../replay/plan.ts';
import { replayRun, untilEnded } from '../replay/replay.ts';
import { parametersOfRun } from '../runNow.ts';
import { findRun } from './findRun.ts';
import { inCode, type LookUp, type LookUpContext } from './lookUp.ts';

/** What the user decides below a proposed change; the last word of the command. */
type Step = 'apply' | 'ask' | 'discard' | 'deploy' | 'replay';
const steps: readonly Step[] = ['apply', 'ask', 'discard', 'deploy', 'replay'];

/** What is fixed: a run, or a job file that cannot run. */
interface Subject {
  readonly connection: Connection;
  /** How commands name it. */
  readonly words: string;
  readonly name: string;
  /** The run that failed first, with its parameters; `undefined` if the job file could not run at all. */
  readonly run: Run | undefined;
  /** Workspace path. */
  readonly jobFile: string | undefined;
  /** Link to the page of the last run. */
  readonly link: AnswerLink | undefined;
}

/**
 * Fixes a failed run of this machine, or a job file that cannot run, in steps of the conversation. Each answer shows the cause and the change;
 * the user's next command applies what the answer before shows, so that nothing else is ever written. No job is changed.
 */
export const fix: LookUp = async (given, context) => {
  requireTrust(context.services.ui);
  // The name of a job may end like a step.
  const isOffered = context.before?.links?.some(({ command }) => command === `/fix ${given}`) === true;
  const step = steps.find((each) => given.endsWith(` ${each}`) && (isOffered || each === 'apply'));
  const words = step ? given.slice(0, -step.length - 1) : given;
  const subject = await subjectOf(words, context);
  const { run, name, link } = subject;
  const links = link ? [link] : [];
  if (step === 'discard') return { markdown: l10n.t('Discarded. This change was not made.') };
  if (step === 'deploy') return deployed(subject, context);
  const { profile } = subject.connection;
  if (profile.kind !== 'local') {
    if (step === 'replay' && run) {
      await replayRun(context.services, { profileId: profile.id, runId: run.run_id });
      return { markdown: l10n.t('When the copy fails, its message offers to fix it.') };
    }
    const where = l10n.t('**{0}** ran on {1}. Fixes are made on this machine only.', name, profile.name);
    return {
      markdown: `${where} ${l10n.t('Replay it here, then fix the copy.')}`,
      links: [...links, action(subject, 'replay', l10n.t('Replay Here…'))],
    };
  }
  if (run && !isFailed(run))
    return { markdown: l10n.t('**{0}** did not fail, so there is nothing to fix.', name), links };
  if (step === 'apply') return applied(subject, context);
  const last = lastRun(subject, context);
  const runId = last?.run?.runId ?? run?.run_id;
  const failed = runId === undefined ? undefined : await subject.connection.client.jobs.getRun(runId);
  const failure = await failureOf(subject, failed, context);
  const now = { ...subject, link: last ?? link };
  return step === 'ask' ? asked(now, failure, context) : card(now, failure, await findCause(failure));
};

/** Returns the last run that was started to check a change, if the answer before is about the same subject. */
function lastRun({ words }: Subject, { before }: LookUpContext): AnswerLink | undefined {
  const links = before?.links ?? [];
  const isSame = links.some(({ command }) => steps.some((step) => command === `/fix ${words} ${step}`));
  return isSame ? links.findLast(({ run }) => run?.profileId === localProfile.id) : undefined;
}

async function subjectOf(words: string, context: LookUpContext): Promise<Subject> {
  const { services, signal } = context;
  const { connections, ui } = services;
  const file = (await ui.jobFiles()).find((each) => each.name === words);
  const isLocal = file !== undefined || words.endsWith(onLocal);
  const local = isLocal ? await connections.connectTo(localProfile.id, { byUser: true }) : undefined;
  const connection = local ?? (await connections.connect({ signal }));
  if (file) return { connection, words, name: file.name, run: undefined, jobFile: file.name, link: undefined };
  const { profile, client } = connection;
  const none = l10n.t('No run of {0} has failed.', profile.name);
  const plain = local ? words.slice(0, -onLocal.length) : words;
  const found = await findRun(plain, { connection, signal }, isFailed, none);
  const { name, link } = found;
  const run = await client.jobs.getRun(found.run.run_id, { signal });
  // The newest failed run of a job is another one later.
  const isClear = /(?:#|^)\d+$/.test(plain);
  const clear = isClear ? words : run.number_in_job === undefined ? run.run_id : withoutIsolation(name);
  return { connection, words: clear, name, run, jobFile: await jobFileOf(run, connection, services), link };
}

/** Returns the workspace path of the only job file that belongs to the run's job, or has its name. */
async function jobFileOf(
  run: Run,
  { client, profile }: Connection,
  services: LookUpContext['services'],
): Promise<string | undefined> {
  const { ui } = services;
  const job = run.job_id === undefined ? undefined : await ifFound(client.jobs.get(run.job_id));
  const known = job ? await filesThatKnow(services, profile.id, job) : [];
  const files = await ui.jobFiles();
  const [only] = known;
  if (known.length === 1) return files.find(({ uri }) => uri === only)?.name;
  const wanted = (job ? jobName(job) : run.run_name)?.trim();
  const { parse } = await loadJobFileService();
  const texts = await Promise.all(
    files.slice(0, 300).map(async (file) => ({ ...file, text: await ui.textOf(file.uri) })),
  );
  const named = texts.filter(({ text }) => text !== undefined && parse(text).settings?.name?.trim() === wanted);
  return named.length === 1 ? named[0]?.name : undefined;
}

function action({ words }: Subject, step: Step, title: string): AnswerLink {
  return { title, command: `/fix ${words} ${step}`, isAction: true };
}

/** Shows the cause with its evidence, and the change with what the user may do about it. */
function card(subject: Subject, failure: FailedRun, found: Proposal | string | undefined): LookUpAnswer {
  const {
    error,
    steps: [place],
  } = failure;
  const line = place && (place.file.text.split('\n')[place.line - 1] ?? '').trim().slice(0, 100);
  const change = typeof found === 'object' ? found : undefined;
  const diff = change && diffOf(change.file.path, change.file.text, change.text);
  const isInDiff = diff?.split('\n').some((each) => each.startsWith('-') && each.slice(1).trim() === line);
  const where =
    place && line && !isInDiff
      ? l10n.t('{0}, line {1}: {2}', inCode(place.file.path), place.line, inCode(line))
      : undefined;
  const parts = [
    `**${subject.name}**: ${inCode(error.slice(0, 300))}`,
    where,
    typeof found === 'string' ? found : found?.what,
    diff === undefined ? l10n.t('No certain fix was found.') : inFence(diff),
  ];
  const actions = [
    ...(diff === undefined ? [] : [action(subject, 'apply', l10n.t('Apply and Run Again'))]),
    action(subject, 'ask', l10n.t('Ask a Model…')),
    ...(diff === undefined ? [] : [action(subject, 'discard', l10n.t('Discard'))]),
  ];
  return {
    markdown: parts.filter((part) => part !== undefined && part !== '').join('\n\n'),
    links: [...(subject.link ? [subject.link] : []), ...actions],
  };
}

function inFence(diff: string): string {
  const longest = Math.max(2, ...(diff.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${diff}\n${fence}`;
}

/** Applies the change that the answer before shows, and runs again. */
async function applied(subject: Subject, context: LookUpContext): Promise<LookUpAnswer> {
  const { before, services } = context;
  const { ui } = services;
  const isShown = before?.links?.some(({ command }) => command === action(subject, 'apply', '').command);
  const [diff] = isShown ? readDiff(firstCode(before?.markdown ?? '') ?? '') : [];
  if (diff?.path === undefined)
    throw new AppError('invalid', l10n.t('The answer before shows no change. Enter /fix first.'));
  const file = await ui.workspaceFile(diff.path);
  if (file.isDirty)
    throw new AppError('rejected', l10n.t('{0} has unsaved changes, so it was not changed.', file.path), {
      remedy: l10n.t('Save it, then fix the run again.'),
    });
  // The run may have been stopped after the change was made.
  if (isApplied(file.text, diff)) return runAgain(subject, context);
  const text = applyDiff(file.text, diff);
  if (text === undefined)
    throw new AppError(
      'rejected',
      l10n.t('{0} was not changed, because it does not have the lines that the diff changes.', file.path),
    );
  await ui.replaceText(file.uri, file.text, text);
  if (!(await ui.save(file.uri)))
    throw new AppError('rejected', l10n.t('{0} could not be saved, so nothing was run.', file.path));
  return runAgain(subject, context);
}

/** Runs the job from the current file if it is valid; otherwise shows the file's next mistake. */
async function runAgain(subject: Subject, context: LookUpContext): Promise<LookUpAnswer> {
  const { services, signal } = context;
  const { connection, name } = subject;
  const { jobFile, request, isRunnable } = await known(subject, context);
  if (!isRunnable) {
    const failure = await failureOf(subject, undefined, context);
    return card(subject, failure, await findCause(failure));
  }
  const { jobs } = connection.client;
  const job = await jobAsItIs(subject, jobFile?.settings);
  const { run_id: runId } = await (job === undefined
    ? jobs.submit({ ...request, run_name: fixName(name) }, { signal })
    : jobs.runNow({ ...(subject.run && parametersOfRun(subject.run)), job_id: job }, { signal }));
  await refreshAfter(services, connection);
  const ended = await untilEnded(connection.client, runId, signal);
  await refreshAfter(services, connection);
  const { link } = await findRun(runId, { connection, signal }, () => true, '');
  const after = { ...subject, link };
  if (runStatus(ended).phase !== 'succeeded') {
    const failure = await failureOf(after, ended, context);
    const next = card(after, failure, await findCause(failure));
    return { ...next, markdown: `${l10n.t('It still fails:')}\n\n${next.markdown}` };
  }
  const deploy = jobFile ? [action(subject, 'deploy', l10n.t('Deploy…'))] : [];
  return { markdown: l10n.t('**{0}** now succeeds on this machine.', name), links: [link, ...deploy] };
}

/** Returns the job of the failed run if its settings match the file, so that the job itself can be run instead of a copy. */
async function jobAsItIs({ connection, run }: Subject, settings: JobSettings | undefined): Promise<string | undefined> {
  if (run?.job_id === undefined || isOneTime(run)) return undefined;
  const job = await ifFound(connection.client.jobs.get(run.job_id));
  const { differences } = await loadJobFileService();
  return job && (!settings || differences(settings, job.settings ?? {}).length === 0) ? job.job_id : undefined;
}

/** Returns the current job file, and the request for a run with the failed run's parameters. */
async function known(
  { run, name, jobFile: path }: Subject,
  { services: { ui } }: LookUpContext,
): Promise<Pick<FailedRun, 'jobFile' | 'request'> & { isRunnable: boolean }> {
  const file = path === undefined ? undefined : await ui.workspaceFile(path);
  const settings = file && (await loadJobFileService()).parse(file.text).settings;
  const task: SubmitRequest = settings ? requestOfSettings(settings) : run ? requestOfRun(run) : {};
  const isRunnable = file === undefined || settings !== undefined;
  const whole: Run = { ...run, run_id: run?.run_id ?? '', task, cluster_spec: undefined };
  const request = !isRunnable ? task : task.tasks ? withJobParameters(task, run) : replayedRun(whole, name).request;
  return { jobFile: file && { file, settings }, request, isRunnable };
}

/** Returns the request for several tasks with the values that the job's parameters had in the run. */
function withJobParameters(request: SubmitRequest, run: Run | undefined): SubmitRequest {
  const values = new Map((run?.job_parameters ?? []).map(({ name, value }) => [name, value]));
  const parameters = request.parameters?.map((each) => ({ ...each, default: values.get(each.name) ?? each.default }));
  return parameters ? { ...request, parameters } : request;
}

async function failureOf(subject: Subject, run: Run | undefined, context: LookUpContext): Promise<FailedRun> {
  const { ui } = context.services;
  const { jobFile, request } = await known(subject, context);
  const output = run ? await outputOf(subject.connection, run, context.signal) : {};
  const metadata = run && !output.metadata ? { metadata: run } : {};
  const files = await ui.workspaceFiles('');
  const failing = run && mainTask(run)?.task_key;
  // The code that failed is that of the task.
  const own = (request.tasks?.find((each) => each.task_key === failing) ?? request) as SubmitRequest;
  const read = (path: string): ReturnType<typeof ui.workspaceFile> => ui.workspaceFile(path);
  return readFailure({ ...output, ...metadata }, { jobFile, request: own, files, read });
}

/**
 * Asks a model of the service or of the editor, as the user picks, for a change. It gets the error, the files of its trace and the job file.
 */
async function asked(subject: Subject, failure: FailedRun, context: LookUpContext): Promise<LookUpAnswer> {
  const { services, signal, models: editor } = context;
  const { inference } = subject.connection.client;
  const ofEditor = (await editor?.list()) ?? [];
  const listed = await ifFound(inference.listEndpoints({ signal })).catch((error: unknown) => {
    // The editor's models need no service.
    if (ofEditor.length > 0 && !signal.aborted) return [];
    throw error;
  });
  const ofService = (listed ?? []).filter(
    ({ name, task }) => name !== 'guide' && (endpointTaskOf(task) ?? 'chat') === 'chat',
  );
  const items = [
    ...ofService.map(({ name, description }) => ({ label: name, description, value: name })),
    ...ofEditor.map(({ name, server, detail }) => ({ label: name, description: server, detail, value: name })),
  ];
  if (items.length === 0) {
    const help = '/help models and their servers';
    return { markdown: l10n.t('There is no model to ask.'), links: [{ title: help, command: help }] };
  }
  const about = l10n.t('Model that gets the error and the files of its trace');
  const endpoint = await services.ui.pick(l10n.t('Ask a model for a fix'), about, items);
  if (endpoint === undefined) return { markdown: l10n.t('No model was asked.') };
  const isOfEditor = ofEditor.some(({ name }) => name === endpoint);
  const made = await askModel(async (messages) => {
    if (editor && isOfEditor) return textOf(editor.chat(endpoint, { messages }, signal));
    const { choices } = await inference.chat(endpoint, { messages }, { signal });
    const content = choices?.[0]?.message?.content;
    return typeof content === 'string' ? content : '';
  }, failure);
  const proposed = typeof made === 'object' ? { ...made, what: `${endpoint}: ${made.what}` } : `${endpoint}: ${made}`;
  return card(subject, failure, proposed);
}

async function textOf(chunks: AsyncIterable<ChatChunk>): Promise<string> {
  let text = '';
  for await (const { choices } of chunks) text += choices?.[0]?.delta?.content ?? '';
  return text;
}

async function deployed({ jobFile }: Subject, { services }: LookUpContext): Promise<LookUpAnswer> {
  const file = jobFile === undefined ? undefined : await services.ui.workspaceFile(jobFile);
  const done = file && (await deployAndOffer(services, { uri: file.uri }));
  if (!done) return { markdown: l10n.t('Nothing was deployed.') };
  const { name, jobId, connection } = done;
  return { markdown: l10n.t('Deployed **{0}** to {1} as job {2}.', name, connection.profile.name, jobId) };
}
