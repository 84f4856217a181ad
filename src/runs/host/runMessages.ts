import * as vscode from 'vscode';
import type { Profile } from '../../connection/connection.ts';
import { plainText } from '../../shared/plainText.ts';
import { attemptWords, isTriedAgain } from '../attempts.ts';
import { runLabel } from '../rowWords.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun } from '../store/runStore.ts';

type Policy = 'started' | 'all' | 'failed' | 'none';

/** What is known of a run that ended, beside the run. */
export interface RunEnding {
  readonly startedHere: boolean;
  readonly profile: Profile;
  /** What was raised, and where, in a line: it says more than the service's message ("The process exited with code 1."). */
  readonly cause?: string;
}

/**
 * Tells that a run ended, as the user's setting says; a failure is a warning, from which the run can be explained.
 * @param show shows a run of this profile, also if another one is chosen before the message is answered
 */
export function notifyFinished(
  { run, job }: FinishedRun,
  { startedHere, profile, cause }: RunEnding,
  show: (runId: string) => void,
): void {
  const policy = vscode.workspace.getConfiguration('millrace').get<Policy>('notifications.runFinished', 'started');
  const status = runStatus(run);
  const wanted =
    policy === 'all' || (policy === 'started' && startedHere) || (policy === 'failed' && status.phase !== 'succeeded');
  const isRetried = isTriedAgain(run, job?.settings);
  // Of a run with many attempts the first failure is news, and how it ends.
  if (!wanted || (policy === 'started' && isRetried && run.attempt_number)) return;
  const name = runLabel(run, job);
  const reason = cause ?? run.state?.state_message;
  const result = [status.label, attemptWords(run, job?.settings)].filter((part) => part !== undefined).join(', ');
  const text =
    status.phase === 'succeeded' || !reason
      ? vscode.l10n.t('{0} on {1}: {2}', name, profile.name, result)
      : vscode.l10n.t('{0} on {1}: {2}. {3}', name, profile.name, result, reason);
  const isGood = status.phase === 'succeeded';
  const showOutput = vscode.l10n.t('Show Output');
  const runAgain = vscode.l10n.t('Run Again');
  const explain = vscode.l10n.t('Explain');
  const fix = vscode.l10n.t('Fix…');
  const shown = isGood
    ? vscode.window.showInformationMessage(plainText(text), showOutput, runAgain)
    : vscode.window.showWarningMessage(
        plainText(text),
        // A run that was skipped did nothing: it wrote nothing, and nothing of it is to be mended.
        ...(status.phase === 'skipped'
          ? [runAgain, explain]
          : [showOutput, ...(isRetried ? [] : [runAgain]), explain, fix]),
      );
  void shown.then((choice) => {
    const target = { profileId: profile.id, runId: run.run_id };
    if (choice === showOutput) show(run.run_id);
    else if (choice === runAgain) void vscode.commands.executeCommand('millrace.run.repeat', target);
    else if (choice === explain) void vscode.commands.executeCommand('millrace.run.askChat', target);
    else if (choice === fix) void vscode.commands.executeCommand('millrace.run.fix', target);
  });
}
