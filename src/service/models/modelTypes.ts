import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { UpstreamFetch } from './upstream/patientFetch.ts';
import type { WireChat, WireChatChunk, WireCompletion, WireEmbeddings } from './wire.ts';

/** An endpoint as `GET /api/2.0/serving-endpoints` shows it; ready to be written as JSON. */
export interface EndpointDocument {
  readonly name: string;
  /** `llm/v1/chat`, `llm/v1/completions` or `llm/v1/embeddings`. */
  readonly task: string;
  readonly description: string;
  readonly state: { ready: 'READY' | 'NOT_READY'; config_update: 'NOT_UPDATING' };
  /** Where it comes from. */
  readonly source: 'built-in' | 'upstream' | 'created';
  /** Whether it exists in advance or was created (Inference API, What the service does). */
  readonly endpoint_type: 'PAY_PER_TOKEN' | 'PROVISIONED_THROUGHPUT';
  readonly creation_timestamp?: number;
  readonly config?: unknown;
}

/**
 * The answer to an invocation. `json` is a whole body, and `text` one that is JSON already. `stream` has one object an event: the HTTP
 * layer writes each as `data: …`, then `data: [DONE]`. A stream that throws was cut off and ends without `[DONE]`.
 */
export type ModelAnswer =
  | { kind: 'json'; body: WireChat | WireCompletion | WireEmbeddings }
  | { kind: 'text'; text: Uint8Array }
  | { kind: 'stream'; chunks: AsyncIterable<WireChatChunk | WireCompletion> };

export interface InvokeOptions {
  /** Aborted when the client goes away; the model stops at once. */
  readonly signal?: AbortSignal;
}

export type OpenAiRoute = 'chat/completions' | 'completions' | 'embeddings';

/** Everything the service knows about models. Each method rejects with an AppError that has `status` and `errorCode`. */
export interface Models {
  /** Body of the list: `{ endpoints: await models.list() }`. */
  list(): Promise<EndpointDocument[]>;
  get(name: string): Promise<EndpointDocument>;
  /** Inference API, Endpoints: `POST /api/2.0/serving-endpoints`. `body` is parsed JSON. Kept in the data folder. */
  create(body: unknown): Promise<EndpointDocument>;
  /** Removes a created endpoint; the others cannot be removed. */
  delete(name: string): Promise<void>;
  /** `POST /serving-endpoints/{name}/invocations`. `body` is parsed JSON. */
  invoke(name: string, body: unknown, options?: InvokeOptions): Promise<ModelAnswer>;
  /** `POST /serving-endpoints/{route}`: the endpoint is named by `model` in the body. */
  openAi(route: OpenAiRoute, body: unknown, options?: InvokeOptions): Promise<ModelAnswer>;
}

/** Keeps created endpoints. */
export interface EndpointStore {
  load(): Promise<unknown[]>;
  save(endpoints: readonly unknown[]): Promise<void>;
}

export interface ModelsOptions {
  /** Holds `models.json` (upstreams, written by the user) and `endpoints.json` (created endpoints). */
  readonly dataFolder?: string;
  /** In place of `endpoints.json`. */
  readonly store?: EndpointStore;
  /** Upstreams beside those of `models.json`, in the same form. */
  readonly upstreams?: readonly unknown[];
  /** Whether model servers on this machine's usual ports are looked for. Default true. */
  readonly discover?: boolean;
  /** Ports on 127.0.0.1 where they are looked for. */
  readonly discoverPorts?: readonly number[];
  readonly fetch?: UpstreamFetch;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Where API keys that a configuration names are read. Default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Between 0 and 1; divides traffic between served entities. */
  readonly random?: () => number;
}
