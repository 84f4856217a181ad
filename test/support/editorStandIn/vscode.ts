/**
 * What `vscode` is for unit tests: values that hold what they are given, and functions that note down what was asked of the editor and answer
 * what the test has said. Only what the hosts use is here; see `editorStandIn.ts` for how a test gets it.
 */

import {
  ConfigurationTarget,
  Disposable,
  EventEmitter,
  FileType,
  type Listener,
  Uri,
  type WorkspaceEdit,
} from './values.ts';

export * from './values.ts';

/** A message that was shown, or a question that was asked. */
export interface Shown {
  readonly kind: 'information' | 'warning' | 'error';
  readonly text: string;
  readonly options?: { modal?: boolean; detail?: string };
  readonly actions: readonly string[];
}

interface Box {
  [name: string]: unknown;
  isShown: boolean;
  isDisposed: boolean;
  readonly events: Record<'accept' | 'hide' | 'button' | 'itemButton' | 'value', EventEmitter<never>>;
}

const emitters = () => ({
  opened: new EventEmitter<unknown>(),
  closed: new EventEmitter<unknown>(),
  saved: new EventEmitter<unknown>(),
  changed: new EventEmitter<unknown>(),
  theme: new EventEmitter<unknown>(),
  settings: new EventEmitter<{ affectsConfiguration(name: string): boolean }>(),
  trusted: new EventEmitter<void>(),
  folders: new EventEmitter<unknown>(),
  windowState: new EventEmitter<unknown>(),
  visibility: new EventEmitter<unknown>(),
  expanded: new EventEmitter<unknown>(),
  collapsed: new EventEmitter<unknown>(),
  selection: new EventEmitter<unknown>(),
  textSelection: new EventEmitter<unknown>(),
  activeEditor: new EventEmitter<unknown>(),
  filesCreated: new EventEmitter<void>(),
  filesChanged: new EventEmitter<void>(),
  filesDeleted: new EventEmitter<void>(),
});

const fresh = () => ({
  /** What was shown, oldest first. */
  shown: [] as Shown[],
  /** Answers a message; what it gives is pressed. */
  answer: (_shown: Shown): string | undefined => undefined,
  /** Commands that were run, each with its arguments. */
  executed: [] as unknown[][],
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  settings: {} as Record<string, unknown>,
  /** Of the workspace, which must not count if only the user may decide. */
  workspaceSettings: {} as Record<string, unknown>,
  /** Providers by what they were registered for. */
  selectors: {} as Record<string, unknown>,
  /** What else the editor was told of a provider. */
  about: {} as Record<string, unknown[]>,
  providers: {} as Record<string, Record<string, (...args: never[]) => unknown>>,
  documents: [] as { uri: Uri; [name: string]: unknown }[],
  opened: [] as unknown[],
  shownDocuments: [] as unknown[][],
  files: new Set<string>(),
  /** What is in a file, by its path. */
  contents: new Map<string, string>(),
  written: [] as [Uri, string][],
  edits: [] as unknown[][],
  /** Debug sessions that were asked for: folder and configuration. */
  debugged: [] as unknown[][],
  boxes: [] as Box[],
  panels: [] as Record<string, unknown>[],
  asked: [] as unknown[],
  pick: (_items: readonly unknown[], _options: unknown): unknown => undefined,
  input: (_options: unknown): unknown => undefined,
  saveTo: undefined as Uri | undefined,
  external: [] as string[],
  clipboard: '',
  /** The editor's language models. */
  models: [] as { id: string; vendor: string; [name: string]: unknown }[],
  diagnostics: new Map<string, unknown[]>(),
  statusItem: {} as Record<string, unknown>,
  /** What the status bar said for a while. */
  said: [] as string[],
  view: {} as Record<string, unknown>,
  progress: [] as { options: Record<string, unknown>; reports: unknown[]; cancel(): void }[],
  events: emitters(),
});

/** What a test says and looks at; `reset` before each test. */
export const editor = { ...fresh(), reset: (): void => void Object.assign(editor, fresh(), reset()) };

function reset(): object {
  workspace.isTrusted = true;
  workspace.textDocuments = [];
  workspace.notebookDocuments = [];
  workspace.workspaceFolders = undefined;
  window.state = { focused: true };
  window.activeColorTheme = { kind: ColorThemeKind.Dark };
  window.activeTextEditor = undefined;
  extensions.all = [];
  window.visibleTextEditors = [];
  return {};
}

export const lm = {
  onDidChangeChatModels: () => new Disposable(() => undefined),
  selectChatModels: async ({ id, vendor }: { id?: string; vendor?: string } = {}) =>
    editor.models.filter((model) => (!id || model.id === id) && (!vendor || model.vendor === vendor)),
};

const show =
  (kind: Shown['kind']) =>
  async (text: string, ...rest: unknown[]): Promise<string | undefined> => {
    const options = typeof rest[0] === 'object' ? (rest.shift() as Shown['options']) : undefined;
    const shown: Shown = { kind, text, ...(options ? { options } : {}), actions: rest as string[] };
    editor.shown.push(shown);
    return editor.answer(shown);
  };

