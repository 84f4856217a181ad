import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { describeError, isAbort, toAppError, type AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { CommandId } from '../ids.ts';
import type { CommandServices, Deployments } from '../services.ts';

export interface CommandHostOptions {
  connections: ConnectionService;
  runs: { store: CommandServices['runs']; refresh(): Promise<void>; reload(): Promise<void>; watch(profileId: string, runId: string): void; loadMoreRuns(jobId: string | undefined): Promise<void>; showOutput(profileId: string, runId: string): Promise<void> };
  deployments: Deployments;
  log: Logger & { show(): void };
}

/** The commands as the editor calls them. */
export interface Commands extends vscode.Disposable {
  /** Runs a command; what goes wrong is shown and logged. @returns what the handler gave, undefined where it failed */
  run(id: CommandId, argument: unknown): Promise<unknown>;
}

/** The commands on jobs, runs and job files; the handlers and all they need are loaded when the first one is used. */
export function createCommands(options: CommandHostOptions): Commands {
  const comparisons = new Comparisons();
  const registration = vscode.workspace.registerTextDocumentContentProvider('millrace-compare', comparisons);
  let services: Promise<CommandServices> | undefined;
  const load = async (): Promise<CommandServices> => {
    const [{ createEditorUi }, { UnderWay }] = await Promise.all([import('./editorUi.ts'), import('../underWay.ts')]);
    const ui = createEditorUi({ showRunOutput: (profileId, runId) => options.runs.showOutput(profileId, runId), comparisons });
    return {
      connections: options.connections,
      runs: options.runs.store,
      refresh: () => options.runs.refresh(),
      reload: () => options.runs.reload(),
      watch: (profileId, runId) => options.runs.watch(profileId, runId),
      loadMoreRuns: (jobId) => options.runs.loadMoreRuns(jobId),
      deployments: options.deployments,
      underWay: new UnderWay(),
      ui,
    };
  };
  return {
    async run(id, argument) {
      try {
        services ??= load();
        const [{ handlers }, { targetOf }] = await Promise.all([import('../handlers.ts'), import('../target.ts')]);
        return await handlers[id](await services, targetOf(argument));
      } catch (error) {
        showFailure(error, options.log, id);
        return undefined;
      }
    },
    dispose: () => registration.dispose(),
  };
}

/** The one place where a command's failure becomes a message. */
export function showFailure(error: unknown, log: Logger & { show(): void }, what: string): void {
  if (isAbort(error)) return;
  const failure = toAppError(error);
  log.error(`${what}: ${failure.message}${failure.kind === 'internal' && failure.stack ? `\n${failure.stack}` : ''}`);
  const showLog = vscode.l10n.t('Show Log');
  const next = nextStep(failure);
  void vscode.window.showErrorMessage(describeError(failure), ...(next ? [next.title] : []), showLog).then((choice) => {
    if (choice === showLog) log.show();
    else if (choice !== undefined && next) void vscode.commands.executeCommand(next.command);
  });
}

function nextStep({ kind }: AppError): { title: string; command: string } | undefined {
  switch (kind) {
    case 'network':
    case 'tls':
    case 'timeout':
    case 'unauthenticated':
      return { title: vscode.l10n.t('Diagnose Connection'), command: 'millrace.profile.diagnose' };
    case 'untrusted':
      return { title: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' };
    default:
      return undefined;
  }
}

/** Texts to compare with, kept while their tab may be open. */
class Comparisons implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #count = 0;

  add(text: string, name: string): vscode.Uri {
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: 'millrace-compare', path: `/${this.#count}/${name}` });
    this.#texts.set(uri.toString(), text);
    // An old comparison that is opened again is rare; a window that keeps every text for ever is not wanted.
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > 20 && oldest !== undefined) this.#texts.delete(oldest);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? vscode.l10n.t('This comparison is no longer kept. Compare again.');
  }
}
