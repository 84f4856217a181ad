import type { HostMessage, Method, ParamsOf, Reply } from '../protocol.ts';
import { readHostMessage } from './hostMessage.ts';

/** What the editor gives a webview to talk to its host. */
export interface WebviewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** What a method is asked with; nothing, if it has no parameters. */
export type ParamsGiven<M extends Method> = undefined extends ParamsOf<M> ? [ParamsOf<M>?] : [ParamsOf<M>];

/** The view's end of the protocol: requests with one reply each, and pushes. */
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

  /** Resolves with the host's reply, which may carry a failure; never rejects. */
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
