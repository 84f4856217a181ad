import * as z from 'zod';
import { createEndpointRequest } from '../../api/schema/inference/schemas.ts';
import { lazy } from '../../shared/lazy.ts';
import type { ServedEndpoint, ServedModel } from './endpoint.ts';
import { endpointExists, invalidModelParameter } from './modelErrors.ts';
import { parse } from './modelRequestRules.ts';
import type { EndpointStore } from './modelTypes.ts';

const keptEndpoint = z.looseObject({ name: z.string(), createdInMs: z.number(), request: z.looseObject({}) });
type KeptEndpoint = z.output<typeof keptEndpoint>;

/** More than anybody compares. */
const maxEntities = 100;

const servedEntity = z.looseObject({
  name: z.string().min(1).optional(),
  entity_name: z.string().min(1).optional(),
  model_name: z.string().min(1).optional(),
});
const trafficRoute = z.looseObject({
  served_model_name: z.string().optional(),
  served_entity_name: z.string().optional(),
  traffic_percentage: z.number().min(0).max(100),
});
const endpointConfig = z.looseObject({
  served_entities: z.array(servedEntity).max(maxEntities).optional(),
  served_models: z.array(servedEntity).max(maxEntities).optional(),
  traffic_config: z.looseObject({ routes: z.array(trafficRoute).max(maxEntities).optional() }).optional(),
});

/** What an endpoint serves if its configuration names nothing. */
const standardModel = 'guide';

/**
 * Provisioned throughput endpoints (Inference API, Endpoints): created by request, stored, each serving models of other endpoints. The
 * document shows no parameters, so those of similar servers are read: `config.served_entities[].entity_name` and
 * `config.traffic_config.routes[]`.
 */
export class CreatedEndpoints {
  readonly #store: EndpointStore;
  /** An unreadable file is read again at the next call, when it may be fixed. */
  #kept = lazy(async () => z.array(keptEndpoint).parse(await this.#store.load()));
  /** Creations run one after another, so that concurrent ones do not overwrite each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: EndpointStore) {
    this.#store = store;
  }

  /** @param models endpoints whose models can be served */
  async list(models: readonly ServedEndpoint[]): Promise<ServedEndpoint[]> {
    return (await this.#kept()).map((kept) => resolveKept(kept, models));
  }

  async create(body: unknown, models: readonly ServedEndpoint[], nowInMs: number): Promise<ServedEndpoint> {
    return await this.#inTurn(async () => {
      const request = parse(createEndpointRequest, body);
      const kept = await this.#kept();
      if (
        models.some((endpoint) => endpoint.name === request.name) ||
        kept.some((endpoint) => endpoint.name === request.name)
      )
        throw endpointExists(request.name);
      const endpoint = { name: request.name, createdInMs: nowInMs, request };
      const resolved = buildEndpoint(endpoint, models);
      await this.#store.save([...kept, endpoint]);
      this.#kept = lazy(() => [...kept, endpoint]);
      return resolved;
    });
  }

  /** @returns whether it existed */
  async delete(name: string): Promise<boolean> {
    return await this.#inTurn(async () => {
      const kept = await this.#kept();
      const left = kept.filter((endpoint) => endpoint.name !== name);
      if (left.length === kept.length) return false;
      await this.#store.save(left);
      this.#kept = lazy(() => left);
      return true;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** The model may have gone since the endpoint was created; then the endpoint reports that. */
function resolveKept(kept: KeptEndpoint, models: readonly ServedEndpoint[]): ServedEndpoint {
  try {
    return buildEndpoint(kept, models);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return {
      name: kept.name,
      task: taskWord(kept.request['task']),
      kind: 'provisioned',
      description: 'Created.',
      served: [],
      createdInMs: kept.createdInMs,
      config: kept.request['config'],
      problem,
    };
  }
}

function taskWord(task: unknown): ServedEndpoint['task'] {
  return task === 'completion' || task === 'embedding' ? task : 'chat';
}

function buildEndpoint(kept: KeptEndpoint, models: readonly ServedEndpoint[]): ServedEndpoint {
  const config = parse(endpointConfig, kept.request['config'] ?? {});
  const given = config.served_entities ?? config.served_models ?? [];
  const entities = given.length > 0 ? given : [{ entity_name: standardModel }];
  const resolved = entities.map((entity, index) => {
    const wanted = entity.entity_name ?? entity.model_name;
    if (wanted === undefined)
      throw invalidModelParameter(
        `config.served_entities[${index}].entity_name is required: it names the model to serve.`,
      );
    const source =
      models.find((endpoint) => endpoint.name === wanted) ??
      models.find((endpoint) => endpoint.served.some((served) => served.backend.model === wanted));
    const [served] = source?.served ?? [];
    if (!source || !served)
      throw invalidModelParameter(
        `The model "${wanted}" is not served here. Use one of ${models.map((endpoint) => endpoint.name).join(', ')}.`,
      );
    return { name: entity.name ?? wanted, backend: served.backend };
  });
  const names = resolved.map((entity) => entity.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalidModelParameter(`Two served entities have the name "${twice}". Give each a name of its own.`);
  const [first] = resolved;
  if (!first) throw invalidModelParameter('config.served_entities holds no entity.');
  const other = resolved.find((entity) => entity.backend.task !== first.backend.task);
  if (other) {
    throw invalidModelParameter(
      `"${first.name}" has the task ${first.backend.task} and "${other.name}" the task ` +
        `${other.backend.task}: all models of an endpoint must expose the same API format. Create an ` +
        'endpoint for each task.',
    );
  }
  return {
    name: kept.name,
    task: first.backend.task,
    kind: 'provisioned',
    description: `Created; serves ${names.join(', ')}.`,
    served: withTraffic(resolved, config.traffic_config?.routes),
    createdInMs: kept.createdInMs,
    config: kept.request['config'],
  };
}

function withTraffic(
  entities: readonly Omit<ServedModel, 'trafficPercentage'>[],
  routes: readonly z.output<typeof trafficRoute>[] | undefined,
): ServedModel[] {
  if (routes === undefined || routes.length === 0)
    return entities.map((entity) => ({ ...entity, trafficPercentage: 100 / entities.length }));
  const shares = new Map<string, number>();
  for (const route of routes) {
    const name = route.served_model_name ?? route.served_entity_name ?? '';
    if (!entities.some((entity) => entity.name === name))
      throw invalidModelParameter(
        `traffic_config names "${name}", which is not a served entity. Use one of ${entities.map((entity) => entity.name).join(', ')}.`,
      );
    shares.set(name, (shares.get(name) ?? 0) + route.traffic_percentage);
  }
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  if (Math.abs(total - 100) > 0.001)
    throw invalidModelParameter(`The traffic percentages add up to ${total}; they must add up to 100.`);
  return entities.map((entity) => ({ ...entity, trafficPercentage: shares.get(entity.name) ?? 0 }));
}
