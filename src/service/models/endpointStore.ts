import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { parseJson, stringifyJson } from '../../shared/json.ts';
import type { EndpointStore } from './modelTypes.ts';

/** Keeps created endpoints in `endpoints.json`: written beside it, synced, then renamed, so that it is whole at any time. */
export function createFileStore(dataFolder: string): EndpointStore {
  const file = path.join(dataFolder, 'endpoints.json');
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
      try {
        const value = parseJson(text);
        if (Array.isArray(value)) return value;
      } catch (error) {
        throw new AppError(
          'internal',
          `${file} is not JSON, so the created endpoints could not be read and none was changed. Repair or move it.`,
          { cause: error, status: 500, errorCode: 'INTERNAL_ERROR' },
        );
      }
      throw new AppError(
        'internal',
        `${file} does not hold a list, so the created endpoints could not be read and none was changed. Repair or move it.`,
        { status: 500, errorCode: 'INTERNAL_ERROR' },
      );
    },
    async save(endpoints) {
      await mkdir(dataFolder, { recursive: true });
      const temporary = `${file}.${process.pid}.tmp`;
      const handle = await open(temporary, 'w', 0o600);
      try {
        await handle.writeFile(`${stringifyJson(endpoints, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    },
  };
}

/** For a service without a data folder. */
export function createMemoryStore(): EndpointStore {
  let kept: readonly unknown[] = [];
  return {
    load: async () => [...kept],
    save: async (endpoints) => {
      kept = [...endpoints];
    },
  };
}
