import type { Run } from '../api/schema/jobs/schemas.ts';
import { runStatus } from '../runs/runState.ts';
import { AppError } from '../shared/errors.ts';
import { stringifyJson } from '../shared/json.ts';
import { exitCodes, type Invocation, onlyOne, parseParameters, serviceOptions, usageError } from './commandLine.ts';
import { planFile, readJobFile } from './deployFile.ts';
import { endInWords, followRun, unreadInWords } from './followRun.ts';
import { openService } from './openService.ts';
import { output, plainLine } from './print.ts';
import { workspaceRootOf } from './workspaceRoot.ts';

const defaultLimit = 25;
/** Maximum runs on a page (Jobs API 2.0, runs/list). */
const maxRuns = 1000;

/** Lists the newest runs of all jobs or of a file's job. */
export async function printRuns(invocation: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(invocation.parameters, {
    ...serviceOptions,
    limit: { type: 'string' },
  });
  const limit = values.limit === undefined ? defaultLimit : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxRuns)
    throw usageError(`--limit ${values.limit} is not a whole number from 1 to ${maxRuns}`);
  const file = positionals.length === 0 ? undefined : await readJobFile(onlyOne('runs', 'one job file', positionals));
  const { signal } = invocation;
  const opened = await openService(values, invocation, () => (file ? workspaceRootOf(file) : process.cwd()));
  try {
    const job = file && (await planFile(opened, file, signal)).job;
    if (file && !job)
      throw new AppError('notFound', `${file.path} has no job on ${opened.name}.`, { remedy: 'Deploy it first.' });
    const { jobs } = opened.client;
    const runs: Run[] = [];
    for (let hasMore = true; hasMore && runs.length < limit;) {
      const page = await jobs.listRuns(
        { limit: Math.min(100, limit - runs.length), offset: runs.length, ...(job ? { job_id: job.job_id } : {}) },
        { signal },
      );
      runs.push(...page.runs);
      hasMore = page.has_more && page.runs.length > 0;
    }
    if (values.json) output.write(`${stringifyJson(runs.map(asAnswered))}\n`);
    else output.write(runs.map((run) => `${runLine(run)}\n`).join(''));
    return exitCodes.ok;
  } finally {
    await opened.close();
  }
}

function runLine(run: Run): string {
  const started = run.start_time === undefined ? '-' : new Date(Number(run.start_time)).toISOString();
  const name = plainLine(run.run_name ?? '');
  return [run.run_id, runStatus(run).label, started, name].join('\t').trimEnd();
}

/** Prints a run's output; with `--follow`, until the run ends. */
export async function showLogs(invocation: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(invocation.parameters, {
    ...serviceOptions,
    follow: { type: 'boolean' },
  });
  const runId = onlyOne('logs', 'the id of one run', positionals);
  if (!/^[0-9]{1,19}$/.test(runId)) throw usageError(`${runId} is not the id of a run`);
  const opened = await openService(values, invocation, () => process.cwd());
  try {
    // Report a missing run as such, not as a run without output.
    await opened.client.jobs.getRun(runId, { signal: invocation.signal });
    const written: string[] = [];
    const write = values.json ? (text: string) => void written.push(text) : output.write;
    const { signal } = invocation;
    let isRead = true;
    const onUnread = (error: AppError): void => {
      isRead = false;
      output.say(unreadInWords(runId, error));
    };
    const isOnce = !values.follow;
    const run = await followRun(opened.client, runId, { write, onUnread, signal, retry: opened.follows, isOnce });
    if (values.json) output.write(runJson(run, isRead ? written.join('') : undefined));
    const code = isRead ? exitCodes.ok : exitCodes.failed;
    if (isOnce) return code;
    const { words, isSuccess } = endInWords(run);
    output.say(words);
    return isSuccess ? code : exitCodes.failed;
  } finally {
    await opened.close();
  }
}

const ids = new Set(['job_id', 'run_id', 'original_attempt_run_id', 'number_in_job']);

/** Returns the run with ids as numbers, as in a response; in our code they are texts, since they may exceed the exact range of numbers. */
function asAnswered(run: Run): object {
  const entries = Object.entries(run).map(([name, value]) => [name, ids.has(name) ? BigInt(String(value)) : value]);
  return Object.fromEntries(entries) as object;
}

/** Returns the run as the service returned it, with its output if requested. */
export function runJson(run: Run, logs?: string): string {
  return `${stringifyJson({ ...asAnswered(run), ...(logs === undefined ? {} : { logs }) })}\n`;
}
