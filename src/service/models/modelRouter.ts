import { systemClock, type Clock } from '../../shared/clock.ts';
import { describeError, toAppError, type AppError } from '../../shared/errors.ts';
import { silentLogger, type Logger } from '../../shared/log.ts';
import { builtInEndpoints } from './builtIn.ts';
import { CreatedEndpoints } from './createdEndpoints.ts';
import { chooseServed, documentOf, type ServedEndpoint } from './endpoint.ts';
import { createFileStore, createMemoryStore } from './endpointStore.ts';
import { invalidModelParameter, noSuchEndpoint, upstreamFailure } from './modelErrors.ts';
import { answerBody } from './modelRequestRules.ts';
import type { EndpointDocument, InvokeOptions, ModelAnswer, Models, ModelsOptions, OpenAiRoute } from './modelTypes.ts';
import { fromOpenAi, taskOfRoute } from './openAiRequest.ts';
import { Upstreams, type EndpointsOptions } from './upstream/upstreams.ts';

/** Finds the endpoint of each request among the built-in ones, those of upstreams and the created ones. */
export class ModelRouter implements Models {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: () => number;
  readonly #builtIn: readonly ServedEndpoint[];
  readonly #created: CreatedEndpoints;
  readonly #upstreams: Upstreams;

  constructor(options: ModelsOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#random = options.random ?? Math.random;
    this.#builtIn = builtInEndpoints(this.#clock);
    this.#created = new CreatedEndpoints(
      options.store ?? (options.dataFolder ? createFileStore(options.dataFolder) : createMemoryStore()),
    );
    this.#upstreams = new Upstreams({
      ...options,
      clock: this.#clock,
      logger: this.#logger,
      reservedNames: this.#builtIn.map((endpoint) => endpoint.name),
    });
  }

  async list(): Promise<EndpointDocument[]> {
    const { endpoints, problem } = await this.#survey();
    if (problem !== undefined) this.#logger.error(describeError(problem));
    return endpoints.map(documentOf);
  }

  async get(name: string): Promise<EndpointDocument> {
    return documentOf(await this.#find(name));
  }

  async create(body: unknown): Promise<EndpointDocument> {
    return documentOf(await this.#created.create(body, await this.#models(), this.#clock.now()));
  }

  async delete(name: string): Promise<void> {
    if (await this.#created.delete(name)) return;
    const { endpoints } = await this.#survey();
    if (endpoints.some((endpoint) => endpoint.name === name))
      throw invalidModelParameter(`"${name}" was not created through the API and cannot be deleted.`);
    throw noSuchEndpoint(
      name,
      endpoints.filter((endpoint) => endpoint.kind === 'provisioned').map((endpoint) => endpoint.name),
    );
  }

  async invoke(name: string, body: unknown, call?: InvokeOptions): Promise<ModelAnswer> {
    return await this.#answer(await this.#find(name), body, call);
  }

  async openAi(route: OpenAiRoute, body: unknown, call?: InvokeOptions): Promise<ModelAnswer> {
    const request = fromOpenAi(route, body);
    const named = await this.#find(request.endpoint);
    // `model: "guide"` on the embeddings route means the guide's embedding endpoint.
    const task = taskOfRoute[route];
    const sibling =
      named.task === task
        ? undefined
        : (await this.#survey({ acceptOld: true })).endpoints.find(
            (endpoint) => endpoint.name === `${request.endpoint}-${task}` && endpoint.task === task,
          );
    return await this.#answer(sibling ?? named, request.body, call);
  }

  /** What created endpoints can serve. */
  async #models(search: EndpointsOptions = {}): Promise<ServedEndpoint[]> {
    return [...this.#builtIn, ...(await this.#upstreams.endpoints(search))];
  }

  /** All endpoints. If a file cannot be read, those that do not need it are still there, and `problem` says why. */
  async #survey(search: EndpointsOptions = {}): Promise<{ endpoints: ServedEndpoint[]; problem?: AppError }> {
    let problem: AppError | undefined;
    const noted =
      (fallback: readonly ServedEndpoint[]) =>
      (error: unknown): readonly ServedEndpoint[] => {
        problem ??= toAppError(error);
        return fallback;
      };
    const models = await this.#models(search).catch(noted(this.#builtIn));
    const own = await this.#created.list(models).catch(noted([]));
    return { endpoints: [...models, ...own], problem };
  }

  /** The built-in endpoints answer without anyone else being asked, and those that were found before without a new search. */
  async #find(name: string): Promise<ServedEndpoint> {
    const isNamed = (endpoint: ServedEndpoint): boolean => endpoint.name === name;
    const near = this.#builtIn.find(isNamed) ?? (await this.#survey({ acceptOld: true })).endpoints.find(isNamed);
    if (near && near.problem === undefined) return near;
    const { endpoints, problem } = await this.#survey();
    const found = endpoints.find(isNamed);
    if (found) return found;
    if (problem !== undefined) throw problem;
    throw noSuchEndpoint(
      name,
      endpoints.map((endpoint) => endpoint.name),
      this.#upstreams.unlisted,
    );
  }

  async #answer(endpoint: ServedEndpoint, body: unknown, call: InvokeOptions = {}): Promise<ModelAnswer> {
    const served = chooseServed(endpoint, this.#random);
    if (!served)
      throw upstreamFailure(
        'network',
        `The endpoint "${endpoint.name}" cannot answer: ${endpoint.problem ?? 'it serves no model.'}`,
      );
    return await answerBody(endpoint, served.backend, body, { signal: call.signal });
  }
}
