import * as vscode from 'vscode';
import type { Profile } from '../../connection/connection.ts';
import type { CommandId } from '../../shared/commandIds.ts';
import type { Event } from '../../shared/event.ts';
import { bundleKeys } from '../model/bundleKeys.ts';
import type { DeploymentStates } from './deploymentStates.ts';
import type { Drift } from './drift.ts';
import { languageId } from './languageId.ts';

/** What can be done with the file on the profile, what others changed and the last run, above the first line that says something. */
export function registerLenses(
  states: DeploymentStates | undefined,
  drift: Drift | undefined,
  connections: { readonly current: Pick<Profile, 'kind' | 'readOnly'>; readonly onDidChange: Event<unknown> },
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const subscriptions = [
    // What the profile before would do is not offered a moment longer.
    connections.onDidChange(() => changed.fire()),
    states?.onDidChange(() => changed.fire()),
    drift?.onDidChangeFileDecorations(() => changed.fire()),
  ];
  const provider = vscode.languages.registerCodeLensProvider(languageId, {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses(file) {
      const line = firstLine(file);
      const lens = (title: string, command: string, ...args: unknown[]): vscode.CodeLens =>
        new vscode.CodeLens(new vscode.Range(line ?? 0, 0, line ?? 0, 0), { title, command, arguments: args });
      if (line === undefined)
        return file.getText().trim() === ''
          ? [lens(`$(sparkle) ${vscode.l10n.t('Start from a template')}`, 'editor.action.triggerSuggest')]
          : [];
      // The jobs of a bundle are deployed and run by its own command line.
      if (bundleKeys.includes(file.lineAt(line).text.split(':', 1)[0]?.trim() ?? '')) return [];
      const state = states?.stateOf(file.uri.toString());
      const { kind, readOnly } = connections.current;
      const lenses: vscode.CodeLens[] = [];
      const offer = (title: string, command: CommandId): unknown => lenses.push(lens(title, command, file.uri));
      if (!readOnly) {
        offer(`$(cloud-upload) ${vscode.l10n.t('Deploy')}`, 'millrace.jobFile.deploy');
        offer(`$(play) ${vscode.l10n.t('Run Now')}`, 'millrace.job.runNow');
        offer(vscode.l10n.t('Run with Parameters…'), 'millrace.job.runNowWithParameters');
        offer(vscode.l10n.t('Run Once'), 'millrace.jobFile.submit');
      }
      // Runs are debugged on this machine.
      if (kind === 'local') offer(`$(debug-alt) ${vscode.l10n.t('Debug')}`, 'millrace.job.debug');
      offer(`$(diff) ${vscode.l10n.t('Compare with Deployed')}`, 'millrace.jobFile.compare');
      const moved = drift?.of(file.uri);
      if (drift && moved) {
        const changed = vscode.l10n.t('Changed on {0}, seen {1}', moved.profileName, drift.ageOf(file.uri, moved));
        lenses.push(
          lens(`$(warning) ${changed}`, 'millrace.jobFile.compare', file.uri),
          lens(`$(cloud-download) ${vscode.l10n.t('Pull into File')}`, 'millrace.job.pull', file.uri),
        );
      }
      if (state?.lastRun)
        lenses.push(
          lens(vscode.l10n.t('Last run: {0}', state.lastRun.text), 'millrace.openRun', {
            profileId: state.profileId,
            jobId: state.jobId,
            runId: state.lastRun.runId,
          }),
        );
      return lenses;
    },
  });
  return vscode.Disposable.from(provider, changed, {
    dispose() {
      for (const subscription of subscriptions) subscription?.dispose();
    },
  });
}

/** Files start with comments; the lenses belong to the settings. */
function firstLine(file: vscode.TextDocument): number | undefined {
  for (let line = 0; line < Math.min(file.lineCount, 200); line++) {
    const text = file.lineAt(line).text.trim();
    if (text !== '' && !text.startsWith('#') && text !== '---') return line;
  }
  return undefined;
}
