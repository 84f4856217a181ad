import type * as z from 'zod';
import type { clusterRoutes } from '../schema/clusterRoutes.ts';
import type * as inference from '../schema/inference/schemas.ts';
import type * as jobs from '../schema/jobs/schemas.ts';
import type { Route } from '../schema/route.ts';
import type { ResumedIntent } from './intents.ts';
import type { RetryMode, RetryWait } from './retry.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts it down to the socket. */
  readonly signal?: AbortSignal;
  /** Told of every wait before another attempt, for a countdown with "Retry now" and "Stop". */
  readonly onRetry?: (wait: RetryWait) => void;
  /** The call's own listener shows its waits: the one for all calls is not told of them. */
  readonly showsRetries?: boolean;
  /** `fail` rejects when `wait` (the client's default) would wait for a sick service; for callers that ask again by themselves. */
  readonly retry?: RetryMode;
  /** Told in words of entries of the answer's list that could not be read and were left out. */
  readonly onSkipped?: (text: string) => void;
  /** Told of every event of a stream; what it calls gives the event's data as it came, without secrets. */
  readonly onEvent?: (data: () => string) => void;
}

type ResponseOf<R extends Route> = z.output<R['response']>;

/**
 * The 15 operations of Jobs API 2.0 (Endpoints; each method names its own). Ids are INT64 as decimal strings, times epoch milliseconds, and
 * time-outs of settings seconds. Every method rejects with an AppError: `invalid` or `tooLarge` (10 MB; Limits) before anything is sent,
 * `notFound` for an id that the service does not have, `rateLimited` for its 429, `aborted` by the signal, and else what its kind says
 * (Errors). What is read is sent again after a 5xx, for up to 10 minutes; of the rest, what is harmless to repeat (`Route.repeatable`).
 */
export interface JobsClient {
  /** `jobs/create` (JobSettings). Never sent again after a failure that may have created it. */
  create(settings: jobs.CreateRequest, options?: CallOptions): Promise<{ job_id: string }>;
  /** `jobs/list` (Job): all jobs, in the service's order. An entry without a readable id is left out and told through `onSkipped`. */
  list(options?: CallOptions): Promise<jobs.Job[]>;
  /** `jobs/get` (Job). */
  get(jobId: string, options?: CallOptions): Promise<jobs.Job>;
  /** `jobs/delete`: the job and its history are gone at once, its active runs end soon after. One that is gone already is not an error. */
  delete(jobId: string, options?: CallOptions): Promise<void>;
  /** `jobs/reset` (JobSettings): replaces all settings; of active runs, only `timeout_seconds` changes. */
  reset(jobId: string, newSettings: jobs.JobSettings, options?: CallOptions): Promise<void>;
  /** `jobs/update`: adds, changes and removes top-level fields; `tasks` and `job_clusters` are merged by their keys. */
  update(request: jobs.UpdateRequest, options?: CallOptions): Promise<void>;
  /**
   * `jobs/run-now` (RunParameters: at most 10,000 bytes of each kind). Starts exactly one run, however often it has to be sent: without a
   * token of the request's own, one is made (Endpoints rule 4).
   */
  runNow(request: jobs.RunNowRequest, options?: CallOptions): Promise<jobs.RunNowResponse>;
  /** `jobs/runs/submit`: as `runNow`, for a run without a job. */
  submit(request: jobs.SubmitRequest, options?: CallOptions): Promise<{ run_id: string }>;
  /** `jobs/runs/list` (Run): one page, the most recent first; `limit` is 1 to 999, 20 if left out, and 0 the most. */
  listRuns(request?: jobs.ListRunsRequest, options?: CallOptions): Promise<{ runs: jobs.Run[]; has_more: boolean }>;
  /** `jobs/runs/get` (Run, RunState). */
  getRun(runId: string, options?: CallOptions): Promise<jobs.Run>;
  /** `jobs/runs/export` (ViewItem): pages in HTML, of runs of notebooks alone; others are `rejected`. */
  exportRun(request: jobs.ExportRequest, options?: CallOptions): Promise<jobs.ViewItem[]>;
  /** `jobs/runs/cancel`: resolves when the service has been told; the run ends later. One that is over stays as it is. */
  cancelRun(runId: string, options?: CallOptions): Promise<void>;
  /** `jobs/runs/cancel-all`: as `cancelRun`, for all active runs of the job. */
  cancelAllRuns(jobId: string, options?: CallOptions): Promise<void>;
  /** `jobs/runs/get-output` (NotebookOutput): the run, with its first 5 MB of output, its exit value (1 MB), or why there is neither. */
  getRunOutput(runId: string, options?: CallOptions): Promise<jobs.RunOutput>;
  /** `jobs/runs/delete`. An active run is `rejected`. */
  deleteRun(runId: string, options?: CallOptions): Promise<void>;
}

/**
 * The three task types of the inference API (Endpoints). `endpoint` is the endpoint's name. Every method rejects, and every stream throws, an
 * AppError, of the kinds that `JobsClient` has; `partial` of a stream's error is the text that came before it.
 */
