import * as vscode from 'vscode';
import type { RetryWait } from '../../api/client/index.ts';
import { internalCommands } from '../../shared/commandIds.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import { plainText } from '../../shared/plainText.ts';
import { type Countdown, countdownText, RetryCountdown } from '../retryCountdown.ts';

/** Shows that calls wait for a service that is not well: a notification that counts down, with "Retry now" and Cancel to stop. */
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
