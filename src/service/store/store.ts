import type { Logger } from '../../shared/log.ts';
import type { ProcessIdentity } from '../runners/runner.ts';
import { createChanges, type Changes } from './changes.ts';
import { openDatabase, type Database } from './database.ts';
import { createJobStore, type JobStore } from './jobStore.ts';
import { createRunParts, type RunParts } from './runParts.ts';
import { createRunTable, type RunTable } from './runTable.ts';

/** Everything that the service stores. What a method changed is on disk when its transaction returns. */
export interface Store {
  readonly database: Database;
  readonly changes: Changes;
  readonly jobs: JobStore;
  readonly runs: RunTable;
  readonly runParts: RunParts;
  readonly repairs: RepairStore;
  readonly tokens: TokenStore;
  readonly processes: ProcessStore;
  readonly creations: CreationStore;
  readonly outbox: OutboxStore;
  readonly facts: FactStore;
  transaction<T>(body: () => T): T;
  close(): void;
}

/** @throws AppError as `openDatabase` */
export function openStore(dataFolder: string, logger?: Logger): Store {
  const database = openDatabase(dataFolder, logger);
  const changes = createChanges();
  const runParts = createRunParts(database);
  return {
    database,
    changes,
    jobs: createJobStore(database, changes),
    runs: createRunTable(database, changes, runParts),
    runParts,
    repairs: createRepairStore(database),
    tokens: createTokenStore(database),
    processes: createProcessStore(database),
    creations: createCreationStore(database),
    outbox: createOutboxStore(database),
    facts: createFactStore(database),
    transaction: (body) => database.transaction(body),
    close: () => database.close(),
  };
}

/** Repairs of runs. They are deleted with their run. */
interface RepairStore {
  /**
   * @param before the run as it was, as JSON
   * @returns the new repair's ID
   */
  insert(runId: string, startedAt: number, before: string): string;
  /** Returns the repairs of the run in their order. */
  ofRun(runId: string): { repairId: string; startedAt: number; before: string }[];
}

function createRepairStore({ connection }: Database): RepairStore {
  const insert = connection.prepare(
    'INSERT INTO repairs (run_id, started_at, before) VALUES (?, ?, ?) RETURNING CAST(repair_id AS TEXT) AS repairId',
  );
  const ofRun = connection.prepare(
    'SELECT CAST(repair_id AS TEXT) AS repairId, started_at AS startedAt, before FROM repairs WHERE run_id = ? ORDER BY repair_id',
  );
  return {
    insert: (runId, startedAt, before) =>
      (insert.get(BigInt(runId), startedAt, before) as { repairId: string }).repairId,
    ofRun: (runId) => ofRun.all(BigInt(runId)) as unknown as { repairId: string; startedAt: number; before: string }[],
  };
}

/** Idempotency tokens (Jobs API 2.0, Endpoints rule 4). Their scope is the whole service, and they outlive their runs. */
interface TokenStore {
  runOf(token: string): string | undefined;
  insert(token: string, runId: string): void;
}

function createTokenStore({ connection }: Database): TokenStore {
  const get = connection.prepare('SELECT CAST(run_id AS TEXT) AS runId FROM tokens WHERE token = ?');
  const insert = connection.prepare('INSERT INTO tokens (token, run_id) VALUES (?, ?)');
  return {
    runOf: (token) => (get.get(token) as { runId: string } | undefined)?.runId,
    insert: (token, runId) => void insert.run(token, BigInt(runId)),
  };
}

/** Processes of active runs, so that a restart finds what an earlier service left. */
interface ProcessStore {
  insert(runId: string, identity: ProcessIdentity): void;
  all(): ProcessIdentity[];
  clear(): void;
}

function createProcessStore({ connection }: Database): ProcessStore {
  const insert = connection.prepare('INSERT INTO processes (run_id, pid, start_time) VALUES (?, ?, ?)');
  const all = connection.prepare('SELECT pid, start_time AS startTime FROM processes');
  const clear = connection.prepare('DELETE FROM processes');
  return {
    insert: (runId, identity) => void insert.run(BigInt(runId), identity.pid, identity.startTime),
    all: () => all.all() as unknown as ProcessIdentity[],
    clear: () => void clear.run(),
  };
}

/** Times of job creations and submitted runs, for the hourly limit (Jobs API 2.0, Limits). */
interface CreationStore {
  insert(at: number): void;
  countSince(moment: number): number;
  /** Returns the time of the oldest one after the given time. */
  oldestSince(moment: number): number | undefined;
  forgetBefore(moment: number): void;
}

function createCreationStore({ connection }: Database): CreationStore {
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

export interface OutboxMessage {
  readonly messageId: number;
  readonly kind: 'email' | 'webhook';
  /** The e-mail address, or the ID of the notification destination. */
  readonly target: string;
  /** The message as JSON text. */
  readonly payload: string;
  readonly createdAt: number;
  readonly attempts: number;
}

/** Notifications to deliver. They are stored together with the change that they report, so that a crash loses none. */
interface OutboxStore {
  insert(message: Omit<OutboxMessage, 'messageId' | 'attempts'>): void;
  due(now: number, limit: number): OutboxMessage[];
  earliest(): number | undefined;
  postpone(messageId: number, attempts: number, dueAt: number): void;
  delete(messageId: number): void;
}

function createOutboxStore({ connection }: Database): OutboxStore {
  const insert = connection.prepare(
    'INSERT INTO outbox (kind, target, payload, created_at, due_at) VALUES (?, ?, ?, ?, ?)',
  );
  const due = connection.prepare(
    'SELECT message_id AS messageId, kind, target, payload, created_at AS createdAt, attempts FROM ' +
      'outbox WHERE due_at <= ? ORDER BY due_at, message_id LIMIT ?',
  );
  const earliest = connection.prepare('SELECT min(due_at) AS at FROM outbox');
  const postpone = connection.prepare('UPDATE outbox SET attempts = ?, due_at = ? WHERE message_id = ?');
  const remove = connection.prepare('DELETE FROM outbox WHERE message_id = ?');
  return {
    insert: (message) =>
      void insert.run(message.kind, message.target, message.payload, message.createdAt, message.createdAt),
    due: (now, limit) => due.all(now, limit) as unknown as OutboxMessage[],
    earliest: () => (earliest.get() as { at: number | null }).at ?? undefined,
    postpone: (messageId, attempts, dueAt) => void postpone.run(attempts, dueAt, messageId),
    delete: (messageId) => void remove.run(messageId),
  };
}

/** Single values of the service, by name. */
export interface FactStore {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

function createFactStore({ connection }: Database): FactStore {
  const get = connection.prepare('SELECT value FROM facts WHERE name = ?');
  const set = connection.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  return {
    get: (name) => (get.get(name) as { value: string } | undefined)?.value,
    set: (name, value) => void set.run(name, value),
  };
}
