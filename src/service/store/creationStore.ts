import type { Database } from './database.ts';

/** When jobs were created and runs submitted, for the limit per hour (Jobs API 2.0, Limits). */
export interface CreationStore {
  insert(at: number): void;
  countSince(moment: number): number;
  /** When the oldest one after the moment was. */
  oldestSince(moment: number): number | undefined;
  forgetBefore(moment: number): void;
}

export function createCreationStore({ connection }: Database): CreationStore {
  const insert = connection.prepare('INSERT INTO creations (created_at) VALUES (?)');
  const count = connection.prepare('SELECT count(*) AS count FROM creations WHERE created_at > ?');
  const oldest = connection.prepare('SELECT min(created_at) AS at FROM creations WHERE created_at > ?');
  const forget = connection.prepare('DELETE FROM creations WHERE created_at <= ?');
  return {
    insert: (at) => void insert.run(at),
    countSince: (moment) => (count.get(moment) as { count: number }).count,
    oldestSince: (moment) => (oldest.get(moment) as { at: number | null }).at ?? undefined,
    forgetBefore: (moment) => void forget.run(moment),
  };
}
