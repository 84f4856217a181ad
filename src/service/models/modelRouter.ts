import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { contentText } from '../../api/schema/inference/chat.ts';
import type { EndpointTask } from '../../api/schema/inference/endpoints.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { AppError, describeError, toAppError } from '../../shared/errors.ts';
import { type Fields, isFields } from '../../shared/fields.ts';
import { parseJson, stringifyJson } from '../../shared/json.ts';
import { type Logger, silentLogger } from '../../shared/log.ts';
import { CreatedEndpoints } from './createdEndpoints.ts';
import { chooseServed, documentOf, type ServedEndpoint } from './endpoint.ts';
import { createGuideChat, createGuideCompletion, createGuideEmbedding } from './guide/guideBackends.ts';
import { invalidModelParameter, noSuchEndpoint, upstreamFailure } from './modelErrors.ts';
import { answerBody } from './modelRequestRules.ts';
import type {
  ModelBackend,
  EndpointDocument,
  EndpointStore,
  InvokeOptions,
  ModelAnswer,
  Models,
  ModelsOptions,
  OpenAiRoute,
} from './modelTypes.ts';
import { type EndpointsOptions, Upstreams } from './upstream/upstreams.ts';

/** Finds the endpoint of each request among the built-in, upstream and created ones. */
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

  async check(upstream: object, apiKey: string | undefined): ReturnType<Models['check']> {
    return await this.#upstreams.check(upstream, apiKey);
  }

  async add(upstream: object, apiKey: string | undefined): Promise<string[]> {
    return await this.#upstreams.add(upstream, apiKey);
  }

  async serverOf(endpoint: string): ReturnType<Models['serverOf']> {
    return await this.#upstreams.serverOf(endpoint);
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

  /** Returns the models that created endpoints can serve. */
  async #models(search: EndpointsOptions = {}): Promise<ServedEndpoint[]> {
    return [...this.#builtIn, ...(await this.#upstreams.endpoints(search))];
  }

  /** Returns all endpoints. If a file cannot be read, the endpoints that do not need it are still listed, and `problem` says why. */
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

  /** Finds built-in endpoints without asking any server, and known ones without a new search. */
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

/** Returns the endpoints that always exist. */
export function builtInEndpoints(clock: Clock): ServedEndpoint[] {
  const endpoint = (name: string, backend: ModelBackend, description: string): ServedEndpoint => ({
    name,
    task: backend.task,
    kind: 'pay-per-token',
    description,
    served: [{ name: backend.model, backend, trafficPercentage: 100 }],
  });
  return [
    endpoint(
      'guide',
      createGuideChat(clock),
      'Built in, not a language model. In the chat it looks things up; through the API it repeats what it is sent.',
    ),
    endpoint('guide-completion', createGuideCompletion(clock), 'Built in, not a language model: repeats the prompt.'),
    endpoint(
      'guide-embedding',
      createGuideEmbedding(),
      'Built in: deterministic embeddings of 256 numbers from the words of a text.',
    ),
  ];
}

export const taskOfRoute: Record<OpenAiRoute, EndpointTask> = {
  'chat/completions': 'chat',
  completions: 'completion',
  embeddings: 'embedding',
};

/**
 * Converts a request of the common chat-completion format to one of the Inference API: the endpoint that it names, and a body in which
 * `developer` messages are system messages, leading system messages are joined, and `max_completion_tokens` is `max_tokens`. Everything
 * else stays.
 */
export function fromOpenAi(route: OpenAiRoute, body: unknown): { endpoint: string; body: Fields } {
  if (!isFields(body)) throw invalidModelParameter('The body must be a JSON object.');
  const { model, max_completion_tokens: completionTokens, ...rest } = body;
  if (typeof model !== 'string' || model === '')
    throw invalidModelParameter('model is required: it names the serving endpoint.');
  const fields: Record<string, unknown> = rest;
  if (completionTokens !== undefined && fields['max_tokens'] === undefined) fields['max_tokens'] = completionTokens;
  if (route !== 'chat/completions') return { endpoint: model, body: fields };
  if (Array.isArray(fields['messages'])) fields['messages'] = joinSystem(fields['messages'].map(plainMessage));
  if (Array.isArray(fields['tools'])) fields['tools'] = fields['tools'].map(withDescription);
  if (Array.isArray(fields['tools']) && fields['tools'].length === 0) delete fields['tools'];
  return { endpoint: model, body: fields };
}

function plainMessage(message: unknown): unknown {
  if (!isFields(message)) return message;
  const role = message['role'] === 'developer' ? 'system' : message['role'];
  const hasCalls = Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0;
  const { content, ...rest } = message;
  // Clients of this format send an empty text beside tool calls.
  return hasCalls && (content === '' || content === null) ? { ...rest, role } : { ...message, role };
}

function joinSystem(messages: readonly unknown[]): unknown[] {
  const end = messages.findIndex((message) => !isFields(message) || message['role'] !== 'system');
  const leading = messages.slice(0, end < 0 ? messages.length : end).filter(isFields);
  if (leading.length < 2) return [...messages];
  const content = leading.map((message) => contentText(message['content'])).join('\n\n');
  return [{ role: 'system', content }, ...messages.slice(leading.length)];
}

/** The document requires a description; this format does not. */
function withDescription(tool: unknown): unknown {
  if (!isFields(tool) || !isFields(tool['function']) || tool['function']['description'] !== undefined) return tool;
  return { ...tool, function: { ...tool['function'], description: '' } };
}

/** Stores created endpoints in `endpoints.json`: written to a temporary file, synced, then renamed, so that the file is always whole. */
export function createFileStore(dataFolder: string): EndpointStore {
  const file = path.join(dataFolder, 'endpoints.json');
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
      try {
        const value = parseJson(text);
        if (Array.isArray(value)) return value;
      } catch (error) {
        throw new AppError(
          'internal',
          `${file} is not JSON, so the created endpoints could not be read and none was changed. Repair or move it.`,
          { cause: error, status: 500, errorCode: 'INTERNAL_ERROR' },
        );
      }
      throw new AppError(
        'internal',
        `${file} does not hold a list, so the created endpoints could not be read and none was changed. Repair or move it.`,
        { status: 500, errorCode: 'INTERNAL_ERROR' },
      );
    },
    async save(endpoints) {
      await mkdir(dataFolder, { recursive: true });
      const temporary = `${file}.${process.pid}.tmp`;
      const handle = await open(temporary, 'w', 0o600);
      try {
        try {
          await handle.writeFile(`${stringifyJson(endpoints, 2)}\n`);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

/** Creates a store for a service without a data folder. */
export function createMemoryStore(): EndpointStore {
  let kept: readonly unknown[] = [];
  return {
    load: async () => [...kept],
    save: async (endpoints) => {
      kept = [...endpoints];
    },
  };
}