function box(): Box {
  const events = {
    accept: new EventEmitter<never>(),
    hide: new EventEmitter<never>(),
    button: new EventEmitter<never>(),
    itemButton: new EventEmitter<never>(),
    value: new EventEmitter<never>(),
  };
  const made: Box = {
    events,
    isShown: false,
    isDisposed: false,
    busy: false,
    value: '',
    selectedItems: [],
    onDidAccept: events.accept.event,
    onDidHide: events.hide.event,
    onDidTriggerButton: events.button.event,
    onDidTriggerItemButton: events.itemButton.event,
    onDidChangeValue: events.value.event,
    show: () => (made.isShown = true),
    hide: () => events.hide.fire(undefined as never),
    dispose: () => (made.isDisposed = true),
  };
  editor.boxes.push(made);
  return made;
}

const provide =
  (name: string) =>
  (of: unknown, provider: never, ...about: unknown[]): Disposable => {
    editor.providers[name] = provider;
    editor.selectors[name] = of;
    editor.about[name] = about;
    return new Disposable(() => delete editor.providers[name]);
  };

export const l10n = {
  bundle: undefined,
  t: (message: string, ...values: unknown[]) =>
    message.replace(/\{(\d+)\}/g, (_whole, index: string) => String(values[Number(index)])),
};
export const env = {
  language: 'en',
  appName: 'Editor',
  remoteName: undefined,
  openExternal: async (uri: Uri) => editor.external.push(uri.toString()) > 0,
  clipboard: { writeText: async (text: string) => void (editor.clipboard = text) },
};
export const commands = {
  executeCommand: async (...call: unknown[]) => void editor.executed.push(call),
  registerCommand(name: string, run: (...args: unknown[]) => unknown) {
    editor.commands.set(name, run);
    return new Disposable(() => editor.commands.delete(name));
  },
};
export const languages = {
  getLanguages: async () => ['plaintext', 'python', 'yaml', 'shellscript'],
  registerCompletionItemProvider: provide('completion'),
  registerHoverProvider: provide('hover'),
  registerDocumentSymbolProvider: provide('symbols'),
  registerCodeActionsProvider: provide('actions'),
  registerDocumentFormattingEditProvider: provide('formatting'),
  registerInlayHintsProvider: provide('hints'),
  registerDocumentLinkProvider: provide('links'),
  registerDefinitionProvider: provide('definition'),
  registerRenameProvider: provide('rename'),
  registerReferenceProvider: provide('references'),
  registerCodeLensProvider: provide('lenses'),
  registerDocumentPasteEditProvider: provide('paste'),
  getDiagnostics: (uri?: Uri) =>
    uri
      ? (editor.diagnostics.get(uri.toString()) ?? [])
      : [...editor.diagnostics].map(([address, marks]) => [Uri.parse(address), marks]),
  createDiagnosticCollection: () => ({
    set: (uri: Uri, marks: unknown[]) => editor.diagnostics.set(uri.toString(), marks),
    delete: (uri: Uri) => editor.diagnostics.delete(uri.toString()),
    dispose: () => editor.diagnostics.clear(),
  }),
};
export const debug = {
  registerDebugConfigurationProvider: provide('debugConfigurations'),
  registerDebugAdapterDescriptorFactory: provide('debugAdapters'),
  startDebugging: async (...call: unknown[]) => editor.debugged.push(call) > 0,
};
export const tasks = {
  registerTaskProvider: (_type: string, provider: never) => provide('tasks')(undefined, provider),
};
/** The tab of a comparison. */
export class TabInputTextDiff {
  readonly original: Uri;
  readonly modified: Uri;
  constructor(original: Uri, modified: Uri) {
    [this.original, this.modified] = [original, modified];
  }
}

