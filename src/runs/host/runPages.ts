import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Connection } from '../../connection/connection.ts';
import { systemClock } from '../../shared/clock.ts';
import { read } from '../../shared/shape.ts';
import { shortened } from '../../shared/shortened.ts';
import { readTrace, type Trace } from '../output/failingPlace.ts';
import {
  emptyRunView,
  fromPage,
  noState,
  packed,
  pageSubject,
  type PageAction,
  type PageState,
  type PageSubject,
  type ToPage,
} from '../page/pageProtocol.ts';
import { runPageHtml } from '../page/runPageHtml.ts';
import { RunPageSession } from '../page/runPageSession.ts';
import { usualMs } from '../page/runStrip.ts';
import { stateOf } from '../page/runView.ts';
import { tabIcon, type DeclaredColor } from '../page/tabIcon.ts';
import { runLabel } from '../rowWords.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun } from '../runStore.ts';
import { chosen } from './chosenAction.ts';
import { frameOf, placeLabel } from './failingFrame.ts';
import { jobPage, type JobPageOptions, type PageContent, type PageHost } from './jobPage.ts';
import { RunProblems } from './runProblems.ts';
import { WorkspacePlaces, type WorkspacePlace } from './workspacePlaces.ts';

export interface RunPagesOptions extends JobPageOptions {
  readonly context: Pick<vscode.ExtensionContext, 'extension' | 'extensionUri' | 'workspaceState'>;
  readonly viewType: string;
  presentFailure(error: unknown, what: string): void;
}

/** Which pages are open, by the title of their tab: a page that has forgotten what it is of is found again by it. */
const openPagesKey = 'millrace.openPages';
const maxKept = 100;
/** No output is that long: the service then gives only what the run left beside it. */
const behindAllOutput = 999_999_999;

/** What the buttons of the pages do. */
const commandOfAction: Readonly<Record<string, string>> = {
  explain: 'millrace.run.askChat',
  fix: 'millrace.run.fix',
  debug: 'millrace.run.debugFailure',
  cancel: 'millrace.run.cancel',
  repeat: 'millrace.run.repeat',
  repeatWithChanges: 'millrace.run.repeatWithChanges',
  compare: 'millrace.run.compare',
  curl: 'millrace.run.copyAsCurl',
  replay: 'millrace.run.replay',
  text: 'millrace.run.showOutput',
  export: 'millrace.run.export',
  browser: 'millrace.run.openPage',
};

/** A message has room for so much of what was raised. */
const maxCauseLength = 200;

interface OpenPage {
  readonly panel: vscode.WebviewPanel;
  readonly subject: PageSubject;
}

/** The pages of runs and jobs in tabs of the editor. */
export class RunPages implements vscode.Disposable {
  readonly #options: RunPagesOptions;
  readonly #pages = new Map<string, OpenPage>();
  readonly #problems = new RunProblems();

  constructor(options: RunPagesOptions) {
    this.#options = options;
  }

  /** Shows the page, the one that is open if there is one. */
  open(subject: PageSubject, title = nameOf(subject)): void {
    const open = this.#pages.get(keyOf(subject));
    if (open) {
      open.panel.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel(this.#options.viewType, tabName(title), vscode.ViewColumn.Active, {
      ...this.#webviewOptions(),
      // What was read of the output and where somebody stands in it is kept while another tab is in front.
      retainContextWhenHidden: true,
    });
    this.#attach(panel, subject);
  }

  /**
   * A run has ended: where it failed is marked in its file, and a good one takes the mark of its job away.
   * @returns what was raised, and where, in a line
   */
  async ended({ client, profile }: Connection, { run, job }: FinishedRun): Promise<string | undefined> {
    const { phase } = runStatus(run);
    if (phase === 'succeeded') this.#problems.clear(profile.id, run);
    // Other services would give all of the output with it.
    if (phase !== 'failed' || profile.kind !== 'local') return undefined;
    const left = await client.localService.runOutput(
      { runId: run.run_id, offset: behindAllOutput, wait: false },
      { retry: 'fail' },
    );
    const trace = readTrace(left.errorTrace ?? '');
    if (!trace) return undefined;
    const place = await this.#mark(profile.id, run, runLabel(run, job), trace, new WorkspacePlaces(() => run));
    if (trace.error === undefined) return undefined;
    const error = trace.error.slice(0, maxCauseLength);
    return place ? vscode.l10n.t('{0} ({1})', error, placeLabel(place)) : error;
  }

