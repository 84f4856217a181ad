import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Fields } from '../../shared/fields.ts';
import { read } from '../../shared/shape.ts';
import { shortened } from '../../shared/text.ts';
import { webviewPage } from '../../shared/webviewPage.ts';
import {
  emptyRunView,
  fromPage,
  type FromPage,
  noState,
  packed,
  type PageAction,
  type PageState,
  pageSubject,
  type PageSubject,
  type ToPage,
} from '../page/pageProtocol.ts';
import { stateOf } from '../page/runView.ts';
import { type DeclaredColor, tabIcon } from '../page/tabIcon.ts';
import { runStatus } from '../runState.ts';
import { FailureMarks } from './failureMarks.ts';
import { jobPage, type JobPageOptions } from './jobPage.ts';
import type { PageContent, PageHost } from './pageContent.ts';
import { runPageContent } from './runPageContent.ts';

export interface RunPagesOptions extends JobPageOptions {
  readonly context: Pick<vscode.ExtensionContext, 'extension' | 'extensionUri' | 'workspaceState'>;
  readonly viewType: string;
  presentFailure(error: unknown, what: string): void;
}

interface OpenPage {
  readonly panel: vscode.WebviewPanel;
  readonly content: PageContent;
  readonly subject: PageSubject;
}

/** The pages of runs and jobs in editor tabs. */
export class RunPages implements vscode.Disposable {
  /** The marks in files where runs failed. */
  readonly marks: FailureMarks;
  readonly #options: RunPagesOptions;
  readonly #pages = new Map<string, OpenPage>();
  readonly #kept: KeptPages;

  constructor(options: RunPagesOptions) {
    this.#options = options;
    this.#kept = new KeptPages(options.context.workspaceState);
    this.marks = new FailureMarks(options.connections, options.runs.store);
  }

  /**
   * Shows the page, reusing an open one.
   * @param taskKey the task of a run to show
   */
  open(subject: PageSubject, title = nameOf(subject), taskKey?: string): void {
    const open = this.#pages.get(keyOf(subject));
    if (open) {
      open.panel.reveal();
      if (taskKey !== undefined) void open.content.act({ type: 'showTask', key: taskKey });
      return;
    }
    const panel = vscode.window.createWebviewPanel(this.#options.viewType, tabName(title), vscode.ViewColumn.Active, {
      ...this.#webviewOptions(),
      // Keeps the output and the scroll position while another tab is in front.
      retainContextWhenHidden: true,
    });
    const content = this.#attach(panel, subject);
    if (taskKey !== undefined) void content.act({ type: 'showTask', key: taskKey });
  }

  /** The page in the active editor. */
  get active(): PageSubject | undefined {
    return [...this.#pages.values()].find(({ panel }) => panel.active)?.subject;
  }

  /** Restores a tab of the window before it was reloaded. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const subject = read(pageSubject, state) ?? read(pageSubject, this.#kept.subjectOf(panel.title));
    panel.webview.options = this.#webviewOptions();
    if (subject) this.#attach(panel, subject);
    else this.#attachForgotten(panel);
  }

  #attach(panel: vscode.WebviewPanel, subject: PageSubject): PageContent {
    const key = keyOf(subject);
    const { webview } = panel;
    let drawn: PageState | undefined;
    const draw = (state: PageState): void => {
      if (drawn?.icon === state.icon && drawn.tone === state.tone) return;
      drawn = state;
      this.#draw(panel, state);
    };
    const drawUnseen = (): void => {
      if (!panel.visible && drawn) draw(this.#unseenState(subject, drawn));
    };
    let known: string | undefined;
    let more: readonly PageAction[] = [];
    const look = (): void => {
      drawUnseen();
      const before = known;
      const run =
        subject.kind === 'run' && this.#isShown(subject) ? this.#options.runs.store.run(subject.id) : undefined;
      known = run && runStatus(run).phase;
      // The run may have changed state or been deleted: the service must be asked.
      if (before === undefined || before === known || !panel.visible || !this.#isShown(subject)) return;
      content.pause();
      content.resume();
    };
    const host: PageHost = {
      post(message) {
        if ('view' in message) more = message.view.more ?? [];
        void webview.postMessage(packed(message));
      },
      setTitle: (title, state) => {
        this.#setTitle(panel, tabName(title), subject);
        draw(state);
      },
      open: (other, title) => this.open(other, title),
    };
    const content = this.#contentOf(subject, host);
    const subscriptions = [
      webview.onDidReceiveMessage((value: unknown) => {
        const message = read(fromPage, value);
        if (!message) return;
        const done = pickAction(message, more).then((one) => content.act(one));
        done.catch((error: unknown) => this.#options.presentFailure(error, 'millrace.openRun'));
      }),
      panel.onDidChangeViewState(() => {
        if (panel.visible) return content.resume();
        content.pause();
        drawUnseen();
      }),
      this.#options.runs.store.onDidChange(look),
    ];
    panel.onDidDispose(() => {
      content.pause();
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#pages.get(key)?.panel === panel) this.#pages.delete(key);
      this.#kept.forget(panel.title);
    });
    this.#pages.set(key, { panel, subject, content });
    this.#setTitle(panel, panel.title, subject);
    webview.html = this.#html(webview, subject);
    return content;
  }

  #contentOf(subject: PageSubject, host: PageHost): PageContent {
    const { connections, runs } = this.#options;
    return subject.kind === 'job'
      ? jobPage(subject, host, this.#options)
      : runPageContent(subject, host, { connections, store: runs.store, marks: this.marks });
  }

  /** Returns whether the store holds the current data of the profile. */
  #isShown({ profileId }: Pick<PageSubject, 'profileId'>): boolean {
    const { connections, runs } = this.#options;
    return connections.current.id === profileId && runs.store.freshness.kind === 'fresh';
  }

  /** Returns the state of a hidden tab: how the run ended, if known. An active run may end in the meantime. */
  #unseenState({ kind, profileId, id }: PageSubject, seen: PageState): PageState {
    const { store } = this.#options.runs;
    const run = this.#isShown({ profileId }) ? store[kind === 'job' ? 'latestRun' : 'run'](id) : undefined;
    const status = run && runStatus(run);
    if (status?.terminal) return stateOf(status);
    return kind === 'job' || /^(?:loading|clock|sync-ignored)$/.test(seen.icon) ? noState : seen;
  }

  /** Reports that the page lost its run and offers to select it again; the tab stays, since the user had it open. */
  #attachForgotten(panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const notice = {
      text: vscode.l10n.t('This page could not be restored.'),
      detail: vscode.l10n.t('The editor does not remember which run this was. Its tab was named "{0}".', panel.title),
      actions: [{ id: 'openAgain', label: vscode.l10n.t('Reopen…'), primary: true }],
    };
    const subscription = webview.onDidReceiveMessage((value: unknown) => {
      const message = read(fromPage, value);
      if (message?.type === 'ready')
        void webview.postMessage({ type: 'run', view: emptyView(panel.title, notice) } satisfies ToPage);
      else if (message?.type === 'action') void vscode.commands.executeCommand('millrace.openRun');
    });
    panel.onDidDispose(() => subscription.dispose());
    webview.html = this.#html(webview, undefined);
  }

  #html(webview: vscode.Webview, subject: PageSubject | undefined): string {
    const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(this.#folder(), name)).toString();
    return webviewPage({
      nonce: randomBytes(24).toString('base64url'),
      scripts: [file('runs.js')],
      style: file('runs.css'),
      language: vscode.l10n.bundle === undefined ? 'en' : vscode.env.language,
      title: 'Millrace',
      // The texts are undefined if the editor speaks English. The page keeps its subject as its state at once.
      data: { texts: vscode.l10n.bundle, subject },
    });
  }

  #webviewOptions(): vscode.WebviewOptions {
    return { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots: [this.#folder()] };
  }

  #folder(): vscode.Uri {
    return vscode.Uri.joinPath(this.#options.context.extensionUri, 'dist', 'webview');
  }

  #setTitle(panel: vscode.WebviewPanel, title: string, subject: PageSubject): void {
    const before = panel.title;
    if (before !== title) panel.title = title;
    this.#kept.keep(title, subject, before);
  }

  /** Draws the result of the run, or of the job's last run, in the tab. */
  #draw(panel: vscode.WebviewPanel, state: PageState): void {
    const { contributes } = this.#options.context.extension.packageJSON as {
      contributes: { colors: readonly DeclaredColor[] };
    };
    const { light, dark } = tabIcon(state, contributes.colors);
    panel.iconPath = { light: vscode.Uri.parse(light), dark: vscode.Uri.parse(dark) };
  }

  dispose(): void {
    // The tabs stay open: the next window restores them.
    this.#pages.clear();
    this.marks.dispose();
  }
}

