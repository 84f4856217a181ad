import type { AnswerCode } from '../../chat/namedFile.ts';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { CommandServices } from '../services.ts';
import type { Ui, WorkspaceFile } from '../ui.ts';
import { mergeCode } from './mergeCode.ts';

/** Shows the change that an answer's code makes to its file, and applies it if the user agrees. The file stays unsaved. */
export async function applyCode({ ui }: CommandServices, code: AnswerCode): Promise<void> {
  requireTrust(ui);
  const file = await fileFor(ui, code);
  if (!file) return;
  const merged = mergeCode(file.name, file.text, code.text);
  if (!merged)
    throw new AppError(
      'invalid',
      l10n.t('{0} was not changed, because it does not have the lines that the diff changes.', file.path),
      {
        remedy: l10n.t('Request the whole file, and attach it in its current state.'),
      },
    );
  if (merged.text === file.text) {
    await ui.info(l10n.t('{0} already has this content.', file.path));
    return;
  }
  const question = l10n.t('Apply the code to {0}?', file.path);
  const message = merged.isWhole ? `${question} ${l10n.t('It replaces the whole file.')}` : question;
  const title = l10n.t('{0}: now ↔ proposed', file.name);
  const answer = await ui.review(file.uri, merged.text, title, message, [l10n.t('Apply')]);
  if (answer) await ui.replaceText(file.uri, file.text, merged.text);
}

/** Returns the file that the answer names, the active editor's, or the user's choice. */
async function fileFor(ui: Ui, { path, language }: AnswerCode): Promise<WorkspaceFile | undefined> {
  const files = await ui.workspaceFiles('');
  const wanted = path?.replace(/^\//, '');
  if (wanted !== undefined) {
    const found = files.includes(wanted) ? [wanted] : files.filter((file) => file.endsWith(`/${wanted}`));
    // An unlisted file may exist; a file outside the workspace is refused by its name.
    if (found.length === 1 || found.length === 0) return ui.workspaceFile(found[0] ?? wanted);
    return pickFile(ui, found);
  }
  const active = await ui.activeFile();
  return active && isOf(active.name, language)
    ? active
    : pickFile(
        ui,
        files.filter((file) => isOf(file, language)),
      );
}

async function pickFile(ui: Ui, files: readonly string[]): Promise<WorkspaceFile | undefined> {
  if (files.length === 0)
    throw new AppError('notFound', l10n.t('The workspace has no file that this code could belong to.'), {
      remedy: l10n.t('Create a new file from it.'),
    });
  const title = l10n.t('Apply With Diff');
  const picked = await ui.pick(
    title,
    l10n.t('File that the code belongs to'),
    files.map((file) => ({ label: file, value: file })),
  );
  return picked === undefined ? undefined : ui.workspaceFile(picked);
}

/** File extensions for the language names that models use; code in any other language may belong to any file. */
const endings: readonly (readonly [language: RegExp, file: RegExp])[] = [
  [/^(?:py|python|pyspark)\d?$/i, /\.(?:py|ipynb)$/i],
  [/^ya?ml$/i, /\.ya?ml$/i],
  [/^(?:json|jsonc)$/i, /\.(?:json|ipynb)$/i],
  [/^sql$/i, /\.sql$/i],
];

function isOf(file: string, language: string): boolean {
  const ending = endings.find(([name]) => name.test(language))?.[1];
  return ending === undefined || ending.test(file);
}

/** A file's current and proposed text. */
export interface Change {
  readonly file: WorkspaceFile;
  readonly text: string;
}

/**
 * Requires a trusted workspace.
 * @throws AppError if the user has not trusted this workspace
 */
export function requireTrust({ workspaceTrusted }: Pick<Ui, 'workspaceTrusted'>): void {
  if (workspaceTrusted) return;
  throw new AppError('untrusted', l10n.t('This workspace is not trusted, so nothing was changed in it.'), {
    remedy: l10n.t('Trust the workspace first (Workspaces: Manage Workspace Trust).'),
  });
}
