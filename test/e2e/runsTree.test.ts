import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { chooseProfile } from '../support/chooseProfile.ts';
import { quietSettings, writeSettings, type Settings } from '../support/editor.ts';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';
import { startWorkspaceOfForty, type WorkspaceOfForty } from '../support/workspaceOfForty.ts';

/** Goes on until a file of that name stands in the workspace. */
const program = (end: string): string =>
  `import os, time\nprint("going", flush=True)\nwhile not os.path.exists(${JSON.stringify(end)}): time.sleep(0.1)\n`;
const jobFile = (name: string, file: string): string =>
  `name: ${name}\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /${file}\n`;

/** Written from right to left. */
const turnedName = 'تقرير';

describe('The tree of jobs and runs', () => {
  let window: EditorWindow;
  let workspace: string;
  let team: WorkspaceOfForty;
  let settings: Settings;

  const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });
  const runNow = async (file: string): Promise<void> => {
    await window.openFile(file);
    await window.runCommand('Millrace: Run Now');
    await window.pick(file);
  };

  /** The words up to one of the ends in a row, if they are cut in a side bar of 300 px while the row's button is seen; else nothing. */
  const cutInRow = async (shown: Locator, end: string): Promise<string> => {
    assert.ok(((await shown.boundingBox())?.width ?? 999) <= 300);
    await shown.hover();
    await shown.locator('.actions .action-label').first().waitFor();
    return shown.evaluate((element, last) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let text = texts.nextNode();
      while (text && !text.textContent?.includes(last)) text = texts.nextNode();
      const box = element.querySelector('.monaco-icon-label')?.getBoundingClientRect();
      const all = text?.textContent ?? '';
      if (!text || !box) return `no ${last} in ${element.textContent}`;
      const range = document.createRange();
      range.setStart(text, 0);
      range.setEnd(text, all.indexOf(last) + last.length);
      // What is cut ends in an ellipsis, which hides what it stands on.
      const room = all.endsWith(last) ? 0 : 14;
      return range.getBoundingClientRect().right + room <= box.right ? '' : all;
    }, end);
  };

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-tree-'));
    for (const name of ['slow', 'short']) {
      fs.writeFileSync(path.join(workspace, `${name}.job.yml`), jobFile(name, `${name}.py`));
      fs.writeFileSync(path.join(workspace, `${name}.py`), program(path.join(workspace, `${name}.end`)));
    }
    team = await startWorkspaceOfForty();
    fs.writeFileSync(
      path.join(workspace, 'nightly.job.yml'),
      `job_id: 1\nexisting_cluster_id: c\ntimeout_seconds: 60\n${Object.entries(team.jobs[0]?.settings ?? {})
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
        .join('')}`,
    );
    const [, , , , , , , , , , , turned] = team.jobs;
    if (turned) turned.settings.name = turnedName;
    settings = {
      'millrace.profiles': [
        { id: 'team', name: 'Team', baseUrl: team.url, authKind: 'none' },
        { id: 'prod', name: 'Prod EU', baseUrl: team.url, authKind: 'none', production: true },
      ],
      'workbench.colorTheme': 'Default Dark Modern',
    };
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 1100 }, settings });
    await window.openView('Millrace');
  });

  after(async () => {
    await window?.close();
    team?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('shows the last run of each of forty jobs, even behind thirty newer runs of others', async () => {
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
    await chooseProfile(window, 'Team');
    for (const [name, words] of [
      ['nightly-billing', 'Failed'],
      ['retried-load', 'Succeeded'],
      ['timed-out-export', 'Timed out'],
      ['cancelled-copy', 'Canceled'],
      ['skipped-sync', 'Skipped'],
      ['lost-machine', 'Internal error'],
      ['report-13', 'Running'],
      ['report-14', 'Pending'],
      ['report-35', 'Failed'],
      ['report-35', 'newer run skipped'],
      ['report-39', 'no runs yet'],
    ] as const)
      await row(name).filter({ hasText: words }).waitFor();
    await row('not asked').first().waitFor({ state: 'detached' });
    assert.ok(team.mostAtOnce <= 2, `${team.mostAtOnce} at once`);
    await row('retried-load').click();
    await window.screenshot('tree-forty-dark');
    await row('nightly-billing').click();
    assert.equal(await cutInRow(row('#1').first(), ' · 9 s'), '');
    for (const name of ['nightly-billing', 'report-09']) assert.equal(await cutInRow(row(name).first(), ' · '), '');
    await window.screenshot('tree-forty-buttons');
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

  it('filters by trigger, time and kind, and sorts by the next run', async () => {
    for (const [choices, words] of [
      [['Schedule', 'Last 24 hours'], '1 of 40 jobs match: schedule · last 24 hours'],
      // What was chosen is chosen still: another click takes it back.
      [['Schedule', 'Last 24 hours', 'Notebook'], '1 of 40 jobs match: notebook'],
    ] as const) {
      await window.runCommand('Millrace: Filter Jobs…');
      for (const choice of choices) {
        await window.input().fill(choice);
        await window.quickPickRows().filter({ hasText: choice }).first().click();
      }
      await window.input().press('Enter');
      await window.page.locator('.sidebar .message').filter({ hasText: words }).waitFor();
    }
    await row('nightly-billing').waitFor({ state: 'detached' });
    await row('report-07').waitFor();
    await window.runCommand('Millrace: Clear Filter');
    await window.runCommand('Millrace: Sort Jobs…');
    await window.pick('By Next Run');
    await row(/^Failed .* · nightly-billing\s*next \S/).waitFor();
    const first = window.treeRows('Jobs').first();
    await eventually(async () => assert.match(await first.innerText(), /nightly-billing/));
    await window.runCommand('Millrace: Sort Jobs…');
    await window.pick('By Name');
    await eventually(async () => assert.doesNotMatch(await first.innerText(), /nightly-billing/));
  });

  it('keeps active jobs first in any order and after a reload', async () => {
    // Without the runs of a job that is unfolded.
    const names = async (): Promise<string[]> =>
      (await window.treeRows('Jobs').locator('.label-name', { hasNotText: '#' }).allInnerTexts()).map((label) =>
        label.replace(/^.* · /, ''),
      );
    const plain = (await names()).slice(0, 4);
    assert.deepEqual(plain.toSorted(), plain);
    const choice = async (label: string): Promise<void> => {
      await window.runCommand('Millrace: Sort Jobs…');
      await window.pick(label);
    };
    const begins = (...wanted: string[]): Promise<void> =>
      eventually(async () => assert.deepEqual((await names()).slice(0, wanted.length), wanted));
    await choice('Active Jobs First');
    await begins('report-13', 'report-14', ...plain.slice(0, 2));
    await choice('By Last Run');
    await begins('report-14', 'report-13');
    await window.screenshot('tree-active-first');
    await window.load();
    await window.openView('Millrace');
    await begins('report-14', 'report-13');
    await choice('By Name');
    await choice('Active Jobs in Normal Order');
    await begins(...plain);
  });

  it('describes a schedule and the next runs in a tooltip and on the job page', async () => {
    await row('nightly-billing').first().hover();
    await window.page.locator('.monaco-hover').getByText('At 02:30 every day, UTC').waitFor();
    await window.screenshot('tree-tooltip');
    await window.contextMenu(row('nightly-billing').first(), 'Open Job');
    const page = await window.webview('nightly-billing');
    await page.getByText('At 02:30 every day, UTC').waitFor();
    await eventually(async () => assert.equal(await page.locator('.next li').count(), 5));
    assert.deepEqual(await window.accessibilityProblems(page), []);
    await window.screenshot('tree-job-page');
    const before = team.sent.length;
    await page.getByRole('button', { name: 'Pause Schedule' }).click();
    await page.getByText('None while the schedule is paused.').waitFor();
    await row('nightly-billing').filter({ hasText: 'schedule paused' }).waitFor();
    await window.screenshot('tree-job-page-paused');
    await page.getByRole('button', { name: 'Resume Schedule' }).click();
    await eventually(async () => assert.equal(await page.locator('.next li').count(), 5));
    await row('nightly-billing').filter({ hasText: 'next' }).waitFor();
    assert.deepEqual(
      team.sent
        .slice(before)
        .map(({ route, body }) => [
          route,
          (body['new_settings'] as { schedule?: { pause_status?: string } }).schedule?.pause_status,
        ]),
      [
        ['jobs/update', 'PAUSED'],
        ['jobs/update', 'UNPAUSED'],
      ],
    );
  });

  it("puts a run's number after its job's name, even if that is written right to left", async () => {
    await window.runCommand('Millrace: Show All Runs by Time');
    const name = row(turnedName).filter({ hasText: '#' }).first().locator('.label-name');
    await name.waitFor();
    await window.screenshot('tree-right-to-left');
    const lefts = await name.evaluate((label) => {
      const text = document.createTreeWalker(label, NodeFilter.SHOW_TEXT).nextNode();
      return ['#', /(?<=#)\d/].map((part) => {
        const range = document.createRange();
        const at = text?.textContent?.search(part) ?? -1;
        if (!text || at < 0) return 0;
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left - label.getBoundingClientRect().left;
      });
    });
    const [mark = 0, number = 0] = lefts;
    assert.ok(mark > 10 && mark < number, lefts.join(', '));
    await window.runCommand('Millrace: Show Runs by Job');
  });

  it('asks once before a change on production, by name and effect, and Escape changes nothing', async () => {
    // The same rows of another profile would be taken for these.
    await chooseProfile(window, 'Local');
    await row('report-39').waitFor({ state: 'detached' });
    await chooseProfile(window, 'Prod EU');
    await row('report-39').waitFor();
    const dialog = window.dialog();
    const asked = (question: string) => dialog.filter({ hasText: `PRODUCTION "Prod EU": ${question}?` });
    const deploy = async (): Promise<void> => {
      await window.openFile('nightly.job.yml');
      await window.runCommand('Millrace: Deploy Job File');
    };
    const onRow = (name: string, entry: string | RegExp) => () => window.contextMenu(row(name).first(), entry);
    const before = team.sent.length;
    for (const [act, question, detail] of [
      [onRow('report-20', /^Run Now(?! with)/), 'Run job "report-20" (21)', ''],
      [onRow('report-13', 'Cancel All Runs'), 'Cancel all active runs of job "report-13" (14)', 'New runs can still'],
      [onRow('nightly-billing', 'Pause Schedule'), 'Pause the schedule of job "nightly-billing" (1)', ''],
      [
        deploy,
        'Replace the settings of job "nightly-billing" (1)',
        /do not come from a deploy of this file from here\..*It would undo these changes:.*timeout_seconds: 60 is added/s,
      ],
      [onRow('report-39', 'Delete Job'), 'Delete job "report-39" (40)', 'This deletes its run history'],
    ] as const) {
      await act();
      await asked(question)
        .filter({ hasText: detail })
        .filter({ hasText: `This changes the production workspace at ${team.url}` })
        .waitFor();
      await window.screenshot(`tree-production-${question.split(' ')[0]?.toLowerCase()}`);
      await window.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await window.runCommand('Millrace: Refresh');
    await row('report-39').waitFor();
    assert.deepEqual(team.sent.slice(before), []);
    await onRow('report-39', 'Delete Job')();
    await asked('Delete job "report-39" (40)').getByRole('button', { name: 'Delete on Prod EU' }).click();
    await row('report-39').waitFor({ state: 'detached' });
    await deploy();
    await dialog.getByRole('button', { name: 'Deploy Anyway on Prod EU' }).click();
    await window.notifications().filter({ hasText: 'job 1 has the new settings' }).waitFor();
    assert.deepEqual(
      team.sent.slice(before).map(({ route, body }) => [route, body['job_id']]),
      [
        ['jobs/delete', 40],
        ['jobs/reset', 1],
      ],
    );
    await window.clearNotifications();
  });

  it('reports the end of a run on a profile that is no longer shown', async () => {
    await chooseProfile(window, 'Local');
    await runNow('short.job.yml');
    await row('short').filter({ hasText: 'Running' }).waitFor();
    await chooseProfile(window, 'Team');
    await row('nightly-billing').waitFor();
    fs.writeFileSync(path.join(workspace, 'short.end'), '');
    await window.notifications().filter({ hasText: 'short #1 on Local: Succeeded' }).waitFor();
    await window.screenshot('tree-told-of-other-profile');
  });

  it('asks before it stops the service during runs, and then shows nothing as active', async () => {
    await chooseProfile(window, 'Local');
    await runNow('slow.job.yml');
    await row('slow').filter({ hasText: 'Running' }).waitFor();
    await window.runCommand('Millrace: Stop Local Service');
    await window.dialog().filter({ hasText: 'slow #1' }).waitFor();
    await window.screenshot('tree-stop-question');
    await window.dialog().getByRole('button', { name: 'Cancel' }).click();
    await row('slow').filter({ hasText: 'Running' }).waitFor();
    await window.runCommand('Millrace: Stop Local Service');
    await window.dialog().getByRole('button', { name: 'Stop and End Runs' }).click();
    await row('Outdated').filter({ hasText: 'stopped' }).waitFor();
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
