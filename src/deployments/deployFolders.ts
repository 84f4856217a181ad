import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the folder for a service, named by its address. */
export function memoryOf(baseUrl: string): string {
  return join(stateFolder(), 'deployments', createHash('sha256').update(baseUrl).digest('hex').slice(0, 16));
}

/** Returns the folder for the local service of a data folder. */
export function localMemoryOf(dataFolder: string): string {
  return join(dataFolder, 'deployments');
}

/** Returns the folder in which this user's programs store persistent state. */
export function stateFolder(): string {
  const { platform, env } = process;
  const home = homedir();
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'Millrace');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Millrace');
  return join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'millrace');
}
