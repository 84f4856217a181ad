import { read } from '../../shared/shape.ts';
import { type FromPage, toPage, type ToPage } from '../page/pageProtocol.ts';

/** The editor's API for talking to the host of a webview. */
export interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

/** The webview's end of the protocol. */
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