  /** Marks the innermost line of the trace that is in the workspace. */
  async #mark(
    profileId: string,
    run: Run,
    name: string,
    trace: Trace,
    places: WorkspacePlaces,
  ): Promise<WorkspacePlace | undefined> {
    const { connections, runs } = this.#options;
    // The job may be well since.
    if (connections.current.id === profileId && run.job_id !== undefined)
      for (const each of runs.store.runsOf(run.job_id)?.runs ?? [])
        if (runStatus(each).phase === 'succeeded') this.#problems.clear(profileId, each);
    for (const step of trace.steps.slice(0, 50)) {
      const place = await places.place(step.file, step.line);
      if (!place) continue;
      const cell = place.cell === undefined ? undefined : await cellUri(place.uri, place.cell);
      const error = trace.error ?? vscode.l10n.t('the run failed');
      this.#problems.set(profileId, { run, name, place: cell ? { uri: cell, line: place.line } : place, error });
      return place;
    }
    return undefined;
  }

  /** A tab of the window before it was loaded anew. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const subject = read(pageSubject, state) ?? read(pageSubject, this.#kept()[panel.title]);
    panel.webview.options = this.#webviewOptions();
    if (subject) this.#attach(panel, subject);
    else this.#attachForgotten(panel);
  }

  #attach(panel: vscode.WebviewPanel, subject: PageSubject): void {
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
      // It goes on otherwise, or was deleted, it may be: the service says what there is of it.
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
        this.#rename(panel, tabName(title), subject);
        draw(state);
      },
      open: (other, title) => this.open(other, title),
    };
    const content = subject.kind === 'job' ? jobPage(subject, host, this.#options) : this.#runPage(subject, host);
    const subscriptions = [
      webview.onDidReceiveMessage((value: unknown) => {
        const message = read(fromPage, value);
        if (!message) return;
        const done = chosen(message, more).then((one) => content.act(one));
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
      this.#forget(panel.title);
    });
    this.#pages.set(key, { panel, subject });
    this.#rename(panel, panel.title, subject);
    webview.html = this.#html(webview, subject);
  }

  /** Whether the store has what there is of the profile now. */
  #isShown({ profileId }: Pick<PageSubject, 'profileId'>): boolean {
    const { connections, runs } = this.#options;
    return connections.current.id === profileId && runs.store.freshness.kind === 'fresh';
  }

  /** What a tab tells that nobody looks at: how it ended, as far as that is known. What goes on may end meanwhile. */
  #unseenState({ kind, profileId, id }: PageSubject, seen: PageState): PageState {
    const { store } = this.#options.runs;
    const run = this.#isShown({ profileId }) ? store[kind === 'job' ? 'latestRun' : 'run'](id) : undefined;
    const status = run && runStatus(run);
    if (status?.terminal) return stateOf(status);
    return kind === 'job' || /^(?:loading|clock|sync-ignored)$/.test(seen.icon) ? noState : seen;
  }

  #runPage({ profileId, id: runId }: PageSubject, host: PageHost): PageContent {
    const { connections } = this.#options;
    const places = new WorkspacePlaces(() => session.run);
    const session: RunPageSession = new RunPageSession(runId, {
      clock: systemClock,
      profile: () => connections.profiles.find((profile) => profile.id === profileId),
      connect: (how) => connections.connectTo(profileId, how),
      post: host.post,
      setTitle: host.setTitle,
      usualMs: ({ job_id: jobId = '' }) =>
        connections.current.id === profileId ? usualMs(this.#options.runs.store.runsOf(jobId)?.runs ?? []) : undefined,
      locate: async (steps) => frameOf(steps, places, session.run),
      ended: (run, job, trace) => {
        const { phase } = runStatus(run);
        if (phase === 'succeeded') this.#problems.clear(profileId, run);
        else if (phase === 'failed' && trace)
          this.#mark(profileId, run, runLabel(run, job), trace, places).catch(() => undefined);
      },
    });
    return {
      resume: () => session.resume(),
      pause: () => session.pause(),
      async act(message) {
        switch (message.type) {
          case 'ready':
            session.restart();
            break;
          case 'taken':
            session.taken();
            break;
          case 'action': {
            const command = Object.hasOwn(commandOfAction, message.id) ? commandOfAction[message.id] : undefined;
            const jobId = session.run?.job_id;
            if (message.id === 'retry') session.retry();
            else if (message.id === 'jobFile' && jobId !== undefined)
              await vscode.commands.executeCommand('millrace.job.openAsFile', { profileId, jobId });
            else if (command !== undefined) await vscode.commands.executeCommand(command, { profileId, runId });
            break;
          }
          case 'openPlace':
            await places.show(message.place);
            break;
          case 'openRun':
            host.open({ kind: 'run', profileId, id: message.runId }, session.runLabel(message.runId));
            break;
          case 'openJob':
            host.open({ kind: 'job', profileId, id: message.jobId });
            break;
          case 'findFiles': {
            const found = await Promise.all(
              message.files.map(async (file) => [file, await places.file(file)] as const),
            );
            host.post({
              type: 'files',
              found: found.flatMap(([file, uri]) => (uri ? [file] : [])),
              missing: found.flatMap(([file, uri]) => (uri ? [] : [file])),
            });
            break;
          }
          case 'copy':
            await vscode.env.clipboard.writeText(message.text);
            break;
        }
      },
    };
  }

  /** Says so and offers to choose the run again; the tab stays, since somebody had it open. */
  #attachForgotten(panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const notice = {
      text: vscode.l10n.t('What this page showed could not be restored.'),
      detail: vscode.l10n.t('The editor did not remember which run this was. Its tab was named "{0}".', panel.title),
      actions: [{ id: 'openAgain', label: vscode.l10n.t('Open Again…'), primary: true }],
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
    return runPageHtml({
      nonce: randomBytes(24).toString('base64url'),
      scripts: [file('runs.js')],
      style: file('runs.css'),
      language: vscode.l10n.bundle === undefined ? 'en' : vscode.env.language,
      texts: vscode.l10n.bundle,
      subject,
    });
  }

  #webviewOptions(): vscode.WebviewOptions {
    return { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots: [this.#folder()] };
  }

  #folder(): vscode.Uri {
    return vscode.Uri.joinPath(this.#options.context.extensionUri, 'dist', 'webview');
  }

  #kept(): Readonly<Record<string, unknown>> {
    return this.#options.context.workspaceState.get<Record<string, unknown>>(openPagesKey) ?? {};
  }

  #keep(pages: Readonly<Record<string, unknown>>): void {
    const newest = Object.entries(pages).slice(-maxKept);
    this.#options.context.workspaceState
      .update(openPagesKey, Object.fromEntries(newest))
      .then(undefined, () => undefined);
  }

  #rename(panel: vscode.WebviewPanel, title: string, subject: PageSubject): void {
    const before = panel.title;
    if (before === title && this.#kept()[title] !== undefined) return;
    const { [before]: _, ...others } = this.#kept();
    if (before !== title) panel.title = title;
    this.#keep({ ...others, [title]: subject });
  }

  /** How the run, or the job's last one, went is seen among the tabs. */
  #draw(panel: vscode.WebviewPanel, state: PageState): void {
    const { contributes } = this.#options.context.extension.packageJSON as {
      contributes: { colors: readonly DeclaredColor[] };
    };
    const { light, dark } = tabIcon(state, contributes.colors);
    panel.iconPath = { light: vscode.Uri.parse(light), dark: vscode.Uri.parse(dark) };
  }

  #forget(title: string): void {
    const { [title]: _, ...others } = this.#kept();
    this.#keep(others);
  }

  dispose(): void {
    // The tabs stay: the window that comes after this one restores them.
    this.#pages.clear();
    this.#problems.dispose();
  }
}

async function cellUri(uri: vscode.Uri, cell: number): Promise<vscode.Uri | undefined> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  return cell < notebook.cellCount ? notebook.cellAt(cell).document.uri : undefined;
}

/** The editor gives a tab all the room that its name takes. */
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
