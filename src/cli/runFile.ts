import type { Client, RetryMode } from '../api/client/index.ts';
import type { JobSettings, Run, RunNowRequest, RunNowResponse } from '../api/schema/jobs/schemas.ts';
import {
  attemptWords,
  isTriedAgain,
  longestToNextAttemptMs,
  nextAttemptIn,
  pauseBeforeRetryMs,
  runsWithNextAttempt,
} from '../runs/attempts.ts';
import { delay } from '../shared/clock.ts';
import { causesOf } from '../shared/http/causes.ts';
import { formatDuration } from '../shared/text.ts';
import { readRunnable } from './bundleJobFile.ts';
import {
  exitCodes,
  type Invocation,
  nextCommand,
  onlyOne,
  parseParameters,
  serviceOptions,
  usageError,
} from './commandLine.ts';
import { deployIfWanted } from './deployCommand.ts';
import { inTurn, type JobFile, planFile } from './deployFile.ts';
import { endInWords, followRun, missingOutput } from './followRun.ts';
import { openService, type OpenedService } from './openService.ts';
import { output } from './print.ts';
import { reportRunAsJson } from './runReport.ts';
import { workspaceRootOf } from './workspaceRoot.ts';

/** Deploys a file, starts its job and prints what the run writes to its end; the exit code is the run's result. */
export async function runFile(invocation: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(invocation.parameters, {
    ...serviceOptions,
    job: { type: 'string' },
    param: { type: 'string', multiple: true },
    // What happens anyway: lines that say so stay right.
    wait: { type: 'boolean' },
    'no-wait': { type: 'boolean' },
    yes: { type: 'boolean' },
  });
  if (values.wait && values['no-wait']) throw usageError('--wait and --no-wait cannot be combined');
  const { signal } = invocation;
  const file = await readRunnable(onlyOne('run', 'one job file', positionals), values);
  const parameters = parametersOf(file, values.param ?? []);
  const open = (): Promise<OpenedService> => openService(values, invocation, () => file.root ?? workspaceRootOf(file));
  let opened = await open();
  const start = async (): Promise<{ jobId: string; started: RunNowResponse }> => {
    // Nobody else can have changed a service that exists only for this command.
    const isSure = values.yes === true || opened.isOwn;
    const jobId = await inTurn(opened, file, signal, async () =>
      deployIfWanted(opened, await planFile(opened, file, signal), signal, isSure),
    );
    return { jobId, started: await opened.client.jobs.runNow({ job_id: jobId, ...parameters }, { signal }) };
  };
  const json = (run: Run): Promise<string> =>
    reportRunAsJson(opened.client.jobs, run, nextCommand(['logs', run.run_id], values), signal);
  let runId: string | undefined;
  try {
    const { jobId, started } = await start().catch(async (error: unknown) => {
      // The command that had started the service has just ended with it.
      if (opened.isOwn || !opened.isTransient || !causesOf(error).some(({ code }) => code === 'ECONNREFUSED'))
        throw error;
      opened = await open();
      return start();
    });
    runId = started.run_id;
    if (values['no-wait'] && !opened.isTransient) {
      const run = await opened.client.jobs.getRun(runId, { signal });
      output.write(values.json ? await json(run) : `Started run ${runId} of job ${jobId} on ${opened.name}.\n`);
      return exitCodes.ok;
    }
    if (values['no-wait']) output.say('The service exits with the command, so the command waits for the run.');
    output.say(`Run ${runId} of job ${jobId} on ${opened.name}:`);
    // With --json, the report has the end of the output.
    const write = (text: string): void => {
      if (!values.json) output.write(text, true);
    };
    // Print them once: they are the same in every attempt.
    let versions: string | undefined;
    const onVersions = (line: string): void => {
      if (line !== versions) output.say((versions = line));
    };
    const followAll = async (): Promise<Run> => {
      for (let id = started.run_id; ;) {
        const run = await followRun(opened.client, id, {
          write,
          signal,
          retry: opened.follows,
          onVersions,
          ...missingOutput(output.say, id),
        }).catch((error: unknown) => {
          if (!opened.isTransient) output.say(`Run ${id} continues: millrace logs ${id} --follow shows the rest.`);
          throw error;
        });
        const next = await nextAttempt(opened.client, run, file.settings, {
          signal,
          retry: opened.follows,
          gapInMs: opened.isTransient ? 200 : 2000,
          onWait: (pauseInMs) => output.say(`${endInWords(run).words} ${retryInWords(run, file.settings, pauseInMs)}`),
        });
        if (!next) return run;
        id = runId = next.run_id;
        output.say(`Run ${id}, attempt ${(next.attempt_number ?? 0) + 1}:`);
      }
    };
    const run = await followAll();
    if (values.json) output.write(await json(run));
    const { words, isSuccess } = endInWords(run);
    output.say(words);
    return isSuccess ? exitCodes.ok : exitCodes.failed;
  } finally {
    await opened.close(runId);
  }
}

/** Describes the retry after a failed attempt. */
function retryInWords(run: Run, settings: JobSettings, pauseInMs: number): string {
  const pause = pauseInMs >= 1000 ? ` in ${formatDuration(pauseInMs)}` : '';
  return `That was ${attemptWords(run, settings)}; the next one follows${pause}.`;
}

/**
 * Converts the arguments to the run parameters of the job, or of its task if it has no list of tasks.
 * @throws AppError if neither takes parameters, or a parameter that needs a name has none
 */
export function parametersOf({ settings }: JobFile, words: readonly string[]): Partial<RunNowRequest> {
  if (words.length === 0) return {};
  // Services refuse the parameters of a task beside those of the job.
  if (settings.parameters?.length) return { job_parameters: namedValues(words) };
  if (settings.notebook_task) return { notebook_params: namedValues(words) };
  if (settings.spark_python_task) return { python_params: [...words] };
  if (settings.spark_jar_task) return { jar_params: [...words] };
  if (settings.spark_submit_task) return { spark_submit_params: [...words] };
  throw usageError(`the ${settings.tasks ? 'job' : 'task'} of this file takes no parameters`);
}

function namedValues(words: readonly string[]): Record<string, string> {
  const pairs = words.map((word) => {
    const at = word.indexOf('=');
    if (at < 1) throw usageError(`--param ${word} is not NAME=VALUE`);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

interface Waiting {
  readonly signal: AbortSignal;
  /** Retry mode if the service cannot respond. */
  readonly retry: RetryMode;
  /** Milliseconds between two polls. */
  readonly gapInMs: number;
  /** Called before waiting for the next attempt. */
  onWait(pauseInMs: number): void;
}

/**
 * Waits for the attempt after this one.
 * @returns the attempt, or `undefined` if the job's settings allow no retry or none starts in time
 */
export async function nextAttempt(
  { jobs }: Client,
  run: Run,
  settings: JobSettings,
  { signal, retry, gapInMs, onWait }: Waiting,
): Promise<Run | undefined> {
  if (!isTriedAgain(run, settings)) return undefined;
  const pauseInMs = pauseBeforeRetryMs(run, settings);
  onWait(pauseInMs);
  const { job_id } = run;
  for (const endMs = performance.now() + longestToNextAttemptMs(run, settings); performance.now() < endMs;) {
    const { runs } = await jobs.listRuns({ job_id, limit: runsWithNextAttempt }, { signal, retry });
    const next = nextAttemptIn(runs, run);
    if (next) return next;
    await delay(gapInMs, { signal });
  }
  return undefined;
}
