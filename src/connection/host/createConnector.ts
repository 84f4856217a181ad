import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ResumedIntent, RetryWait } from '../../api/client/index.ts';
import { internalCommands } from '../../shared/commandIds.ts';
import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { describeError } from '../../shared/errors.ts';
import { type Disposable, DisposableStore } from '../../shared/lifecycle.ts';
import { plainText } from '../../shared/text.ts';
import type { Profile, LocalServiceLauncher } from '../connection.ts';
import { Connector } from '../connector.ts';
import { type Countdown, countdownText, RetryCountdown } from '../retryCountdown.ts';
import { FileIntentStore } from './intentStore.ts';
import { nodeFetch } from './nodeFetch.ts';
import type { ProfileServices } from './profileServices.ts';

interface ConnectorNeeds {
  readonly launcher: () => Promise<LocalServiceLauncher>;
  readonly isProcessAlive: (id: number) => boolean;
}

/** Creates the connector with the editor's storage, prompts and transport. */
export function createConnector(services: ProfileServices, { launcher, isProcessAlive }: ConnectorNeeds): Connector {
  const { context, log, vault, question, disposables } = services;
  // A workspace is open in only one window, which has the folder to itself. Windows without a workspace share one, in which no window
  // resumes what another is about to send; the request's token makes it one run in any case.
  const intents = new FileIntentStore(
    path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'intents'),
    log,
    context.storageUri === undefined ? { isAlive: isProcessAlive } : {},
  );
  const progress = disposables.add(new RetryProgress());
  return disposables.add(
    new Connector({
      log,
      launcher,
      secretOf: (profile) => vault.get(profile),
      async runCommand(profile) {
        const { runTokenCommand } = await import('./tokenCommand.ts');
        return runTokenCommand(profile.command ?? '');
      },
      isTrusted: () => vscode.workspace.isTrusted,
      signInNeeded: (profile, error) => question.ask(profile, error),
      signInAccepted: (profile) => question.accepted(profile),
      clientOptions: { fetch: nodeFetch, onRetry: (wait) => progress.add(wait), onSkipped: tellOnce() },
      intents,
      resumed: tellResumed,
    }),
  );
}

/** Returns a function that reports each text only once, because every read of a list finds the same problems. */
function tellOnce(): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    told.add(text);
    void vscode.window.showWarningMessage(plainText(text));
  };
}

/** Reports the outcome of an interrupted run, which nobody is waiting for anymore. */
function tellResumed(profile: Profile, resumed: ResumedIntent): void {
  const asked = dateTimeFormat(undefined, { timeStyle: 'medium' }).format(resumed.intent.createdAt);
  if ('runId' in resumed) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'The run requested at {0}, when the editor closed, has been started on "{1}": run {2}.',
        asked,
        profile.name,
        resumed.runId,
      ),
    );
  } else {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'The run requested at {0}, when the editor closed, was not started on "{1}": {2}',
        asked,
        profile.name,
        describeError(resumed.error),
      ),
    );
  }
}

/** Shows that calls wait for an unhealthy service: a notification with a countdown, "Retry now" and Cancel. */
export class RetryProgress implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #countdown = this.#disposables.add(new RetryCountdown());
  #shown = false;

  constructor() {
    this.#disposables.add(vscode.commands.registerCommand(internalCommands.retryNow, () => this.#countdown.retryNow()));
    this.#disposables.add(
      this.#countdown.onDidChange((countdown) => {
        if (countdown && !this.#shown) void this.#show(countdown);
      }),
    );
  }

  add(wait: RetryWait): void {
    this.#countdown.add(wait);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #show(first: Countdown): Promise<void> {
    this.#shown = true;
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: 'Millrace', cancellable: true },
        (progress, token) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const report = (countdown: Countdown): void =>
            progress.report({
              message: `${plainText(countdown.reason)} ${countdownText(countdown)} [${vscode.l10n.t('Retry now')}](command:${internalCommands.retryNow})`,
            });
          report(first);
          const changes = this.#countdown.onDidChange((countdown) => (countdown ? report(countdown) : resolve()));
          const stop = token.onCancellationRequested(() => this.#countdown.stop());
          return promise.finally(() => {
            changes.dispose();
            stop.dispose();
          });
        },
      );
    } finally {
      this.#shown = false;
    }
  }
}
