import * as z from 'zod';
import type { Job, Run } from '../api/schema/jobs/schemas.ts';
import type { ChatTools, Suggestion, ToolOutcome } from '../chat/chatTools.ts';
import type { ToolRun } from '../chat/conversationEvent.ts';
import type { Connection } from '../connection/connection.ts';
import { groupAttempts } from '../runs/attempts.ts';
import { jobName, sortJobs } from '../runs/jobNames.ts';
import { outputText } from '../runs/outputText.ts';
import { runLabel, runTitle } from '../runs/rowWords.ts';
import { runDurationInMs, runStatus } from '../runs/runState.ts';
import { formatDuration } from '../shared/duration.ts';
import { AppError } from '../shared/errors.ts';
import { isolated, withoutIsolation } from '../shared/isolated.ts';
import { parseJson, stringifyJson } from '../shared/json.ts';
import { l10n } from '../shared/l10n.ts';
import { nextFireTimes } from '../shared/quartz/quartz.ts';
import { describeCron } from '../shared/quartz/quartzWords.ts';
import { shortened } from '../shared/shortened.ts';
import { outputOf, beginningAndEnd } from './askChat.ts';
import { chatToolList } from './chatToolList.ts';
import { deployAndOffer } from './deployAndOffer.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import { runName } from './resolve.ts';
import { runNow } from './runNow.ts';
import type { CommandServices } from './services.ts';
import { undeployedFile } from './undeployedFile.ts';

const pageSize = 100;
/** So many pages are looked through for runs of a state; what is older is said to be left out. */
const maxPages = 5;
const defaultRuns = 20;
const maxJobs = 200;
/** Links below a result. */
const maxLinks = 10;

/** Ids are digits, which models write as numbers as well. */
const word = z.union([z.string(), z.number(), z.bigint()]).transform(String);
const argumentsOf = {
  list_jobs: z.object({}),
  get_job: z.object({ job: word }),
  list_runs: z.object({
    job: word.nullish(),
    state: z.enum(['any', 'active', 'failed', 'succeeded']).nullish(),
    since: z.enum(['any', 'today', 'yesterday', 'week']).nullish(),
    limit: z.coerce.number().int().min(1).max(pageSize).nullish(),
  }),
  get_run: z.object({ run_id: word }),
  list_files: z.object({ folder: z.string().nullish() }),
  read_file: z.object({ path: z.string() }),
  run_job: z.object({ job: word }),
} as const;

type Name = keyof typeof argumentsOf;
type Given<N extends Name> = z.output<(typeof argumentsOf)[N]>;

interface Call {
  services: CommandServices;
  connection: Connection;
  signal: AbortSignal;
  nowMs: number;
}

type Handlers = { [N in Name]: (given: Given<N>, call: Call) => Promise<ToolOutcome> };

const handlers: Handlers = { list_jobs, get_job, list_runs, get_run, list_files, read_file, run_job };

/** What models may call, done with the current profile. All but `run_job` only read. */
export function createChatTools(services: CommandServices, now: () => number = Date.now): ChatTools {
  return {
    tools: chatToolList,
    async describe(_name, given) {
      const connection = await services.connections.connect();
      const { job } = read('run_job', given);
      const found = await findJob(connection, job, new AbortController().signal);
      return l10n.t('Run job "{0}" ({1}) on {2}', jobName(found), found.job_id, connection.profile.name);
    },
    async run(name, given, signal) {
      if (!Object.hasOwn(argumentsOf, name)) throw new AppError('invalid', `There is no function ${name}.`);
      return runNamed(name as Name, given, { services, signal, nowMs: now() });
    },
    suggest: () => suggest(services, now()),
    onDidChangeSuggestions(listener) {
      const { runs } = services;
      // What is offered depends on these. More often the service would be asked for nothing.
      const basis = (): string =>
        `${runs.freshness.kind} ${runs.jobs.length} ${runs.activeRuns.map(({ run_id: id }) => id).join()}`;
      let seen = basis();
      const changes = runs.onDidChange((change) => {
        const now = basis();
        if (now !== seen) listener(change);
        seen = now;
      });
      const ends = runs.onDidFinishRun(listener);
      return {
        dispose() {
          changes.dispose();
          ends.dispose();
        },
      };
    },
    openRun: (run) => open(services, run),
  };
}

async function open(
  services: CommandServices,
  { profileId, runId }: Pick<ToolRun, 'profileId' | 'runId'>,
): Promise<void> {
  const { openRun } = await import('./runCommands.ts');
  await openRun(services, { profileId, runId });
}

