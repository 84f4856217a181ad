import type * as z from 'zod';
import type { clusterRoutes } from '../schema/clusterRoutes.ts';
import type * as inference from '../schema/inference/schemas.ts';
import type * as jobs from '../schema/jobs/schemas.ts';
import type { localServiceRoutes, ModelServer, ModelServerRequest } from '../schema/localServiceRoutes.ts';
import type { Route } from '../schema/route.ts';
import type { ResumedIntent } from './intents.ts';
import type { RetryMode, RetryWait } from './retry.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, including its socket. */
  readonly signal?: AbortSignal;
  /** Called for every wait before another attempt, for a countdown with "Retry now" and "Stop". */
  readonly onRetry?: (wait: RetryWait) => void;
  /** Whether the call's own listener shows its waits; if so, the listener for all calls is not notified. */
  readonly showsRetries?: boolean;
  /** `fail` rejects when `wait` (the client's default) would wait for a sick service; for callers that poll anyway. */
  readonly retry?: RetryMode;
  /** Called with a sentence about list entries in the response that were left out because they could not be read. */
  readonly onSkipped?: (text: string) => void;
  /** Called for every stream event; `data()` returns the event's raw data with secrets removed. */
  readonly onEvent?: (data: () => string) => void;
}

type ResponseOf<R extends Route> = z.output<R['response']>;

/** A version of the Jobs API. Version 2.0 is the base; newer ones add operations, repairs and pages of tasks to it. */
export type ApiVersion = '2.0' | '2.1' | '2.2';

/**
 * The 15 operations of Jobs API 2.0 (Endpoints; each method names its own), and what newer versions add. Ids are INT64 as decimal
 * strings, times are epoch milliseconds, and timeouts in settings are seconds. Every method rejects with an AppError: `invalid` or `tooLarge` (10 MB; Limits) before anything is
 * sent, `notFound` for an id that the service does not have, `rateLimited` for a 429, `aborted` by the signal, and otherwise as its kind
 * says (Errors). After a 5xx, reads are retried for up to 10 minutes, and so are changes that are harmless to repeat (`Route.repeatable`).
 */
export interface JobsClient {
  /** Returns the newest version of the API that the service has. It is asked once; the answer is remembered. */
  version(options?: CallOptions): Promise<ApiVersion>;
  /** `jobs/create` (JobSettings). Never retried after a failure that may have created the job. */
  create(settings: jobs.CreateRequest, options?: CallOptions): Promise<{ job_id: string }>;
  /** `jobs/list` (Job): all jobs, in the service's order. An entry without a readable id is left out and reported through `onSkipped`. */
  list(options?: CallOptions): Promise<jobs.Job[]>;
  /** `jobs/get` (Job). */
  get(jobId: string, options?: CallOptions): Promise<jobs.Job>;
  /**
   * `jobs/delete`: the job and its history are deleted at once; its active runs end soon after. A job that no longer exists is not an
   * error.
   */
  delete(jobId: string, options?: CallOptions): Promise<void>;
  /** `jobs/reset` (JobSettings): replaces all settings; for active runs, only `timeout_seconds` changes. */
  reset(jobId: string, newSettings: jobs.JobSettings, options?: CallOptions): Promise<void>;
  /** `jobs/update`: adds, changes and removes top-level fields; `tasks` and `job_clusters` are merged by key. */
  update(request: jobs.UpdateRequest, options?: CallOptions): Promise<void>;
  /**
   * `jobs/run-now` (RunParameters: at most 10,000 bytes of each kind). Starts exactly one run, however often it is sent: a token is
   * generated if the request has none (Endpoints rule 4).
   */
  runNow(request: jobs.RunNowRequest, options?: CallOptions): Promise<jobs.RunNowResponse>;
  /** `jobs/runs/submit`: like `runNow`, for a run without a job. */
  submit(request: jobs.SubmitRequest, options?: CallOptions): Promise<{ run_id: string }>;
  /** `jobs/runs/list` (Run): one page, most recent first; `limit` is 1 to 999, 20 by default, and 0 for the maximum. Empty pages are passed over. */
  listRuns(
    request?: jobs.ListRunsRequest,
    options?: CallOptions,
  ): Promise<{ runs: jobs.Run[]; has_more: boolean; next_page_token?: string }>;
  /**
   * `jobs/runs/get` (Run, RunState), with all tasks of a run that has several. `withRepairs` reads their repairs too, if the service has
   * them; such a response shows even a single task in `tasks`.
   */
  getRun(runId: string, options?: CallOptions & { withRepairs?: boolean }): Promise<jobs.Run>;
  /** `jobs/runs/repair` (Jobs API 2.1): runs tasks of an ended run again, in the same run. @returns the id of the repair */
  repairRun(request: jobs.RepairRequest, options?: CallOptions): Promise<string>;
  /** `jobs/runs/export` (ViewItem): HTML pages, for notebook runs only; other runs are `rejected`. */
  exportRun(request: jobs.ExportRequest, options?: CallOptions): Promise<jobs.ViewItem[]>;
  /** `jobs/runs/cancel`: resolves when the service has accepted the request; the run ends later. A finished run is unaffected. */
  cancelRun(runId: string, options?: CallOptions): Promise<void>;
  /** `jobs/runs/cancel-all`: like `cancelRun`, for all active runs of the job. */
  cancelAllRuns(jobId: string, options?: CallOptions): Promise<void>;
  /**
   * `jobs/runs/get-output` (NotebookOutput): the run with the first 5 MB of its output and its exit value (1 MB), or the reason why there
   * is neither.
   */
  getRunOutput(runId: string, options?: CallOptions): Promise<jobs.RunOutput>;
  /** `jobs/runs/delete`. An active run is `rejected`. */
  deleteRun(runId: string, options?: CallOptions): Promise<void>;
}

