import { type Fields, isFields } from '../../shared/fields.ts';
import type { HostMessage, Method, ParamsOf, Reply, SeenEndpoint, ViewState } from '../protocol.ts';

/** The editor's API for a webview to communicate with its host. */
export interface WebviewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Arguments of a method; none if it has no parameters. */
export type ParamsGiven<M extends Method> = undefined extends ParamsOf<M> ? [ParamsOf<M>?] : [ParamsOf<M>];

/** The view's side of the protocol: requests with one reply each, and pushes. */
export class HostLink {
  readonly #api: WebviewApi;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  #nextId = 1;

  constructor(api: WebviewApi, onPush: (message: Exclude<HostMessage, Reply>) => void, onBroken: () => void) {
    this.#api = api;
    window.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = readHostMessage(event.data);
      if (!message) onBroken();
      else if (message.type === 'reply') this.#settle(message);
      else onPush(message);
    });
  }

  /** Resolves to the host's reply, which may contain a failure; never rejects. */
  request<M extends Method>(method: M, ...[params]: ParamsGiven<M>): Promise<Reply> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#api.postMessage(
        params === undefined ? { type: 'request', id, method } : { type: 'request', id, method, params },
      );
    });
  }

  #settle(reply: Reply): void {
    if (reply.id === null) return;
    this.#pending.get(reply.id)?.(reply);
    this.#pending.delete(reply.id);
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isView = (value: unknown): boolean => isFields(value) && isNumber(value['revision']) && isFields(value['tools']);

function isSnapshot(value: unknown): boolean {
  if (!isFields(value) || !isNumber(value['sequence']) || !isView(value['view'])) return false;
  const { conversation, draft } = value;
  return (
    isFields(draft) &&
    isText(draft['id']) &&
    (conversation === null || (isFields(conversation) && Array.isArray(conversation['turns'])))
  );
}

const kinds: Readonly<Record<HostMessage['type'], (message: Fields) => boolean>> = {
  reply: ({ id, failure, snapshot, completions }) =>
    (id === null || isNumber(id)) &&
    (failure === undefined || (isFields(failure) && isText(failure['message']))) &&
    (snapshot === undefined || isSnapshot(snapshot)) &&
    (completions === undefined || Array.isArray(completions)),
  snapshot: ({ snapshot }) => isSnapshot(snapshot),
  event: ({ conversationId, sequence, event }) =>
    isText(conversationId) && isNumber(sequence) && isFields(event) && isText(event['type']),
  view: ({ view }) => isView(view),
  focusPrompt: () => true,
  find: () => true,
  codeColours: ({ colours }) => isFields(colours),
  draft: ({ text }) => isText(text),
};

/**
 * Returns the message, or `undefined` if the view does not know it. Only the host of the same package can send one, so the check covers
 * only what would break the view, and needs no library.
 */
export function readHostMessage(value: unknown): HostMessage | undefined {
  if (!isFields(value) || !isText(value['type']) || !Object.hasOwn(kinds, value['type'])) return undefined;
  return kinds[value['type'] as HostMessage['type']](value) ? (value as unknown as HostMessage) : undefined;
}

/** Returns the endpoint that the view shows. */
export function seenOf({ endpoint, task, profile }: ViewState): SeenEndpoint | undefined {
  return endpoint === undefined ? undefined : { profile: profile.name, endpoint, task };
}
