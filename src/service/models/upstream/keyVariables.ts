import { readFile } from 'node:fs/promises';
import path from 'node:path';

const named = /"apiKeyVariable"\s*:\s*"([A-Za-z_][A-Za-z0-9_]*)"/g;

/**
 * The environment variables that hold API keys of upstreams: those of the configuration, and every one that `models.json`
 * names now or named before. Its text is searched, not its values, so that a mistake elsewhere in it reveals no key.
 */
export function createKeyVariables(
  dataFolder: string,
  upstreams: readonly unknown[] = [],
): () => Promise<readonly string[]> {
  const found = new Set<string>();
  const note = (text: string): void => {
    for (const [, name] of text.matchAll(named)) if (name !== undefined) found.add(name);
  };
  note(JSON.stringify(upstreams));
  return async () => {
    try {
      note(await readFile(path.join(dataFolder, 'models.json'), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return [...found];
  };
}
