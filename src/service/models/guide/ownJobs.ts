import * as z from 'zod';
import { shortened } from '../../../shared/text.ts';
import { explainFailure, fenced } from './explainFailure.ts';
import type { GuideAnswer } from './guideReply.ts';
import { asksForJobFile } from './jobComposer.ts';
import { type OwnJobsQuestion, type RunQuestion, askedOf, sinceOf } from './ownJobsQuestion.ts';
import type { Question, ToolStep } from './question.ts';

/** The next function to call on the user's service, or the answer. */
export type OwnJobsReply = { call: { name: string; arguments: Record<string, unknown> } } | { answer: GuideAnswer };

const aJob = z.object({
  job_id: z.string(),
  name: z.string(),
  schedule: z.string().optional(),
  next_start: z.string().optional(),
});

const aRun = z.object({
  run_id: z.string(),
  name: z.string(),
  state: z.string(),
  is_failed: z.boolean().optional(),
  is_active: z.boolean().optional(),
  /** Set from the second attempt on. */
  attempt: z.number().optional(),
  started: z.string().optional(),
  duration: z.string().optional(),
  message: z.string().optional(),
  output: z.string().optional(),
  overriding_parameters: z.unknown().optional(),
  task: z.unknown().optional(),
});

/** The result schema of each function. */
const answers = {
  list_jobs: z.object({ profile: z.string(), count: z.number(), jobs: z.array(aJob) }),
  list_runs: z.object({ profile: z.string(), count: z.number(), is_whole: z.boolean(), runs: z.array(aRun) }),
  get_run: aRun.extend({ profile: z.string() }),
  get_job: z.object({ name: z.string(), job_file: z.string() }),
  run_job: z.object({
    profile: z.string().optional(),
    job: z.string().optional(),
    run_id: z.string().optional(),
    started: z.boolean().optional(),
    declined: z.string().optional(),
    why: z.string().optional(),
  }),
};

type Answers = { [Name in keyof typeof answers]: z.output<(typeof answers)[Name]> };
const readers: { readonly [Name in keyof Answers]: z.ZodType<Answers[Name]> } = answers;

type Job = Answers['list_jobs']['jobs'][number];
type Run = Answers['list_runs']['runs'][number];
type Results = Partial<Answers> & { error?: string };

const maxListed = 20;
/** The chat functions that these answers use. */
export const ownJobsTools: ReadonlySet<string> = new Set([
  'list_jobs',
  'get_job',
  'list_runs',
  'get_run',
  'list_files',
  'read_file',
  'run_job',
]);

/**
 * Answers questions about the user's own jobs and runs from the results of chat functions. Each call takes another request.
 * @param tools names of the functions that may be called
 * @returns undefined if the question is about something else
 */
export function aboutOwnJobs(question: Question, text: string, tools: ReadonlySet<string>): OwnJobsReply | undefined {
  // A question about the contents of a job file is not about existing jobs.
  const asked = asksForJobFile(text) ? undefined : askedOf(text);
  if (!asked) return undefined;
  // "This run" means the run whose output is attached to the question.
  if (asked.kind === 'run' && asked.isPointing && text !== question.text.trim()) return undefined;
  if (!tools.has('list_runs') || !tools.has('list_jobs')) return asked.isSure ? { answer: unknownJobs() } : undefined;
  const found = read(question.steps ?? []);
  if (found.error !== undefined)
    return { answer: said(`I could not look that up: ${found.error}`, { error: found.error }) };
  return next(asked, found, question);
}

/** Matches questions about past runs or the current state. Excludes how-to questions, which are not about one job. */
const ownish =
  /^(?!how (?:do|can|to)\b|can i\b).*\b(?:did|ran|was|were|has|last|latest|history|yesterday|today|state|status|next|when|took|why|ok|logs?|output)\b|^is\b/i;

/** Matches questions that the documentation cannot answer. */
const surelyOwn =
  /^(?:when (?:will|did|was)|how (?:long|often) (?:does|do)|did|(?:what|how)\S* (?:is )?the stat(?:e|us) of)\b/i;

/**
 * Answers a question that names a job and asks how it went, from the job's schedule and runs.
 * @param isKnown whether the documentation has an answer, too
 */
