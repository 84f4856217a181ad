import { AppError } from '../../../shared/errors.ts';
import { l10n } from '../../../shared/l10n.ts';
import { jobsRoutes } from '../../schema/jobs/routes.ts';
import type { Job, ListRunsRequest, Run } from '../../schema/jobs/schemas.ts';
import type { Caller } from '../caller.ts';
import type { CallOptions } from '../client.ts';
import { atVersion, type VersionFinder } from './apiVersion.ts';
import { withState } from './statusAsState.ts';

/** Number of tasks, clusters, parameters and environments in a response; the rest is on its next pages (version 2.2). */
const listsAreCutAt = 100;
/** Maximum number of pages that are read of one response: services allow 1,000 tasks. */
const maxPages = 50;
/** The lists of a job's settings that come in pages. */
const pagedSettings = ['tasks', 'job_clusters', 'parameters', 'environments'] as const;

interface Source {
  readonly caller: Caller;
  readonly versions: VersionFinder;
}

/**
 * Reads a job with all of its tasks (jobs/get).
 * @throws AppError `protocol` if the response is about another job
 */
export async function readJob({ caller, versions }: Source, jobId: string, options?: CallOptions): Promise<Job> {
  const read = async (route: typeof jobsRoutes.get, token?: string): Promise<Job> => {
    const job = await caller.call(route, { job_id: jobId, ...(token ? { page_token: token } : {}) }, options);
    if (job.job_id !== jobId) throw otherAnswer('jobs/get', `job ${jobId}`, `job ${job.job_id}`);
    // Without this, a missing part of the answer would look like a job without settings.
    if (!job.settings) throw otherAnswer('jobs/get', `job ${jobId}`, l10n.t('a job without settings'));
    return job;
  };
  const job = await read(jobsRoutes.get);
  const { next_page_token: token, settings } = job;
  const isCut = token !== undefined || pagedSettings.some((name) => settings?.[name]?.length === listsAreCutAt);
  if (!isCut || (await versions.find(options?.signal)) !== '2.2') return job;
  const pages = await readPages((page) => read(atVersion(jobsRoutes.get, '2.2'), page));
  const { next_page_token: _token, has_more: _more, ...first } = pages[0] ?? job;
  const whole: Record<string, unknown> = { ...first.settings };
  for (const name of pagedSettings) {
    const items = pages.flatMap((page): unknown[] => page.settings?.[name] ?? []);
    if (items.length > 0) whole[name] = items;
  }
  return { ...first, settings: whole as Job['settings'] };
}

/**
 * Reads a run with all of its tasks (jobs/runs/get).
 * @param options.withRepairs reads its repairs too, if the service has them; such a response shows even a single task in `tasks`
 * @throws AppError `protocol` if the response is about another run
 */
export async function readRun(
  { caller, versions }: Source,
  runId: string,
  { withRepairs = false, ...options }: CallOptions & { withRepairs?: boolean } = {},
): Promise<Run> {
  const read = async (route: typeof jobsRoutes.getRun, token?: string): Promise<Run> => {
    const request = { run_id: runId, ...(withRepairs ? { include_history: true } : {}) };
    const run = await caller.call(route, { ...request, ...(token ? { page_token: token } : {}) }, options);
    if (run.run_id !== runId) throw otherAnswer('jobs/runs/get', `run ${runId}`, `run ${run.run_id}`);
    return withState(run);
  };
  const wanted = withRepairs ? await versions.find(options.signal) : '2.0';
  if (wanted !== '2.2') {
    const run = await read(wanted === '2.0' ? jobsRoutes.getRun : atVersion(jobsRoutes.getRun, wanted));
    const isCut = run.next_page_token !== undefined || run.tasks?.length === listsAreCutAt;
    if (!isCut || (await versions.find(options.signal)) !== '2.2') return run;
  }
  const pages = await readPages((token) => read(atVersion(jobsRoutes.getRun, '2.2'), token));
  const [first, ...more] = pages;
  if (!first || more.length === 0) return first ?? read(jobsRoutes.getRun);
  const { next_page_token: _token, ...run } = first;
  return { ...run, tasks: pages.flatMap(({ tasks }) => tasks ?? []) };
}

async function readPages<T extends { next_page_token?: string | undefined }>(
  read: (token?: string) => Promise<T>,
): Promise<T[]> {
  const pages = [await read()];
  for (let token = pages[0]?.next_page_token; token && pages.length < maxPages; token = pages.at(-1)?.next_page_token)
    pages.push(await read(token));
  return pages;
}

/** Maximum number of empty pages that are passed over. */
const maxEmptyPages = 10;

/**
 * Reads a page of runs (jobs/runs/list). A service may answer an empty page although there are runs after it. Without a token for the next
 * page this is unlikely, so only one more page is read, and none of the active runs, which every poll reads.
 */
export async function readRunsPage(
  caller: Caller,
  request: ListRunsRequest,
  options?: CallOptions,
): Promise<{ runs: Run[]; has_more: boolean; next_page_token?: string }> {
  let asked = request;
  for (let page = 0; ; page += 1) {
    const {
      runs = [],
      has_more: more,
      next_page_token: token,
    } = await caller.call(jobsRoutes.listRuns, asked, options);
    const hasMore = more ?? Boolean(token);
    const maxPages = token && token !== asked.page_token ? maxEmptyPages : request.active_only ? 0 : 1;
    if (runs.length > 0 || !hasMore || page >= maxPages)
      return { runs: runs.map(withState), has_more: hasMore, ...(token ? { next_page_token: token } : {}) };
    const { offset = 0, limit = 20 } = asked;
    asked = token ? { ...request, offset: undefined, page_token: token } : { ...asked, offset: offset + limit };
  }
}

/** Returns the error for a response about something else than was requested. */
function otherAnswer(operation: string, requested: string, received: string): AppError {
  return new AppError(
    'protocol',
    l10n.t('{0}: the request was for {1}, but the response is {2}.', operation, requested, received),
    {
      operation,
      remedy: l10n.t('The server or a proxy in front of it is at fault.'),
    },
  );
}