export interface InferenceClient {
  /** The whole answer at once (Chat request, Chat response); `stream` of the request is not looked at. */
  chat(endpoint: string, request: inference.ChatRequest, options?: CallOptions): Promise<inference.ChatResponse>;
  /**
   * The answer in pieces (ChatCompletionChunk, Events). Ends normally only after every choice had its finish_reason; otherwise throws
   * `cutOff`. Leaving the loop aborts the request. What fails after the first piece is not sent again.
   */
  streamChat(
    endpoint: string,
    request: inference.ChatRequest,
    options?: CallOptions,
  ): AsyncIterable<inference.ChatChunk>;
  /** As `chat`, for completions (Completion request, Completion response). */
  complete(
    endpoint: string,
    request: inference.CompletionRequest,
    options?: CallOptions,
  ): Promise<inference.CompletionResponse>;
  /** As `streamChat`, for completions. */
  streamCompletion(
    endpoint: string,
    request: inference.CompletionRequest,
    options?: CallOptions,
  ): AsyncIterable<inference.CompletionChunk>;
  /** A vector for each text, whose place among the texts is its `index` (Embedding request, Embedding response). */
  embed(
    endpoint: string,
    request: inference.EmbeddingRequest,
    options?: CallOptions,
  ): Promise<inference.EmbeddingResponse>;
  /** `serving-endpoints/create`: resolves when it is known, which need not be when it is ready. Never sent again where it may be there. */
  createEndpoint(
    request: inference.CreateEndpointRequest,
    options?: CallOptions,
  ): Promise<inference.CreateEndpointResponse>;
  /** Not in the document. */
  deleteEndpoint(name: string, options?: CallOptions): Promise<void>;
  /** Not in the document: rejects with `notFound` if a service cannot list. */
  listEndpoints(options?: CallOptions): Promise<inference.EndpointSummary[]>;
}

/** The lists that a cluster description refers to (Jobs API 2.0, NewCluster). */
interface ClustersClient {
  /** `clusters/spark-versions`: what `spark_version` may be. */
  sparkVersions(options?: CallOptions): Promise<ResponseOf<typeof clusterRoutes.sparkVersions>>;
  /** `clusters/list-node-types`: what `node_type_id` may be, with memory in MB. */
  listNodeTypes(options?: CallOptions): Promise<ResponseOf<typeof clusterRoutes.listNodeTypes>>;
  /** `clusters/list-zones`: what `zone_id` may be. */
  listZones(options?: CallOptions): Promise<ResponseOf<typeof clusterRoutes.listZones>>;
}

/** What only the local service answers: see `localServiceRoutes`. Every other service rejects with `notFound`. */
export interface LocalServiceClient {
  /** The stamps of the lists. With known ones it waits for others, at most about a minute, and gives the known ones if none came. */
  changes(known?: ListStamps, options?: CallOptions): Promise<ListStamps>;
  /**
   * The last runs of jobs by the jobs' ids, and where that one was skipped the last one that was not, page by page: `nextAfterJobId` is
   * there while there are more jobs.
   */
  lastRuns(afterJobId?: string, options?: CallOptions): Promise<{ runs: jobs.Run[]; nextAfterJobId?: string }>;
  /** Starts a run once, under the debugger: it waits for the editor for two minutes. @returns its id */
  debugSubmit(request: jobs.SubmitRequest, options?: CallOptions): Promise<string>;
  /**
   * What the run wrote after so many bytes, at most a bounded piece of it, cut between two characters. With `wait` it comes as soon as
   * there is something or the run has ended, and with no text after about a minute.
   */
  runOutput(request: { runId: string; offset: number; wait: boolean }, options?: CallOptions): Promise<OutputPiece>;
}

/** A piece of what a run wrote. */
export interface OutputPiece {
  readonly text: string;
  /** In bytes: where the next piece begins. */
  readonly nextOffset: number;
  /** Bytes that are there now. */
  readonly size: number;
  /** The run is over and nothing follows. */
  readonly isEnd: boolean;
  /** With the first piece: which Python and packages the run has. */
  readonly versions?: string;
  /** With the last piece: why the run failed, and what it gave. */
  readonly error?: string;
  readonly errorTrace?: string;
  readonly notebookOutput?: jobs.RunOutput['notebook_output'];
}

/** Each is another one once something in its list has changed. */
export interface ListStamps {
  readonly jobs: string;
  readonly runs: string;
  /** Ids of runs that stand still in a debugger now; a change of it is one of the runs. */
  readonly held?: readonly string[];
}

/** One service, signed in to as one profile. */
export interface Client {
  readonly baseUrl: string;
  /** The user wants to know now: the next request is sent also where the service failed a moment ago. */
  readonly retryNow: () => void;
  readonly jobs: JobsClient;
  readonly inference: InferenceClient;
  readonly clusters: ClustersClient;
  readonly localService: LocalServiceClient;
}

/** What `createClient` gives: the client, and the way to finish what a process that ended has left. */
export interface WorkspaceClient extends Client {
  /**
   * Sends the stored run-now and runs/submit requests of this profile again, each exactly once by its token. Called
   * at the first connection after a start.
   */
  resumeIntents(options?: CallOptions): Promise<ResumedIntent[]>;
}

/** How requests are signed. `command` runs outside the client: whoever builds it passes `token`. */
export type Auth =
  | { kind: 'none' }
  | { kind: 'bearer'; token: string | (() => Promise<string>) }
  | { kind: 'basic'; userName: string; password: string | (() => Promise<string>) }
  | { kind: 'header'; name: string; value: string | (() => Promise<string>) };
