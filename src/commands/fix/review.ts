import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { PickItem, Ui, WorkspaceFile } from '../ui.ts';

/** A file as it is, and as it would be. */
export interface Change {
  readonly file: WorkspaceFile;
  readonly text: string;
}

/** @throws AppError where the user has not said that this workspace may be acted upon */
export function requireTrust({ workspaceTrusted }: Pick<Ui, 'workspaceTrusted'>): void {
  if (workspaceTrusted) return;
  throw new AppError('untrusted', l10n.t('This workspace is not trusted, so nothing was changed in it.'), {
    remedy: l10n.t('Trust it first (Workspaces: Manage Workspace Trust).'),
  });
}

/** Shows the change in the editor's own comparison, and asks. @returns undefined where it is not wanted */
export async function review<T>(
  ui: Pick<Ui, 'pick' | 'previewText'>,
  { file, text }: Change,
  question: string,
  answers: readonly PickItem<T>[],
): Promise<T | undefined> {
  const close = await ui.previewText(file.uri, text, l10n.t('{0}: now ↔ proposed', file.name));
  try {
    return await ui.pick<T | undefined>(question, l10n.t('The comparison shows all that changes.'), [
      ...answers,
      { label: l10n.t('Discard'), value: undefined },
    ]);
  } finally {
    await close();
  }
}
