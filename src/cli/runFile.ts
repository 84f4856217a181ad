import type { RunNowRequest } from '../api/schema/jobs/schemas.ts';
import { exitCodes, onlyOne, parseParameters, serviceOptions, usageError } from './commandLine.ts';
import { deployIfWanted } from './deployCommand.ts';
import { inTurn, planFile, readJobFile, type JobFile } from './deployFile.ts';
import { endInWords, followRun } from './followRun.ts';
import type { Invocation } from './invocation.ts';
import { openService } from './openService.ts';
import { output } from './print.ts';
import { runJson } from './runCommands.ts';
import { workspaceRootOf } from './workspaceRoot.ts';

/** Deploys a file, starts its job and prints what the run writes; the exit code is the run's result. */
export async function runFile(invocation: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(invocation.parameters, {
    ...serviceOptions,
    param: { type: 'string', multiple: true },
    wait: { type: 'boolean' },
    yes: { type: 'boolean' },
  });
  const { signal } = invocation;
  const file = await readJobFile(onlyOne('run', 'one job file', positionals));
  const parameters = parametersOf(file, values.param ?? []);
  const opened = await openService(values, invocation, () => workspaceRootOf(file));
  let runId: string | undefined;
  try {
    // Nobody else can have been at a service that is there for this command alone.
    const isSure = values.yes === true || opened.isOwn;
    const jobId = await inTurn(opened, file, signal, async () =>
      deployIfWanted(opened, await planFile(opened, file, signal), signal, isSure),
    );
    const started = await opened.client.jobs.runNow({ job_id: jobId, ...parameters }, { signal });
    runId = started.run_id;
    if (!opened.isTransient && !values.wait) {
      const run = await opened.client.jobs.getRun(runId, { signal });
      output.write(values.json ? runJson(run) : `Started run ${runId} of job ${jobId} on ${opened.name}.\n`);
      return exitCodes.ok;
    }
    output.say(`Run ${runId} of job ${jobId} on ${opened.name}:`);
    // With --json standard output holds one object and nothing else.
    const write = values.json ? (text: string) => void process.stderr.write(text) : output.write;
    const onVersions = (line: string): void => output.say(line);
    const following = followRun(opened.client, runId, { write, signal, retry: opened.follows, onVersions });
    const run = await following.catch((error: unknown) => {
      if (!opened.isTransient) output.say(`Run ${runId} goes on: millrace logs ${runId} --follow shows the rest.`);
      throw error;
    });
    if (values.json) output.write(runJson(run));
    const { words, isSuccess } = endInWords(run);
    output.say(words);
    return isSuccess ? exitCodes.ok : exitCodes.failed;
  } finally {
    await opened.close(runId);
  }
}

/** @throws AppError if the task takes no parameters, or a notebook's has no name */
function parametersOf({ settings }: JobFile, words: readonly string[]): Partial<RunNowRequest> {
  if (words.length === 0) return {};
  if (settings.notebook_task) {
    const pairs = words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw usageError(`--param ${word} is not NAME=VALUE`);
      return [word.slice(0, at), word.slice(at + 1)] as const;
    });
    return { notebook_params: Object.fromEntries(pairs) };
  }
  if (settings.spark_python_task) return { python_params: [...words] };
  if (settings.spark_jar_task) return { jar_params: [...words] };
  if (settings.spark_submit_task) return { spark_submit_params: [...words] };
  throw usageError('the task of this file takes no parameters');
}
