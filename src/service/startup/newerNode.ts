import { isBuiltin } from 'node:module';
import { findOnPath, probeCommand } from '../runners/commandProbe.ts';

/** The first Node with node:sqlite, the service's database, without a flag. */
const oldest = [22, 13] as const;

export const oldestNode = oldest.join('.');

/** Asks a Node for its version, and for the database, which a flag may have removed. */
const question = "process.versions.node+(require('module').isBuiltin?.('node:sqlite')?'':' without node:sqlite')";

/** Returns whether this process could be the service. */
export function hasDatabase(): boolean {
  return isBuiltin('node:sqlite') && isNewEnough(process.versions.node);
}

/** A Node that is new enough for the service, or what was found instead. */
export type FoundNode = { readonly path: string } | { readonly tooOld: string | undefined };

/**
 * Looks for a Node that is new enough: the one on the PATH, then the given ones, which may not exist.
 * @returns its path, or else the version of the one on the PATH, `undefined` if there is none
 */
export async function findNewerNode(
  environment: NodeJS.ProcessEnv = process.env,
  further: readonly string[] = [],
): Promise<FoundNode> {
  const onPath = await findOnPath('node', environment);
  let tooOld: string | undefined;
  for (const path of [onPath, ...further]) {
    if (path === undefined) continue;
    const { ok, text } = await probeCommand(path, ['-p', question], { environment });
    const version = text.trim();
    if (ok && /^[\d.]+$/.test(version) && isNewEnough(version)) return { path };
    if (path === onPath) tooOld = version.slice(0, 40);
  }
  return { tooOld };
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}
