import type { EndpointTask } from '../../api/schema/inference/endpoints.ts';
import type { ModelBackend, EndpointDocument } from './modelTypes.ts';

/**
 * Kind of an endpoint in the rules of the Inference API. An `upstream` endpoint is the user's own server, where the difference between
 * paying per token and provisioned throughput is meaningless: it accepts the fields of both.
 */
type EndpointKind = 'pay-per-token' | 'provisioned' | 'upstream';

/** A model behind an endpoint and its share of the traffic. */
export interface ServedModel {
  readonly name: string;
  readonly backend: ModelBackend;
  /** 0 to 100; the shares of an endpoint add up to 100. */
  readonly trafficPercentage: number;
}

export interface ServedEndpoint {
  readonly name: string;
  readonly task: EndpointTask;
  readonly kind: EndpointKind;
  readonly description: string;
  readonly served: readonly ServedModel[];
  readonly createdInMs?: number;
  /** Maximum tokens of a request and its answer, if the server reports it. */
  readonly contextLength?: number;
  readonly config?: unknown;
  /** Why it cannot answer now. */
  readonly problem?: string;
}

const taskWords: Record<EndpointTask, string> = {
  chat: 'llm/v1/chat',
  completion: 'llm/v1/completions',
  embedding: 'llm/v1/embeddings',
};

export function documentOf(endpoint: ServedEndpoint): EndpointDocument {
  const sources = { 'pay-per-token': 'built-in', provisioned: 'created', upstream: 'upstream' } as const;
  return {
    name: endpoint.name,
    task: taskWords[endpoint.task],
    description: endpoint.problem ? `${endpoint.description} ${endpoint.problem}` : endpoint.description,
    state: { ready: endpoint.problem === undefined ? 'READY' : 'NOT_READY', config_update: 'NOT_UPDATING' },
    source: sources[endpoint.kind],
    endpoint_type: endpoint.kind === 'provisioned' ? 'PROVISIONED_THROUGHPUT' : 'PAY_PER_TOKEN',
    ...(endpoint.contextLength !== undefined && { context_length: endpoint.contextLength }),
    ...(endpoint.createdInMs !== undefined && { creation_timestamp: endpoint.createdInMs }),
    ...(endpoint.config !== undefined && { config: endpoint.config }),
  };
}

/** Chooses a served model by its share. @param random between 0 and 1 */
export function chooseServed(endpoint: ServedEndpoint, random: () => number): ServedModel | undefined {
  const withTraffic = endpoint.served.filter((served) => served.trafficPercentage > 0);
  if (withTraffic.length < 2) return withTraffic[0];
  let point = random() * 100;
  for (const served of withTraffic) {
    point -= served.trafficPercentage;
    if (point < 0) return served;
  }
  return withTraffic.at(-1);
}