export function aboutNamedJob(
  question: Question,
  text: string,
  tools: ReadonlySet<string>,
  isKnown: boolean,
): OwnJobsReply | undefined {
  if (!tools.has('list_runs') || !tools.has('list_jobs') || text.length > 200) return undefined;
  if (!surelyOwn.test(text) && (isKnown || !ownish.test(text))) return undefined;
  const { list_jobs: jobs, list_runs: runs, error } = read(question.steps ?? []);
  if (error !== undefined) return undefined;
  if (!jobs) return call('list_jobs');
  const words = (each: string): string =>
    ` ${each
      .toLowerCase()
      .replace(/[\W_]+/g, ' ')
      .trim()} `;
  const named = jobs.jobs.filter(({ name }) => name.length > 2 && words(text).includes(words(name)));
  const [job] = named.toSorted((left, right) => right.name.length - left.name.length);
  if (!job) return undefined;
  const wanted = { state: /\bfail/i.test(text) ? 'failed' : 'any', since: sinceOf(text.toLowerCase()) } as const;
  if (!runs) return call('list_runs', { job: job.job_id, ...wanted, limit: 5 });
  const answer = tellRuns(runs, wanted);
  return { answer: { ...answer, markdown: `${jobLine(job)}\n\n${answer.markdown}` } };
}

function next(asked: OwnJobsQuestion, found: Results, question: Question): OwnJobsReply | undefined {
  switch (asked.kind) {
    case 'jobs':
      return found.list_jobs ? { answer: tellJobs(found.list_jobs, asked) } : call('list_jobs');
    case 'runs':
      return tellRunsOf(asked, found);
    case 'run':
      return tellRunOf(asked, found, question);
    case 'job':
    case 'start':
      return onJob(asked, found);
  }
}

function tellRunsOf(asked: Extract<OwnJobsQuestion, { kind: 'runs' }>, found: Results): OwnJobsReply | undefined {
  if (found.list_runs) return { answer: tellRuns(found.list_runs, asked) };
  if (asked.job === undefined) return call('list_runs', { state: asked.state, since: asked.since });
  if (!found.list_jobs) return call('list_jobs');
  const job = jobNamed(found.list_jobs.jobs, asked.job);
  if (!job) return asked.isSure ? { answer: noSuchJob(found.list_jobs, asked.job) } : undefined;
  return call('list_runs', { job: job.job_id, state: asked.state, since: asked.since });
}

/** Answers about one run: the named run, the run mentioned before, or the newest matching run. */
function tellRunOf(asked: RunQuestion, found: Results, question: Question): OwnJobsReply | undefined {
  if (found.get_run) return { answer: tellRun(found.get_run, asked) };
  const spokenOf = asked.isPointing ? lastSpokenOf(question.stepsBefore ?? [], asked.isWhy) : undefined;
  const runId = asked.runId ?? spokenOf;
  if (runId !== undefined) return call('get_run', { run_id: runId });
  if (found.list_runs) {
    const [first] = found.list_runs.runs;
    if (first) return call('get_run', { run_id: first.run_id });
    return {
      answer: tellRuns(found.list_runs, { state: asked.isWhy || asked.isFailed ? 'failed' : 'any', since: 'any' }),
    };
  }
  if (asked.job !== undefined) {
    if (!found.list_jobs) return call('list_jobs');
    const job = jobNamed(found.list_jobs.jobs, asked.job);
    if (!job) return { answer: noSuchJob(found.list_jobs, asked.job) };
    return call('list_runs', { job: job.job_id, state: asked.isWhy || asked.isFailed ? 'failed' : 'any', limit: 1 });
  }
  return call('list_runs', { state: asked.isWhy || asked.isFailed ? 'failed' : 'any', limit: 1 });
}

function onJob(asked: Extract<OwnJobsQuestion, { kind: 'job' | 'start' }>, found: Results): OwnJobsReply | undefined {
  if (found.run_job) return { answer: tellStarted(found.run_job) };
  if (found.get_job) return { answer: tellJob(found.get_job) };
  if (!found.list_jobs) return call('list_jobs');
  const job = jobNamed(found.list_jobs.jobs, asked.job);
  // "What does autoscale do?" is about a setting, not about a job.
  if (!job) return asked.isSure ? { answer: noSuchJob(found.list_jobs, asked.job) } : undefined;
  return call(asked.kind === 'start' ? 'run_job' : 'get_job', { job: job.job_id });
}

