import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Ui, WorkspaceFile } from '../ui.ts';

/** A file as it is, and as it would be. */
export interface Change {
  readonly file: WorkspaceFile;
  readonly text: string;
}

/** @throws AppError if the user has not said that this workspace may be acted upon */
export function requireTrust({ workspaceTrusted }: Pick<Ui, 'workspaceTrusted'>): void {
  if (workspaceTrusted) return;
  throw new AppError('untrusted', l10n.t('This workspace is not trusted, so nothing was changed in it.'), {
    remedy: l10n.t('Trust it first (Workspaces: Manage Workspace Trust).'),
  });
}

/** Shows the change in the editor's own comparison, and asks. @returns the action; undefined if it is not wanted */
export function review(
  ui: Pick<Ui, 'review'>,
  { file, text }: Change,
  message: string,
  actions: readonly string[],
): Promise<string | undefined> {
  return ui.review(file.uri, text, l10n.t('{0}: now ↔ proposed', file.name), message, actions);
}
