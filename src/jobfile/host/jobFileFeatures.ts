import * as vscode from 'vscode';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { bundleKeys } from '../../shared/bundleKeys.ts';
import { type CommandId, internalCommands } from '../../shared/commandIds.ts';
import type { Event } from '../../shared/event.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { FileReference, InlayHint, JobDocument, JobFileService } from '../services/jobFileService.ts';
import type { DeploymentStates } from './deploymentStates.ts';
import { Diagnostics } from './diagnostics.ts';
import { Drift } from './drift.ts';
import { type GraphTab, registerGraph } from './graphFollower.ts';
import { languageId, LanguageLoader, withJson } from './languageLoader.ts';
import { fileOf, localRoot, severalFolders } from './localRoot.ts';
import { MissingFiles } from './missingFiles.ts';
import { registerProviders } from './providers.ts';
import { registerTaskLenses } from './taskLenses.ts';
import { WorkspaceValues } from './workspaceValues.ts';

/** Dependencies of the job file language. */
export interface JobFileNeeds {
  readonly connections: ConnectionService;
  readonly log: vscode.LogOutputChannel;
  /** The deployment states of files, for the code lenses. */
  readonly deployments?: DeploymentStates;
  readonly graph: GraphTab;
}

/** The language's features, and the jobs that others changed. */
export interface JobFileFeatures extends vscode.Disposable {
  readonly drift: Drift | undefined;
}

/** Creates the diagnostics, completion, hovers, outline, quick fixes, lenses, and pasting of JSON as YAML. */
export function createJobFileFeatures({ connections, log, deployments, graph }: JobFileNeeds): JobFileFeatures {
  const loader = new LanguageLoader({
    liveValues: new WorkspaceValues(connections, log),
    locale: vscode.env.language,
  });
  const missingFiles = new MissingFiles(connections);
  const marks = new Diagnostics(loader, missingFiles, (error) =>
    log.error('A job file could not be checked.', error instanceof Error ? error : String(error)),
  );
  const drift = deployments && new Drift(loader, deployments);
  const all = vscode.Disposable.from(
    marks,
    missingFiles,
    registerProviders(loader, marks),
    registerFormatting(loader),
    registerInlayHints(loader, connections),
    registerLinks(loader, connections),
    registerGraph(loader, graph),
    registerTaskLenses(loader, connections),
    registerLenses(deployments, drift, connections),
    ...(drift ? [drift] : []),
    registerPasteJson(loader),
  );
  return { drift, dispose: () => void all.dispose() };
}

/** Registers Format Document for job files. It changes only white space. */
function registerFormatting(loader: LanguageLoader): vscode.Disposable {
  return vscode.languages.registerDocumentFormattingEditProvider(languageId, {
    async provideDocumentFormattingEdits(file, _options, token) {
      if (!isOn('format', file)) return [];
      const language = await loader.load();
      if (token.isCancellationRequested) return [];
      // The user's configured width: the editor's guess comes from the unformatted file.
      const indent = vscode.workspace.getConfiguration('editor', file).get('tabSize', 2);
      return language
        .format(loader.parsed(language, file), { indent })
        .map(({ start, end, text }) =>
          vscode.TextEdit.replace(new vscode.Range(file.positionAt(start), file.positionAt(end)), text),
        );
    },
  });
}

const kind = vscode.DocumentDropOrPasteEditKind.Text.append('yaml', 'fromJson');

/** Registers pasting of JSON as YAML; the paste menu still offers plain JSON. */
function registerPasteJson(loader: LanguageLoader): vscode.Disposable {
  return vscode.languages.registerDocumentPasteEditProvider(
    languageId,
    {
      async provideDocumentPasteEdits(file, ranges, data, _context, token) {
        const clipboard = await data.get('text/plain')?.asString();
        const [range] = ranges;
        if (clipboard === undefined || ranges.length !== 1 || !range || token.isCancellationRequested) return undefined;
        const { pasteJson } = await loader.load();
        const start = file.offsetAt(range.start);
        const text = file.getText();
        const yaml = pasteJson(clipboard, text.slice(0, start) + text.slice(file.offsetAt(range.end)), start);
        if (yaml === undefined) return undefined;
        // A snippet would interpret "$" and "}".
        return [new vscode.DocumentPasteEdit(yaml, vscode.l10n.t('Insert JSON as YAML'), kind)];
      },
    },
    { providedPasteEditKinds: [kind], pasteMimeTypes: ['text/plain'] },
  );
}

/**
 * Registers links and Go to Definition from paths of programs and notebooks to their files, from an alias to its anchor, and from a name
 * to the entry of the job that has it. On services other than the local one, the same path is a different file; the paths of a bundle are
 * relative to its own files.
 */
function registerLinks(loader: LanguageLoader, connections: ConnectionService): vscode.Disposable {
  const referencesOf = async (file: vscode.TextDocument): Promise<{ reference: FileReference; uri: vscode.Uri }[]> => {
    const language = await loader.load();
    const document = loader.parsed(language, file);
    const folder = connections.current.kind === 'local' ? localRoot() : undefined;
    const own = { uri: vscode.Uri.joinPath(file.uri, '..') };
    const places = [
      ...(folder ? language.fileReferences(document) : []).map((reference) => ({ reference, from: folder ?? own })),
      ...language.bundleFiles(document).map((reference) => ({ reference, from: own })),
    ];
    const found = places.map(async ({ reference, from }) => {
      const uri = await fileOf(from, reference);
      return uri ? [{ reference, uri }] : [];
    });
    return (await Promise.all(found)).flat();
  };
  const rangeOf = (file: vscode.TextDocument, { start, end }: { start: number; end: number }): vscode.Range =>
    new vscode.Range(file.positionAt(start), file.positionAt(end));
  return vscode.Disposable.from(
    vscode.languages.registerDocumentLinkProvider(withJson, {
      provideDocumentLinks: async (file) =>
        (await referencesOf(file)).map(({ reference, uri }) => new vscode.DocumentLink(rangeOf(file, reference), uri)),
    }),
    vscode.languages.registerDefinitionProvider(withJson, {
      async provideDefinition(file, position) {
        const offset = file.offsetAt(position);
        const language = await loader.load();
        const place = language.definitionOf(loader.parsed(language, file), offset);
        if (place) return new vscode.Location(file.uri, rangeOf(file, place));
        const found = (await referencesOf(file)).find(
          ({ reference }) => offset >= reference.start && offset <= reference.end,
        );
        return found && new vscode.Location(found.uri, new vscode.Range(0, 0, 0, 0));
      },
    }),
  );
}

