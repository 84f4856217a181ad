import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../src/api/client/client.ts';
import { createClient } from '../../src/api/client/index.ts';
import { parseJobFile } from '../../src/jobfile/services/parseJobFile.ts';
import { toYaml } from '../../src/jobfile/services/toYaml.ts';
import { exportFileNames } from '../../src/runs/exportNames.ts';
import { RunStore } from '../../src/runs/store/runStore.ts';
import { TreeModel } from '../../src/runs/tree/treeModel.ts';
import { TravelClock } from '../../src/service/base/travelClock.ts';
import { startService, type Service } from '../../src/service/startup/service.ts';
import { silentLogger } from '../../src/shared/log.ts';
import { until } from './service/support/testService.ts';

/** The first integer that a double cannot hold, and the largest INT64. */
const firstUnsafe = '9007199254740993';
const token = 'token-of-a-test';

describe('An id beyond 2^53', function () {
  let folder: string;
  let service: Service;
  let client: Client;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-ids-'));
    writeFileSync(
      join(folder, 'report.py'),
      '# Databricks notebook source\nprint("cell")\ndbutils.notebook.exit("done")\n',
    );
    service = await startService({
      root: folder,
      dataFolder: join(folder, 'data'),
      token,
      logger: silentLogger,
      configuration: { discoverModels: false, notebookEngine: 'builtin' },
      testClock: new TravelClock(),
    });
    const ids = await fetch(`${service.url}/api/millrace/test/ids`, {
      method: 'POST',
      body: `{"next_job_id": ${firstUnsafe}, "next_run_id": 9223372036854775000}`,
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(ids.status, 200, await ids.text());
    client = createClient({ baseUrl: service.url, auth: { kind: 'bearer', token } });
  });

  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps every digit through client, service, tree and export', async () => {
    const { job_id: jobId } = await client.jobs.create({
      name: 'big',
      notebook_task: { notebook_path: '/report' },
      existing_cluster_id: 'local',
    });
    assert.equal(jobId, firstUnsafe);
    const { run_id: runId } = await client.jobs.runNow({ job_id: jobId });
    assert.match(runId, /^922337203685477500\d$/);
    const run = await until(
      async () => {
        const seen = await client.jobs.getRun(runId);
        return seen.state?.life_cycle_state === 'TERMINATED' ? seen : undefined;
      },
      () => `run ${runId}`,
      30_000,
    );
    assert.deepEqual(
      [run.job_id, run.run_id, run.original_attempt_run_id, run.state?.result_state],
      [jobId, runId, runId, 'SUCCESS'],
    );

    const store = new RunStore();
    store.setJobs(await client.jobs.list(), 0);
    const page = await client.jobs.listRuns({ job_id: jobId });
    store.setRunsOf(jobId, page.runs, page.has_more, 0);
    const model = new TreeModel({ profileId: 'local', store, now: () => Date.now() });
    const [job] = model.roots();
    assert.equal(job?.id, `local/job/${firstUnsafe}`);
    const rows = job ? model.children(job) : [];
    assert.deepEqual(rows === 'notLoaded' ? rows : rows.map((row) => row.id), [
      `local/job/${firstUnsafe}/run/${runId}`,
    ]);

    const views = await client.jobs.exportRun({ run_id: runId });
    assert.deepEqual(exportFileNames(runId, views), [`report-${runId}.html`]);
    assert.match(views[0]?.content ?? '', /cell/);
    assert.equal((await client.jobs.getRunOutput(runId)).notebook_output?.result, 'done');
  });

  it('keeps every digit in job files and settings', async () => {
    const yaml = toYaml({ name: 'caller', run_job_task: { job_id: firstUnsafe } }, { jobId: '9007199254740995' });
    const parsed = parseJobFile(yaml);
    assert.deepEqual([parsed.jobId, parsed.settings?.run_job_task], ['9007199254740995', { job_id: firstUnsafe }]);
    const { job_id: caller } = await client.jobs.create(parsed.settings ?? {});
    assert.deepEqual((await client.jobs.get(caller)).settings?.run_job_task, { job_id: firstUnsafe });
  });

  it('is shown with every digit if it does not exist', async () => {
    await assert.rejects(client.jobs.get('9007199254740997'), /9007199254740997/);
    await assert.rejects(client.jobs.cancelRun('9223372036854775807'), /9223372036854775807/);
  });
});
