import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { quietSettings, writeSettings, type Settings } from '../support/editor.ts';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

/** Goes on until a file of that name stands in the workspace. */
const program = (end: string): string =>
  `import os, time\nprint("going", flush=True)\nwhile not os.path.exists(${JSON.stringify(end)}): time.sleep(0.1)\n`;
const jobFile = (name: string, file: string): string =>
  `name: ${name}\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /${file}\n`;

interface FakeRun {
  run_id: number;
  job_id: number;
  run_type: string;
  number_in_job: number;
  start_time: number;
  end_time: number;
  attempt_number?: number;
  original_attempt_run_id?: number;
  state: { life_cycle_state: string; result_state?: string; user_cancelled_or_timedout?: boolean };
}

/** Forty jobs: six of them went each in another way, then others ran thirty times, and most never ran. */
function workspaceOfForty(): { jobs: object[]; runs: FakeRun[] } {
  const names = [
    'nightly-billing',
    'retried-load',
    'timed-out-export',
    'cancelled-copy',
    'skipped-sync',
    'lost-machine',
  ];
  const results: FakeRun['state'][] = [
    { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    { life_cycle_state: 'TERMINATED', result_state: 'TIMEDOUT', user_cancelled_or_timedout: true },
    { life_cycle_state: 'TERMINATED', result_state: 'CANCELED', user_cancelled_or_timedout: true },
    { life_cycle_state: 'SKIPPED' },
    { life_cycle_state: 'INTERNAL_ERROR' },
  ];
  const start = Date.now() - 3_600_000;
  const jobs = Array.from({ length: 40 }, (_, index) => ({
    job_id: index + 1,
    created_time: start,
    settings: {
      name: names[index] ?? `report-${String(index).padStart(2, '0')}`,
      spark_python_task: { python_file: '/a.py' },
    },
  }));
  const runs: FakeRun[] = [];
  const add = (jobId: number, state: FakeRun['state'], more: Partial<FakeRun> = {}): void => {
    const id = runs.length + 1;
    const at = start + id * 20_000;
    const isOver = !['RUNNING', 'PENDING'].includes(state.life_cycle_state);
    runs.push({
      run_id: id,
      job_id: jobId,
      run_type: 'JOB_RUN',
      number_in_job: id,
      start_time: at,
      end_time: isOver ? at + 9000 : 0,
      state,
      ...more,
    });
  };
  results.forEach((state, index) => add(index + 1, state));
  add(
    2,
    { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    { attempt_number: 1, original_attempt_run_id: 2 },
  );
  for (let count = 0; count < 30; count += 1)
    add(10 + (count % 3), { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
  add(14, { life_cycle_state: 'RUNNING' });
  add(15, { life_cycle_state: 'PENDING' });
  return { jobs, runs: runs.toReversed() };
}

describe('the tree of jobs and runs', () => {
  let window: EditorWindow;
  let workspace: string;
  let server: http.Server;
  let settings: Settings;
  /** Questions for the runs of one job that were under way at once, at most. */
  let mostAtOnce = 0;

  const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });
  const choose = async (profile: string): Promise<void> => {
    await window.runCommand('Millrace: Choose Profile…');
    await window.pick(profile);
  };
  const runNow = async (file: string): Promise<void> => {
    await window.openFile(file);
    await window.runCommand('Millrace: Run Now');
    await window.pick(file);
  };

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-tree-'));
    for (const name of ['slow', 'short']) {
      fs.writeFileSync(path.join(workspace, `${name}.job.yml`), jobFile(name, `${name}.py`));
      fs.writeFileSync(path.join(workspace, `${name}.py`), program(path.join(workspace, `${name}.end`)));
    }
    const { jobs, runs } = workspaceOfForty();
    let atOnce = 0;
    server = http.createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://local/');
      const send = (body: object): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (url.pathname === '/api/2.0/jobs/list') return send({ jobs });
      if (url.pathname !== '/api/2.0/jobs/runs/list')
        return void response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"error_code":"ENDPOINT_NOT_FOUND","message":"no"}');
      const jobId = url.searchParams.get('job_id');
      const found = runs
        .filter((run) => jobId === null || run.job_id === Number(jobId))
        .filter((run) => !url.searchParams.has('active_only') || run.end_time === 0);
      const limit = Number(url.searchParams.get('limit') ?? 20);
      const answer = (): void => send({ runs: found.slice(0, limit), has_more: found.length > limit });
      if (jobId === null) return answer();
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      setTimeout(() => {
        atOnce -= 1;
        answer();
      }, 20);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    settings = {
      'millrace.profiles': [{ id: 'team', name: 'Team', baseUrl: url, authKind: 'none' }],
      'workbench.colorTheme': 'Default Dark Modern',
    };
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 1100 }, settings });
    await window.openView('Millrace');
  });

  after(async () => {
    await window?.close();
    server?.closeAllConnections();
    server?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('tells how each of forty jobs went last, also where thirty newer runs of others hide it', async () => {
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
    await choose('Team');
    for (const [name, words] of [
      ['nightly-billing', 'Failed'],
      ['retried-load', 'Succeeded'],
      ['timed-out-export', 'Timed out'],
      ['cancelled-copy', 'Cancelled'],
      ['skipped-sync', 'Skipped'],
      ['lost-machine', 'Internal error'],
      ['report-13', 'Running'],
      ['report-14', 'Pending'],
      ['report-39', 'no runs yet'],
    ] as const)
      await row(name).filter({ hasText: words }).waitFor();
    await row('not asked').first().waitFor({ state: 'detached' });
    assert.ok(mostAtOnce <= 2, `${mostAtOnce} at once`);
    await row('retried-load').click();
    await window.screenshot('tree-forty-dark');
    writeSettings(window.editor.profileFolder, {
      ...quietSettings,
      ...settings,
      'workbench.colorTheme': 'Default Light Modern',
    });
    await window.load();
    await window.openView('Millrace');
    await row('nightly-billing').filter({ hasText: 'Failed' }).waitFor();
    await row('not asked').first().waitFor({ state: 'detached' });
    await window.screenshot('tree-forty-light');
  });

  it('tells the end of a run that was started on a profile that is no longer shown', async () => {
    await choose('Local');
    await runNow('short.job.yml');
    await row('short').filter({ hasText: 'Running' }).waitFor();
    await choose('Team');
    await row('nightly-billing').waitFor();
    fs.writeFileSync(path.join(workspace, 'short.end'), '');
    await window.notifications().filter({ hasText: 'short #1 on Local: Succeeded' }).waitFor();
    await window.screenshot('tree-told-of-other-profile');
  });

  it('asks before the service is stopped where runs are going, and then says of nothing that it still goes on', async () => {
    await choose('Local');
    await runNow('slow.job.yml');
    await row('slow').filter({ hasText: 'Running' }).waitFor();
    await window.runCommand('Millrace: Stop Local Service');
    await window.dialog().filter({ hasText: 'slow #1' }).waitFor();
    await window.screenshot('tree-stop-question');
    await window.dialog().getByRole('button', { name: 'Cancel' }).click();
    await row('slow').filter({ hasText: 'Running' }).waitFor();
    await window.runCommand('Millrace: Stop Local Service');
    await window.dialog().getByRole('button', { name: 'Stop and End the Runs' }).click();
    await row('Not current').filter({ hasText: 'stopped' }).waitFor();
    const texts = (): Promise<string[]> => window.treeRows('Jobs').allInnerTexts();
    const before = await texts();
    await window.page.waitForTimeout(3000);
    assert.deepEqual(await texts(), before);
    assert.equal(await window.page.locator('.sidebar .codicon-modifier-spin').count(), 0);
    await eventually(async () =>
      assert.equal(await window.page.locator('.activitybar .action-item', { hasText: /^1$/ }).count(), 0),
    );
    assert.doesNotMatch(before.join('\n'), /slow\s*Running(?! when last seen)/);
    await window.openFile('slow.job.yml');
    const lens = window.page.locator('.codelens-decoration', { hasText: 'Last run' });
    await lens.waitFor();
    await eventually(async () => assert.doesNotMatch(await lens.innerText(), /Running(?! when last seen)/));
    await window.screenshot('tree-stopped');
  });
});