function call(name: string, given: Record<string, unknown> = {}): OwnJobsReply {
  const set = Object.entries(given).filter(([, value]) => value !== 'any');
  return { call: { name, arguments: Object.fromEntries(set) } };
}

function read(steps: readonly ToolStep[]): Results {
  const found: Results = {};
  for (const { name, result } of steps) {
    const value = parsed(result);
    if (typeof value['error'] === 'string') found.error = value['error'];
    else if (isKnown(name) && !take(found, name, value)) found.error = `the answer of ${name} is none.`;
  }
  return found;
}

/** Stores a function's result. @returns false if the result is invalid, because users can type anything in its place */
function take<Name extends keyof Answers>(found: Partial<Answers>, name: Name, value: unknown): boolean {
  const { data } = readers[name].safeParse(value);
  found[name] = data;
  return data !== undefined;
}

function isKnown(name: string): name is keyof Answers {
  return Object.hasOwn(answers, name);
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { error: text };
  } catch {
    return { error: text === '' ? 'there was no answer.' : text };
  }
}

/** Returns the run mentioned last. "Why did it fail?" after a list means the first failed run of the list. */
function lastSpokenOf(steps: readonly ToolStep[], isFailed: boolean): string | undefined {
  const step = steps.findLast(({ name }) => name === 'get_run' || name === 'list_runs' || name === 'run_job');
  if (!step) return undefined;
  const { list_runs: listed, get_run: run, run_job: started } = read([step]);
  const spokenOf = isFailed ? listed?.runs.find((each) => each.is_failed) : listed?.runs[0];
  return (spokenOf ?? run ?? started)?.run_id;
}

function jobNamed(jobs: readonly Job[], named: string): Job | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, ' ');
  return (
    jobs.find((job) => job.job_id === named || job.name === named) ??
    jobs.find((job) => plain(job.name) === plain(named))
  );
}

function said(markdown: string, facts: Record<string, unknown> = {}): GuideAnswer {
  const summary = (markdown.split('\n\n')[0] ?? '').replaceAll('`', '').replaceAll('**', '');
  return { found: true, confidence: 1, markdown, summary, facts };
}

function unknownJobs(): GuideAnswer {
  const markdown =
    'I cannot look at your jobs and runs here: that works in the chat of the editor, where I am offered functions that read them. ' +
    'The Jobs view shows them, and `GET /api/2.0/jobs/runs/list` gives them to programs.';
  return { ...said(markdown), found: false, confidence: 0.6 };
}

function noSuchJob({ profile, jobs }: Answers['list_jobs'], named: string): GuideAnswer {
  const names = jobs.slice(0, maxListed).map(({ name }) => `\`${name}\``);
  const list =
    names.length === 0
      ? `${profile} has no jobs yet: open a job file and choose **Deploy**.`
      : `Its jobs are ${names.join(', ')}${jobs.length > maxListed ? ' and others' : ''}.`;
  return said(`There is no job \`${named}\` on ${profile}. ${list}`);
}

