import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { ToolOutcome } from '../../chat/chatTools.ts';
import type { ToolRun } from '../../chat/conversationEvent.ts';
import type { Connection } from '../../connection/connection.ts';
import { groupAttempts } from '../../runs/attempts.ts';
import { jobName } from '../../runs/jobNames.ts';
import { outputText } from '../../runs/outputText.ts';
import { runLabel, runTitle } from '../../runs/rowWords.ts';
import { runDurationInMs, runStatus } from '../../runs/runState.ts';
import { readRunOutput } from '../../runs/runTasks.ts';
import { ifFound, isolated } from '../../shared/fields.ts';
import { stringifyJson } from '../../shared/json.ts';
import { formatDuration } from '../../shared/text.ts';
import { beginningAndEnd, outputOf } from '../askChat.ts';
import { diffOf } from '../fix/applyDiff.ts';
import { cancelRun } from '../runCommands.ts';
import { findJob } from './jobTools.ts';
import { type CallContext, type Given, pageSize } from './toolCall.ts';

/** Maximum pages searched for runs in a state; the result says if older runs were left out. */
const maxPages = 5;
const defaultRuns = 20;
/** Maximum failures reported with their exception, which takes one request each. */
const maxCauses = 5;
/** Maximum links below a result. */
const maxLinks = 10;

/** Runs that fit a request, newest first, with what is shown of them. */
export interface FoundRuns {
  readonly count: number;
  /** False if older runs were not searched. */
  readonly isWhole: boolean;
  readonly shown: readonly { run: Run; name: string; cause: string | undefined }[];
}

export async function findRuns(
  given: Given<'list_runs'>,
  { connection, signal, nowMs }: Pick<CallContext, 'connection' | 'signal' | 'nowMs'>,
): Promise<FoundRuns> {
  const { client } = connection;
  const { state = 'any', since = 'any' } = given;
  const limit = given.limit ?? defaultRuns;
  const jobs = await client.jobs.list({ signal });
  const names = new Map(jobs.map((job) => [job.job_id, jobName(job)]));
  const jobId = given.job ? (await findJob(connection, given.job, signal)).job_id : undefined;
  const { fromMs, toMs } = days(since ?? 'any', nowMs);
  const seen: Run[] = [];
  let isWhole = false;
  let offset = 0;
  for (let page = 0; page < maxPages && !isWhole; page += 1) {
    const { runs, has_more: hasMore } = await client.jobs.listRuns(
      { limit: pageSize, ...(offset > 0 && { offset }), ...(jobId !== undefined && { job_id: jobId }) },
      { signal },
    );
    offset += runs.length;
    seen.push(...runs);
    isWhole = !hasMore || runs.length === 0 || (runs.at(-1)?.start_time || nowMs) < fromMs;
  }
  // Count the attempts of a run once, with the state of the last one.
  const fitting = groupAttempts(seen).flatMap(([run]) => {
    const atMs = run.start_time || nowMs;
    return atMs >= fromMs && atMs < toMs && isOf(run, state ?? 'any') ? [run] : [];
  });
  const shown = fitting.slice(0, limit);
  const causes = new Map(
    await Promise.all(
      shown
        .filter(isBad)
        .slice(0, maxCauses)
        .map(async ({ run_id: id }) => {
          const output = await readRunOutput(client.jobs, id, { signal }).catch(() => undefined);
          return [id, output?.error] as const;
        }),
    ),
  );
  const nameOf = (run: Run): string => `${isolated(names.get(run.job_id ?? '') ?? '')} ${runTitle(run)}`.trim();
  return {
    count: fitting.length,
    isWhole,
    shown: shown.map((run) => ({ run, name: nameOf(run), cause: causes.get(run.run_id) })),
  };
}

export async function listRuns(given: Given<'list_runs'>, call: CallContext): Promise<ToolOutcome> {
  const { profile } = call.connection;
  const { count, isWhole, shown } = await findRuns(given, call);
  return {
    content: stringifyJson({
      profile: profile.name,
      now: new Date(call.nowMs).toISOString(),
      count,
      is_whole: isWhole,
      runs: shown.map(({ run, name, cause }) => factsOf(run, name, call.nowMs, cause)),
    }),
    runs: shown.slice(0, maxLinks).map(({ run, name }) => linkOf(run, name, profile.id)),
  };
}

export const isBad = (run: Run): boolean =>
  ['failed', 'timedOut', 'internalError', 'timingOut'].includes(runStatus(run).phase);

function isOf(run: Run, state: 'any' | 'active' | 'failed' | 'succeeded'): boolean {
  const { active, phase } = runStatus(run);
  if (state === 'any') return true;
  if (state === 'failed') return isBad(run);
  return state === 'active' ? active : phase === 'succeeded';
}