/** A run that failed today or is going, and a job file that is not deployed, are what somebody who opens the chat may want to know about. */
async function suggest(services: CommandServices, nowMs: number): Promise<Suggestion[]> {
  const connection = await services.connections.connectIfUsed();
  if (!connection) return [];
  const { runs } = await connection.client.jobs.listRuns({ limit: pageSize }, { retry: 'fail' });
  const { fromMs } = days('today', nowMs);
  // A run whose later attempt got done has not failed.
  const latest = groupAttempts(runs).map(([attempt]) => attempt);
  const profileId = connection.profile.id;
  const suggestions: Suggestion[] = [];
  const [first, ...others] = latest.filter((run) => isBad(run) && (run.start_time ?? 0) >= fromMs);
  if (first) {
    const { run_id: runId } = first;
    const icon = 'error';
    suggestions.push(
      others.length === 0
        ? {
            icon,
            title: l10n.t('1 run failed today'),
            prompt: l10n.t('Why did run {0} fail?', runId),
            deed: l10n.t('Explain'),
          }
        : {
            icon,
            title: l10n.t('{0} runs failed today', others.length + 1),
            prompt: l10n.t('Which runs failed today?'),
            deed: l10n.t('Show'),
          },
      {
        icon,
        title: l10n.t('{0} failed', shortened(runName(services, connection, first))),
        prompt: l10n.t('Look for a change that mends it'),
        deed: l10n.t('Fix'),
        take: () => services.fix({ profileId, runId }),
      },
    );
  }
  const going = latest.find((run) => runStatus(run).active);
  if (going)
    suggestions.push({
      icon: 'loading',
      title: l10n.t('{0} is going on', shortened(runName(services, connection, going))),
      prompt: connection.profile.name,
      deed: l10n.t('Watch'),
      take: () => open(services, { profileId, runId: going.run_id }),
    });
  const file = await undeployedFile(services, connection);
  if (file)
    suggestions.push({
      icon: 'cloud',
      title: file.name,
      deed: l10n.t('Deploy'),
      prompt: l10n.t('It is not deployed to {0}', connection.profile.name),
      take: () => deployAndOffer(services, { uri: file.uri }),
    });
  return suggestions;
}

async function runNamed<N extends Name>(name: N, given: string, call: Omit<Call, 'connection'>): Promise<ToolOutcome> {
  const parsed = read(name, given);
  const connection = await call.services.connections.connect({ signal: call.signal });
  return handlers[name](parsed, { ...call, connection });
}

function read<N extends Name>(name: N, given: string): Given<N> {
  let value: unknown;
  try {
    value = parseJson(given.trim() === '' ? '{}' : given);
  } catch {
    throw new AppError('invalid', `The arguments of ${name} are no JSON.`);
  }
  const result = argumentsOf[name].safeParse(value);
  if (!result.success)
    throw new AppError('invalid', `The arguments of ${name} are wrong: ${z.prettifyError(result.error)}`);
  return result.data as Given<N>;
}

async function list_jobs(_given: Given<'list_jobs'>, { connection, signal, nowMs }: Call): Promise<ToolOutcome> {
  const jobs = sortJobs(await connection.client.jobs.list({ signal }));
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      count: jobs.length,
      jobs: jobs
        .slice(0, maxJobs)
        .map((job) => ({ job_id: job.job_id, name: jobName(job), ...scheduleOf(job, nowMs) })),
    }),
  };
}

function scheduleOf({ settings }: Job, nowMs: number): object {
  const schedule = settings?.schedule;
  if (!schedule) return {};
  const { quartz_cron_expression: expression, timezone_id: zone, pause_status: status } = schedule;
  if (status === 'PAUSED') return { schedule: 'paused' };
  try {
    const [next] = nextFireTimes(expression, zone, nowMs, 1);
    return {
      schedule: describeCron(expression, zone),
      ...(next !== undefined && { next_start: new Date(next).toISOString() }),
    };
  } catch {
    return { schedule: expression };
  }
}

async function get_job({ job }: Given<'get_job'>, { connection, signal }: Call): Promise<ToolOutcome> {
  const found = await findJob(connection, job, signal);
  const { settings = {} } = await connection.client.jobs.get(found.job_id, { signal });
  const { toYaml } = await loadJobFileService();
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      job_id: found.job_id,
      name: jobName(found),
      job_file: toYaml(settings),
    }),
  };
}

