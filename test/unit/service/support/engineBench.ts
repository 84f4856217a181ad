import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { createEngine } from '../../../../src/service/engine/engine.ts';
import type { Engine, EngineOptions } from '../../../../src/service/engine/engineContract.ts';
import type { RunStart } from '../../../../src/service/engine/runStart.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { openStore, type Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { createFakeRunners, type FakeRunners } from './fakeRunners.ts';

/** An engine of two places on a folder of its own, whose time and tasks the test owns. */
export interface EngineBench {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly runners: FakeRunners;
  readonly engine: Engine;
  /** What was announced of the ends of runs, in words. */
  readonly told: string[];
  /** Creates a job of one Python task with these settings, and starts it. */
  start(more?: object, trigger?: RunStart['trigger'], run?: Partial<RunStart>): RunRecord;
  close(): Promise<void>;
}

export function openEngineBench(create: typeof createEngine, options: Partial<EngineOptions> = {}): EngineBench {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-engine-'));
  const store = openStore(folder);
  const [clock, runners, told] = [new FakeClock(), createFakeRunners(), [] as string[]];
  const engine = create({
    store,
    clock,
    runners,
    notifier: {
      started: ({ runId }) => void told.push(`started ${runId}`),
      over: ({ runId, result }, _settings, willRetry) => void told.push(`${result} ${runId} ${willRetry}`),
      lastsLong: () => undefined,
      jobDeleted: () => undefined,
      wake: () => undefined,
    },
    logger: silentLogger,
    dataFolder: folder,
    creator: 'me',
    places: 2,
    ...options,
  });
  return {
    store,
    clock,
    runners,
    engine,
    told,
    start(more = {}, trigger = 'ONE_TIME', run = {}) {
      const settings = JSON.stringify({ name: 'j', spark_python_task: { python_file: '/a.py' }, ...more });
      const jobId = store.jobs.insert({ settings, creator: 'me', createdAt: 0 }, undefined);
      return engine.start({ jobId, settings, trigger, ...run });
    },
    async close() {
      await engine.close();
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
