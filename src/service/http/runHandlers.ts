import { jobsRoutes } from '../../api/schema/jobs/routes.ts';
import { jsonPieces } from '../../shared/textPieces.ts';
import { ApiError, doesNotExist, invalidParameter } from '../base/apiError.ts';
import { limits } from '../engine/admission.ts';
import type { Engine } from '../engine/engineContract.ts';
import type { JobCatalog } from '../engine/jobCatalog.ts';
import { runFolder } from '../engine/runStart.ts';
import { outcomeParts, type RunForm, runToJson, runWithTasksToJson } from '../engine/runWire.ts';
import { exportInBackground } from '../export/exportInBackground.ts';
import { readRunOutput } from '../runners/runOutput.ts';
import { hasTasks, type RunRecord } from '../store/runRecord.ts';
import type { RunFilter } from '../store/runTable.ts';
import type { Store } from '../store/store.ts';
import { routeHandler, type RouteHandler } from './handler.ts';
import { pageParts, pageStart, runNowParameters } from './jobHandlers.ts';
import { JsonPieces, RawJson } from './reply.ts';

export interface RunHandlerOptions {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: JobCatalog;
  readonly dataFolder: string;
  readonly pageUrl: (runId: string) => string;
}

/** Handlers for runs (Jobs API 2.0, Endpoints). */
export function runHandlers(options: RunHandlerOptions): RouteHandler[] {
  const { store, engine, catalog, pageUrl } = options;
  const existing = (runId: string): RunRecord => {
    const run = engine.get(runId);
    if (!run) throw doesNotExist('Run', runId);
    return run;
  };
  const formIn = (version: string | undefined): RunForm => ({ pageUrl, hasStatus: version !== '2.0' });
  /** @throws ApiError 400 if neither a job nor a one-time run has this ID */
  function jobFilter(jobId: string | undefined): RunFilter {
    if (jobId === undefined) return {};
    const oneTime = { oneTimeJobId: jobId };
    if (store.runs.list(oneTime, 0, 1).length > 0) return oneTime;
    return { jobId: catalog.get(jobId).jobId };
  }
  return [
    routeHandler(jobsRoutes.listRuns, (request, { version }) => {
      const maximum = version === '2.0' ? limits.listRuns : limits.listRunsInPages;
      const limit = request.limit === 0 ? maximum : (request.limit ?? limits.listRunsDefault);
      if (limit > maximum)
        throw invalidParameter(`limit must not exceed ${maximum}. Nothing was done. Read more with page_token.`);
      const filter = {
        ...jobFilter(request.job_id),
        active: request.active_only === true ? true : request.completed_only === true ? false : undefined,
        runType: request.run_type,
        beforeRunId: pageStart(request.page_token),
        startedFrom: request.start_time_from,
        startedTo: request.start_time_to,
      };
      const runIds = store.runs.list(filter, request.offset ?? 0, limit + 1);
      const listed = runIds.slice(0, limit);
      const hasMore = runIds.length > limit;
      const end = version === '2.0' ? `"has_more":${hasMore}` : pageParts(listed.at(-1), hasMore);
      const isExpanded = request.expand_tasks === true;
      return new JsonPieces(listPieces(listed, end, { store, isExpanded, form: formIn(version) }));
    }),
    routeHandler(jobsRoutes.getRun, ({ run_id: runId, include_history: withHistory }, { version }) => {
      return new RawJson(runWithTasksToJson(existing(runId), store, formIn(version), { withHistory }));
    }),
    routeHandler(jobsRoutes.repairRun, (request, { text }) => {
      const repairId = engine.repair(request.run_id, {
        tasks: request.rerun_tasks,
        allFailed: request.rerun_all_failed_tasks,
        dependents: request.rerun_dependent_tasks,
        latestId: request.latest_repair_id,
        parameters: runNowParameters(text),
      });
      return new RawJson(`{"repair_id":${repairId}}`);
    }),
    routeHandler(jobsRoutes.cancelRun, (request) => {
      engine.cancel(request.run_id);
      return {};
    }),
    routeHandler(jobsRoutes.cancelAllRuns, (request) => {
      catalog.get(request.job_id);
      engine.cancelAll(request.job_id);
      return {};
    }),
    routeHandler(jobsRoutes.deleteRun, (request) => {
      engine.delete(request.run_id);
      return {};
    }),
    routeHandler(jobsRoutes.exportRun, async (request, { signal }) => {
      const run = withOutput(existing(request.run_id), store);
      return new RawJson(
        await exportInBackground(runFolder(options.dataFolder, run.runId), request.views_to_export ?? 'CODE', signal),
      );
    }),
    routeHandler(jobsRoutes.getRunOutput, (request, { version }) => {
      return outputOf(withOutput(existing(request.run_id), store), { ...options, form: formIn(version) });
    }),
  ];
}

/** Yields the body of runs/list. @param end its members after the runs */
function* listPieces(
  runIds: readonly string[],
  end: string,
  { store, form, isExpanded }: { store: Store; form: RunForm; isExpanded: boolean },
): Generator<string> {
  let before = '{"runs":[';
  for (const runId of runIds) {
    const run = store.runs.get(runId);
    // It may have been deleted since the list began.
    if (!run) continue;
    yield before + (isExpanded ? runWithTasksToJson(run, store, form) : runToJson(run, form));
    before = ',';
  }
  yield `${before === ',' ? '' : before}],${end}}`;
}

/** Returns the run that has the output: for a run with one task, that of the task. @throws ApiError 400 if the run has several tasks */
function withOutput(run: RunRecord, store: Store): RunRecord {
  if (!hasTasks(run)) return run;
  const tasks = store.runs.tasksOf(run.runId);
  const last = tasks.at(-1);
  if (last && tasks.every(({ taskKey }) => taskKey === last.taskKey)) return last;
  throw invalidParameter(
    'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
  );
}

/** @throws ApiError 500 if the output cannot be read */
async function outputOf(
  run: RunRecord,
  { store, dataFolder, form }: RunHandlerOptions & { form: RunForm },
): Promise<JsonPieces> {
  const outcome = store.runParts.outcome(run.runId);
  const output = await readRunOutput(runFolder(dataFolder, run.runId)).catch((error: unknown) => {
    throw new ApiError(
      500,
      'STORAGE_FAILED',
      `The output of run ${run.runId} cannot be read: ${(error as Error).message}. Check its folder in the data folder.`,
      { cause: error },
    );
  });
  const parts: Record<string, unknown> = {};
  if (output.text !== '' || run.runningAt !== undefined)
    Object.assign(parts, { logs: output.text, logs_truncated: output.truncated });
  const { notebook_output: notebookOutput, ...errors } = outcomeParts(run, outcome);
  return new JsonPieces(
    outputPieces(runToJson(run, form), {
      ...(notebookOutput === undefined ? {} : { notebook_output: notebookOutput }),
      ...parts,
      ...errors,
    }),
  );
}

/** Yields the body of runs/get-output, whose texts may be several megabytes long. */
function* outputPieces(metadata: string, parts: Record<string, unknown>): Generator<string> {
  yield `{"metadata":${metadata}`;
  for (const [name, value] of Object.entries(parts)) {
    yield `,${JSON.stringify(name)}:`;
    yield* jsonPieces(value);
  }
  yield '}';
}
