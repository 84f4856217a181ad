import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { findNewerNode, hasDatabase, oldestNode } from '../startup/newerNode.ts';

/**
 * The Node that the service is started with: the editor's own, or, in an editor with an older one, that of the PATH.
 * @throws AppError `unavailable` if none is new enough
 */
export async function findServiceNode(
  own: string,
  options: { hasDatabase?: boolean; environment?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  if (options.hasDatabase ?? hasDatabase()) return own;
  const found = await findNewerNode(options.environment);
  if ('path' in found) return found.path;
  const there =
    found.tooOld === undefined
      ? l10n.t('no other Node is on the PATH')
      : l10n.t('the one on the PATH is {0}', found.tooOld);
  throw new AppError(
    'unavailable',
    l10n.t(
      'The local service was not started: it needs Node {0} or newer, this editor brings {1}, and {2}.',
      oldestNode,
      process.versions.node,
      there,
    ),
    {
      remedy: l10n.t(
        'Install a newer Node, so that the command "node" finds it, and try again; or choose a remote ' +
          'profile, with which chat, jobs and runs work without the local service.',
      ),
    },
  );
}
