import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JobsServer, startJobsServer } from '../support/jobsServer.ts';
import { vsixFile } from '../support/paths.ts';
import { type EditorWindow, openWindow } from '../support/window.ts';

const state = (result: string) => ({ life_cycle_state: 'TERMINATED', result_state: result });
const startedMs = Date.now() - 120_000;
const task = (task_key: string, run_id: number, result: string, upstream: string[] = []) => ({
  task_key,
  run_id,
  state: state(result),
  depends_on: upstream.map((key) => ({ task_key: key })),
  start_time: startedMs,
  end_time: startedMs + run_id * 1000,
});
const run = {
  run_id: 20,
  job_id: 7,
  number_in_job: 1,
  run_type: 'JOB_RUN',
  start_time: startedMs,
  end_time: startedMs + 60_000,
  state: {
    life_cycle_state: 'INTERNAL_ERROR',
    result_state: 'FAILED',
    state_message: 'Task clean_orders failed with message: Workload failed.',
  },
};
const tasks = (isRepaired: boolean) => [
  task('ingest_orders', 21, 'SUCCESS'),
  task('ingest_rates', 22, 'SUCCESS'),
  task('clean_orders', 23, isRepaired ? 'SUCCESS' : 'FAILED', ['ingest_orders']),
  task('join', 24, isRepaired ? 'SUCCESS' : 'UPSTREAM_FAILED', ['clean_orders', 'ingest_rates']),
  task('report', 25, isRepaired ? 'SUCCESS' : 'UPSTREAM_FAILED', ['join']),
];
const refusal = {
  error_code: 'INVALID_PARAMETER_VALUE',
  message:
    'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
};
const outputs: Record<string, object> = {
  21: { logs: 'read 5 orders\n', metadata: { run_id: 21 } },
  23: { logs: 'cleaning\n', error: 'ValueError: no rows', metadata: { run_id: 23, state: state('FAILED') } },
};

/** Services of today send `tasks`, also with version 2.0 of the API. */
describe('A run with several tasks on another service', () => {
  let window: EditorWindow;
  let workspace: string;
  let team: JobsServer;
  let isRepaired = false;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-run-tasks-'));
    team = await startJobsServer();
    team.jobs.set(7, { name: 'nightly', format: 'MULTI_TASK' });
    team.reply = (given, query) => {
      if (given === '/api/2.2/jobs/list') return [200, {}];
      const route = given.replace('/api/2.2/', '');
      const now = isRepaired ? { ...run, state: state('SUCCESS') } : run;
      if (route === 'jobs/runs/list') return [200, { runs: [now], has_more: false }];
      if (route === 'jobs/runs/get') return [200, { ...now, tasks: tasks(isRepaired) }];
      if (route === 'jobs/runs/repair') {
        isRepaired = true;
        return [200, { repair_id: 3 }];
      }
      if (route !== 'jobs/runs/get-output') return undefined;
      const output = outputs[query.get('run_id') ?? ''];
      return output ? [200, output] : [400, refusal];
    };
    window = await openWindow({
      vsix: vsixFile,
      workspace,
      size: { width: 1400, height: 900 },
      settings: {
        'millrace.profiles': [{ id: 'team', name: 'Team', baseUrl: team.url, authKind: 'none' }],
        'millrace.defaultProfile': 'team',
      },
    });
    await window.openView('Millrace');
  });

  after(async () => {
    await window?.close();
    await team?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('explains the task that failed, and shows the output of the task that is clicked', async () => {
    await window.treeRows('Jobs').filter({ hasText: 'nightly' }).click();
    await window.treeRows('Jobs').filter({ hasText: '#1' }).filter({ hasText: 'Failed' }).click();
    const page = await window.webview('nightly #1');
    await page.getByRole('heading', { name: /^Failed after/ }).waitFor();
    await page.getByText('ValueError: no rows').first().waitFor();
    await page.locator('.row', { hasText: 'cleaning' }).waitFor();
    await window.screenshot('run-of-tasks');
    await page.getByRole('button', { name: /^ingest_orders\b/ }).click();
    await page.locator('.row', { hasText: 'read 5 orders' }).waitFor();
    await page.getByRole('button', { name: /^ingest_orders\b/, pressed: true }).waitFor();
  });

  it('opens in the tree into its tasks, each of which opens the page at its output', async () => {
    await window.treeRows('Jobs').filter({ hasText: '#1' }).locator('.monaco-tl-twistie').click();
    await window.treeRows('Jobs').filter({ hasText: 'join' }).filter({ hasText: 'Upstream failed' }).waitFor();
    await window.treeRows('Jobs').filter({ hasText: 'ingest_orders' }).click();
    const page = await window.webview('nightly #1');
    await page.getByRole('button', { name: /^ingest_orders\b/, pressed: true }).waitFor();
    await window.screenshot('tree-of-tasks');
  });

  it('is repaired, and shows how the repair ended', async () => {
    const page = await window.webview('nightly #1');
    await page.getByRole('button', { name: /^Repair Run/ }).click();
    await window.page.getByRole('option', { name: /^Failed tasks/ }).click();
    await page.getByRole('heading', { name: /^Succeeded/ }).waitFor();
    await window.treeRows('Jobs').filter({ hasText: 'report' }).filter({ hasText: 'Succeeded' }).waitFor();
  });
});
