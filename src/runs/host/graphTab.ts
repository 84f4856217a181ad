import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { read } from '../../shared/shape.ts';
import { webviewPage } from '../../shared/webviewPage.ts';
import { fromPage, noState, type ToPage } from '../page/pageProtocol.ts';
import { depthsOf } from '../runTasks.ts';

/** A task of a job and the keys of those that it waits for. */
interface GraphTask {
  readonly key: string;
  readonly after: readonly string[];
}

/** The tab beside a job file that draws its tasks as a graph. */
export class GraphTab implements vscode.Disposable {
  readonly #folder: vscode.Uri;
  readonly #chosen = new vscode.EventEmitter<string>();
  #panel: vscode.WebviewPanel | undefined;
  #drawn: ToPage | undefined;

  /** The key of a task that the user chose in the graph. */
  readonly onDidChoose = this.#chosen.event;

  constructor({ extensionUri }: Pick<vscode.ExtensionContext, 'extensionUri'>) {
    this.#folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  }

  get isOpen(): boolean {
    return this.#panel !== undefined;
  }

  /**
   * Draws a graph; opens the tab if it is not open.
   * @param shown key of the task at the cursor
   */
  show(title: string, { tasks, shown }: { readonly tasks: readonly GraphTask[]; readonly shown?: string }): void {
    const depths = depthsOf(
      tasks.map(({ key, after }) => ({ task_key: key, depends_on: after.map((each) => ({ task_key: each })) })),
    );
    this.#drawn = {
      type: 'tasks',
      tasks: tasks.map(({ key, after }) => ({
        key,
        state: noState,
        words: '',
        duration: '',
        isHeldBack: false,
        depth: depths.get(key) ?? 0,
        upstream: [...after],
        isShown: key === shown,
      })),
    };
    this.#panel ??= this.#open();
    this.#panel.title = vscode.l10n.t('Tasks of {0}', title);
    this.#draw();
  }

  #open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      'millrace.graph',
      '',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots: [this.#folder] },
    );
    const { webview } = panel;
    const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(this.#folder, name)).toString();
    webview.onDidReceiveMessage((value: unknown) => {
      const message = read(fromPage, value);
      if (message?.type === 'ready') this.#draw();
      else if (message?.type === 'showTask') this.#chosen.fire(message.key);
    });
    panel.onDidDispose(() => (this.#panel = undefined));
    webview.html = webviewPage({
      nonce: randomBytes(24).toString('base64url'),
      scripts: [file('runs.js')],
      style: file('runs.css'),
      language: vscode.l10n.bundle === undefined ? 'en' : vscode.env.language,
      title: 'Millrace',
      data: { texts: vscode.l10n.bundle, graph: true },
    });
    return panel;
  }

  #draw(): void {
    if (this.#drawn) void this.#panel?.webview.postMessage(this.#drawn);
  }

  dispose(): void {
    this.#panel?.dispose();
    this.#chosen.dispose();
  }
}
