import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { InlayHint, JobDocument, JobFileService } from '../services/jobFileService.ts';
import { isOn } from './editorSettings.ts';
import { languageId } from './languageId.ts';
import type { LanguageLoader } from './languageLoader.ts';
import { localRoot, severalFolders } from './localRoot.ts';

/** A next run that is further away is looked at again before it: clocks are set, and machines sleep. */
const maxWaitInMs = 3_600_000;

/** Shows schedules in words behind their expressions, and keeps the next run right while the file is in sight. */
export function registerInlayHints(loader: LanguageLoader, connections: ConnectionService): vscode.Disposable {
  const disposables = new DisposableStore();
  const changed = disposables.add(new vscode.EventEmitter<void>());
  let waiting: NodeJS.Timeout | undefined;
  let untilMs = Infinity;
  disposables.add({ dispose: () => clearTimeout(waiting) });
  const changeAt = (atMs: number | undefined): void => {
    if (atMs === undefined || atMs >= untilMs) return;
    clearTimeout(waiting);
    untilMs = atMs;
    waiting = setTimeout(
      () => {
        untilMs = Infinity;
        changed.fire();
      },
      Math.min(maxWaitInMs, Math.max(1000, atMs - Date.now())),
    );
  };
  disposables.add(connections.onDidChange(() => changed.fire()));
  disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()));
  disposables.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('millrace.jobFile.inlayHints')) changed.fire();
    }),
  );
  disposables.add(
    vscode.languages.registerInlayHintsProvider(languageId, {
      onDidChangeInlayHints: changed.event,
      async provideInlayHints(file, range, token) {
        if (!isOn('inlayHints', file)) return [];
        const language = await loader.load();
        if (token.isCancellationRequested) return [];
        const document = loader.parsed(language, file);
        const found = [...language.inlayHints(document), ...folderHints(language, document, connections)];
        return found.flatMap(({ offset, label, validUntilMs }) => {
          const position = file.positionAt(offset);
          if (!range.contains(position)) return [];
          changeAt(validUntilMs);
          const hint = new vscode.InlayHint(position, label);
          hint.paddingLeft = true;
          return [hint];
        });
      },
    }),
  );
  return disposables;
}

/** Of several folders one is what `/` means to the local service: that is said at each path. */
function folderHints(
  language: JobFileService,
  document: JobDocument,
  connections: ConnectionService,
): readonly InlayHint[] {
  const folder = localRoot();
  if (!folder || !severalFolders() || connections.current.kind !== 'local') return [];
  const label = vscode.l10n.t('/ is the folder {0}', folder.name);
  return language.fileReferences(document).map(({ end }) => ({ offset: end, label }));
}
