import type { ToPage } from '../../../src/runs/page/pageProtocol.ts';
import { standIn } from './editorStandIn.ts';

/** A tab of the editor with a page in it. */
export class FakePanel {
  title: string;
  visible = true;
  revealed = 0;
  readonly posted: ToPage[] = [];
  readonly #received = new standIn.EventEmitter<unknown>();
  iconPath?: { light: standIn.Uri; dark: standIn.Uri };
  readonly #viewState = new standIn.EventEmitter<unknown>();
  readonly #disposed = new standIn.EventEmitter<unknown>();
  readonly onDidChangeViewState = this.#viewState.event;
  readonly onDidDispose = this.#disposed.event;
  readonly webview = {
    html: '',
    options: {},
    onDidReceiveMessage: this.#received.event,
    asWebviewUri: (uri: standIn.Uri) => uri,
    postMessage: async (message: ToPage) => this.posted.push(message) > 0,
  };

  constructor(title: string) {
    this.title = title;
  }
  reveal(): void {
    this.revealed += 1;
  }
  async says(message: unknown): Promise<void> {
    this.#received.fire(message);
    await settle();
  }
  show(isVisible: boolean): void {
    this.visible = isVisible;
    this.#viewState.fire(undefined);
  }
  close(): void {
    this.#disposed.fire(undefined);
  }
}

/** Lets go on what waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
