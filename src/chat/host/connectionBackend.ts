import * as vscode from 'vscode';
import type { Client } from '../../api/client/index.ts';
import type {
  ChatChunk,
  ChatRequest,
  CompletionRequest,
  EmbeddingRequest,
} from '../../api/schema/inference/schemas.ts';
import type { ConnectionService } from '../../connection/connection.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Event } from '../../shared/event.ts';
import { chunkOfWhole, playgroundTaskOf } from '../chatParameters.ts';
import type { ChatBackend, EndpointList } from '../chatPorts.ts';
import { chunkOfCompletion, chunkOfEmbedding, chunkOfWholeCompletion } from '../playgroundChunks.ts';
import type { Endpoint } from '../protocol.ts';

/** The chat's view of the current profile and its client. */
export class ConnectionBackend implements ChatBackend {
  readonly #connections: ConnectionService;
  readonly onDidChangeProfile: Event<void>;

  constructor(connections: ConnectionService) {
    this.#connections = connections;
    this.onDidChangeProfile = (listener) => connections.onDidChange(() => listener());
  }

  get profile(): ChatBackend['profile'] {
    const { id, name, production, kind } = this.#connections.current;
    return { id, name, isProduction: production, isLocal: kind === 'local' };
  }

  async address(): ReturnType<ChatBackend['address']> {
    const { client, profile } = await this.#connections.connect({});
    const { authKind, headerName, userName } = profile;
    return { baseUrl: client.baseUrl, signIn: { authKind, headerName, userName } };
  }

  get knownEndpoints(): Endpoint[] {
    const { kind, name } = this.#connections.current;
    // The local service's own endpoint, which is there as soon as the service is.
    return [
      ...this.#named,
      ...(kind === 'local' ? [{ name: 'guide', group: vscode.l10n.t('Endpoints of {0}', name) }] : []),
    ];
  }

  get #named(): Endpoint[] {
    const group = vscode.l10n.t('Named in the profile');
    return (
      this.#connections.current.endpoints
        .map(({ name, task }) => ({ name, group, ...taskOf(task) }))
        // A conversation begins with the first.
        .sort((left, right) => Number(left.task !== undefined) - Number(right.task !== undefined))
    );
  }

  async listEndpoints({ signal, start }: { signal: AbortSignal; start: boolean }): Promise<EndpointList> {
    const known = this.#named;
    const connection = start
      ? await this.#connections.connect({ signal })
      : await this.#connections.connectIfUsed({ signal });
    if (!connection) return { items: this.knownEndpoints, isWhole: false };
    const { client, profile } = connection;
    try {
      const listed = await client.inference.listEndpoints({ signal, retry: 'fail' });
      const group = vscode.l10n.t('Endpoints of {0}', profile.name);
      return {
        items: [
          ...known,
          ...listed.map(({ name, task, description }) => ({ name, group, detail: description, ...taskOf(task) })),
        ],
        isWhole: true,
      };
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'notFound') throw error;
      if (known.length > 0) return { items: known, isWhole: true };
      throw new AppError('notFound', vscode.l10n.t('This service has no list of its endpoints.'), {
        cause: error,
        remedy: vscode.l10n.t('Choose "Another endpoint…" below and type the name of a chat endpoint.'),
      });
    }
  }

  async *chat(
    endpoint: string,
    request: Record<string, unknown>,
    { signal, onRetry, task }: Parameters<ChatBackend['chat']>[2],
  ): AsyncGenerator<ChatChunk> {
    const options = { signal, onRetry, showsRetries: true };
    const { client } = await this.#connections.connect({ signal });
    if (task) {
      yield* task === 'completion'
        ? complete(client.inference, endpoint, request as CompletionRequest, options)
        : embed(client.inference, endpoint, request as EmbeddingRequest, options);
      return;
    }
    const chatRequest = request as ChatRequest;
    const whole =
      chatRequest.stream === false
        ? chunkOfWhole(await client.inference.chat(endpoint, chatRequest, options))
        : undefined;
    if (whole) yield whole;
    else yield* client.inference.streamChat(endpoint, chatRequest, options);
  }
}

function taskOf(word: string | undefined): Pick<Endpoint, 'task'> {
  const task = playgroundTaskOf(word);
  return task ? { task } : {};
}

async function* complete(
  inference: Client['inference'],
  endpoint: string,
  request: CompletionRequest,
  options: Parameters<Client['inference']['complete']>[2],
): AsyncGenerator<ChatChunk> {
  if (request.stream === false) yield chunkOfWholeCompletion(await inference.complete(endpoint, request, options));
  else for await (const chunk of inference.streamCompletion(endpoint, request, options)) yield chunkOfCompletion(chunk);
}

async function* embed(
  inference: Client['inference'],
  endpoint: string,
  request: EmbeddingRequest,
  options: Parameters<Client['inference']['embed']>[2],
): AsyncGenerator<ChatChunk> {
  const count = Array.isArray(request.input) ? request.input.length : 1;
  yield chunkOfEmbedding(await inference.embed(endpoint, request, options), count);
}
