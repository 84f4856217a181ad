import type { Run } from '../api/schema/jobs/schemas.ts';
import { runDurationInMs, runStatus, stateMessage } from '../runs/runState.ts';
import { isTime } from '../shared/dateTimeFormat.ts';
import { AppError } from '../shared/errors.ts';
import { stringifyJson } from '../shared/json.ts';
import { formatDuration, shortened } from '../shared/text.ts';
import {
  exitCodes,
  type Invocation,
  nextCommand,
  onlyOne,
  parseParameters,
  serviceOptions,
  usageError,
} from './commandLine.ts';
import { planFile, readJobFile } from './deployFile.ts';
import { endInWords, followRun, type LeftOutput, missingOutput } from './followRun.ts';
import { openService, type ServiceChoice } from './openService.ts';
import { output, plainLine } from './print.ts';
import { idsOf } from './runReport.ts';
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
    if (values.json) output.write(runsJson(runs, values));
    else if (runs.length === 0) output.say('There are no runs.');
    else output.write(tableOf(runs, Date.now()));
    return exitCodes.ok;
  } finally {
    await opened.close();
  }
}

const columns = ['Run', 'No.', 'State', 'Started', 'Duration', 'Name', 'Message'];
const maxMessage = 100;

/** Returns the runs as aligned columns below their headings; times are local. */
function tableOf(runs: readonly Run[], nowMs: number): string {
  const rows = [columns, ...runs.map((run) => cellsOf(run, nowMs))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function cellsOf(run: Run, nowMs: number): string[] {
  const { label, phase } = runStatus(run);
  const duration = runDurationInMs(run, nowMs);
  return [
    run.run_id,
    run.number_in_job ?? '-',
    label,
    run.start_time === undefined ? '-' : localTime(run.start_time),
    duration === undefined ? '-' : formatDuration(duration),
    run.run_name ?? '-',
    phase === 'succeeded' ? '' : shortened(stateMessage(run), maxMessage),
  ].map(plainLine);
}

/** Returns a time such as 2026-11-28 09:05:00 in the zone of this machine. */
function localTime(epochMs: number): string {
  return isTime(epochMs) ? new Date(epochMs).toLocaleString('sv-SE') : String(epochMs);
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
    const write = (text: string): void => {
      written.push(text);
      if (!values.json) output.write(text, true);
    };
    const { signal } = invocation;
    let isRead = true;
    const { onUnread, onPartial } = missingOutput(output.say, runId);
    const isOnce = !values.follow;
    let left: LeftOutput = {};
    const run = await followRun(opened.client, runId, {
      write,
      onUnread: (error) => {
        isRead = false;
        onUnread(error);
      },
      onPartial,
      ...(values.json && { onLeft: (given: LeftOutput) => (left = given) }),
      signal,
      retry: opened.follows,
      isOnce,
    });
    if (values.json) output.write(logsJson(run, isRead ? { ...left, logs: written.join('') } : {}, values));
    const code = isRead ? exitCodes.ok : exitCodes.failed;
    const { words, isSuccess } = endInWords(run);
    const isEmpty = isRead && !values.json && written.every((text) => text === '');
    if (isEmpty) output.say(`Run ${runId} has no output.`);
    // Then its state is all that there is to know.
    if (!isOnce || isEmpty) output.say(words);
    if (isOnce) return code;
    return isSuccess ? code : exitCodes.failed;
  } finally {
    await opened.close();
  }
}

/** Fields of a run that a list prints as JSON, besides its ids. */
const listedFields = ['run_name', 'state', 'start_time', 'end_time'] as const;

function runsJson(runs: readonly Run[], service: ServiceChoice): string {
  const failed = runs.find((run) => runStatus(run).terminal && runStatus(run).phase !== 'succeeded') ?? runs[0];
  const shown = runs.map((run) => ({
    ...idsOf(run),
    ...Object.fromEntries(listedFields.map((name) => [name, run[name]])),
  }));
  const next = failed && nextCommand(['logs', failed.run_id], service);
  return `${stringifyJson({ runs: shown, next })}\n`;
}

/** Returns the run's ids and state with its output, in the fields of runs/get-output. */
function logsJson(
  run: Run,
  { logs, result, error, errorTrace }: LeftOutput & { logs?: string },
  service: ServiceChoice,
): string {
  const given = {
    logs,
    error,
    error_trace: errorTrace,
    notebook_output: result === undefined ? undefined : { result },
  };
  const present = Object.entries(given).filter(
    ([name, value]) => value !== undefined && (value !== '' || name === 'logs'),
  );
  const next = runStatus(run).terminal ? undefined : nextCommand(['logs', run.run_id, '--follow'], service);
  return `${stringifyJson({ ...idsOf(run), state: run.state, ...Object.fromEntries(present), next })}\n`;
}
