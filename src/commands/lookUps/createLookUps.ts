import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { ChatLookUps, LookUpAnswer } from '../../chat/chatTools.ts';
import type { AnswerLink, CommandCompletion } from '../../chat/conversationEvent.ts';
import { jobName } from '../../runs/jobNames.ts';
import { leadWords, runLabel } from '../../runs/rowWords.ts';
import { isNewer } from '../../runs/runOrder.ts';
import { runStatus } from '../../runs/runState.ts';
import { isAppError } from '../../shared/errors.ts';
import { withoutIsolation } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { findJob } from '../chatTools/jobTools.ts';
import { isBad } from '../chatTools/runTools.ts';
import type { CommandServices } from '../services.ts';
import { check, checkText, looksLikeJobFile } from './checkLookUp.ts';
import { cron } from './cronLookUp.ts';
import { explainFailure, isFailure } from './explainFailure.ts';
import { fix } from './fixLookUp.ts';
import {
  commandText,
  type FoundAnswer,
  type LookUp,
  type LookUpCommand,
  type LookUpContext,
  type LookUpName,
  lookUpNames,
  type ManualEntry,
  readCommand,
} from './lookUp.ts';
import { help, helpFor } from './manual.ts';
import { newJob } from './newJob.ts';
import { readQuestion } from './readQuestion.ts';
import { cancel, failed, run, why } from './runLookUps.ts';

const lookUps: Record<LookUpName, LookUp> = { failed, why, fix, new: newJob, run, cancel, cron, check, help };

/** What the look-ups need besides the commands' services. */
export interface LookUpPorts {
  manual(): Promise<readonly ManualEntry[]>;
  openSection(section: string): Promise<void>;
}

/** Maximum characters read of a question. Nobody asks at such length; it is text that was pasted. */
const maxQuestion = 1000;
/** Maximum completions shown, as many as the list holds without scrolling far. */
const maxCompletions = 12;

export function createLookUps(
  services: CommandServices,
  { manual, openSection }: LookUpPorts,
  now: () => number = Date.now,
): ChatLookUps {
  return {
    endpoint: 'guide',
    isCommand: (text) => readCommand(text) !== undefined,
    answer({ text, attachments, before, models }, signal) {
      const context = { services, manual, attachments, before, models, signal, nowMs: now() };
      const command = readCommand(text);
      return command ? answered(command, context) : answerText(text, context);
    },
    complete: (text) => complete(text, services),
    completeNames: (begun) => completeNames(begun, services, now()),
    openSection,
  };
}

/** Runs a command. If its argument names nothing, the answer says so. */
async function answered(command: LookUpCommand, context: LookUpContext): Promise<FoundAnswer> {
  try {
    return await lookUps[command.name](command.given, context);
  } catch (error) {
    if (!isAppError(error) || (error.kind !== 'notFound' && error.kind !== 'invalid')) throw error;
    return { markdown: error.message };
  }
}

