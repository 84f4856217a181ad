import type { ChatRequest, CompletionRequest, EmbeddingRequest } from '../../api/schema/inference/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { UpstreamFetch } from './upstream/patientFetch.ts';
import type { WireChat, WireChatChunk, WireCompletion, WireEmbeddings } from './wire.ts';

/** An endpoint as `GET /api/2.0/serving-endpoints` shows it, ready to be written as JSON. */
export interface EndpointDocument {
  readonly name: string;
  /** `llm/v1/chat`, `llm/v1/completions` or `llm/v1/embeddings`. */
  readonly task: string;
  readonly description: string;
  readonly state: { ready: 'READY' | 'NOT_READY'; config_update: 'NOT_UPDATING' };
  /** Origin of the endpoint. */
  readonly source: 'built-in' | 'upstream' | 'created';
  /** Whether it exists in advance or was created (Inference API, What the service does). */
  readonly endpoint_type: 'PAY_PER_TOKEN' | 'PROVISIONED_THROUGHPUT';
  readonly creation_timestamp?: number;
  /** Maximum tokens of a request and its answer. */
  readonly context_length?: number;
  readonly config?: unknown;
}

/**
 * The response to an invocation. `json` is a whole body, and `text` is a body that is already JSON. `stream` yields one object per event:
 * the HTTP layer writes each as `data: …`, then `data: [DONE]`. A stream that throws was cut off and ends without `[DONE]`.
 */
export type ModelAnswer =
  | { kind: 'json'; body: WireChat | WireCompletion | WireEmbeddings }
  | { kind: 'text'; text: Uint8Array }
  | { kind: 'stream'; chunks: AsyncIterable<WireChatChunk | WireCompletion> };

export interface InvokeOptions {
  /** Aborts when the client disconnects; the model stops at once. */
  readonly signal?: AbortSignal;
}

export type OpenAiRoute = 'chat/completions' | 'completions' | 'embeddings';

/** Everything that the service offers about models. Each method rejects with an AppError that has `status` and `errorCode`. */
export interface Models {
  /** Returns the endpoints for the list's body: `{ endpoints: await models.list() }`. */
  list(): Promise<EndpointDocument[]>;
  get(name: string): Promise<EndpointDocument>;
  /**
   * Creates an endpoint (Inference API, Endpoints: `POST /api/2.0/serving-endpoints`) and stores it in the data folder. `body` is parsed
   * JSON.
   */
  create(body: unknown): Promise<EndpointDocument>;
  /** Removes a created endpoint. Other endpoints cannot be removed. */
  delete(name: string): Promise<void>;
  /** Lists the models of a server, or sends a small request to the first one that `upstream` names. */
  check(upstream: object, apiKey: string | undefined): Promise<{ kind: string; models: string[] }>;
  /** Adds a server or its models to `models.json`. @returns the names of its endpoints */
  add(upstream: object, apiKey: string | undefined): Promise<string[]>;
  /** Returns the server and the model of an endpoint, in the form of `models.json`. */
  serverOf(endpoint: string): Promise<{ name: string; kind: string; baseUrl: string; models: string[] }>;
  /** Answers `POST /serving-endpoints/{name}/invocations`. `body` is parsed JSON. */
  invoke(name: string, body: unknown, options?: InvokeOptions): Promise<ModelAnswer>;
  /** Answers `POST /serving-endpoints/{route}`: `model` in the body names the endpoint. */
  openAi(route: OpenAiRoute, body: unknown, options?: InvokeOptions): Promise<ModelAnswer>;
}

/** Stores created endpoints. */
export interface EndpointStore {
  load(): Promise<unknown[]>;
  save(endpoints: readonly unknown[]): Promise<void>;
}

export interface ModelsOptions {
  /** Folder of `models.json` (upstreams, written by the user) and `endpoints.json` (created endpoints). */
  readonly dataFolder?: string;
  /** Replaces `endpoints.json`. */
  readonly store?: EndpointStore;
  /** Upstreams in addition to those of `models.json`, in the same form. */
  readonly upstreams?: readonly unknown[];
  /** API keys by the addresses of their servers, in addition to those of the environment. */
  readonly modelKeys?: Readonly<Record<string, string>>;
  /** Whether to look for model servers on this machine's usual ports. Default: true. */
  readonly discover?: boolean;
  /** Ports on 127.0.0.1 to search. */
  readonly discoverPorts?: readonly number[];
  readonly fetch?: UpstreamFetch;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Environment with the API keys that a configuration names. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Returns a number between 0 and 1, which divides traffic between served entities. */
  readonly random?: () => number;
}

/** What a backend gets besides the request. */
export interface ModelCall {
  readonly signal?: AbortSignal;
}

interface Backend<Task extends string, Request> {
  readonly task: Task;
  /** The model's own name, which responses contain. */
  readonly model: string;
  /** Answers a request that has passed the schema and the endpoint's rules. */
  answer(request: Request, call: ModelCall): Promise<ModelAnswer>;
}

export type ChatModelBackend = Backend<'chat', ChatRequest>;
export type CompletionBackend = Backend<'completion', CompletionRequest>;
export type EmbeddingBackend = Backend<'embedding', EmbeddingRequest>;

/** A served model for one of the three tasks. */
export type ModelBackend = ChatModelBackend | CompletionBackend | EmbeddingBackend;
