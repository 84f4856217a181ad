import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { jobName } from '../../runs/jobNames.ts';
import { runStatus, stateMessage } from '../../runs/runState.ts';
import { delay } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { stringifyJson } from '../../shared/json.ts';
import { nextFireTimes } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { shortened } from '../../shared/text.ts';
import { problemsOf } from '../check.ts';
import { formats } from '../checkFormats.ts';
import { deployPlanned, inTurn, type JobFile, planFile, planInWords, readJobFile } from '../deployFile.ts';
import type { OpenedService } from '../openService.ts';
import { plainLine } from '../print.ts';
import { parametersOf } from '../runFile.ts';
import { asData, reportRun } from './runReport.ts';

/** What the tools work on. */
export interface ToolContext {
  /** Folder of the agent's project; files outside of it are refused. */
  readonly root: string;
  /** Opens the local service at the first tool that needs it. */
  service(): Promise<OpenedService>;
  readonly signal: AbortSignal;
}

export interface AgentTool<Input extends z.ZodObject = z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  /** Whether it changes nothing. */
  readonly readOnly: boolean;
  /** @returns the text for the agent @throws AppError in words, which the agent gets too */
  call(given: z.output<Input>, context: ToolContext): Promise<string>;
}

const tool = <Input extends z.ZodObject>(definition: AgentTool<Input>): AgentTool => definition as unknown as AgentTool;

const id = (what: string) =>
  z
    .string()
    .regex(/^[0-9]{1,19}$/)
    .describe(what);
const path = z.string().min(1).max(1000).describe('Job file, relative to the project');
const offset = z.int().min(0).max(1_000_000).optional().describe('To read on');

/** Rows in a list, and runs that are looked through for one. */
const pageSize = 25;
/** Characters of an output in one answer. */
const pieceLength = 4000;
const maxWaitInSeconds = 600;
const gapInMs = 250;

/** The tools of the server, by name. They see the local service only. */
export const agentTools: Readonly<Record<string, AgentTool>> = {
  check_job_file: tool({
    description: 'Checks a job file (*.job.yml, *.job.json) without running it. Gives problems as file:line:column.',
    input: z.object({ path }),
    readOnly: true,
    async call(given, { root }) {
      return problemsText(root, await inside(root, given.path));
    },
  }),
  list_jobs: tool({
    description: 'Lists jobs of the local service with schedule.',
    input: z.object({ name: z.string().max(200).optional().describe('Part of the name'), offset }),
    readOnly: true,
    async call({ name, offset: from = 0 }, { service, signal }) {
      const { client } = await service();
      const all = (await client.jobs.list({ signal })).filter((job) =>
        jobName(job)
          .toLowerCase()
          .includes((name ?? '').toLowerCase()),
      );
      const rows = all.slice(from, from + pageSize).map((job) => {
        const schedule = job.settings?.schedule;
        const when = schedule ? `, ${scheduleWords(schedule.quartz_cron_expression, schedule.timezone_id)}` : '';
        return `${job.job_id} ${plainLine(jobName(job))}${when}`;
      });
      return listText('job', rows, all.length, from);
    },
  }),
  get_job: tool({
    description: 'Gives the settings of a job as JSON.',
    input: z.object({ job_id: id('Job') }),
    readOnly: true,
    async call({ job_id: jobId }, { service, signal }) {
      const job = await (await service()).client.jobs.get(jobId, { signal });
      return asData(`Job ${jobId}`, stringifyJson(job.settings ?? {}));
    },
  }),
  list_runs: tool({
    description: 'Lists runs, newest first.',
    input: z.object({
      job_id: id('Only of this job').optional(),
      state: z.enum(['any', 'active', 'failed']).optional(),
      offset,
    }),
    readOnly: true,
    async call({ job_id: jobId, state = 'any', offset: from = 0 }, { service, signal }) {
      const { client } = await service();
      const found: Run[] = [];
      let read = from;
      for (let hasMore = true; hasMore && found.length < pageSize && read < from + 20 * pageSize;) {
        const query = { limit: pageSize, offset: read, ...(jobId !== undefined && { job_id: jobId }) };
        const page = await client.jobs.listRuns(query, { signal });
        found.push(...page.runs.filter((run) => isOf(run, state)));
        read += page.runs.length;
        hasMore = page.has_more && page.runs.length > 0;
        if (!hasMore) read = 0;
      }
      if (found.length === 0) return 'There are no such runs.';
      const rows = found.map(runRow);
      return read > 0 ? [...rows, `More with offset ${read}.`].join('\n') : rows.join('\n');
    },
  }),
  get_run: tool({
    description: 'Reports a run: state, cause, failing task and line, end of its output.',
    input: z.object({ run_id: id('Run') }),
    readOnly: true,
    async call({ run_id: runId }, { service, signal }) {
      const { jobs } = (await service()).client;
      return reportRun(jobs, await jobs.getRun(runId, { signal }), signal);
    },
  }),
  get_output: tool({
    description: `Gives the output of a run from a character on, ${pieceLength} at a time. For a task, take the run of the task.`,
    input: z.object({ run_id: id('Run'), offset }),
    readOnly: true,
    async call({ run_id: runId, offset: from = 0 }, { service, signal }) {
      const output = await (await service()).client.jobs.getRunOutput(runId, { signal });
      const logs = typeof output['logs'] === 'string' ? output['logs'] : '';
      const end = Math.min(logs.length, from + pieceLength);
      const rest = end < logs.length ? `\n${logs.length - end} more characters with offset ${end}.` : '';
      return `${asData(`Output of run ${runId}, characters ${from} to ${end}`, logs.slice(from, end))}${rest}`;
    },
  }),
  run_job: tool({
    description:
      'Deploys a job file to the local service, runs it on this machine and reports the run. It never runs anything on a remote service.',
    input: z.object({
      path,
      parameters: z
        .array(z.string().max(10_000))
        .max(100)
        .optional()
        .describe('NAME=VALUE for notebooks, else arguments'),
      wait_seconds: z.int().min(0).max(maxWaitInSeconds).optional().describe('Default 60'),
    }),
    readOnly: false,
    async call({ path: name, parameters = [], wait_seconds: wait = 60 }, { root, service, signal }) {
      const file = await deployable(root, name);
      const opened = await service();
      const given = parametersOf(file, parameters);
      const jobId = await inTurn(opened, file, signal, async () => {
        const planned = await planFile(opened, file, signal);
        if (planned.plan.moved.length > 0)
          throw new AppError('rejected', `${planInWords(opened, planned)}\nNothing was deployed.`, {
            remedy: 'Ask the user, who can deploy the file in the editor or pull the changes.',
          });
        return deployPlanned(opened, planned, signal);
      });
      const { jobs } = opened.client;
      const { run_id: runId } = await jobs.runNow({ job_id: jobId, ...given }, { signal });
      const end = performance.now() + wait * 1000;
      for (;;) {
        const run = await jobs.getRun(runId, { signal });
        if (runStatus(run).terminal) return reportRun(jobs, run, signal);
        if (performance.now() >= end)
          return `Run ${runId} of job ${jobId} is still active: ${runStatus(run).label}. Call get_run with run_id ${runId} later to see the result.`;
        await delay(gapInMs, { signal });
      }
    },
  }),
  cancel_run: tool({
    description: 'Cancels a run of the local service.',
    input: z.object({ run_id: id('Run') }),
    readOnly: false,
    async call({ run_id: runId }, { service, signal }) {
      const { jobs } = (await service()).client;
      const { terminal, label } = runStatus(await jobs.getRun(runId, { signal }));
      if (terminal) return `Run ${runId} has already ended: ${label}.`;
      await jobs.cancelRun(runId, { signal });
      return `Run ${runId} is being canceled.`;
    },
  }),
  next_runs: tool({
    description: 'Says when a Quartz cron expression fires next, in words and times.',
    input: z.object({
      quartz_cron_expression: z.string().min(1).max(1000),
      timezone_id: z.string().max(100).optional().describe('Default UTC'),
      count: z.int().min(1).max(20).optional().describe('Default 5'),
    }),
    readOnly: true,
    call({ quartz_cron_expression: expression, timezone_id: zone = 'UTC', count = 5 }) {
      const times = nextFireTimes(expression, zone, Date.now(), count).map((at) => new Date(at).toISOString());
      const rows = times.length > 0 ? times : ['It never fires again.'];
      return Promise.resolve([describeCron(expression, zone), ...rows].join('\n'));
    },
  }),
  plan_deploy: tool({
    description: 'Says what a deploy of a job file to the local service would change. Changes nothing.',
    input: z.object({ path }),
    readOnly: true,
    async call({ path: name }, { root, service, signal }) {
      const file = await deployable(root, name);
      const opened = await service();
      return planInWords(opened, await planFile(opened, file, signal));
    },
  }),
};