export const ColorThemeKind = { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 };
export const extensions = { all: [] as { extensionUri: Uri; packageJSON: unknown }[] };
export const window = {
  activeColorTheme: { kind: ColorThemeKind.Dark },
  onDidChangeActiveColorTheme: (listener: Listener<unknown>) => editor.events.theme.event(listener),
  state: { focused: true },
  tabGroups: {},
  activeTextEditor: undefined as unknown,
  visibleTextEditors: [] as unknown[],
  showInformationMessage: show('information'),
  showWarningMessage: show('warning'),
  showErrorMessage: show('error'),
  showQuickPick: async (items: readonly unknown[], options: unknown) => (
    editor.asked.push(options),
    editor.pick(items, options)
  ),
  showInputBox: async (options: unknown) => (editor.asked.push(options), editor.input(options)),
  showOpenDialog: async (options: unknown) => (editor.asked.push(options), editor.saveTo && [editor.saveTo]),
  showSaveDialog: async (options: unknown) => (editor.asked.push(options), editor.saveTo),
  showTextDocument: async (...call: unknown[]) => void editor.shownDocuments.push(call),
  createQuickPick: box,
  createInputBox: box,
  registerFileDecorationProvider: (provider: never) => provide('decorations')(undefined, provider),
  setStatusBarMessage: (text: string) => editor.said.push(text),
  createStatusBarItem: () =>
    (editor.statusItem = {
      show: () => (editor.statusItem['isShown'] = true),
      hide: () => (editor.statusItem['isShown'] = false),
      dispose: () => (editor.statusItem['isShown'] = false),
    }),
  createTreeView: (id: string, options: object) =>
    (editor.view = {
      id,
      ...options,
      visible: true,
      onDidChangeVisibility: editor.events.visibility.event,
      onDidExpandElement: editor.events.expanded.event,
      onDidCollapseElement: editor.events.collapsed.event,
      onDidChangeSelection: editor.events.selection.event,
      dispose: () => undefined,
    }),
  createWebviewPanel: (...call: unknown[]) => (
    editor.panels.push({ call, webview: { html: '' } }),
    editor.panels.at(-1)
  ),
  registerWebviewPanelSerializer: (type: string, serializer: never) =>
    provide(type === 'millrace.page' ? 'pages' : type)(undefined, serializer),
  registerWebviewViewProvider: (_id: string, provider: never) => provide('webview')(undefined, provider),
  onDidChangeActiveTextEditor: (listener: Listener<unknown>) => editor.events.activeEditor.event(listener),
  onDidChangeTextEditorSelection: (listener: Listener<unknown>) => editor.events.textSelection.event(listener),
  onDidChangeWindowState: (listener: Listener<unknown>) => editor.events.windowState.event(listener),
  registerUriHandler: () => ({ dispose: () => undefined }),
  async withProgress(options: Record<string, unknown>, task: (progress: unknown, token: unknown) => Promise<unknown>) {
    const cancelled = new EventEmitter<void>();
    const reports: unknown[] = [];
    editor.progress.push({ options, reports, cancel: () => cancelled.fire() });
    return task(
      { report: (report: unknown) => reports.push(report) },
      { isCancellationRequested: false, onCancellationRequested: cancelled.event },
    );
  },
};
export const workspace = {
  isTrusted: true,
  textDocuments: [] as unknown[],
  notebookDocuments: [] as unknown[],
  openNotebookDocument: async (uri: Uri) => void editor.opened.push(uri),
  workspaceFolders: undefined as { uri: Uri; name?: string }[] | undefined,
  getWorkspaceFolder: (_uri: unknown): unknown => undefined,
  getConfiguration: (section: string) => ({
    get: (name: string, otherwise?: unknown) =>
      editor.workspaceSettings[`${section}.${name}`] ?? editor.settings[`${section}.${name}`] ?? otherwise,
    inspect: (name: string) => ({ globalValue: editor.settings[`${section}.${name}`] }),
    update: async (name: string, value: unknown, target?: unknown) =>
      void ((target === ConfigurationTarget.Global ? editor.settings : editor.workspaceSettings)[`${section}.${name}`] =
        value),
  }),
  registerTextDocumentContentProvider: (scheme: string, provider: never) => provide(scheme)(undefined, provider),
  registerFileSystemProvider: (scheme: string, provider: never, options: unknown) => provide(scheme)(options, provider),
  onDidOpenTextDocument: (listener: Listener<unknown>) => editor.events.opened.event(listener),
  onDidCloseTextDocument: (listener: Listener<unknown>) => editor.events.closed.event(listener),
  onDidSaveTextDocument: (listener: Listener<unknown>) => editor.events.saved.event(listener),
  onDidChangeTextDocument: (listener: Listener<unknown>) => editor.events.changed.event(listener),
  onDidChangeConfiguration: (listener: Listener<{ affectsConfiguration(name: string): boolean }>) =>
    editor.events.settings.event(listener),
  onDidChangeWorkspaceFolders: (listener: Listener<unknown>) => editor.events.folders.event(listener),
  onDidGrantWorkspaceTrust: (listener: Listener<void>) => editor.events.trusted.event(listener),
  createFileSystemWatcher: () => ({
    onDidCreate: editor.events.filesCreated.event,
    onDidChange: editor.events.filesChanged.event,
    onDidDelete: editor.events.filesDeleted.event,
    dispose: () => undefined,
  }),
  async openTextDocument(what: unknown) {
    editor.opened.push(what);
    return editor.documents.find(({ uri }) => uri.toString() === String(what)) ?? what;
  },
  findFiles: async (...call: unknown[]) => (editor.asked.push(call), [...editor.files].map((file) => Uri.file(file))),
  asRelativePath: (uri: Uri) => uri.path.replace(/^\/work\//, ''),
  async applyEdit(edit: WorkspaceEdit) {
    editor.edits.push(...edit.edits);
    return true;
  },
  fs: {
    stat: async (uri: Uri) =>
      editor.files.has(uri.path)
        ? { type: FileType.File, size: editor.contents.get(uri.path)?.length ?? 0 }
        : Promise.reject(new Error('not there')),
    readFile: async (uri: Uri) => new TextEncoder().encode(editor.contents.get(uri.path)),
    writeFile: async (uri: Uri, content: Uint8Array) =>
      void editor.written.push([uri, new TextDecoder().decode(content)]),
  },
};
