import { isBuiltin } from 'node:module';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { findOnPath, probeCommand } from '../runners/commandProbe.ts';

/** The first Node that has the database of the service, node:sqlite, without being asked for it by a flag. */
const oldestNode = [22, 13] as const;

/**
 * The Node that the service is started with: the editor's own, or, in an editor with an older one, that of the PATH.
 * @throws AppError `unavailable` where none is new enough
 */
export async function findServiceNode(
  own: string,
  options: { hasDatabase?: boolean; environment?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { hasDatabase = isBuiltin('node:sqlite') && isNewEnough(process.versions.node), environment = process.env } =
    options;
  if (hasDatabase) return own;
  const found = await findOnPath('node', environment);
  const version =
    found === undefined
      ? undefined
      : (await probeCommand(found, ['-p', 'process.versions.node'], { environment })).text.trim();
  if (found !== undefined && version !== undefined && isNewEnough(version)) return found;
  const there =
    version === undefined
      ? l10n.t('no other Node is on the PATH')
      : l10n.t('the one on the PATH is {0}', version.slice(0, 40));
  throw new AppError(
    'unavailable',
    l10n.t(
      'The local service was not started: it needs Node {0} or newer, this editor brings {1}, and {2}.',
      oldestNode.join('.'),
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

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}
