import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { identify } from '../../../../src/service/runners/processTree.ts';
import type { ServiceConfiguration } from '../../../../src/service/startup/serviceConfiguration.ts';
import { openStore } from '../../../../src/service/store/store.ts';
import { runRecord } from '../support/runRecord.ts';
import { pythonTask, startTestService, type TestService } from '../support/testService.ts';

describe('a service with settings', () => {
  let folder: string;
  let test: TestService;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-settings-'));
  });
  afterEach(async () => {
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });
  /** With the engines of this machine. */
  async function start(configuration: ServiceConfiguration): Promise<void> {
    const settings = { discoverModels: false, ...configuration };
    test = await startTestService({ dataFolder: folder, runners: undefined, configuration: settings });
  }
  function program(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return path;
  }
  interface Engine {
    name: string;
    available: boolean;
    remedy?: string;
  }
  async function engines(): Promise<(name: string) => [boolean | undefined, string | undefined]> {
    const found = (await test.get('/api/millrace/engines')).json as { engines: Engine[] };
    return (name) => {
      const engine = found.engines.find((each) => each.name === name);
      return [engine?.available, engine?.remedy];
    };
  }

  it('has the Python and the Spark that are named, and no others', async () => {
    await start({ python: '/none/python', spark: { sparkSubmit: program('spark-submit', 'exit 0') } });
    const of = await engines();
    assert.equal(of('python')[0], false);
    assert.deepEqual(of('spark'), of('java'), 'all that may be missing is Java');
  });

  it('runs notebooks in the engine that is chosen', async () => {
    writeFileSync(join(folder, 'n.py'), '# Databricks notebook source\nprint(1)\n');
    // Without the packages of the machine, Jupyter among them.
    await start({ python: program('python', 'exec python3 -S "$@"'), notebookEngine: 'jupyter' });
    const task = { existing_cluster_id: 'x', notebook_task: { notebook_path: '/n' } };
    const { json } = await test.post('/api/2.0/jobs/runs/submit', task);
    const { state } = await test.untilState(json.run_id, 'INTERNAL_ERROR');
    assert.match(state.state_message, /^Notebooks are set to run in Jupyter, which is not installed/);
  });

  it('has the model servers that are named beside its own models', async () => {
    const upstream = { name: 'mine', baseUrl: 'http://127.0.0.1:9/v1', models: ['some-model'] };
    await start({ upstreams: [upstream] });
    const { json } = await test.get('/api/2.0/serving-endpoints');
    const names = (json.endpoints as { name: string }[]).map(({ name }) => name);
    assert.ok(
      names.some((name) => name.includes('some-model')),
      names.join(),
    );
  });
});

describe('what a service makes', () => {
  it('is made by the user of this machine', async () => {
    const test = await startTestService();
    const jobId = await test.createJob();
    const { json: job } = await test.get(`/api/2.0/jobs/get?job_id=${jobId}`);
    const run = await test.getRun(await test.runNow(jobId));
    await test.close();
    const { username } = userInfo();
    assert.deepEqual([job.creator_user_name, run.creator_user_name], [username, username]);
  });
});

describe('a service that ends', () => {
  it('ends the tasks of its runs, and looks at nothing any more', async () => {
    const clock = new TravelClock();
    let stops = 0;
    const test = await startTestService({ clock, idleInMs: 60_000, onStop: () => void (stops += 1) });
    await test.post('/api/2.0/jobs/runs/submit', { run_name: 'r', ...pythonTask });
    await test.untilTasks(1);
    assert.equal(test.runners.last.signal.aborted, false);
    await test.service.close();
    assert.equal(test.runners.last.signal.aborted, true);
    await clock.advance(600_000);
    assert.equal(stops, 0);
    await test.close();
  });

  it('is followed by one that ends what it left, also where that is known by its number alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-left-'));
    const left = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      const exited = once(left, 'exit');
      const identity = await identify(left.pid ?? 0);
      assert.ok(identity);
      const store = openStore(folder);
      const { runId, hidden: _hidden, ...fresh } = runRecord({ jobId: undefined, oneTimeJobId: '7' });
      const run = store.runs.insert(fresh, { settings: '{}', parameters: '{}' });
      assert.equal(run.runId, runId);
      store.runs.update({ ...run, lifeCycle: 'RUNNING', dispatchedAt: 1, runningAt: 2 });
      store.processes.insert(run.runId, identity);
      store.close();
      const test = await startTestService({ dataFolder: folder });
      assert.ok(['SIGTERM', 'SIGKILL'].includes((await exited)[1]));
      assert.equal((await test.getRun(Number(runId))).state.life_cycle_state, 'INTERNAL_ERROR');
      await test.close();
    } finally {
      left.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('what a service answers', () => {
  let test: TestService;
  beforeEach(async () => void (test = await startTestService()));
  afterEach(() => test.close());

  it('is there for all that clients and windows ask', async () => {
    const runId = await test.runNow(await test.createJob());
    for (const path of [
      '/api/2.0/jobs/list',
      '/api/2.0/jobs/runs/list',
      '/api/2.0/clusters/list-node-types',
      '/api/2.0/serving-endpoints',
      '/api/millrace/health',
      `/api/millrace/debug-state?run_id=${runId}`,
      `/api/millrace/run-output?run_id=${runId}`,
      '/api/millrace/changes',
    ])
      assert.equal((await test.get(path)).status, 200, path);
  });

  it('is in the form that clients of models read, also where it refuses them; elsewhere errors have their own', async () => {
    for (const path of ['/serving-endpoints/chat/completions', '/v1/chat/completions']) {
      const { status, json } = await test.post(path, '{');
      assert.ok(status >= 400, path);
      assert.deepEqual([typeof json.error, json.error.message], ['object', json.message], path);
    }
    const { json } = await test.post('/api/2.0/jobs/create', '{');
    assert.deepEqual([typeof json.message, typeof json.error], ['string', 'undefined']);
  });
});
