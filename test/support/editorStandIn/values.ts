/** The editor's values as far as the hosts make some: they hold what they were made of. */

import { posix } from 'node:path';

export type Listener<T> = (event: T) => unknown;

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
  fragment?: string;
}

export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  private constructor({ scheme, authority = '', path = '', query = '', fragment = '' }: UriParts) {
    [this.scheme, this.authority, this.path, this.query] = [scheme, authority, path, query];
    this.fragment = fragment;
  }
  static from(parts: UriParts): Uri {
    return new Uri(parts);
  }
  static parse(text: string, isStrict = false): Uri {
    const match =
      /^(?<scheme>[a-z-]+):(?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/.exec(
        text,
      )?.groups;
    if (!match && isStrict) throw new Error(`No address: ${text}`);
    return new Uri({
      scheme: match?.['scheme'] ?? 'file',
      authority: match?.['authority'],
      path: match?.['path'] ?? text,
      query: match?.['query'],
      fragment: match?.['fragment'],
    });
  }
  static file(path: string): Uri {
    return new Uri({ scheme: 'file', path });
  }
  static joinPath(uri: Uri, ...parts: string[]): Uri {
    return new Uri({
      ...uri,
      path: posix.join(uri.path, ...parts),
    });
  }
  with(changes: Partial<UriParts>): Uri {
    const { scheme, authority, path, query, fragment } = this;
    return new Uri({ scheme, authority, path, query, fragment, ...changes });
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    const { scheme, authority, path, query, fragment } = this;
    const marked = [query === '' ? '' : `?${query}`, fragment === '' ? '' : `#${fragment}`];
    return `${scheme}:${scheme === 'untitled' ? '' : `//${authority}`}${path}${marked.join('')}`;
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

export const NotebookCellKind = { Markup: 1, Code: 2 };

/** Cells of a notebook, the last of them not included. */
export class NotebookRange {
  readonly start: number;
  readonly end: number;
  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
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

export class Selection extends Range {
  get active(): Position {
    return this.end;
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
export const ProcessExecution = record('process', 'args', 'options');
export const Task = record('definition', 'scope', 'name', 'source', 'execution', 'problemMatchers');
export const TaskScope = { Global: 1, Workspace: 2 };
export const TaskGroup = { Build: 'build' };
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
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 };
export const FileSystemError = { NoPermissions: () => new Error('NoPermissions') };
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
export const CodeActionKind = { QuickFix: 'quickfix', RefactorRewrite: 'refactor.rewrite' };
export const DocumentDropOrPasteEditKind = { Text: { append: (...names: string[]) => ['text', ...names].join('.') } };
export const LanguageModelTextPart = record('value');
export const LanguageModelToolCallPart = record('callId', 'name', 'input');
export const LanguageModelToolResultPart = record('callId', 'content');
export const LanguageModelChatToolMode = { Auto: 1, Required: 2 };
export const LanguageModelChatMessage = {
  User: (content: unknown) => ({ role: 1, content }),
  Assistant: (content: unknown) => ({ role: 2, content }),
};
export class LanguageModelError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
  static NoPermissions(): void {}
  static Blocked(): void {}
  static NotFound(): void {}
}
export class CancellationTokenSource {
  readonly #canceled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#canceled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#canceled.fire();
  }
  dispose(): void {}
}
export const version = '1.0.0';