/**
 * Returns the real path of a file of the project.
 * @throws AppError if it does not exist or lies outside, also by a link
 */
async function inside(root: string, name: string): Promise<string> {
  const file = await realpath(resolve(root, name)).catch(() => undefined);
  if (file === undefined)
    throw new AppError('notFound', `${plainLine(name)} does not exist in ${root}; nothing was done.`);
  const isInside = `${file}${sep}`.startsWith(`${await realpath(root)}${sep}`);
  if (isInside) return file;
  throw new AppError('forbidden', `${plainLine(name)} is outside of ${root}; nothing was done.`, {
    remedy: 'Name a job file of the project.',
  });
}

/** @throws AppError with the problems if the file has an error */
async function deployable(root: string, name: string): Promise<JobFile> {
  const file = await inside(root, name);
  if ((await problemsOf(file)).some(({ severity }) => severity === 'error'))
    throw new AppError('invalid', `${await problemsText(root, file)}\nNothing was run or deployed.`);
  return readJobFile(file);
}

async function problemsText(root: string, file: string): Promise<string> {
  const shown = relative(await realpath(root), file);
  const found = (await problemsOf(file)).map((problem) => ({ ...problem, file: shown }));
  return formats.text(found, 1).trimEnd();
}

function isOf(run: Run, state: 'any' | 'active' | 'failed'): boolean {
  const { active, terminal, phase } = runStatus(run);
  if (state === 'any') return true;
  return state === 'active' ? active : terminal && phase !== 'succeeded';
}

function runRow(run: Run): string {
  const { label, phase } = runStatus(run);
  const started = run.start_time ? new Date(run.start_time).toISOString() : '-';
  const message = phase === 'succeeded' ? '' : ` ${shortened(plainLine(stateMessage(run)), 100)}`;
  return `${run.run_id} ${plainLine(run.run_name ?? '')} ${label} ${started}${message}`.trimEnd();
}

function scheduleWords(expression: string, zone: string): string {
  try {
    return describeCron(expression, zone);
  } catch {
    return plainLine(`${expression} ${zone}`);
  }
}

function listText(what: string, rows: readonly string[], count: number, from: number): string {
  if (rows.length === 0) return `There are no ${from > 0 ? 'more ' : ''}${what}s.`;
  const end = from + rows.length;
  return end < count ? [...rows, `${count - end} more with offset ${end}.`].join('\n') : rows.join('\n');
}