/** Maximum wait for a distant next run before it is computed again: clocks are changed, and machines sleep. */
const maxWaitInMs = 3_600_000;

/** Shows schedules in words after their expressions, and updates the next run while the file is visible. */
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
    vscode.languages.registerInlayHintsProvider(withJson, {
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

/** In a workspace with several folders, one of them is `/` for the local service: each path shows which. */
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

/** Language features that a user can turn off: `millrace.jobFile.…`. */
type Switch = 'format' | 'inlayHints';

function isOn(name: Switch, file: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration('millrace.jobFile', file).get(name, true);
}

/** Maximum lenses in a row before "More…": a narrow editor cuts a longer row. */
const maxLenses = 4;

/** Carries out one of the actions that have no lens of their own. */
async function pickAction(actions: readonly vscode.Command[]): Promise<void> {
  const items = actions.map((action) => ({ label: action.title, action }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('What to do with the job file'),
  });
  if (picked)
    await vscode.commands.executeCommand(picked.action.command, ...((picked.action.arguments ?? []) as unknown[]));
}

/**
 * Registers the lenses above the first line with content: the main actions for the file on the current profile, changes by others and the
 * last run.
 */
export function registerLenses(
  states: DeploymentStates | undefined,
  drift: Drift | undefined,
  connections: { readonly current: Pick<Profile, 'kind' | 'readOnly'>; readonly onDidChange: Event<unknown> },
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const subscriptions = [
    // Remove the old profile's actions at once.
    connections.onDidChange(() => changed.fire()),
    states?.onDidChange(() => changed.fire()),
    drift?.onDidChangeFileDecorations(() => changed.fire()),
  ];
  const provider = vscode.languages.registerCodeLensProvider(withJson, {
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
      const keys = [...file.getText().matchAll(/^["']?(\w{1,50})["']?:/gm)].map(([, key = '']) => key);
      if (!keys.includes('name') && keys.some((key) => bundleKeys.includes(key))) return [];
      const state = states?.stateOf(file.uri.toString());
      const { kind, readOnly } = connections.current;
      const action = (title: string, command: CommandId, ...args: unknown[]): vscode.Command => ({
        title,
        command,
        arguments: args.length > 0 ? args : [file.uri],
      });
      // By rank: those behind the fourth go behind "More…".
      const actions: vscode.Command[] = [];
      if (!readOnly)
        actions.push(
          action(`$(cloud-upload) ${vscode.l10n.t('Deploy')}`, 'millrace.jobFile.deploy'),
          action(`$(play) ${vscode.l10n.t('Run Now')}`, 'millrace.job.runNow'),
        );
      const moved = drift?.of(file.uri);
      const compare = action(`$(diff) ${vscode.l10n.t('Compare with Deployed')}`, 'millrace.jobFile.compare');
      if (drift && moved) {
        const words = vscode.l10n.t('Changed on {0}, seen {1}', moved.profileName, drift.ageOf(file.uri, moved));
        actions.push({ ...compare, title: `$(warning) ${words}` });
      }
      if (state?.lastRun)
        actions.push(
          action(vscode.l10n.t('Last run: {0}', state.lastRun.text), 'millrace.openRun', {
            profileId: state.profileId,
            jobId: state.jobId,
            runId: state.lastRun.runId,
          }),
        );
      // Only local runs can be debugged.
      if (kind === 'local') actions.push(action(`$(debug-alt) ${vscode.l10n.t('Debug')}`, 'millrace.job.debug'));
      if (moved) actions.push(action(`$(cloud-download) ${vscode.l10n.t('Pull into File')}`, 'millrace.job.pull'));
      else actions.push(compare);
      if (!readOnly)
        actions.push(
          action(vscode.l10n.t('Run with Parameters…'), 'millrace.job.runNowWithParameters'),
          action(vscode.l10n.t('Run Once'), 'millrace.jobFile.submit'),
        );
      const more = actions.splice(maxLenses);
      const lenses = actions.map(({ title, command, arguments: args = [] }) =>
        lens(title, command, ...(args as unknown[])),
      );
      if (more.length > 0) lenses.push(lens(vscode.l10n.t('More…'), internalCommands.moreActions, more));
      return lenses;
    },
  });
  const pick = vscode.commands.registerCommand(internalCommands.moreActions, pickAction);
  return vscode.Disposable.from(provider, pick, changed, {
    dispose() {
      for (const subscription of subscriptions) subscription?.dispose();
    },
  });
}

/** Returns the first line with settings, because files often start with comments. */
function firstLine(file: vscode.TextDocument): number | undefined {
  for (let line = 0; line < Math.min(file.lineCount, 200); line++) {
    const text = file.lineAt(line).text.trim();
    if (text !== '' && !text.startsWith('#') && text !== '---') return line;
  }
  return undefined;
}
