import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/shared/log.ts';
import { runToJson } from '../../src/service/engine/runWire.ts';
import { startService } from '../../src/service/service.ts';
import { seedRuns } from '../../src/service/store/seedRuns.ts';
import { openStore } from '../../src/service/store/store.ts';

/**
 * The store at the size where it is to be fast still: 1,000,000 runs and 12,000 jobs (RUNS and JOBS in the environment
 * change that). Prints medians, in milliseconds, with the limit each has.
 */
const runCount = Number(process.env['RUNS'] ?? 1_000_000);
const jobCount = Number(process.env['JOBS'] ?? 12_000);

const settings = JSON.stringify({
  name: 'nightly etl of the warehouse', new_cluster: { spark_version: '15.4.x-scala2.12', node_type_id: 'local', num_workers: 2, spark_conf: { 'spark.speculation': 'true', 'spark.sql.shuffle.partitions': '64' }, spark_env_vars: { STAGE: 'prod' }, custom_tags: { team: 'data', cost: '4711' } },
  libraries: [{ jar: 'dfs:/libs/app.jar' }, { pypi: { package: 'simplejson==3.8.0' } }], timeout_seconds: 3600, max_retries: 2, min_retry_interval_millis: 60000, max_concurrent_runs: 1,
  email_notifications: { on_failure: ['team@example.com'], on_start: [], on_success: [] }, schedule: { quartz_cron_expression: '0 30 2 ? * MON-FRI', timezone_id: 'Europe/Berlin', pause_status: 'PAUSED' },
  spark_jar_task: { main_class_name: 'com.example.etl.Main', parameters: ['--day', '{{start_date}}', '--run', '{{run_id}}'] },
});

function median(times: number, body: () => unknown): number {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    body();
    durations.push(performance.now() - start);
  }
  return durations.sort((left, right) => left - right)[Math.floor(times / 2)]!;
}

function report(what: string, value: number, limit: number | undefined, unit = 'ms'): void {
  const verdict = limit === undefined ? '' : value <= limit ? `ok, limit ${limit}` : `TOO SLOW, limit ${limit}`;
  console.log(`${what.padEnd(58)} ${value.toFixed(3).padStart(10)} ${unit}  ${verdict}`);
  if (limit !== undefined && value > limit) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const pageUrl = (runId: string): string => `http://127.0.0.1:1/runs/${runId}/x`;

const store = openStore(folder);
store.transaction(() => {
  for (let index = 0; index < jobCount; index += 1) store.jobs.insert({ settings, creator: 'bench', createdAt: index }, undefined);
});
const seedStart = performance.now();
seedRuns(store, '1', runCount, Date.now());
report(`${runCount.toLocaleString('en')} runs seeded, per second`, runCount / ((performance.now() - seedStart) / 1000), undefined, '/s');

const page = (offset: number, filter = {}): string => store.runs.list(filter, offset, 26).map((run) => runToJson(run, pageUrl)).join(',');
page(0);
report('runs/list, page of 25 at the top', median(200, () => page(0)), 1);
report('runs/list of one job, page of 25 at the top', median(200, () => page(0, { jobId: '1' })), 1);
report('runs/list, completed only', median(200, () => page(0, { active: false })), 1);
report('runs/list, active only', median(200, () => page(0, { active: true })), 1);
report('runs/list, page of 25 at offset 100,000', median(20, () => page(Math.min(100_000, runCount / 2))), undefined);
let next = 0;
report('runs/get', median(2000, () => runToJson(store.runs.get(String(1 + ((next += 7919) % runCount)))!, pageUrl)), 0.1);
report(`${jobCount.toLocaleString('en')} jobs listed`, median(7, () => store.jobs.listJson().length), 60);
let fire = 1;
report('one durable write', median(100, () => store.transaction(() => store.jobs.setNextFire('1', (fire += 1)))), undefined);
store.jobs.setNextFire('1', undefined);
store.close();

const startAt = performance.now();
const service = await startService({ root: folder, dataFolder: folder, logger: silentLogger, token: 'bench-token', configuration: { discoverModels: false } });
report('start with all of it', performance.now() - startAt, 1000);
const headers = { authorization: 'Bearer bench-token' };
const timed = async (times: number, path: string): Promise<number> => {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    await (await fetch(service.url + path, { headers })).arrayBuffer();
    durations.push(performance.now() - start);
  }
  return durations.sort((left, right) => left - right)[Math.floor(times / 2)]!;
};
report('runs/list over HTTP, with the client', await timed(100, '/api/2.0/jobs/runs/list?limit=25'), undefined);
report('jobs/list over HTTP, with the client', await timed(5, '/api/2.0/jobs/list'), undefined);
const before = process.memoryUsage.rss();
for (let index = 0; index < 2000; index += 1) service.store.runs.list({}, index * 10, 25);
report('memory after 2,000 more pages, growth', (process.memoryUsage.rss() - before) / 1024 / 1024, 64, 'MB');
report('memory in all', process.memoryUsage.rss() / 1024 / 1024, undefined, 'MB');
await service.close();
process.exit();