function tellJobs(
  { profile, count, jobs }: Answers['list_jobs'],
  { isScheduled = false, isUnscheduled = false }: { isScheduled?: boolean; isUnscheduled?: boolean },
): GuideAnswer {
  const isChosen = isScheduled || isUnscheduled;
  const listed = isChosen ? jobs.filter(({ schedule }) => (schedule !== undefined) === isScheduled) : jobs;
  if (count === 0) return said(`${profile} has no jobs yet. Open a job file and choose **Deploy** to create one.`);
  const a = isScheduled ? 'a' : 'no';
  if (listed.length === 0)
    return said(
      count === 1
        ? `The job of ${profile} has ${isScheduled ? 'no' : 'a'} schedule.`
        : `None of the ${count} jobs of ${profile} has ${a} schedule.`,
    );
  const lines = listed.slice(0, maxListed).map(jobLine);
  const more = listed.length - maxListed;
  const head = isChosen
    ? `${listed.length === 1 ? 'One job' : `${listed.length} jobs`} of ${profile} ${listed.length === 1 ? 'has' : 'have'} ${a} schedule:`
    : `${profile} has ${count === 1 ? 'one job' : `${count} jobs`}:`;
  return said([head, [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')].join('\n\n'), { count });
}

function jobLine({ name, schedule, next_start: at }: Job): string {
  const next = at === undefined ? '' : `, next ${clock(at)}`;
  return `- **${name}**${schedule === undefined ? '' : `: ${schedule}${next}`}`;
}

const words = { any: '', failed: ' failed', active: ' going on', succeeded: ' that succeeded' } as const;
const times = { any: '', today: ' today', yesterday: ' yesterday', week: ' in the last 7 days' } as const;

function tellRuns(
  { profile, count, is_whole: isWhole, runs }: Answers['list_runs'],
  { state, since }: { state: keyof typeof words; since: keyof typeof times },
): GuideAnswer {
  const when = times[since];
  const older = isWhole ? '' : ' Older runs were not looked at.';
  if (count === 0) {
    const none =
      state === 'failed'
        ? `No run of ${profile} failed${when}.`
        : state === 'active'
          ? `Nothing is running on ${profile} at the moment.`
          : `There is no run${words[state]} on ${profile}${when}.`;
    return said(none + older, { count });
  }
  const many = count === 1 ? 'One run' : `${count} runs`;
  const head =
    state === 'active'
      ? `${many} ${count === 1 ? 'is' : 'are'} going on at ${profile}:`
      : `${many} of ${profile}${words[state]}${when}:`;
  const lines = runs.slice(0, maxListed).map(line);
  const more = count - Math.min(runs.length, maxListed);
  const ask = runs.some((run) => run.is_failed) ? ' Ask "Why did it fail?", or open a run by its link above.' : '';
  const list = [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
  return said([head, list, `${ask}${older}`.trim()].filter((part) => part !== '').join('\n\n'), { count });
}

function line({ name, state, attempt, started, duration, message }: Run): string {
  const facts = [
    attempt === undefined ? undefined : `attempt ${attempt}`,
    started === undefined ? undefined : clock(started),
    duration,
  ].filter((fact) => fact !== undefined);
  const why = message === undefined || message === '' ? '' : ` – ${firstLine(message)}`;
  return `- **${name}**: ${state}${facts.length > 0 ? `, ${facts.join(', ')}` : ''}${why}`;
}

function tellRun(run: Answers['get_run'], { isWhy, isParameters }: RunQuestion): GuideAnswer {
  if (isParameters) {
    const { overriding_parameters, task } = run;
    const json = JSON.stringify({ overriding_parameters, task }, undefined, 2);
    return said(
      `${line(run).slice(2)}\n\n\`overriding_parameters\` are those given for this run:\n\n${fenced(json, 'json')}`,
    );
  }
  const explained = run.is_failed ? explainFailure(run.output ?? run.message ?? '') : undefined;
  if (explained)
    return {
      ...explained,
      markdown: `**${run.name}** on ${run.profile}${run.started === undefined ? '' : `, ${clock(run.started)}`}\n\n${explained.markdown}`,
    };
  const head = line(run).slice(2);
  const output = run.output === undefined ? '' : `\n\nWhat it wrote:\n\n${fenced(ended(run.output), 'text')}`;
  if (isWhy && !run.is_failed)
    return said(`${run.is_active ? 'It is still going on' : 'It did not fail'}: ${head}${output}`);
  const unknown = run.is_failed ? '\n\nWhy it failed I cannot tell from its output; a language model may.' : '';
  return said(`${head}${unknown}${output}`);
}

function tellJob({ name, job_file: yaml }: Answers['get_job']): GuideAnswer {
  return said(`This is the job **${name}** as the service has it:\n\n${fenced(yaml, 'yaml')}`, { name, example: yaml });
}

function tellStarted({ profile, job, run_id: runId, started, declined, why }: Answers['run_job']): GuideAnswer {
  if (started !== true) return said(`Nothing was started. ${declined ?? why ?? ''}`.trim());
  return said(
    `**${job}** was started on ${profile} as run ${runId}. Ask "What did it do?" when it has ended, or follow it by its link above.`,
  );
}

const maxOutputLength = 2_000;

/** Returns the end of an output, which usually holds a run's results. */
function ended(text: string): string {
  return text.length <= maxOutputLength ? text : `…\n${text.slice(-maxOutputLength)}`;
}

function firstLine(text: string): string {
  const [first = ''] = text.split('\n');
  return shortened(first, 160);
}

/** Formats a time in this machine's time zone, which is also the user's. */
function clock(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
