import * as vscode from 'vscode';
import type { Profile } from '../../connection/connection.ts';
import { internalCommands } from '../../shared/commandIds.ts';
import type { Event } from '../../shared/event.ts';
import { type LanguageLoader, withJson } from './languageLoader.ts';

interface Connections {
  readonly current: Pick<Profile, 'kind' | 'readOnly'>;
  readonly onDidChange: Event<unknown>;
}

/** Registers the lenses of a list of several tasks: its graph, and on the local service to run or debug each task, and each job of a bundle. */
export function registerTaskLenses(loader: LanguageLoader, connections: Connections): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const subscription = connections.onDidChange(() => changed.fire());
  const provider = vscode.languages.registerCodeLensProvider(withJson, {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(file) {
      // Most files have one task, and need no parser for their lenses.
      if (!file.getText().includes('task_key')) return [];
      const { kind, readOnly } = connections.current;
      const language = await loader.load();
      const lens = (at: { start: number; end: number }, title: string, command: string, ...args: unknown[]) =>
        new vscode.CodeLens(new vscode.Range(file.positionAt(at.start), file.positionAt(at.end)), {
          title,
          command,
          arguments: args,
        });
      const runsHere = kind === 'local' && !readOnly;
      const parsed = loader.parsed(language, file);
      const uri = file.uri.toString();
      // The jobs of a bundle are deployed by its own command line; here they can be tried.
      const ofBundle = runsHere ? language.bundleJobs(parsed) : [];
      const ofJobs = ofBundle.flatMap((job) => [
        lens(job, `$(play) ${vscode.l10n.t('Run Here')}`, 'millrace.job.runNow', { uri, jobKey: job.key }),
        ...(job.isDebuggable
          ? [lens(job, `$(debug-alt) ${vscode.l10n.t('Debug')}`, 'millrace.job.debug', { uri, jobKey: job.key })]
          : []),
      ]);
      const ofTasks = language.taskLists(parsed).flatMap(({ key, tasks, jobKey }) => [
        lens(
          key,
          `$(type-hierarchy-sub) ${vscode.l10n.t('Show Graph')}`,
          internalCommands.showGraph,
          file.uri,
          key.start,
        ),
        ...(runsHere ? tasks : []).flatMap((task) => {
          const target = { uri, jobKey, taskKey: task.name };
          return [
            lens(task, `$(play) ${vscode.l10n.t('Run Task')}`, 'millrace.job.runNow', target),
            ...(task.isDebuggable
              ? [lens(task, `$(debug-alt) ${vscode.l10n.t('Debug Task')}`, 'millrace.job.debug', target)]
              : []),
          ];
        }),
      ]);
      return [...ofJobs, ...ofTasks];
    },
  });
  return vscode.Disposable.from(provider, changed, { dispose: () => subscription.dispose() });
}
