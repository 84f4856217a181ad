import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Event } from '../../shared/event.ts';
import { answerChunks } from '../answerChunks.ts';
import { playgroundTaskOf } from '../chatParameters.ts';
import type { ChatBackend, EndpointList } from '../chatPorts.ts';
import type { ModelRequest } from '../playground.ts';
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
    const { authKind, headerName, userName, kind } = profile;
    return { baseUrl: client.baseUrl, signIn: { authKind, headerName, userName, kind } };
  }

  get knownEndpoints(): Endpoint[] {
    const { kind, name } = this.#connections.current;
    // The local service's own endpoint, which exists as soon as the service does.
    return [...this.#named, ...(kind === 'local' ? [{ name: 'guide', server: name }] : [])];
  }

  get #named(): Endpoint[] {
    const server = vscode.l10n.t('named in the profile');
    return (
      this.#connections.current.endpoints
        .map(({ name, task }) => ({ name, server, ...taskOf(task) }))
        // Chat endpoints come first, since a new conversation uses the first endpoint.
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
      return {
        items: [
          ...known,
          ...listed.map(({ name, task, description, state, context_length: contextLength }) => ({
            name,
            server: withState(profile.name, state?.ready),
            detail: description,
            contextLength,
            ...taskOf(task),
          })),
        ],
        isWhole: true,
      };
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'notFound') throw error;
      if (known.length > 0) return { items: known, isWhole: true };
      throw new AppError('notFound', vscode.l10n.t('This service has no list of endpoints.'), {
        cause: error,
        remedy: vscode.l10n.t('Choose "Another endpoint…" and enter the name of one.'),
      });
    }
  }

  async chat(
    endpoint: string,
    request: ModelRequest,
    { signal, onRetry, onEvent }: Parameters<ChatBackend['chat']>[2],
  ): ReturnType<ChatBackend['chat']> {
    const { client } = await this.#connections.connect({ signal });
    return answerChunks(client.inference, endpoint, request, { signal, onRetry, onEvent, showsRetries: true });
  }
}

function taskOf(word: string | undefined): Pick<Endpoint, 'task'> {
  const task = playgroundTaskOf(word);
  return task ? { task } : {};
}

/** Returns the owner of an endpoint, with the endpoint's state unless it is ready. */
function withState(server: string, ready: string | undefined): string {
  if (ready === undefined || ready === 'READY') return server;
  return ready === 'NOT_READY' ? vscode.l10n.t('{0}, not ready', server) : `${server}, ${ready}`;
}