/** Shortens a title, because the editor does not limit the width of a tab. */
function tabName(title: string): string {
  return shortened(title, 100);
}

function nameOf({ kind, id }: PageSubject): string {
  return kind === 'job' ? vscode.l10n.t('Job {0}', id) : vscode.l10n.t('Run {0}', id);
}

function keyOf({ kind, profileId, id }: PageSubject): string {
  return `${kind} ${profileId} ${id}`;
}

function emptyView(
  title: string,
  notice: NonNullable<Extract<ToPage, { type: 'run' }>['view']['notice']>,
): Extract<ToPage, { type: 'run' }>['view'] {
  return {
    ...emptyRunView,
    title,
    subtitle: '',
    notice,
    output: { note: '', isGoing: false, end: '' },
  };
}

/**
 * Returns the action to run: asks the user to pick one of the actions without a button. If none is picked, returns an action that does
 * nothing.
 */
async function pickAction(message: FromPage, more: readonly PageAction[]): Promise<FromPage> {
  if (message.type !== 'action' || message.id !== 'more') return message;
  const choice = await vscode.window.showQuickPick(more.map(({ id, label }) => ({ id, label })));
  return { type: 'action', id: choice?.id ?? '' };
}

const openPagesKey = 'millrace.openPages';
const maxKept = 100;

/** The open pages by the title of their tab: a page that lost its state is found again by its title. */
class KeptPages {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Returns the stored subject of the page with this title, unvalidated: anybody may have written it. */
  subjectOf(title: string): unknown {
    return this.#all()[title];
  }

  /** Stores that the page is open under this title and no longer under its earlier one, which may be the same. */
  keep(title: string, subject: PageSubject, before: string): void {
    const { [before]: known, ...others } = this.#all();
    if (before !== title || known === undefined) this.#write({ ...others, [title]: subject });
  }

  forget(title: string): void {
    const { [title]: _, ...others } = this.#all();
    this.#write(others);
  }

  #all(): Fields {
    return this.#state.get<Fields>(openPagesKey) ?? {};
  }

  #write(pages: Fields): void {
    const newest = Object.entries(pages).slice(-maxKept);
    this.#state.update(openPagesKey, Object.fromEntries(newest)).then(undefined, () => undefined);
  }
}
