import * as vscode from 'vscode';
import { describeError, isAbort, toAppError, type AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';

/**
 * Reports a failure to the user.
 * @param what for the log: the command's ID, or another description of the operation
 */
export type PresentFailure = (error: unknown, what: string) => void;

/**
 * Creates the only function that turns a failed command into a message: an abort is silent, everything else is logged and shown with "Show
 * Log" and, if there is one, a command that helps.
 */
export function createFailurePresenter(log: Logger & { show(): void }): PresentFailure {
  return (error, what) => {
    if (isAbort(error)) return;
    const failure = toAppError(error);
    log.error(`${what}: ${failure.message}${failure.kind === 'internal' && failure.stack ? `\n${failure.stack}` : ''}`);
    const showLog = vscode.l10n.t('Show Log');
    const next = nextStep(failure);
    void vscode.window
      .showErrorMessage(describeError(failure), ...(next ? [next.title] : []), showLog)
      .then((choice) => {
        if (choice === showLog) log.show();
        else if (choice !== undefined && next) void vscode.commands.executeCommand(next.command);
      });
  };
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
