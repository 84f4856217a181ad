import type { Database } from './database.ts';

/** Idempotency tokens (Jobs API 2.0, Endpoints rule 4). Their scope is the whole service; they outlive their runs. */
export interface TokenStore {
  runOf(token: string): string | undefined;
  insert(token: string, runId: string): void;
}

export function createTokenStore({ connection }: Database): TokenStore {
  const get = connection.prepare('SELECT CAST(run_id AS TEXT) AS runId FROM tokens WHERE token = ?');
  const insert = connection.prepare('INSERT INTO tokens (token, run_id) VALUES (?, ?)');
  return {
    runOf: (token) => (get.get(token) as { runId: string } | undefined)?.runId,
    insert: (token, runId) => void insert.run(token, BigInt(runId)),
  };
}
