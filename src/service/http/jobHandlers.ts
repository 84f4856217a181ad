import { availableParallelism, totalmem } from 'node:os';
import { clusterRoutes } from '../../api/schema/clusterRoutes.ts';
import { withParamMaps } from '../../api/schema/jobs/paramPairs.ts';
import { jobsRoutes } from '../../api/schema/jobs/routes.ts';
import { isGiven, jobSettingsFields, type ListJobsRequest, runParameterKinds } from '../../api/schema/jobs/schemas.ts';
import { parseJson } from '../../shared/json.ts';
import { invalidParameter } from '../base/apiError.ts';
import { pathForms, problemOfForm } from '../base/fileMap.ts';
import { requestWithoutNulls, yieldIfLarge } from '../base/requestWithoutNulls.ts';
import type { JobCatalog } from '../engine/jobCatalog.ts';
import { mergeSettings } from '../engine/mergeSettings.ts';
import { destinationOf, type RunnerStorage } from '../runners/runner.ts';
import type { StoredJob } from '../store/jobStore.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import { requestLimitBytes } from './body.ts';
import { routeHandler, type RouteHandler } from './handler.ts';
import { JsonPieces, RawJson } from './reply.ts';
import { decodeRequest, parseObject } from './validateRequest.ts';

/**
 * Job settings that the document does not list for runs/submit. Clients send them anyway, and they take effect, so the same rules apply.
 */
const submit = {
  ...jobsRoutes.submit,
  request: jobsRoutes.submit.request.safeExtend({
    name: jobSettingsFields.name,
    email_notifications: jobSettingsFields.email_notifications,
    health: jobSettingsFields.health,
  }),
};

/** Handlers for jobs and for starting their runs (Jobs API 2.0, Endpoints). */
export function jobHandlers(catalog: JobCatalog): RouteHandler[] {
  return [
    routeHandler(jobsRoutes.create, (settings, { text }) => {
      checkPaths(settings, '');
      return new RawJson(`{"job_id":${catalog.create({ text, settings })}}`);
    }),
    routeHandler(jobsRoutes.list, (request, { version }) =>
      // Version 2.0 has no pages.
      version === '2.0' ? new JsonPieces(listPieces(catalog.list())) : new RawJson(pageOfJobs(catalog, request)),
    ),
    routeHandler(jobsRoutes.get, (request) => new RawJson(jobToJson(catalog.get(request.job_id)))),
    routeHandler(jobsRoutes.delete, (request) => {
      catalog.delete(request.job_id);
      return {};
    }),
    routeHandler(jobsRoutes.reset, async (request, { text }) => {
      checkPaths(request.new_settings, 'new_settings.');
      const settings = { text: rawMembers(text).get('new_settings') ?? '{}', settings: request.new_settings };
      await catalog.change(request.job_id, () => settings);
      return {};
    }),
    routeHandler(jobsRoutes.update, async (request, { text }) => {
      checkPaths(request.new_settings ?? {}, 'new_settings.');
      const changes = rawMembers(text).get('new_settings') ?? '{}';
      await catalog.change(request.job_id, async (current) => {
        const merged = mergeSettings(current, changes, request.fields_to_remove ?? []);
        if (merged.length > requestLimitBytes)
          throw invalidParameter(
            'The settings would be larger than 10 MB. Nothing was changed. Pass large values through files.',
          );
        await yieldIfLarge(merged);
        const value = await parseObject(merged);
        await yieldIfLarge(merged);
        return {
          text: merged,
          settings: decodeRequest(jobsRoutes.create.request, withParamMaps(requestWithoutNulls(value))),
        };
      });
      return {};
    }),
    routeHandler(jobsRoutes.runNow, async (request, { text }) => {
      const run = await catalog.runNow(request.job_id, runNowParameters(text), request.idempotency_token);
      return new RawJson(`{"run_id":${run.runId},"number_in_job":${run.numberInJob}}`);
    }),
    routeHandler(submit, async (request, { text }) => {
      const run = await catalog.submit(settingsOf(request, text), request.idempotency_token);
      return new RawJson(`{"run_id":${run.runId}}`);
    }),
  ];
}

/** Returns the task of a one-time run as JSON. @throws ApiError 400 if a path is impossible */
export function settingsOf(request: Parameters<typeof checkPaths>[0], text: string): string {
  checkPaths(request, '');
  const members = rawMembers(text);
  members.delete('idempotency_token');
  return joinMembers(members);
}

interface TaskFiles {
  readonly spark_python_task?: { python_file?: string | null } | null;
  readonly spark_jar_task?: { jar_uri?: string | null } | null;
  readonly new_cluster?: {
    readonly init_scripts?: readonly RunnerStorage[] | null;
    readonly cluster_log_conf?: RunnerStorage | null;
  } | null;
}