/**
 * The three task types of the inference API (Endpoints). `endpoint` is the endpoint's name. Every method rejects and every stream throws an
 * AppError of the same kinds as in `JobsClient`; `partial` of a stream's error is the text that arrived before it.
 */
export interface InferenceClient {
  /** The whole response at once (Chat request, Chat response); the request's `stream` is ignored. */
  chat(endpoint: string, request: inference.ChatRequest, options?: CallOptions): Promise<inference.ChatResponse>;
  /**
   * The response in chunks (ChatCompletionChunk, Events). Ends normally only after every choice has had its finish_reason; otherwise throws
   * `cutOff`. Leaving the loop aborts the request. A failure after the first chunk is not retried.
   */
  streamChat(
    endpoint: string,
    request: inference.ChatRequest,
    options?: CallOptions,
  ): AsyncIterable<inference.ChatChunk>;
  /** Like `chat`, for completions (Completion request, Completion response). */
  complete(
    endpoint: string,
    request: inference.CompletionRequest,
    options?: CallOptions,
  ): Promise<inference.CompletionResponse>;
  /** Like `streamChat`, for completions. */
  streamCompletion(
    endpoint: string,
    request: inference.CompletionRequest,
    options?: CallOptions,
  ): AsyncIterable<inference.CompletionChunk>;
  /** One vector for each text; `index` is the text's position in the request (Embedding request, Embedding response). */
  embed(
    endpoint: string,
    request: inference.EmbeddingRequest,
    options?: CallOptions,
  ): Promise<inference.EmbeddingResponse>;
  /**
   * `serving-endpoints/create`: resolves when the endpoint has been created, which may be before it is ready. Never retried if the endpoint
   * may already exist.
   */
  createEndpoint(
    request: inference.CreateEndpointRequest,
    options?: CallOptions,
  ): Promise<inference.CreateEndpointResponse>;
  /** Not in the document. */
  deleteEndpoint(name: string, options?: CallOptions): Promise<void>;
  /** Not in the document: rejects with `notFound` if the service cannot list endpoints. */
  listEndpoints(options?: CallOptions): Promise<inference.EndpointSummary[]>;
}

