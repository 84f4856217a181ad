import type { Logger } from '../../shared/log.ts';
import { createChanges, type Changes } from './changes.ts';
import { createCreationStore, type CreationStore } from './creationStore.ts';
import { openDatabase, type Database } from './database.ts';
import { createFactStore, type FactStore } from './factStore.ts';
import { createJobStore, type JobStore } from './jobStore.ts';
import { createOutboxStore, type OutboxStore } from './outboxStore.ts';
import { createProcessStore, type ProcessStore } from './processStore.ts';
import { createRunParts, type RunParts } from './runParts.ts';
import { createRunTable, type RunTable } from './runTable.ts';
import { createTokenStore, type TokenStore } from './tokenStore.ts';

/** All that the service keeps; what a method changed is on the disk when its transaction returns. */
export interface Store {
  readonly database: Database;
  readonly changes: Changes;
  readonly jobs: JobStore;
  readonly runs: RunTable;
  readonly runParts: RunParts;
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
    tokens: createTokenStore(database),
    processes: createProcessStore(database),
    creations: createCreationStore(database),
    outbox: createOutboxStore(database),
    facts: createFactStore(database),
    transaction: (body) => database.transaction(body),
    close: () => database.close(),
  };
}