export function linkOf(run: Run, name: string, profileId: string): NonNullable<ToolOutcome['runs']>[number] {
  return {
    profileId,
    runId: run.run_id,
    label: `${name} · ${runStatus(run).label}`,
    ...(isBad(run) && { isBad: true }),
  };
}

function factsOf(run: Run, name: string, nowMs: number, cause = run.state?.state_message): object {
  const duration = runDurationInMs(run, nowMs);
  return {
    run_id: run.run_id,
    name,
    ...(run.job_id !== undefined && { job_id: run.job_id }),
    state: runStatus(run).label,
    is_failed: isBad(run),
    is_active: runStatus(run).active,
    ...(run.attempt_number && { attempt: run.attempt_number + 1 }),
    ...(run.start_time && { started: new Date(run.start_time).toISOString() }),
    ...(duration !== undefined && { duration: formatDuration(duration) }),
    ...(cause && { message: cause }),
  };
}

/** Returns the days in the user's time zone as timestamps. */
export function days(since: 'any' | 'today' | 'yesterday' | 'week', nowMs: number): { fromMs: number; toMs: number } {
  const midnight = (daysBefore: number): number => {
    const now = new Date(nowMs);
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore).getTime();
  };
  switch (since) {
    case 'any':
      return { fromMs: -Infinity, toMs: Infinity };
    case 'today':
      return { fromMs: midnight(0), toMs: Infinity };
    case 'yesterday':
      return { fromMs: midnight(1), toMs: midnight(0) };
    case 'week':
      return { fromMs: midnight(6), toMs: Infinity };
  }
}

export async function getRun(
  { run_id: id }: Given<'get_run'>,
  { connection, signal, nowMs }: CallContext,
): Promise<ToolOutcome> {
  const run = await connection.client.jobs.getRun(id, { signal });
  const output = await outputOf(connection, run, signal);
  const job =
    run.job_id === undefined
      ? undefined
      : await connection.client.jobs.get(run.job_id, { signal }).catch(() => undefined);
  const name = runLabel(run, job);
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      ...factsOf(run, name, nowMs),
      task: run.task,
      overriding_parameters: run.overriding_parameters ?? {},
      output: beginningAndEnd(outputText(name, output, run, nowMs)),
    }),
    runs: [linkOf(run, name, connection.profile.id)],
  };
}

/** Returns the display name of a run: "etl #3". */
export async function nameOfRun({ client: { jobs } }: Connection, id: string, signal: AbortSignal): Promise<string> {
  const run = await jobs.getRun(id, { signal });
  return runLabel(run, run.job_id === undefined ? undefined : await ifFound(jobs.get(run.job_id, { signal })));
}

/** Cancels a run. The user has confirmed it; a production profile also asks. */
export async function cancelRunTool({ run_id: id }: Given<'cancel_run'>, call: CallContext): Promise<ToolOutcome> {
  const { services, connection, signal } = call;
  const seen = await connection.client.jobs.getRun(id, { signal });
  if (runStatus(seen).active) await cancelRun(services, { runId: id, profileId: connection.profile.id });
  const name = await nameOfRun(connection, id, signal);
  const run = await connection.client.jobs.getRun(id, { signal });
  return {
    content: stringifyJson({ profile: connection.profile.name, ...factsOf(run, name, call.nowMs) }),
    runs: [linkOf(run, name, connection.profile.id)],
  };
}

/** Compares two runs, with a diff of their outputs. */
export async function compareRuns(given: Given<'compare_runs'>, call: CallContext): Promise<ToolOutcome> {
  const { connection, signal, nowMs } = call;
  const read = async (id: string): Promise<{ facts: object; text: string; link: ToolRun }> => {
    const seen = await connection.client.jobs.getRun(id, { signal });
    const output = await outputOf(connection, seen, signal);
    const run = output.metadata ?? seen;
    const name = await nameOfRun(connection, id, signal);
    const printed = [output['logs'], output.notebook_output?.result, output.error];
    return {
      facts: factsOf(run, name, nowMs, output.error),
      text: printed.filter((part) => typeof part === 'string').join('\n'),
      link: linkOf(run, name, connection.profile.id),
    };
  };
  const [one, other] = await Promise.all([read(given.run_id), read(given.other_run_id)]);
  const isSame = one.text === other.text;
  const diff = diffOf('output', one.text, other.text);
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      runs: [one.facts, other.facts],
      outputs_are_equal: isSame,
      ...(!isSame &&
        (diff === undefined
          ? { outputs: [one, other].map(({ text }) => beginningAndEnd(text)) }
          : { diff: beginningAndEnd(diff) })),
    }),
    runs: [one.link, other.link],
  };
}