/** Rejects a path of a form that no run could find, instead of failing each run of the job. */
function checkPaths(task: TaskFiles & { readonly tasks?: readonly TaskFiles[] }, prefix: string): void {
  for (const [index, each] of (task.tasks ?? []).entries()) checkPaths(each, `${prefix}tasks[${index}].`);
  const cluster = task.new_cluster;
  for (const [field, path] of [
    ['spark_python_task.python_file', task.spark_python_task?.python_file],
    ['spark_jar_task.jar_uri', task.spark_jar_task?.jar_uri],
    ['new_cluster.cluster_log_conf', cluster?.cluster_log_conf && destinationOf(cluster.cluster_log_conf)],
    ...(cluster?.init_scripts ?? []).map((script, index) => [
      `new_cluster.init_scripts[${index}]`,
      destinationOf(script),
    ]),
  ]) {
    const problem = path ? problemOfForm(path) : undefined;
    if (problem !== undefined)
      throw invalidParameter(`${prefix}${field}: ${problem}; nothing was stored. ${pathForms}`);
  }
}

/** Yields the body of jobs/list. */
function* listPieces(jobs: Iterable<Uint8Array>): Generator<string | Uint8Array> {
  yield '{"jobs":[';
  yield* jobs;
  yield ']}';
}

/** Fields of settings that lists have only with `expand_tasks`. */
const expandedFields = ['tasks', 'job_clusters', 'environments', 'parameters'];

function pageOfJobs(catalog: JobCatalog, request: ListJobsRequest): string {
  const { name, expand_tasks: isExpanded, offset = 0 } = request;
  const limit = request.limit || defaultLimit;
  const found = catalog.page({ name, offset, limit: limit + 1, beforeJobId: pageStart(request.page_token) });
  const jobs = found.slice(0, limit);
  const listed = jobs.map((job) => {
    if (isExpanded === true) return jobToJson(job);
    const kept = [...rawMembers(job.settings)].filter(([field]) => !expandedFields.includes(field));
    return jobToJson({ ...job, settings: joinMembers(kept) });
  });
  return `{"jobs":[${listed.join(',')}],${pageParts(jobs.at(-1)?.jobId, found.length > limit)}}`;
}

const defaultLimit = 20;

/** Returns the ID that a page begins after. @throws ApiError 400 if this service did not make the token */
export function pageStart(token: string | undefined): string | undefined {
  if (token === undefined || /^[0-9]{1,18}$/.test(token)) return token;
  throw invalidParameter('page_token is not from an answer of this service. Nothing was done. Leave it out.');
}

/** Returns the members of a list that lead to its next page. The token is the last ID of this one. */
export function pageParts(lastId: string | undefined, hasMore: boolean): string {
  return `"has_more":${hasMore}${hasMore ? `,"next_page_token":"${lastId}"` : ''}`;
}

function jobToJson(job: StoredJob): string {
  const user = JSON.stringify(job.creator);
  return `{"job_id":${job.jobId},"creator_user_name":${user},"run_as":${user},"settings":${job.settings},"created_time":${job.createdAt}}`;
}

/** Returns the run-now parameters of a request as JSON texts. */
export function runNowParameters(text: string): Map<string, string> {
  const members = rawMembers(text);
  return new Map(
    [...runParameterKinds, 'python_named_params', 'job_parameters', 'only'].flatMap((kind) => {
      const value = members.get(kind);
      return value === undefined || !isGiven(parseJson(value)) ? [] : [[kind, value] as const];
    }),
  );
}

/** Handlers of the lists that NewCluster refers to (Jobs API 2.0, NewCluster and CloudAttributes). */
export function clusterHandlers(): RouteHandler[] {
  return [
    routeHandler(clusterRoutes.sparkVersions, () => sparkVersions()),
    routeHandler(clusterRoutes.listNodeTypes, () => listNodeTypes()),
    routeHandler(clusterRoutes.listZones, () => listZones()),
  ];
}

/**
 * Values that a cluster description can name. There is one machine, and the lists say so. A job may hold any other value, which means this
 * machine too.
 */
function sparkVersions(): { versions: { key: string; name: string }[] } {
  return {
    versions: [
      { key: 'local', name: 'The Spark of this machine' },
      { key: '16.4.x-scala2.12', name: '16.4, runs on the Spark of this machine' },
      { key: '15.4.x-scala2.12', name: '15.4, runs on the Spark of this machine' },
    ],
  };
}

function listNodeTypes(): {
  node_types: {
    node_type_id: string;
    description: string;
    memory_mb: number;
    num_cores: number;
    is_deprecated: boolean;
  }[];
} {
  return {
    node_types: [
      {
        node_type_id: 'local',
        description: 'This machine',
        memory_mb: Math.floor(totalmem() / 1024 / 1024),
        num_cores: availableParallelism(),
        is_deprecated: false,
      },
    ],
  };
}

function listZones(): { zones: string[]; default_zone: string } {
  return { zones: ['local'], default_zone: 'local' };
}
