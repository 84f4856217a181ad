import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../../../src/service/store/store.ts';

/** Opens a store in a folder of its own before each test of a suite, and hands it over. */
export function eachWithStore(given: (store: Store) => void): void {
  let folder: string;
  let store: Store;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-store-'));
    given((store = openStore(folder)));
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** The jobs of a store as jobs/list shows them. */
export function listedJobs({ jobs }: Store): { job_id: number; settings: { name: string } }[] {
  return JSON.parse(`[${Buffer.concat([...jobs.list()]).toString()}]`) as ReturnType<typeof listedJobs>;
}
