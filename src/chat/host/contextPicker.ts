import path from 'node:path';
import { TextDecoder } from 'node:util';
import * as vscode from 'vscode';
import { type CommandId, internalCommands } from '../../shared/commandIds.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { plainText, sizeText } from '../../shared/text.ts';
import type { Attachment, CommandCompletion } from '../conversationEvent.ts';
import type { TextFile } from '../parameterFile.ts';

const attachCommands = {
  run: 'millrace.run.attachToChat',
  line: 'millrace.run.attachLine',
  job: 'millrace.job.attachToChat',
} as const satisfies Record<string, CommandId>;
/** Maximum size of an attached file: no model reads a larger one, and the chat's history would store all of it. */
const maxFileBytes = 400_000;
const maxFiles = 2_000;
const maxDropped = 100;
/** Number of lines before and after a problem that are attached with it. */
const linesAround = 3;
const notOffered = '**/{node_modules,.git,__pycache__,.venv,dist,out}/**';

/** Maximum files in a completion. */
const maxCompletedFiles = 12;

interface ContextItem extends vscode.QuickPickItem {
  /** Its name after a `#`. */
  readonly name?: string;
  read?(): Promise<Attachment[]>;
}

/** Lets the user choose attachments for the next message; empty if nothing was chosen, or if another command attaches it. */
export async function pickContext(): Promise<Attachment[]> {
  const picked = await vscode.window.showQuickPick(contextItems(), {
    title: vscode.l10n.t('Attach to the Next Message'),
    placeHolder: vscode.l10n.t('It is shown with its size and sent once'),
  });
  return (await picked?.read?.()) ?? [];
}

/**
 * Returns the attachments whose name begins like this, then files of the workspace with this name, these runs and jobs, and files whose
 * path contains it.
 */
export async function completeContext(
  begun: string,
  runs: readonly CommandCompletion[] = [],
): Promise<CommandCompletion[]> {
  const lower = begun.toLowerCase();
  const [kind = '', words = ''] = lower.split(':');
  const kinds = contextItems().flatMap(({ name, label, description = '' }) => {
    const detail = `${label} ${description}`;
    if (name === undefined || !(name in attachCommands))
      return name?.toLowerCase().startsWith(lower) ? [{ text: `#${name}`, detail }] : [];
    // The known names follow the kind; all others are in a list that is loaded.
    if (name === kind) return [{ text: `#${name}`, detail }];
    return name.startsWith(lower) ? [{ text: `#${name}:`, detail }] : [];
  });
  // A whole name comes before longer ones.
  kinds.sort((left, right) => Number(right.text === `#${kind}`) - Number(left.text === `#${kind}`));
  if (words !== '') return [...runs, ...kinds];
  if (begun === '' || begun.includes(':')) return [...kinds, ...runs];
  // Patterns of files are case-sensitive.
  const anyCase = begun
    .replaceAll(/[^\w./-]/g, '?')
    .replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  const files = await vscode.workspace.findFiles(`**/*${anyCase}*`, notOffered, maxCompletedFiles);
  const paths = files.map((uri) => ({
    text: `#${vscode.workspace.asRelativePath(uri)}`,
    detail: '',
    uri: uri.toString(),
  }));
  paths.sort((left, right) => left.text.localeCompare(right.text));
  const isWhole = ({ text }: CommandCompletion): boolean => `/${text.slice(1)}`.toLowerCase().endsWith(`/${lower}`);
  return [...kinds, ...paths.filter(isWhole), ...runs, ...paths.filter((each) => !isWhole(each))];
}

/** Returns the attachments with this name after a `#`, after further questions if the name is only a kind. */
export async function namedContext(name: string): Promise<Attachment[]> {
  const [, kind, id] = /^(run|line|job):(\d+)$/.exec(name) ?? [];
  if (kind) return attachBy(kind as keyof typeof attachCommands, kind === 'job' ? { jobId: id } : { runId: id });
  return (
    (await contextItems()
      .find((item) => item.name === name)
      ?.read?.()) ?? []
  );
}

function contextItems(): ContextItem[] {
  return [
    ...itemsOfEditor(),
    { label: vscode.l10n.t('Runs and Jobs'), kind: vscode.QuickPickItemKind.Separator },
    {
      name: 'run',
      label: vscode.l10n.t('Run with its output and job file…'),
      iconPath: new vscode.ThemeIcon('output'),
      read: () => attachBy('run'),
    },
    {
      name: 'line',
      label: vscode.l10n.t('Failing line of a run…'),
      iconPath: new vscode.ThemeIcon('error'),
      read: () => attachBy('line'),
    },
    {
      name: 'job',
      label: vscode.l10n.t('Job…'),
      iconPath: new vscode.ThemeIcon('server-process'),
      read: () => attachBy('job'),
    },
    {
      name: 'jobFile',
      label: vscode.l10n.t('Job file…'),
      iconPath: new vscode.ThemeIcon('file-code'),
      read: () => pickFiles(fileItems('**/*.job.{yml,yaml}')),
    },
    { label: vscode.l10n.t('Workspace'), kind: vscode.QuickPickItemKind.Separator },
    {
      name: 'file',
      label: vscode.l10n.t('File…'),
      iconPath: new vscode.ThemeIcon('file'),
      read: () => pickFiles(fileItems('**/*')),
    },
    {
      name: 'folder',
      label: vscode.l10n.t('Names in a Folder…'),
      iconPath: new vscode.ThemeIcon('folder'),
      read: () => pickFiles(folderItems()),
    },
    ...(vscode.languages.getDiagnostics().some(([, problems]) => problems.length > 0)
      ? [
          {
            name: 'problem',
            label: vscode.l10n.t('Problem…'),
            iconPath: new vscode.ThemeIcon('warning'),
            read: pickProblem,
          },
        ]
      : []),
  ];
}

