import { systemClock } from '../../shared/clock.ts';
import { describeError, toAppError, type AppError } from '../../shared/errors.ts';
import { silentLogger } from '../../shared/log.ts';
import { builtInEndpoints } from './builtIn.ts';
import { CreatedEndpoints } from './createdEndpoints.ts';
import { chooseServed, documentOf, type ServedEndpoint } from './endpoint.ts';
import { createFileStore, createMemoryStore } from './endpointStore.ts';
import { invalidModelParameter, noSuchEndpoint, upstreamFailure } from './modelErrors.ts';
import { answerBody } from './modelRequestRules.ts';
import type { ModelAnswer, InvokeOptions, Models, ModelsOptions } from './modelTypes.ts';
import { fromOpenAi, taskOfRoute } from './openAiRequest.ts';
import { Upstreams, type EndpointsOptions } from './upstream/upstreams.ts';

/** Finds the endpoint of each request among the built-in ones, those of upstreams and the created ones. */
export function createModelRouter(options: ModelsOptions): Models {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? silentLogger;
  const random = options.random ?? Math.random;
  const builtIn = builtInEndpoints(clock);
  const created = new CreatedEndpoints(
    options.store ?? (options.dataFolder ? createFileStore(options.dataFolder) : createMemoryStore()),
  );
  const upstreams = new Upstreams({
    ...options,
    clock,
    logger,
    reservedNames: builtIn.map((endpoint) => endpoint.name),
  });

  const allModels = async (search: EndpointsOptions = {}): Promise<ServedEndpoint[]> => [
    ...builtIn,
    ...(await upstreams.endpoints(search)),
  ];

  /** All endpoints. If a file cannot be read, those that do not need it are still there, and `problem` says why. */
  const survey = async (
    search: EndpointsOptions = {},
  ): Promise<{ endpoints: ServedEndpoint[]; problem?: AppError }> => {
    let problem: AppError | undefined;
    const noted =
      (fallback: readonly ServedEndpoint[]) =>
      (error: unknown): readonly ServedEndpoint[] => {
        problem ??= toAppError(error);
        return fallback;
      };
    const models = await allModels(search).catch(noted(builtIn));
    const own = await created.list(models).catch(noted([]));
    return { endpoints: [...models, ...own], problem };
  };

  /** The built-in endpoints answer without anyone else being asked, and those that were found before without a new search. */
  const find = async (name: string): Promise<ServedEndpoint> => {
    const near =
      builtIn.find((endpoint) => endpoint.name === name) ??
      (await survey({ acceptOld: true })).endpoints.find((endpoint) => endpoint.name === name);
    if (near && near.problem === undefined) return near;
    const { endpoints, problem } = await survey();
    const found = endpoints.find((endpoint) => endpoint.name === name);
    if (found) return found;
    if (problem !== undefined) throw problem;
    throw noSuchEndpoint(
      name,
      endpoints.map((endpoint) => endpoint.name),
      upstreams.unlisted,
    );
  };

  const answer = async (endpoint: ServedEndpoint, body: unknown, call: InvokeOptions = {}): Promise<ModelAnswer> => {
    const served = chooseServed(endpoint, random);
    if (!served)
      throw upstreamFailure(
        'network',
        `The endpoint "${endpoint.name}" cannot answer: ${endpoint.problem ?? 'it serves no model.'}`,
      );
    return await answerBody(endpoint, served.backend, body, { signal: call.signal });
  };

  return {
    list: async () => {
      const { endpoints, problem } = await survey();
      if (problem !== undefined) logger.error(describeError(problem));
      return endpoints.map(documentOf);
    },
    get: async (name) => documentOf(await find(name)),
    create: async (body) => documentOf(await created.create(body, await allModels(), clock.now())),
    delete: async (name) => {
      if (await created.delete(name)) return;
      const all = (await survey()).endpoints;
      if (all.some((endpoint) => endpoint.name === name))
        throw invalidModelParameter(`"${name}" was not created through the API and cannot be deleted.`);
      throw noSuchEndpoint(
        name,
        all.filter((endpoint) => endpoint.kind === 'provisioned').map((endpoint) => endpoint.name),
      );
    },
    invoke: async (name, body, call) => await answer(await find(name), body, call),
    openAi: async (route, body, call) => {
      const request = fromOpenAi(route, body);
      const named = await find(request.endpoint);
      // `model: "guide"` on the embeddings route means the guide's embedding endpoint.
      const task = taskOfRoute[route];
      const sibling =
        named.task === task
          ? undefined
          : (await survey({ acceptOld: true })).endpoints.find(
              (endpoint) => endpoint.name === `${request.endpoint}-${task}` && endpoint.task === task,
            );
      return await answer(sibling ?? named, request.body, call);
    },
  };
}
