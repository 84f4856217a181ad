import * as z from 'zod';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { jobName } from '../../runs/jobNames.ts';
import { withoutAnsi } from '../../runs/output/ansi.ts';
import { runStatus, stateMessage } from '../../runs/runState.ts';
import { readRunOutput } from '../../runs/runTasks.ts';
import { stringifyJson } from '../../shared/json.ts';
import { nextFireTimes } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { shortened } from '../../shared/text.ts';
import { plainLine } from '../print.ts';
import { asData, reportRun } from '../runReport.ts';
import { type AgentTool, id, inside, jobsOf, offset, path, problemsText, profile, tool } from './agentTool.ts';
import { deployTools } from './deployTools.ts';

/** Rows in a list, and runs that are looked through for one. */
const pageSize = 25;
/** Characters of an output in one answer. */
const pieceLength = 4000;

/** The tools of the server, by name. */
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
    description: 'Lists jobs with schedule.',
    input: z.object({ name: z.string().max(200).optional().describe('Part of the name'), offset, profile }),
    readOnly: true,
    async call({ name, offset: from = 0, profile: named }, context) {
      const jobs = await jobsOf(context, named);
      const all = (await jobs.list(context)).filter((job) =>
        jobName(job)
          .toLowerCase()
          .includes((name ?? '').toLowerCase()),
      );
      const rows = all.slice(from, from + pageSize).map((job) => {
        const schedule = job.settings?.schedule;
        const when = schedule ? `, ${scheduleWords(schedule.quartz_cron_expression, schedule.timezone_id)}` : '';
        return `${job.job_id} ${plainLine(jobName(job))}${when}`;
      });
      if (rows.length === 0) return 'There are no such jobs.';
      const end = from + rows.length;
      const text = asData('Jobs', rows.join('\n'));
      return end < all.length ? `${text}\n${all.length - end} more with offset ${end}.` : text;
    },
  }),
  get_job: tool({
    description: 'Gives the settings of a job as JSON.',
    input: z.object({ job_id: id, profile }),
    readOnly: true,
    async call({ job_id: jobId, profile: named }, context) {
      const job = await (await jobsOf(context, named)).get(jobId, context);
      return asData(`Job ${jobId}`, stringifyJson(job.settings ?? {}));
    },
  }),
  list_runs: tool({
    description: 'Lists runs, newest first.',
    input: z.object({
      job_id: id.optional(),
      state: z.enum(['any', 'active', 'failed']).optional(),
      offset,
      profile,
    }),
    readOnly: true,
    async call({ job_id: jobId, state = 'any', offset: from = 0, profile: named }, context) {
      const jobs = await jobsOf(context, named);
      const found: Run[] = [];
      let read = from;
      for (let hasMore = true; hasMore && found.length < pageSize && read < from + 20 * pageSize;) {
        const query = { limit: pageSize, offset: read, ...(jobId !== undefined && { job_id: jobId }) };
        const page = await jobs.listRuns(query, context);
        found.push(...page.runs.filter((run) => isOf(run, state)));
        read += page.runs.length;
        hasMore = page.has_more && page.runs.length > 0;
        if (!hasMore) read = 0;
      }
      if (found.length === 0)
        return read > 0
          ? `None in the ${read - from} runs looked through. More with offset ${read}.`
          : 'There are no such runs.';
      const rows = asData('Runs', found.map(runRow).join('\n'));
      return read > 0 ? `${rows}\nMore with offset ${read}.` : rows;
    },
  }),
  get_run: tool({
    description: `Reports a run: state, cause, failing task and line, end of its output. With offset: ${pieceLength} characters of its output from there.`,
    input: z.object({ run_id: id, offset, profile }),
    readOnly: true,
    async call({ run_id: runId, offset: from, profile: named }, context) {
      const jobs = await jobsOf(context, named);
      if (from === undefined) return reportRun(jobs, await jobs.getRun(runId, context), context.signal);
      const { logs } = await readRunOutput(jobs, runId, { signal: context.signal });
      const text = typeof logs === 'string' ? withoutAnsi(logs) : '';
      const end = Math.min(text.length, from + pieceLength);
      const rest = end < text.length ? `\n${text.length - end} more characters with offset ${end}.` : '';
      return `${asData(`Output of run ${runId}, characters ${from} to ${end}`, text.slice(from, end))}${rest}`;
    },
  }),
  cancel_run: tool({
    description: 'Cancels a run of the local service.',
    input: z.object({ run_id: id }),
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
  ...deployTools,
};

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