function itemsOfEditor(): ContextItem[] {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (!editor) return [];
  const { document, selection } = editor;
  const name = path.posix.basename(document.uri.path);
  const language = languageOf(document);
  const items: ContextItem[] = [{ label: vscode.l10n.t('Here'), kind: vscode.QuickPickItemKind.Separator }];
  const add = (itsName: string, icon: string, label: string, attachment: Attachment): void => {
    if (attachment.text.trim() === '') return;
    items.push({
      name: itsName,
      label,
      description: sizeText(attachment.text.length),
      iconPath: new vscode.ThemeIcon(icon),
      read: () => Promise.resolve([attachment]),
    });
  };
  if (!selection.isEmpty) {
    const [from, to] = selectedLines(selection);
    const label = vscode.l10n.t('Selection in {0}, lines {1} to {2}', name, from, to);
    add('selection', 'list-selection', label, {
      label: `${name}:${from}-${to}`,
      language,
      text: document.getText(selection),
    });
  }
  add('editor', 'file', vscode.l10n.t('Open file {0}', name), { label: name, language, text: document.getText() });
  const problems = vscode.languages.getDiagnostics(document.uri);
  if (problems.length > 0) {
    add('problems', 'warning', vscode.l10n.t('Problems of {0}: {1}', name, problems.length), {
      label: vscode.l10n.t('Problems of {0}', name),
      text: problems.map((problem) => describeProblem(problem, name)).join('\n'),
    });
  }
  return items.length > 1 ? items : [];
}

async function pickProblem(): Promise<Attachment[]> {
  const all = vscode.languages.getDiagnostics().flatMap(([uri, problems]) =>
    problems.map((problem) => ({
      label: problem.message,
      description: `${vscode.workspace.asRelativePath(uri)}:${problem.range.start.line + 1}`,
      uri,
      problem,
    })),
  );
  const picked = await vscode.window.showQuickPick(all, {
    title: vscode.l10n.t('Attach Problems'),
    matchOnDescription: true,
    canPickMany: true,
  });
  return Promise.all((picked ?? []).map(({ uri, problem }) => problemAttachment(uri, problem)));
}

/** Returns a problem's message with the surrounding lines. */
export async function problemAttachment(uri: vscode.Uri, problem: vscode.Diagnostic): Promise<Attachment> {
  const document = await vscode.workspace.openTextDocument(uri);
  const { start, end } = problem.range;
  const code = document
    .getText()
    .split(/\r?\n/)
    .slice(Math.max(0, start.line - linesAround), end.line + 1 + linesAround)
    .join('\n');
  const name = path.posix.basename(uri.path);
  return {
    label: `${name}:${start.line + 1}`,
    language: languageOf(document),
    text: `${describeProblem(problem, name)}\n\n${code}`,
  };
}

function describeProblem({ message, range, severity }: vscode.Diagnostic, name: string): string {
  const kind = severity === vscode.DiagnosticSeverity.Error ? 'error' : 'warning';
  return `${name}:${range.start.line + 1}: ${kind}: ${message}`;
}

/** Runs the command that adds the attachment itself; without a target, it lets the user choose. */
async function attachBy(what: keyof typeof attachCommands, ...target: object[]): Promise<Attachment[]> {
  await vscode.commands.executeCommand(attachCommands[what], ...target);
  return [];
}

interface FileItem extends vscode.QuickPickItem {
  readonly uri?: vscode.Uri;
}

async function fileItems(pattern: string): Promise<(FileItem & { uri: vscode.Uri })[]> {
  return itemsOf(await vscode.workspace.findFiles(pattern, notOffered, maxFiles));
}

/** Returns the workspace folders that contain files. */
async function folderItems(): Promise<(FileItem & { uri: vscode.Uri })[]> {
  const folders = new Map<string, vscode.Uri>();
  for (const file of await vscode.workspace.findFiles('**/*', notOffered, maxFiles)) {
    let folder = vscode.Uri.joinPath(file, '..');
    while (vscode.workspace.getWorkspaceFolder(folder) && !folders.has(folder.path)) {
      folders.set(folder.path, folder);
      folder = vscode.Uri.joinPath(folder, '..');
    }
  }
  return itemsOf([...folders.values()]);
}

