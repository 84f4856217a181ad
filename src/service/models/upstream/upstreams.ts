import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { EndpointTask } from '../../../api/schema/inference/schemas.ts';
import type { Clock } from '../../../shared/clock.ts';
import { describeError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log.ts';
import type { ServedEndpoint } from '../endpoint.ts';
import { invalidModelParameter, noSuchEndpoint } from '../modelErrors.ts';
import type { ModelBackend, ModelsOptions } from '../modelTypes.ts';
import { capabilitiesOf, type UpstreamKind } from './capabilities.ts';
import {
  discoverUpstreams,
  type FoundModel,
  kindOf,
  labelOf,
  listedModels,
  taskByName,
  usualPorts,
  withTasks,
} from './discoverUpstreams.ts';
import { patientFetch } from './patientFetch.ts';
import { createUpstreamChat } from './upstreamChat.ts';
import { createUpstreamCompletion } from './upstreamCompletion.ts';
import {
  addressOf,
  addToModelsFile,
  modelsFileState,
  parseUpstream,
  parseUpstreams,
  readModelsFile,
  type UpstreamModel,
  type UpstreamSettings,
} from './upstreamConfig.ts';
import { UpstreamConnection } from './upstreamConnection.ts';
import { createUpstreamEmbedding } from './upstreamEmbedding.ts';

export interface UpstreamsOptions extends ModelsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names that upstream endpoints must not use. */
  readonly reservedNames: readonly string[];
}

export interface EndpointsOptions {
  /** Whether an old result is good enough. */
  readonly acceptOld?: boolean;
}

/** How long a search result counts as current. */
const freshInMs = 5_000;
const listLimitInMs = 3_000;
/** Maximum silence of a server that the user waits for. */
const checkLimitInMs = 15_000;

/** A model with everything known about it. */
interface KnownModel {
  readonly settings: UpstreamSettings;
  readonly model: string;
  readonly endpoint?: string;
  readonly task?: EndpointTask;
  readonly instructionTemplate?: string;
  readonly contextLength?: number;
}

/**
 * The endpoints of all upstreams: those of `models.json` and of the options, and those found on this machine. They are searched on request,
 * at most every 5 seconds unless the file has changed. A chat model also gets a completion endpoint.
 */
export class Upstreams {
  readonly #options: UpstreamsOptions;
  #found: { endpoints: ServedEndpoint[]; atInMs: number; fileState: string } | undefined;
  #search: Promise<ServedEndpoint[]> | undefined;
  #unlisted: string[] = [];
  /** API keys by the address of their server. */
  readonly #keys: Map<string, string>;
  /** The model of each endpoint. */
  readonly #served = new Map<string, KnownModel>();

  constructor(options: UpstreamsOptions) {
    this.#options = options;
    this.#keys = new Map(Object.entries(options.modelKeys ?? {}).map(([baseUrl, key]) => [addressOf(baseUrl), key]));
  }

  /**
   * Lists the models of a server, or sends a small request to the first model that `value` names.
   * @throws AppError if the server refuses it or is not reached
   */
  async check(value: object, apiKey: string | undefined): Promise<{ kind: UpstreamKind; models: string[] }> {
    const settings = parseUpstream({ name: 'model', ...value });
    const connection = this.#connect(settings, apiKey);
    const { kind, models, baseUrl } = settings;
    if (models === 'all') {
      const list = await connection.getJson('/models', { idleLimitInMs: checkLimitInMs });
      return {
        kind: kindOf(list, Number(new URL(baseUrl).port)),
        models: listedModels(list).map(({ model }) => model),
      };
    }
    const { model, task = taskByName(model) } = knownModel(settings, models[0] ?? '');
    if (task === 'embedding') await connection.postJson('/embeddings', { model, input: 'OK' });
    else {
      const messages = [{ role: 'user', content: 'Say OK.' }];
      // Leaving the stream stops the model.
      const stream = connection.postStream('/chat/completions', { model, messages, stream: true });
      await stream.next();
      await stream.return(undefined);
    }
    return { kind, models: [model] };
  }