/** The lists that a cluster description refers to (Jobs API 2.0, NewCluster). */
interface ClustersClient {
  /** `clusters/spark-versions`: valid values of `spark_version`. */
  sparkVersions(options?: CallOptions): Promise<ResponseOf<typeof clusterRoutes.sparkVersions>>;
  /** `clusters/list-node-types`: valid values of `node_type_id`, with memory in MB. */
  listNodeTypes(options?: CallOptions): Promise<ResponseOf<typeof clusterRoutes.listNodeTypes>>;
  /** `clusters/list-zones`: valid values of `zone_id`. */
  listZones(options?: CallOptions): Promise<ResponseOf<typeof clusterRoutes.listZones>>;
}

/** Operations that only the local service supports: see `localServiceRoutes`. Every other service rejects with `notFound`. */
export interface LocalServiceClient {
  /** Returns the stamps of the lists. If `known` is given, waits up to about a minute for different stamps, then returns the known ones. */
  changes(known?: ListStamps, options?: CallOptions): Promise<ListStamps>;
  /**
   * Returns the last run of each job by job id, and if that run was skipped, also the last one that was not. Paged: `nextAfterJobId` is
   * present while there are more jobs.
   */
  lastRuns(afterJobId?: string, options?: CallOptions): Promise<{ runs: jobs.Run[]; nextAfterJobId?: string }>;
  /** Starts a run once, under the debugger; the run waits two minutes for the editor. @returns the run's id */
  debugSubmit(request: jobs.SubmitRequest, options?: CallOptions): Promise<string>;
  /**
   * Returns the run's output from a byte offset: at most one piece of limited size, cut between two characters. With `wait`, resolves as
   * soon as there is output or the run has ended, or with no text after about a minute.
   */
  runOutput(request: { runId: string; offset: number; wait: boolean }, options?: CallOptions): Promise<OutputPiece>;
  /** Lists the models of a model server, or sends a small request to the first model that it names. */
  checkModel(
    request: ModelServerRequest,
    options?: CallOptions,
  ): Promise<ResponseOf<typeof localServiceRoutes.checkModel>>;
  /** Adds a model server, or models to one that is known. @returns the names of its endpoints */
  addModel(request: ModelServerRequest, options?: CallOptions): Promise<string[]>;
  /** Returns the model server and the model of an endpoint. Rejects with `notFound` if it is not one of a model server. */
  modelServer(endpoint: string, options?: CallOptions): Promise<ModelServer>;
}

/** A piece of a run's output. */
export interface OutputPiece {
  readonly text: string;
  /** Byte offset of the next piece. */
  readonly nextOffset: number;
  /** Bytes available now. */
  readonly size: number;
  /** Whether the run has ended and no more output follows. */
  readonly isEnd: boolean;
  /** In the first piece: the run's Python and package versions. */
  readonly versions?: string;
  /** In the last piece: why the run failed, and its result. */
  readonly error?: string;
  readonly errorTrace?: string;
  readonly notebookOutput?: jobs.RunOutput['notebook_output'];
}

/** Stamps of the lists. Each changes when something in its list has changed. */
export interface ListStamps {
  readonly jobs: string;
  readonly runs: string;
  /** Ids of runs that are paused in a debugger; a change here also changes the `runs` stamp. */
  readonly held?: readonly string[];
}

/** Client of one service, signed in with one profile. */
export interface Client {
  readonly baseUrl: string;
  /** Sends the next request at once, even if the service has just failed, because the user wants the result now. */
  readonly retryNow: () => void;
  readonly jobs: JobsClient;
  readonly inference: InferenceClient;
  readonly clusters: ClustersClient;
  readonly localService: LocalServiceClient;
}

/** Client that `createClient` returns: also finishes requests left over from an earlier process. */
export interface WorkspaceClient extends Client {
  /**
   * Resends this profile's stored run-now and runs/submit requests, each exactly once by its token. Called at the first connection after a
   * start.
   */
  resumeIntents(options?: CallOptions): Promise<ResumedIntent[]>;
}

/** How requests are signed. `command` runs outside the client: its caller passes `token`. */
export type Auth =
  | { kind: 'none' }
  | { kind: 'bearer'; token: string | (() => Promise<string>) }
  | { kind: 'basic'; userName: string; password: string | (() => Promise<string>) }
  | { kind: 'header'; name: string; value: string | (() => Promise<string>) };