function itemsOf(uris: readonly vscode.Uri[]): (FileItem & { uri: vscode.Uri })[] {
  return uris
    .map((uri) => [uri, vscode.workspace.asRelativePath(uri)] as const)
    .sort(([, left], [, right]) => left.localeCompare(right))
    .map(([uri, place]) => {
      const label = path.posix.basename(uri.path);
      return { label, description: place === label ? undefined : place, uri };
    });
}

async function pickFiles(items: ReturnType<typeof fileItems>): Promise<Attachment[]> {
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Attach to the Next Message'),
    matchOnDescription: true,
    canPickMany: true,
  });
  return readable((picked ?? []).map(({ uri }) => fileAttachment(uri)));
}

/** Lets the user pick a file of this kind from the workspace or elsewhere. Throws if it is not text or too long. */
export async function pickTextFile(title: string, kind: 'json' | 'md'): Promise<TextFile | undefined> {
  const elsewhere: FileItem = { label: vscode.l10n.t('Browse…') };
  const files = fileItems(`**/*.${kind}`).then((items) => [...items, elsewhere]);
  const picked = await vscode.window.showQuickPick<FileItem>(files, { title, matchOnDescription: true });
  const filters = { [kind === 'json' ? 'JSON' : 'Markdown']: [kind] };
  const uri = picked === elsewhere ? (await vscode.window.showOpenDialog({ title, filters }))?.[0] : picked?.uri;
  if (!uri) return undefined;
  const { text } = await fileAttachment(uri);
  return { name: path.posix.basename(uri.path), text };
}

/** Returns the names in a folder, without those of tools. */
async function listing(folder: vscode.Uri): Promise<Attachment> {
  const found = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, '**/*'), notOffered, maxFiles);
  const names = found.map((uri) => vscode.workspace.asRelativePath(uri)).sort();
  if (names.length === maxFiles) names.push(vscode.l10n.t('… and more than {0} files', maxFiles));
  const label = vscode.workspace.asRelativePath(folder);
  if (names.length === 0) throw new AppError('invalid', vscode.l10n.t('{0} is empty, so nothing was attached.', label));
  return { label: vscode.l10n.t('Files of {0}', label), text: names.join('\n') };
}

function checkSize(name: string, size: number): void {
  if (size > maxFileBytes)
    throw new AppError(
      'tooLarge',
      vscode.l10n.t('{0} has {1}, more than a model can read, so it was not attached.', name, sizeText(size)),
      { remedy: vscode.l10n.t('Open it and attach the lines that matter.') },
    );
}

/** Returns a file's text, or the names of a folder's files. Throws if the file is not text or longer than a model can read. */
export async function fileAttachment(uri: vscode.Uri): Promise<Attachment> {
  const name = path.posix.basename(uri.path);
  const { size, type } = await vscode.workspace.fs.stat(uri);
  if (type === vscode.FileType.Directory) return listing(uri);
  checkSize(name, size);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  if (text.includes('\0'))
    throw new AppError('invalid', vscode.l10n.t('{0} is not a text file, so it was not attached.', name));
  const label = vscode.workspace.asRelativePath(uri);
  const language = path.posix.extname(name).slice(1).toLowerCase();
  return { label, ...(language !== '' && { language }), text };
}

/** Returns attachments for dropped URIs. Without any, rows of the jobs view were dropped, which another command attaches. */
export async function droppedAttachments(addresses: readonly string[]): Promise<Attachment[]> {
  if (addresses.length > maxDropped)
    throw new AppError('tooLarge', vscode.l10n.t('At most {0} files can be attached at a time.', maxDropped));
  if (addresses.length > 0) return readable(addresses.map(droppedAttachment));
  await vscode.commands.executeCommand(internalCommands.attachDragged);
  return [];
}

/** Returns the file's text, as in the editor if it is open there. */
async function droppedAttachment(address: string): Promise<Attachment> {
  const given = vscode.Uri.parse(address).with({ fragment: '' });
  // A window on another machine refers to files of this host by their remote URI.
  const uri = given.scheme === 'vscode-remote' ? vscode.Uri.file(given.path) : given;
  const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (!document) return fileAttachment(uri);
  const text = document.getText();
  checkSize(path.posix.basename(uri.path), text.length);
  return { label: vscode.workspace.asRelativePath(uri), language: languageOf(document), text };
}

/** Returns the attachments that can be read, and reports the others. Throws if none can be read. */
async function readable(reads: readonly Promise<Attachment>[]): Promise<Attachment[]> {
  const read = await Promise.allSettled(reads);
  const found = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = read.flatMap((each) => (each.status === 'rejected' ? [toAppError(each.reason)] : []));
  if (found.length === 0 && failed[0]) throw failed[0];
  if (failed.length > 0)
    void vscode.window.showWarningMessage(plainText(failed.map(({ message }) => message).join(' ')));
  return found;
}

function languageOf({ languageId }: vscode.TextDocument): string {
  return languageId === 'millrace-job' ? 'yaml' : languageId;
}

/** Returns the first and last selected line, counted from 1. A line that the selection reaches only at its start does not count. */
export function selectedLines({ start, end }: vscode.Range): [from: number, to: number] {
  return [start.line + 1, end.line + (end.character === 0 && end.line > start.line ? 0 : 1)];
}