/** Answers a free text: with the command that it clearly means, which is shown first, otherwise with what may fit. */
async function answerText(text: string, context: LookUpContext): Promise<LookUpAnswer> {
  const { attachments } = context;
  const texts = [...attachments.map((each) => each.text), text];
  const failure = texts.find(isFailure);
  const explanation = failure && explainFailure(failure);
  if (explanation !== undefined) return { markdown: explanation };
  // The first attachment is a run's, whose job file is not what failed.
  const run = attachments.find((each) => runHead.test(each.text));
  if (run) return { markdown: aboutRun(run.text) };
  const jobFile = attachments.find((each) => looksLikeJobFile(each.text));
  if (jobFile) return checkText(jobFile.text, jobFile.label);
  if (looksLikeJobFile(text)) return checkText(withoutFence(text), l10n.t('Job file'));
  const { command: read, isOffer, related } = readQuestion(text.slice(0, maxQuestion));
  const command = read && (await isMeant(read, context)) ? read : undefined;
  if (command && isOffer) {
    const title = commandText(command);
    return { markdown: l10n.t('Is this what you mean?'), links: [{ title, command: title }] };
  }
  const meant = command ?? { name: 'help' as const, given: text.trim().replace(/\s+/g, ' ').slice(0, 300) };
  const { markdown, links = [], about } = await answered(meant, context);
  const more = command
    ? []
    : related
        .slice(0, 2)
        .map((name): AnswerLink => ({ title: `/${name}`, detail: details()[name], command: `/${name}` }));
  const shown = command ? commandText({ ...command, given: about ?? command.given }) : helpFor(text);
  return { markdown: `\`${shown.replaceAll('`', "'")}\`\n\n${markdown}`, links: [...links, ...more] };
}

/** Returns whether a command that was read from a free text is about something that is there: "what's wrong with pandas" names no job. */
async function isMeant({ name, given }: LookUpCommand, { services, signal }: LookUpContext): Promise<boolean> {
  if (!['why', 'fix', 'run', 'cancel'].includes(name) || given === '' || /\d$/.test(given)) return true;
  try {
    await findJob(await services.connections.connect({ signal }), given, signal);
    return true;
  } catch (error) {
    // Whether there is such a job remains unknown if the service cannot be asked.
    return !isAppError(error) || error.kind !== 'notFound';
  }
}

/** The beginning of a run's attached text: its name and state, then its ID. */
const runHead = /^.+ — .+\n(?:.*\n)?run \d+(?: · |\n|$)/;

/** Quotes the state of an attached run and the end of what it printed. */
function aboutRun(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [head = '', ...rest] = lines;
  const end = rest.slice(-10).filter((line) => !line.startsWith('── '));
  return [`**${head}**`, l10n.t('Its text ends with:'), end.map((line) => `> ${line}`).join('\n')].join('\n\n');
}

function withoutFence(text: string): string {
  return /```[\w-]*\n([\s\S]*?)```/.exec(text)?.[1] ?? text;
}

function details(): Record<LookUpName, string> {
  return {
    failed: l10n.t('Runs that failed: today, yesterday, this week, or of a job'),
    why: l10n.t('Why a run failed: the last one, or "job #number"'),
    fix: l10n.t('Suggest a fix for a failed run'),
    new: l10n.t('Write a job file from a description'),
    run: l10n.t('Run a job'),
    cancel: l10n.t('Cancel an active run'),
    cron: l10n.t('Explain a cron expression, or write one from words'),
    check: l10n.t('Check a job file'),
    help: l10n.t('Search the manual, the settings and the fields of job files'),
  };
}

/** Completes the name of a command, then its argument from what is known without a request. */
async function complete(text: string, services: CommandServices): Promise<CommandCompletion[]> {
  const command = readCommand(text);
  if (!command || !text.startsWith(`/${command.name} `))
    return lookUpNames
      .filter((name) => `/${name}`.startsWith(text))
      .map((name) => ({ text: `/${name} `, detail: details()[name] }));
  const { name, given } = command;
  const fits = (await argumentsOf(name, services)).filter(({ text: argument }) =>
    argument.toLowerCase().includes(given.toLowerCase()),
  );
  const items = fits.slice(0, maxCompletions).map((each) => ({ ...each, text: `/${name} ${each.text}` }));
  // Nothing is left to complete.
  return items.some((each) => each.text === text) ? [] : items;
}

async function argumentsOf(command: LookUpName, { runs, ui }: CommandServices): Promise<CommandCompletion[]> {
  const jobs = (): CommandCompletion[] => runs.jobsByName.map((job) => ({ text: jobName(job), detail: job.job_id }));
  const named = (all: readonly Run[]): CommandCompletion[] =>
    all.map((each) => ({ text: nameOf(each, runs), detail: runStatus(each).label }));
  switch (command) {
    case 'why':
    case 'fix':
      return named(runs.endedRuns.filter(isBad));
    case 'cancel':
      return named(runs.activeRuns);
    case 'run':
      return jobs();
    case 'failed':
      return [...['today', 'yesterday', 'week'].map((day) => ({ text: day, detail: '' })), ...jobs()];
    case 'check':
      return (await ui.jobFiles()).map(({ name }) => ({ text: name, detail: '' }));
    default:
      return [];
  }
}

function nameOf(run: Run, runs: CommandServices['runs']): string {
  return withoutIsolation(runLabel(run, run.job_id === undefined ? undefined : runs.job(run.job_id)));
}

/** Maximum runs, and jobs, among completions of other kinds. */
const maxOfEach = 4;

/** Completes a word after a `#` with the runs, the newest first, and jobs that are known. */
function completeNames(begun: string, { runs }: CommandServices, nowMs: number): CommandCompletion[] {
  if (begun === '') return [];
  const { kind, words = '' } = /^(?<kind>run|line|job)(?::(?<words>.*))?$/i.exec(begun)?.groups ?? { words: begun };
  const isWanted = (name: string): boolean => name.toLowerCase().includes(words.toLowerCase());
  const most = kind === undefined ? maxOfEach : maxCompletions;
  const ofRuns = (each: 'run' | 'line'): CommandCompletion[] =>
    [...runs.activeRuns, ...runs.endedRuns]
      .filter((run) => (each === 'run' || isBad(run)) && isWanted(nameOf(run, runs)))
      .sort((left, right) => (isNewer(left, right) ? -1 : 1))
      .slice(0, most)
      .map((run) => ({
        text: `#${each}:${nameOf(run, runs)}`,
        detail: leadWords(run, runStatus(run), { nowMs, seenMs: nowMs, isCurrent: true }),
        named: `${each}:${run.run_id}`,
      }));
  const ofJobs = (): CommandCompletion[] =>
    runs.jobsByName
      .filter((job) => isWanted(jobName(job)))
      .slice(0, most)
      .map((job) => ({ text: `#job:${jobName(job)}`, detail: job.job_id, named: `job:${job.job_id}` }));
  const only = kind?.toLowerCase();
  if (only === 'run' || only === 'line') return ofRuns(only);
  return only === 'job' ? ofJobs() : [...ofRuns('run'), ...ofJobs()];
}