  /** Adds a server or its models to `models.json` and uses the key from now on. @returns the names of their endpoints */
  async add(value: object, apiKey: string | undefined): Promise<string[]> {
    const { dataFolder } = this.#options;
    const settings = parseUpstream(value);
    const address = addressOf(settings.baseUrl);
    if (dataFolder === undefined) throw invalidModelParameter('A service without a data folder stores no models.');
    const known = [...this.#served.values()].find((each) => addressOf(each.settings.baseUrl) === address);
    // Of a server that was found with all its models, the file names them all: otherwise the others would be gone.
    await addToModelsFile(dataFolder, known?.settings.models === 'all' ? { ...settings, models: 'all' } : settings);
    if (apiKey !== undefined) this.#keys.set(address, apiKey);
    // The endpoints that were found hold connections with the former key.
    await this.#search?.catch(() => undefined);
    this.#found = undefined;
    await this.endpoints();
    return [...this.#served].flatMap(
      ([
        name,
        {
          settings: { baseUrl },
          model,
        },
      ]) =>
        addressOf(baseUrl) === address && (settings.models === 'all' || settings.models.includes(model)) ? [name] : [],
    );
  }

  /** Returns the server and the model of an endpoint. */
  async serverOf(
    endpoint: string,
  ): Promise<Pick<UpstreamSettings, 'name' | 'kind' | 'baseUrl'> & { models: string[] }> {
    const endpoints = await this.endpoints({ acceptOld: true });
    const known = this.#served.get(endpoint);
    if (!known)
      throw noSuchEndpoint(
        endpoint,
        endpoints.map(({ name }) => name),
      );
    const { name, kind, baseUrl } = known.settings;
    return { name, kind, baseUrl, models: [known.model] };
  }

  /** Sentences about the upstreams whose models could not be listed in the last search. */
  get unlisted(): readonly string[] {
    return this.#unlisted;
  }

  async endpoints(options: EndpointsOptions = {}): Promise<ServedEndpoint[]> {
    const { clock } = this.#options;
    if (this.#found && (options.acceptOld === true || clock.now() - this.#found.atInMs < freshInMs)) {
      const { endpoints, fileState } = this.#found;
      // What the user has just written takes effect at once.
      if (options.acceptOld === true || fileState === (await this.#fileState())) return endpoints;
    }
    // One search for all waiting callers, which they cannot abort.
    this.#search ??= this.#discover().finally(() => {
      this.#search = undefined;
    });
    return await this.#search;
  }

  async #fileState(): Promise<string> {
    const { dataFolder } = this.#options;
    return dataFolder === undefined ? '' : await modelsFileState(dataFolder);
  }

  async #discover(): Promise<ServedEndpoint[]> {
    const { dataFolder, upstreams = [], discover = true, discoverPorts = usualPorts, clock } = this.#options;
    const fileState = await this.#fileState();
    const file = dataFolder === undefined ? undefined : await readModelsFile(dataFolder);
    const configured = [...parseUpstreams(upstreams), ...(file?.upstreams ?? [])];
    const send = this.#options.fetch ?? patientFetch;
    this.#unlisted = [];
    const looks = discover && file?.discover !== false;
    const [known, found] = await Promise.all([
      Promise.all(configured.map((settings) => this.#modelsOf(settings))),
      looks ? discoverUpstreams(discoverPorts, { fetch: send, clock }) : [],
    ]);
    const own = new Set(configured.map((settings) => originOf(settings.baseUrl)));
    const discovered = found.filter(({ settings }) => !own.has(originOf(settings.baseUrl)));
    const models = [
      ...known.flat(),
      ...discovered.flatMap(({ settings, models: listed }) =>
        listed.map((entry): KnownModel => ({ settings, ...entry })),
      ),
    ];
    const endpoints = this.#name(models);
    this.#found = { endpoints, atInMs: clock.now(), fileState };
    return endpoints;
  }

  async #modelsOf(settings: UpstreamSettings): Promise<KnownModel[]> {
    if (settings.models !== 'all') return settings.models.map((entry) => knownModel(settings, entry));
    const connection = this.#connect(settings);
    try {
      const listed = listedModels(await connection.getJson('/models', { idleLimitInMs: listLimitInMs }));
      return (await withTasks(settings.kind, listed, connection, undefined)).map((entry: FoundModel) => ({
        settings,
        ...entry,
      }));
    } catch (error) {
      const text = `The models of the upstream "${settings.name}" could not be listed. ${describeError(error)}`;
      this.#options.logger.warn(text);
      this.#unlisted.push(text);
      return [];
    }
  }

