/**
 * What `vscode` is for unit tests: values that hold what they are given, and functions that note down what was asked of the editor and answer
 * what the test has said. Only what the hosts use is here; see `editorStandIn.ts` for how a test gets it.
 */

type Listener<T> = (event: T) => unknown;

export class Disposable {
  readonly #end: () => unknown;
  constructor(end: () => unknown) {
    this.#end = end;
  }
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
  dispose(): void {
    this.#end();
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): Disposable => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }
  fire(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

interface UriParts {
  scheme: string;
  authority?: string;
  path?: string;
  query?: string;
}

export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  private constructor({ scheme, authority = '', path = '', query = '' }: UriParts) {
    [this.scheme, this.authority, this.path, this.query] = [scheme, authority, path, query];
  }
  static from(parts: UriParts): Uri {
    return new Uri(parts);
  }
  static parse(text: string, isStrict = false): Uri {
    const match = /^(?<scheme>[a-z-]+):(?:\/\/(?<authority>[^/?]*))?(?<path>[^?]*)(?:\?(?<query>.*))?$/.exec(
      text,
    )?.groups;
    if (!match && isStrict) throw new Error(`No address: ${text}`);
    return new Uri({
      scheme: match?.['scheme'] ?? 'file',
      authority: match?.['authority'],
      path: match?.['path'] ?? text,
      query: match?.['query'],
    });
  }
  static file(path: string): Uri {
    return new Uri({ scheme: 'file', path });
  }
  static joinPath(uri: Uri, ...parts: string[]): Uri {
    return new Uri({
      ...uri,
      path: [uri.path.replace(/\/$/, ''), ...parts.map((part) => part.replace(/^\//, ''))].join('/'),
    });
  }
  with(changes: Partial<UriParts>): Uri {
    return new Uri({ scheme: this.scheme, authority: this.authority, path: this.path, query: this.query, ...changes });
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}:${this.scheme === 'untitled' ? '' : `//${this.authority}`}${this.path}${this.query === '' ? '' : `?${this.query}`}`;
  }
}

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    [this.line, this.character] = [line, character];
  }
  isAfter(other: Position): boolean {
    return this.line > other.line || (this.line === other.line && this.character > other.character);
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...[start, end, endLine = 0, endCharacter = 0]: [Position, Position] | [number, number, number, number]) {
    this.start = typeof start === 'number' ? new Position(start, end as number) : start;
    this.end = typeof end === 'number' ? new Position(endLine, endCharacter) : end;
  }
  get isEmpty(): boolean {
    return !this.end.isAfter(this.start);
  }
  contains(position: Position): boolean {
    return !this.start.isAfter(position) && !position.isAfter(this.end);
  }
  isEqual(other: Range): boolean {
    return JSON.stringify(this) === JSON.stringify(other);
  }
}

/** A class whose objects have the arguments as fields of these names. */
function record<Names extends string>(
  ...names: Names[]
): new (...args: unknown[]) => Record<Names, unknown> & Record<string, unknown> {
  return class {
    constructor(...args: unknown[]) {
      names.forEach((name, index) => ((this as Record<string, unknown>)[name] = args[index]));
    }
  } as never;
}

export const ThemeIcon = record('id', 'color');
export const ThemeColor = record('id');
export const TreeItem = record('label', 'collapsibleState');
export const MarkdownString = record('value');
export const SnippetString = record('value');
export const Diagnostic = record('range', 'message', 'severity');
export const CodeLens = record('range', 'command');
export const Hover = record('contents', 'range');
export const CompletionItem = record('label', 'kind');
export const CompletionList = record('items', 'isIncomplete');
export const DocumentLink = record('range', 'target');
export const Location = record('uri', 'range');
export const InlayHint = record('position', 'label');
export const DocumentSymbol = record('name', 'detail', 'kind', 'range', 'selectionRange');
export const CodeAction = record('title', 'kind');
export const DebugAdapterInlineImplementation = record('implementation');
export const RelativePattern = record('base', 'pattern');
export const DocumentPasteEdit = record('insertText', 'title', 'kind');
export const TextEdit = { replace: (range: Range, newText: string) => ({ range, newText }) };
export class WorkspaceEdit {
  readonly edits: unknown[][] = [];
  replace(...edit: unknown[]): void {
    this.edits.push(edit);
  }
  createFile(...edit: unknown[]): void {
    this.edits.push(edit);
  }
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const FileType = { File: 1, Directory: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const QuickInputButtons = { Back: { back: true } };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ConfigurationTarget = { Global: 1 };
export const ViewColumn = { Active: -1 };
export const InputBoxValidationSeverity = { Info: 1, Warning: 2, Error: 3 };
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const DiagnosticTag = { Unnecessary: 1, Deprecated: 2 };
export const CompletionItemTag = { Deprecated: 1 };
export const CompletionItemKind = { Property: 9, Value: 11, Reference: 17, File: 16, Snippet: 14 };
export const SymbolKind = { Object: 18, Array: 17, String: 14, Number: 15, Boolean: 16, Null: 20 };
export const CodeActionKind = { QuickFix: 'quickfix' };
export const DocumentDropOrPasteEditKind = { Text: { append: (...names: string[]) => ['text', ...names].join('.') } };
export const version = '1.0.0';

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
  changed: new EventEmitter<unknown>(),
  settings: new EventEmitter<{ affectsConfiguration(name: string): boolean }>(),
  trusted: new EventEmitter<void>(),
  folders: new EventEmitter<unknown>(),
  windowState: new EventEmitter<unknown>(),
  visibility: new EventEmitter<unknown>(),
  filesCreated: new EventEmitter<void>(),
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
  /** Of the workspace, which must not count where only the user may decide. */
  workspaceSettings: {} as Record<string, unknown>,
  /** Providers by what they were registered for. */
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
  diagnostics: new Map<string, unknown[]>(),
  statusItem: {} as Record<string, unknown>,
  view: {} as Record<string, unknown>,
  progress: [] as { options: Record<string, unknown>; reports: unknown[]; cancel(): void }[],
  events: emitters(),
});

/** What a test says and looks at; `reset` before each test. */
export const editor = { ...fresh(), reset: (): void => void Object.assign(editor, fresh(), reset()) };

function reset(): object {
  workspace.isTrusted = true;
  workspace.textDocuments = [];
  workspace.workspaceFolders = undefined;
  window.state = { focused: true };
  window.activeTextEditor = undefined;
  window.visibleTextEditors = [];
  return {};
}

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
  (_of: unknown, provider: never): Disposable => {
    editor.providers[name] = provider;
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
  registerCodeLensProvider: provide('lenses'),
  registerDocumentPasteEditProvider: provide('paste'),
  getDiagnostics: (uri: Uri) => editor.diagnostics.get(uri.toString()) ?? [],
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
export const window = {
  state: { focused: true },
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
  createStatusBarItem: () =>
    (editor.statusItem = {
      show: () => (editor.statusItem['isShown'] = true),
      dispose: () => (editor.statusItem['isShown'] = false),
    }),
  createTreeView: (id: string, options: object) =>
    (editor.view = {
      id,
      ...options,
      visible: true,
      onDidChangeVisibility: editor.events.visibility.event,
      dispose: () => undefined,
    }),
  createWebviewPanel: (...call: unknown[]) => (
    editor.panels.push({ call, webview: { html: '' } }),
    editor.panels.at(-1)
  ),
  registerWebviewPanelSerializer: (_type: string, serializer: never) => provide('pages')(undefined, serializer),
  registerWebviewViewProvider: (_id: string, provider: never) => provide('webview')(undefined, provider),
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
  workspaceFolders: undefined as { uri: Uri; name?: string }[] | undefined,
  getWorkspaceFolder: (_uri: unknown): unknown => undefined,
  getConfiguration: (section: string) => ({
    get: (name: string, otherwise?: unknown) =>
      editor.workspaceSettings[`${section}.${name}`] ?? editor.settings[`${section}.${name}`] ?? otherwise,
    inspect: (name: string) => ({ globalValue: editor.settings[`${section}.${name}`] }),
    update: async (name: string, value: unknown) => void (editor.settings[`${section}.${name}`] = value),
  }),
  registerTextDocumentContentProvider: (scheme: string, provider: never) => provide(scheme)(undefined, provider),
  onDidOpenTextDocument: (listener: Listener<unknown>) => editor.events.opened.event(listener),
  onDidCloseTextDocument: (listener: Listener<unknown>) => editor.events.closed.event(listener),
  onDidChangeTextDocument: (listener: Listener<unknown>) => editor.events.changed.event(listener),
  onDidChangeConfiguration: (listener: Listener<{ affectsConfiguration(name: string): boolean }>) =>
    editor.events.settings.event(listener),
  onDidChangeWorkspaceFolders: (listener: Listener<unknown>) => editor.events.folders.event(listener),
  onDidGrantWorkspaceTrust: (listener: Listener<void>) => editor.events.trusted.event(listener),
  createFileSystemWatcher: () => ({
    onDidCreate: editor.events.filesCreated.event,
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
