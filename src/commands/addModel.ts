import type { Client } from '../api/client/client.ts';
import type { ModelServer } from '../api/schema/localServiceRoutes.ts';
import { AppError, isAppError, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor } from './connectFor.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Providers whose API is OpenAI-compatible. */
const providers: readonly { label: string; server: ModelServer }[] = [
  { label: 'OpenAI', server: { name: 'openai', kind: 'openai', baseUrl: 'https://api.openai.com/v1' } },
  { label: 'Anthropic', server: { name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' } },
  {
    label: 'Google Gemini',
    server: { name: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  },
  { label: 'Mistral', server: { name: 'mistral', baseUrl: 'https://api.mistral.ai/v1' } },
  { label: 'DeepSeek', server: { name: 'deepseek', baseUrl: 'https://api.deepseek.com/v1' } },
  { label: 'Groq', server: { name: 'groq', baseUrl: 'https://api.groq.com/openai/v1' } },
  { label: 'OpenRouter', server: { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1' } },
];

/**
 * Adds a model of a provider or of a server's address to the local service: tries it with one small request, and stores its API key in the
 * editor's secret storage.
 * @returns the name of its endpoint, or `undefined` if the user canceled
 */
export async function addModel(services: CommandServices, target: Target): Promise<string | undefined> {
  const { ui } = services;
  const client = await connectLocal(services, target);
  const title = l10n.t('Add Model');
  const picked = await ui.pick(title, l10n.t('Choose a provider, or enter the address of a server'), [
    ...providers.map(({ label, server }) => ({ label, description: server.baseUrl, value: server })),
    { label: l10n.t('Another Address…'), description: l10n.t('Any OpenAI-compatible server'), value: undefined },
  ]);
  const server = picked ?? (await askServer(services, title));
  if (!server) return undefined;
  const access = new ServerAccess(services, client, title);
  const unlisted = { kind: 'generic', models: [] };
  // Anthropic rejects every key that is sent to list its models as other providers do.
  const listed =
    server.name === 'anthropic'
      ? unlisted
      : await access.check(server).catch((error: unknown) => {
          // Not every server lists its models.
          if (isAppError(error) && error.kind === 'notFound') return unlisted;
          throw error;
        });
  if (!listed) return undefined;
  const model =
    listed.models.length > 0
      ? await ui.pick(
          title,
          l10n.t('Model of {0}', server.baseUrl),
          listed.models.map((name) => ({ label: name, value: name })),
        )
      : await ui.input({ title, prompt: l10n.t('Name of the model on {0}', server.baseUrl) });
  if (!model) return undefined;
  const upstream = { ...server, kind: server.kind ?? listed.kind, models: [model] };
  if (!(await access.check(upstream))) return undefined;
  const [endpoint] = await access.add(upstream);
  if (endpoint !== undefined)
    void ui.info(l10n.t('{0} responds. It was added as the endpoint "{1}" of the chat.', model, endpoint));
  return endpoint;
}

/**
 * Replaces the API key of an endpoint's model server, after trying it.
 * @returns whether it was replaced
 */
export async function setModelKey(services: CommandServices, target: Target): Promise<boolean> {
  const { ui } = services;
  const client = await connectLocal(services, target);
  const title = l10n.t('Set Key');
  const endpoint = target.endpoint ?? (await pickEndpoint(services, client, title));
  if (endpoint === undefined) return false;
  const server = await client.localService.modelServer(endpoint);
  const access = new ServerAccess(services, client, title);
  if (!(await access.askKey(server, l10n.t('API key of {0}', server.baseUrl)))) return false;
  if (!(await access.check(server))) return false;
  await access.add(server);
  void ui.info(l10n.t('{0} accepts the API key.', server.baseUrl));
  return true;
}

/** Requests to one model server, with the key that the user enters when the server asks for one. */
class ServerAccess {
  readonly #services: CommandServices;
  readonly #client: Client;
  readonly #title: string;
  #key: string | undefined;

  constructor(services: CommandServices, client: Client, title: string) {
    [this.#services, this.#client, this.#title] = [services, client, title];
  }

  /** Checks the server, and asks for a key as often as the server rejects it. @returns `undefined` if the user canceled */
  async check(upstream: ModelServer): Promise<{ kind: string; models: string[] } | undefined> {
    const { ui } = this.#services;
    for (;;) {
      try {
        return await ui.progress(
          upstream.models ? l10n.t('Trying {0}', upstream.models.join()) : l10n.t('Listing models'),
          (signal) => this.#client.localService.checkModel({ upstream, api_key: this.#key }, { signal, retry: 'fail' }),
        );
      } catch (error) {
        if (!isAboutKey(error)) throw worded(error, upstream, this.#key);
        const prompt =
          this.#key === undefined
            ? l10n.t('API key of {0}', upstream.baseUrl)
            : l10n.t('{0} rejected the API key. Enter another', upstream.baseUrl);
        if (!(await this.askKey(upstream, prompt))) return undefined;
      }
    }
  }

  async askKey({ baseUrl }: ModelServer, prompt: string): Promise<boolean> {
    const note = isEncrypted(baseUrl)
      ? l10n.t("It is kept in the editor's secret storage.")
      : l10n.t('The address is not encrypted, so others on the network can read the key.');
    const key = await this.#services.ui.input({ title: this.#title, prompt: `${prompt}. ${note}`, password: true });
    if (key) this.#key = key.trim();
    return Boolean(key);
  }

  async add(upstream: ModelServer): Promise<string[]> {
    const endpoints = await this.#client.localService.addModel({ upstream, api_key: this.#key });
    if (this.#key !== undefined) await this.#services.storeModelKey(upstream.baseUrl, this.#key);
    return endpoints;
  }
}

async function connectLocal(services: CommandServices, target: Target): Promise<Client> {
  const { current, profiles } = services.connections;
  if (current.kind !== 'local')
    throw new AppError('invalid', l10n.t('Models are added to the local service, but {0} is in use.', current.name), {
      remedy: l10n.t(
        'Choose the profile {0} first, then try again.',
        profiles.find(({ kind }) => kind === 'local')?.name ?? 'Local',
      ),
    });
  return (await connectFor(services, target)).client;
}

async function askServer({ ui }: CommandServices, title: string): Promise<ModelServer | undefined> {
  const text = await ui.input({
    title,
    prompt: l10n.t('Address of an OpenAI-compatible server, including the version'),
    placeholder: 'http://127.0.0.1:8000/v1',
    validate: (typed) =>
      urlOf(typed) ? undefined : l10n.t('Enter an address such as {0}.', 'http://127.0.0.1:8000/v1'),
  });
  const url = urlOf(text ?? '');
  if (!url) return undefined;
  const path = url.pathname === '/' ? '/v1' : url.pathname;
  return { name: url.hostname.replaceAll(/[^A-Za-z0-9.-]+/g, '') || 'server', baseUrl: url.origin + path };
}

function urlOf(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function isEncrypted(baseUrl: string): boolean {
  return /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(baseUrl);
}

async function pickEndpoint({ ui }: CommandServices, client: Client, title: string): Promise<string | undefined> {
  const listed = await ui.progress(l10n.t('Loading the endpoints'), (signal) =>
    client.inference.listEndpoints({ signal }),
  );
  const items = listed.flatMap(({ name, description, source }) =>
    source === 'upstream' ? [{ label: name, detail: description, value: name }] : [],
  );
  if (items.length === 0) void ui.info(l10n.t('No model server is used yet. Add a model first.'));
  return items.length === 0 ? undefined : ui.pick(title, l10n.t('Endpoint whose model server gets the key'), items);
}

/** Returns whether another key may help. Some servers call a request without one, or with a wrong one, invalid. */
function isAboutKey(error: unknown): boolean {
  const { kind, status } = toAppError(error);
  return kind === 'forbidden' || kind === 'unauthenticated' || (status === 400 && /api[ _-]?key/i.test(saidIn(error)));
}

/** Returns what the model server said. */
function saidIn(error: unknown): string {
  const { message } = toAppError(error);
  return isAppError(error) && 'said' in error && typeof error.said === 'string' ? error.said : message;
}

/** Returns a model server's error in the user's words, with what to do. Servers may repeat the key that they reject. */
function worded(error: unknown, { baseUrl, models = [] }: ModelServer, key = ''): unknown {
  if (!isAppError(error) || !('isUpstream' in error) || error.isUpstream !== true) return error;
  const { kind, status } = error;
  const told = (text: string, remedy: string): AppError => new AppError(kind, text, { remedy, cause: error });
  switch (status) {
    case 404:
      return told(l10n.t('{0} has no model {1}.', baseUrl, models.join()), l10n.t('Check the address and the name.'));
    case 429:
      return told(
        l10n.t('{0} is rate limiting requests.', baseUrl),
        l10n.t('Wait a moment or check your plan, then try again.'),
      );
    case 503:
      return told(
        l10n.t('{0} is unreachable.', baseUrl),
        l10n.t('Start the server or check its address, then try again.'),
      );
    case 504:
      return told(l10n.t('{0} timed out.', baseUrl), l10n.t('Try again when the server has loaded its model.'));
  }
  const said = saidIn(error);
  const shown = key === '' ? said : said.replaceAll(key, '***');
  return told(
    l10n.t('{0} did not answer the request: {1}', baseUrl, shown),
    l10n.t('Choose another model or check the address.'),
  );
}