  #connect(settings: UpstreamSettings, givenKey?: string): UpstreamConnection {
    const environment = this.#options.environment ?? process.env;
    const baseUrl = addressOf(settings.baseUrl);
    const apiKey =
      givenKey ??
      this.#keys.get(baseUrl) ??
      settings.apiKey ??
      (settings.apiKeyVariable === undefined ? undefined : environment[settings.apiKeyVariable]);
    if (settings.apiKeyVariable !== undefined && apiKey === undefined)
      this.#options.logger.warn(
        `The environment variable ${settings.apiKeyVariable} of the upstream "${settings.name}" is not set; requests go without a key.`,
      );
    return new UpstreamConnection({
      label: labelOf(settings),
      baseUrl,
      apiKey,
      fetch: this.#options.fetch ?? patientFetch,
      clock: this.#options.clock,
      idleLimitInMs: settings.timeoutInSeconds * 1000,
    });
  }

  /** Names the endpoints of each model. If a name is taken, the upstream's name is put before it, then a number is added. */
  #name(models: readonly KnownModel[]): ServedEndpoint[] {
    const taken = new Set(this.#options.reservedNames);
    const connections = new Map(models.map(({ settings }) => [settings, this.#connect(settings)]));
    const endpoints: ServedEndpoint[] = [];
    this.#served.clear();
    for (const known of models) {
      const connection = connections.get(known.settings);
      if (!connection) continue;
      const name = freeName(known, taken);
      const target = {
        connection,
        capabilities: capabilitiesOf[known.settings.kind],
        model: known.model,
        clock: this.#options.clock,
      };
      const add = (added: string, backend: ModelBackend): void => {
        taken.add(added);
        this.#served.set(added, known);
        endpoints.push({
          name: added,
          task: backend.task,
          kind: 'upstream',
          // Leaves out what the name already says.
          description: `${name === endpointName(known.model) ? 'Served' : `${known.model}, served`} by ${connection.label}.`,
          served: [{ name: known.model, backend, trafficPercentage: 100 }],
          contextLength: known.contextLength,
        });
      };
      if (known.task === 'embedding') add(name, createUpstreamEmbedding(target, known.instructionTemplate));
      else if (known.task === 'completion') add(name, createUpstreamCompletion(target, false));
      else {
        add(name, createUpstreamChat(target));
        if (!taken.has(`${name}-completion`)) add(`${name}-completion`, createUpstreamCompletion(target, true));
      }
    }
    return endpoints;
  }
}

function knownModel(settings: UpstreamSettings, entry: UpstreamModel): KnownModel {
  return typeof entry === 'string' ? { settings, model: entry } : { settings, ...entry };
}

function originOf(url: string): string {
  return new URL(url).origin.replace('//localhost', '//127.0.0.1');
}

/** Maximum length of a name, with room for `-completion`. */
const maxNameLength = 50;

function freeName(known: KnownModel, taken: ReadonlySet<string>): string {
  const wanted = known.endpoint ?? endpointName(known.model);
  if (!taken.has(wanted)) return wanted;
  const named = endpointName(`${known.settings.name}-${wanted}`);
  if (!taken.has(named)) return named;
  for (let number = 2; ; number += 1) if (!taken.has(`${named}-${number}`)) return `${named}-${number}`;
}

/** Makes an endpoint's name: `llama3.2:latest` becomes `llama3.2-latest`, and the file `/models/Smol.Q4.gguf` becomes `Smol.Q4`. */
export function endpointName(model: string): string {
  const file = /\.gguf$/i.test(model) ? (model.split(/[\\/]/).pop() ?? model).replace(/\.gguf$/i, '') : model;
  const name = file
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, maxNameLength)
    .replace(/(?<![-.])[-.]+$/, '');
  return name === '' ? 'model' : name;
}

const named = /"apiKeyVariable"\s*:\s*"([A-Za-z_][A-Za-z0-9_]*)"/g;

/**
 * Names the environment variables that hold API keys of upstreams: those of the configuration, and all that `models.json` names or has
 * named. Its text is searched, not its values, so that a mistake elsewhere in it reveals no key.
 */
export function createKeyVariables(
  dataFolder: string,
  upstreams: readonly unknown[] = [],
): () => Promise<readonly string[]> {
  const found = new Set<string>();
  const note = (text: string): void => {
    for (const [, name] of text.matchAll(named)) if (name !== undefined) found.add(name);
  };
  note(JSON.stringify(upstreams));
  return async () => {
    try {
      note(await readFile(path.join(dataFolder, 'models.json'), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return [...found];
  };
}
