import type { Database } from './database.ts';

/** Single values of the service, by name. */
export interface FactStore {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

export function createFactStore({ connection }: Database): FactStore {
  const get = connection.prepare('SELECT value FROM facts WHERE name = ?');
  const set = connection.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  return {
    get: (name) => (get.get(name) as { value: string } | undefined)?.value,
    set: (name, value) => void set.run(name, value),
  };
}
