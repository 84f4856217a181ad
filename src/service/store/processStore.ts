import type { ProcessIdentity } from '../runners/runner.ts';
import type { Database } from './database.ts';

/** The processes of active runs, so that a restart finds what an earlier service left. */
export interface ProcessStore {
  insert(runId: string, identity: ProcessIdentity): void;
  all(): ProcessIdentity[];
  clear(): void;
}

export function createProcessStore({ connection }: Database): ProcessStore {
  const insert = connection.prepare('INSERT INTO processes (run_id, pid, start_time) VALUES (?, ?, ?)');
  const all = connection.prepare('SELECT pid, start_time AS startTime FROM processes');
  const clear = connection.prepare('DELETE FROM processes');
  return {
    insert: (runId, identity) => void insert.run(BigInt(runId), identity.pid, identity.startTime),
    all: () => all.all() as unknown as ProcessIdentity[],
    clear: () => void clear.run(),
  };
}