/** A job by its id or its name, in any case. */
async function findJob({ client, profile }: Connection, given: string, signal: AbortSignal): Promise<Job> {
  const jobs = await client.jobs.list({ signal });
  const named = withoutIsolation(given);
  const exact = jobs.filter((job) => job.job_id === named || jobName(job) === named);
  const found = exact.length > 0 ? exact : jobs.filter((job) => jobName(job).toLowerCase() === named.toLowerCase());
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first)
    throw new AppError(
      'invalid',
      l10n.t(
        'There are several jobs "{0}" on {1}: {2}.',
        named,
        profile.name,
        found.map(({ job_id: id }) => id).join(', '),
      ),
    );
  throw new AppError('notFound', l10n.t('There is no job "{0}" on {1}.', named, profile.name));
}

async function list_runs(given: Given<'list_runs'>, call: Call): Promise<ToolOutcome> {
  const { connection, signal, nowMs } = call;
  const { client, profile } = connection;
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
  // Attempts of one run count once: it is as its last one is.
  const fitting = groupAttempts(seen).flatMap(([run]) => {
    const atMs = run.start_time || nowMs;
    return atMs >= fromMs && atMs < toMs && isOf(run, state ?? 'any') ? [run] : [];
  });
  const shown = fitting.slice(0, limit);
  const nameOf = (run: Run): string => `${isolated(names.get(run.job_id ?? '') ?? '')} ${runTitle(run)}`.trim();
  return {
    content: stringifyJson({
      profile: profile.name,
      now: new Date(nowMs).toISOString(),
      count: fitting.length,
      // Older runs were not looked at.
      is_whole: isWhole,
      runs: shown.map((run) => factsOf(run, nameOf(run), nowMs)),
    }),
    runs: shown.slice(0, maxLinks).map((run) => linkOf(run, nameOf(run), profile.id)),
  };
}

const isBad = (run: Run): boolean =>
  ['failed', 'timedOut', 'internalError', 'timingOut'].includes(runStatus(run).phase);

function isOf(run: Run, state: 'any' | 'active' | 'failed' | 'succeeded'): boolean {
  const { active, phase } = runStatus(run);
  if (state === 'any') return true;
  if (state === 'failed') return isBad(run);
  return state === 'active' ? active : phase === 'succeeded';
}

function linkOf(run: Run, name: string, profileId: string): NonNullable<ToolOutcome['runs']>[number] {
  return {
    profileId,
    runId: run.run_id,
    label: `${name} · ${runStatus(run).label}`,
    ...(isBad(run) && { isBad: true }),
  };
}

function factsOf(run: Run, name: string, nowMs: number): object {
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
    ...(run.state?.state_message && { message: run.state.state_message }),
  };
}

/** The days of the user's own zone, as moments. */
function days(since: 'any' | 'today' | 'yesterday' | 'week', nowMs: number): { fromMs: number; toMs: number } {
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

async function get_run({ run_id: id }: Given<'get_run'>, { connection, signal, nowMs }: Call): Promise<ToolOutcome> {
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
      output: beginningAndEnd(outputText(name, output, run, nowMs)),
    }),
    runs: [linkOf(run, name, connection.profile.id)],
  };
}

async function list_files({ folder }: Given<'list_files'>, { services }: Call): Promise<ToolOutcome> {
  return { content: stringifyJson({ files: await services.ui.workspaceFiles(folder ?? '') }) };
}

async function read_file({ path }: Given<'read_file'>, { services }: Call): Promise<ToolOutcome> {
  return { content: stringifyJson({ path, text: beginningAndEnd(await services.ui.workspaceText(path)) }) };
}

/** The user has said yes to this run; a production profile asks by itself, as for any run. */
async function run_job({ job }: Given<'run_job'>, { services, connection, signal }: Call): Promise<ToolOutcome> {
  const found = await findJob(connection, job, signal);
  const profileId = connection.profile.id;
  const started = await runNow(services, { jobId: found.job_id, profileId });
  if (!started)
    return {
      content: stringifyJson({
        started: false,
        why: 'The user did not confirm it, or another run of this job was being started.',
      }),
    };
  const name = jobName(found);
  return {
    content: stringifyJson({ profile: connection.profile.name, job: name, run_id: started.run_id, started: true }),
    runs: [
      {
        profileId,
        runId: started.run_id,
        label: started.number_in_job === undefined ? name : `${isolated(name)} #${started.number_in_job}`,
      },
    ],
  };
}
