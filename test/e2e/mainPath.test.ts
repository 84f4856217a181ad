import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { untilKept } from '../support/keptState.ts';
import { root, vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

/** A long job, to watch and to cancel: it also leaves a child of its own, which must go too. */
const slowJob = `name: Slow
existing_cluster_id: local
spark_python_task:
  python_file: /slow.py
`;
const slowProgram = `import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)  # millrace-slow-child"])
print("child", child.pid, flush=True)
time.sleep(600)
`;

describe('The main path in a new editor', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-main-'));
    fs.cpSync(path.join(root, 'media', 'sample'), workspace, { recursive: true });
    fs.writeFileSync(path.join(workspace, 'slow.job.yml'), slowJob);
    fs.writeFileSync(path.join(workspace, 'slow.py'), slowProgram);
    window = await openWindow({ complete: true, vsix: vsixFile, workspace, size: { width: 1400, height: 900 } });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const jobRow = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });

  it('answers in the chat without settings, an account or a model', async () => {
    await window.openView('Millrace');
    const chat = await window.webview();
    await chat.getByRole('textbox', { name: 'Message' }).fill('How do I run a job every weekday at 2:30?');
    await chat.getByRole('button', { name: 'Send' }).click();
    const answer = chat.getByRole('article', { name: 'Millrace' });
    await answer.getByText('quartz_cron_expression').first().waitFor();
    await eventually(async () =>
      assert.ok((await answer.locator('pre code').count()) > 0, 'the example is a code block'),
    );
    await window.screenshot('main-chat');
  });

  it('marks a mistake in a job file at its place until it is fixed', async () => {
    await window.openFile('hello.job.yml');
    await window.editorLines().filter({ hasText: 'timeout_seconds' }).click();
    await window.page.keyboard.press('End');
    await window.page.keyboard.type('\nmax_concurent_runs: 1');
    const problems = await window.problems();
    await problems.filter({ hasText: 'max_concurrent_runs' }).first().waitFor();
    await window.screenshot('main-problem');
    await window.page.keyboard.press('Control+Shift+M');
    await window.editorLines().filter({ hasText: 'max_concurent_runs' }).click();
    await window.page.keyboard.press('Control+Shift+K');
    await window.page.keyboard.press('Control+S');
  });

  it('deploys and runs the job, and the tree follows', async () => {
    await window.runCommand('Millrace: Deploy Job File');
    await window
      .notifications()
      .filter({ hasText: /Deployed "Hello" to Local as job \d+/ })
      .first()
      .waitFor();
    await window.notifications().getByRole('button', { name: 'Run Now' }).click();
    await jobRow('Hello').filter({ hasText: 'Succeeded' }).waitFor();
    await window
      .notifications()
      .filter({ hasText: /Hello #1 on Local: Succeeded/ })
      .waitFor();
    await jobRow('Hello').click();
    await jobRow('#1').filter({ hasText: 'Succeeded' }).click();
    const run = await window.webview('Hello #1');
    await run.getByRole('heading', { name: /^Succeeded in / }).waitFor();
    await run.getByText('End of output.').waitFor();
    assert.match((await run.locator('.row .text').allInnerTexts()).join('\n'), /the\s+\d/);
    assert.deepEqual(await window.accessibilityProblems(run), []);
    await window.screenshot('main-run');
  });

  it('cancels a run down to its last process', async () => {
    await window.openFile('slow.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('slow.job.yml');
    const row = jobRow('Slow');
    await row.filter({ hasText: 'Running' }).waitFor();
    await row.click();
    await window.screenshot('main-running');
    const run = jobRow('#1').filter({ hasText: 'Running' });
    await run.hover();
    await run.getByRole('button', { name: 'Cancel Run' }).click();
    // While a row is drawn anew the editor does not say which one was meant, and the command asks.
    const cancelled = jobRow('Slow').filter({ hasText: 'Canceled' });
    const asked = window.quickPickRows().filter({ hasText: 'Slow #1' });
    await cancelled.or(asked).first().waitFor();
    if (await asked.isVisible()) await window.pick('Slow #1');
    await cancelled.waitFor();
    await eventually(() => assert.deepEqual(processesWith('millrace-slow-child'), []));
  });

  it('runs a notebook with parameters and exports it', async () => {
    await window.openFile('daily-report.job.yml');
    await window.runCommand('Millrace: Run Now with Parameters…');
    await window.pick('daily-report.job.yml');
    await window.pick('region');
    await window.type('south');
    await window.pick('Run with these parameters');
    await jobRow('Daily report').filter({ hasText: 'Succeeded' }).waitFor();
    await jobRow('Daily report').click();
    // The jobs stand in the order of their names, so the first finished run is this one once there are two.
    const runs = jobRow('#1').filter({ hasText: 'Succeeded' });
    await runs.nth(1).waitFor();
    await runs.first().click();
    const run = await window.webview('Daily report #1');
    await run.locator('pre').filter({ hasText: '"region": "south"' }).waitFor();
    await run.getByRole('button', { name: 'More…' }).click();
    await window.pick('Export…');
    await window.pick('All');
    const folder = path.join(workspace, 'exports');
    fs.mkdirSync(folder);
    await window.typeFolder(folder);
    const notification = window.notifications().filter({ hasText: 'Exported' });
    await notification.first().waitFor();
    const exported = fs.readdirSync(folder).toSorted();
    assert.match(exported.join(), /^daily_report-(\d+)-dashboard\.html,daily_report-\1\.html$/);
    for (const name of exported)
      assert.match(fs.readFileSync(path.join(folder, name), 'utf8'), /Report for south, 7 days/);
    await notification.getByRole('button', { name: 'Preview' }).first().click();
    await window.page.locator('.tab.active', { hasText: 'daily_report' }).waitFor();
    const page = (await window.webview('daily_report')).frameLocator('iframe');
    await page.getByText('Report for south, 7 days').waitFor();
    await window.screenshot('main-export');
  });

  it('reports the end of a run that was started before a reload, and restores the conversation', async () => {
    const end = path.join(workspace, 'end');
    fs.writeFileSync(
      path.join(workspace, 'patient.py'),
      `import os, time\nwhile not os.path.exists(${JSON.stringify(end)}): time.sleep(0.05)\n`,
    );
    const text = slowJob.replace('name: Slow', 'name: Patient').replace('slow.py', 'patient.py');
    fs.writeFileSync(path.join(workspace, 'patient.job.yml'), text);
    await window.openFile('patient.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('patient.job.yml');
    await jobRow('Patient').filter({ hasText: 'Running' }).waitFor();
    await untilKept(window.page, 'millrace.runs.started":[{"profileId":"local"');
    // Neither a page of a run nor the jobs view is open.
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+W');
    await window.openView('Explorer');
    await window.reload();
    await window.openView('Explorer');
    fs.writeFileSync(end, '');
    await window.notifications().filter({ hasText: 'Patient #1 on Local: Succeeded' }).waitFor();
    await window.openView('Millrace');
    const chat = await window.webview();
    await chat.getByRole('article', { name: 'Millrace' }).getByText('quartz_cron_expression').first().waitFor();
  });
});

function processesWith(marker: string): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(marker) ? [command] : [];
      } catch {
        // The process ended meanwhile.
        return [];
      }
    });
}
