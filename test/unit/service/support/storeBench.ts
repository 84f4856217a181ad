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

/** Whether the jobs, and whether the runs, are told as changed by the work. */
export function changedBy(store: Store, work: () => unknown): [jobs: boolean, runs: boolean] {
  const before = store.changes.stamps;
  work();
  const { jobs, runs } = store.changes.stamps;
  return [jobs !== before.jobs, runs !== before.runs];
}

/** The jobs of a store as jobs/list shows them. */
export function listedJobs({ jobs }: Store): { job_id: number; settings: { name: string } }[] {
  return JSON.parse(`[${Buffer.concat([...jobs.list()]).toString()}]`) as ReturnType<typeof listedJobs>;
}
