import { read } from '../../shared/shape.ts';
import { toPage, type ToPage, type FromPage } from '../page/pageProtocol.ts';

/** What the editor gives a page to talk to its host. */
export interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

/** The page's end of the protocol. */
export class HostPort {
  readonly #api: EditorApi;

  constructor(api: EditorApi, onMessage: (message: ToPage) => void) {
    this.#api = api;
    window.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = read(toPage, event.data);
      if (message) onMessage(message);
    });
  }

  post(message: FromPage): void {
    this.#api.postMessage(message);
  }
}
