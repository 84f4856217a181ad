import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToJson } from '../../src/service/engine/runWire.ts';
import { seedRuns } from '../../src/service/http/testHandlers.ts';
import { startService } from '../../src/service/startup/service.ts';
import { openStore } from '../../src/service/store/store.ts';
import { silentLogger } from '../../src/shared/log.ts';
import { measure, median, recordFigures, type Figure } from '../support/bench.ts';

/**
 * The store at the size at which it is to be fast still: 1,000,000 runs and 12,000 jobs (RUNS and JOBS in the environment
 * change that). Each figure is a median and stands beside its limit.
 */
const runCount = Number(process.env['RUNS'] ?? 1_000_000);
const jobCount = Number(process.env['JOBS'] ?? 12_000);

const settings = JSON.stringify({
  name: 'nightly etl of the warehouse',
  new_cluster: {
    spark_version: '15.4.x-scala2.12',
    node_type_id: 'local',
    num_workers: 2,
    spark_conf: { 'spark.speculation': 'true', 'spark.sql.shuffle.partitions': '64' },
    spark_env_vars: { STAGE: 'prod' },
    custom_tags: { team: 'data', cost: '4711' },
  },
  libraries: [{ jar: 'dfs:/libs/app.jar' }, { pypi: { package: 'simplejson==3.8.0' } }],
  timeout_seconds: 3600,
  max_retries: 2,
  min_retry_interval_millis: 60000,
  max_concurrent_runs: 1,
  email_notifications: { on_failure: ['team@example.com'], on_start: [], on_success: [] },
  schedule: { quartz_cron_expression: '0 30 2 ? * MON-FRI', timezone_id: 'Europe/Berlin', pause_status: 'PAUSED' },
  spark_jar_task: {
    main_class_name: 'com.example.etl.Main',
    parameters: ['--day', '{{start_date}}', '--run', '{{run_id}}'],
  },
});

const figures: Figure[] = [];

/** The limit is the peer: the ratio must not be above 1. */
function report(name: string, ours: number, limit: number, unit = 'ms'): void {
  figures.push({ name, ours, peer: limit, peerName: 'the limit', unit, goal: 1 });
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const pageUrl = (runId: string): string => `http://127.0.0.1:1/runs/${runId}/x`;

const store = openStore(folder);
store.transaction(() => {
  for (let index = 0; index < jobCount; index += 1)
    store.jobs.insert({ settings, creator: 'bench', createdAt: index }, undefined);
});
seedRuns(store, '1', runCount, Date.now());

const page = (offset: number, filter = {}): string =>
  store.runs
    .list(filter, offset, 26)
    .flatMap((runId) => store.runs.get(runId) ?? [])
    .map((run) => runToJson(run, { pageUrl }))
    .join(',');
page(0);
report(
  'runs/list, page of 25 at the top',
  measure(() => page(0)),
  1,
);
report(
  'runs/list of one job, page of 25 at the top',
  measure(() => page(0, { jobId: '1' })),
  1,
);
report(
  'runs/list, completed only',
  measure(() => page(0, { active: false })),
  1,
);
report(
  'runs/list, active only',
  measure(() => page(0, { active: true })),
  1,
);
report(
  'runs/list, page of 25 at offset 100,000',
  measure(() => page(Math.min(100_000, runCount / 2))),
  10,
);
let next = 0;
report(
  'runs/get',
  measure(() => runToJson(store.runs.get(String(1 + ((next += 7919) % runCount)))!, { pageUrl })),
  0.1,
);
report(
  `${jobCount.toLocaleString('en')} jobs listed`,
  measure(() => [...store.jobs.list()].length),
  60,
);
let fire = 1;
report(
  'one durable write',
  measure(() => store.transaction(() => store.jobs.setNextFire('1', (fire += 1)))),
  50,
);
store.jobs.setNextFire('1', undefined);
store.close();

const startAt = performance.now();
const service = await startService({
  root: folder,
  dataFolder: folder,
  logger: silentLogger,
  token: 'bench-token',
  configuration: { discoverModels: false },
});
report('start with all of it', performance.now() - startAt, 1000);
const headers = { authorization: 'Bearer bench-token' };
const timed = async (times: number, path: string): Promise<number> => {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    await (await fetch(service.url + path, { headers })).arrayBuffer();
    durations.push(performance.now() - start);
  }
  return median(durations);
};
report('runs/list over HTTP, with the client', await timed(100, '/api/2.0/jobs/runs/list?limit=25'), 50);
report('jobs/list over HTTP, with the client', await timed(5, '/api/2.0/jobs/list'), 1000);
const before = process.memoryUsage.rss();
for (let index = 0; index < 2000; index += 1) service.store.runs.list({}, index * 10, 25);
report('memory after 2,000 more pages, growth', (process.memoryUsage.rss() - before) / 1024 / 1024, 64, 'MB');
report('memory in all', process.memoryUsage.rss() / 1024 / 1024, 1024, 'MB');
await service.close();
recordFigures('store', figures);
process.exit();
