import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { chooseProfile } from '../support/chooseProfile.ts';
import { eventually } from '../support/eventually.ts';
import { answerJson, startHttpServer, type TestServer } from '../support/httpServer.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';
import { startWorkspaceOfForty, type WorkspaceOfForty } from '../support/workspaceOfForty.ts';

/** Written from right to left. */
const turnedName = 'تقرير';

describe('Jobs view', () => {
  let window: EditorWindow;
  let workspace: string;
  let team: WorkspaceOfForty;
  let moody: TestServer;
  /** What the service Moody replies to requests for jobs, and to others; before that it is silent. */
  let mood: readonly [jobs: string, others: string, status?: number] | undefined;

  const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-view-'));
    team = await startWorkspaceOfForty();
    const turned = team.jobs[11];
    if (turned) turned.settings.name = turnedName;
    moody = await startHttpServer(async ({ url }, response) => {
      await eventually(() => mood !== undefined, 'a mood');
      const [jobs = '', others = '', status] = mood ?? [];
      answerJson(response, url.includes('/jobs/list') ? jobs : others, status);
    });
    const settings = {
      'millrace.profiles': [
        { id: 'team', name: 'Team', baseUrl: team.url, authKind: 'none' },
        { id: 'locked', name: 'Locked', baseUrl: team.url, authKind: 'bearer' },
        { id: 'moody', name: 'Moody', baseUrl: moody.url, authKind: 'none' },
      ],
      'millrace.defaultProfile': 'team',
    };
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 1200 }, settings });
    await window.openView('Millrace');
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
  });

  after(async () => {
    await window?.close();
    team?.close();
    await moody?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  /** The words up to the end of a row's text, if they are cut in a side bar of 300 px while the row's buttons are seen; otherwise nothing. */
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
      // Cut text ends in an ellipsis, which covers part of it.
      const room = all.endsWith(last) ? 0 : 14;
      return range.getBoundingClientRect().right + room <= box.right ? '' : all;
    }, end);
  };

  it('fits the last run of each of forty jobs into 300 pixels, even behind thirty newer runs of others', async () => {
    for (const [name, words] of [
      ['nightly-billing', 'Failed'],
      ['retried-load', 'Succeeded'],
      ['timed-out-export', 'Timed out'],
      ['cancelled-copy', 'Canceled'],
      ['skipped-sync', 'Skipped'],
      ['lost-machine', 'Internal error'],
      ['report-06', 'schedule paused'],
      ['report-13', 'Running'],
      ['report-14', 'Pending'],
      ['report-35', 'Failed'],
      ['report-35', 'newer run skipped'],
      ['report-39', 'no runs yet'],
    ] as const)
      await row(name).filter({ hasText: words }).waitFor();
    await row('not asked').first().waitFor({ state: 'detached' });
    assert.ok(team.mostAtOnce <= 2, `${team.mostAtOnce} at once`);
    await row('nightly-billing').click();
    await row(/^#1\s*Failed \d+[mhd] · 9 s$/).waitFor();
    assert.equal(await cutInRow(row('#1').first(), ' · 9 s'), '');
    for (const name of ['nightly-billing', 'report-09']) assert.equal(await cutInRow(row(name).first(), ' · '), '');
  });

  const message = (text: string | RegExp) => window.page.locator('.sidebar .message').filter({ hasText: text });
  /** The jobs of the rows, without their runs and without the state and age before the name. */
  const shows = (...wanted: string[]): Promise<void> =>
    eventually(async () => {
      const labels = await window.treeRows('Jobs').locator('.label-name', { hasNotText: '#' }).allInnerTexts();
      const names = labels.map((label) => label.replace(/^.* · /, ''));
      assert.deepEqual(names.slice(0, wanted.length), wanted);
    });

  it('is filtered by state and sorted, with the favorites first', async () => {
    await window.runCommand('Millrace: Filter Jobs…');
    for (const state of ['Running', 'Queued or pending', 'Failed', 'Timed out', 'Internal error'])
      await window.quickPickRows().filter({ hasText: state }).first().click();
    await window.input().press('Enter');
    const words = '6 of 40 jobs match: running, queued or pending, failed, timed out, internal error';
    await message(words).waitFor();
    await row('report-06').waitFor({ state: 'detached' });
    await window.runCommand('Millrace: Sort Jobs…');
    await window.pick('By Last Run');
    await shows('report-14', 'report-13');
    await window.contextMenu(row('lost-machine'), 'Add to Favorites');
    await shows('lost-machine', 'report-14', 'report-13');
    await row('lost-machine').filter({ hasText: '★' }).waitFor();
    await window.runCommand('Millrace: Clear Filter');
    await row('report-06').waitFor();
    await message('match').waitFor({ state: 'detached' });
  });

  it('describes a schedule in a tooltip and on the job page, which can pause it', async () => {
    // A row that is drawn anew under the mouse shows no tooltip.
    await eventually(async () => {
      await window.page.mouse.move(700, 5);
      await row('nightly-billing').first().hover();
      const tooltip = window.page.locator('.monaco-hover').getByText('At 02:30 every day, UTC');
      await tooltip.waitFor({ timeout: 5000 });
    });
    await window.contextMenu(row('nightly-billing').first(), 'Open Job');
    const page = await window.webview('nightly-billing');
    await page.getByText('At 02:30 every day, UTC').waitFor();
    await eventually(async () => assert.equal(await page.locator('.next li').count(), 5));
    await page.getByRole('button', { name: 'Pause Schedule' }).click();
    await page.getByText('None while the schedule is paused.').waitFor();
    await row('nightly-billing').filter({ hasText: 'schedule paused' }).waitFor();
    assert.deepEqual(
      team.sent.map(({ route, body }) => [route, body['new_settings']]),
      [
        [
          'jobs/update',
          { schedule: { quartz_cron_expression: '0 30 2 * * ?', timezone_id: 'UTC', pause_status: 'PAUSED' } },
        ],
      ],
    );
  });

  it('runs a job by its key, and the run again with changed parameters', async () => {
    const started = (): unknown[] => team.sent.filter(({ route }) => route === 'jobs/run-now').map(({ body }) => body);
    await row('report-07').click();
    await window.page.keyboard.press('Control+Alt+J');
    await window.page.keyboard.press('r');
    await row('report-07').filter({ hasText: 'Succeeded' }).waitFor();
    await window.contextMenu(row(/^#42/), 'Run Again with Changes…');
    await window.pick('day');
    await window.input().and(window.page.locator('input:focus')).waitFor();
    assert.equal(await window.input().inputValue(), 'today');
    await window.type('monday');
    await window.quickPickRows().filter({ hasText: 'day' }).filter({ hasText: 'monday' }).waitFor();
    await window.pick('Run with these parameters');
    await row(/^#43/).waitFor();
    const [first, second] = started() as Record<string, unknown>[];
    assert.equal(first?.['job_id'], 8);
    assert.deepEqual(second?.['notebook_params'], { day: 'monday' });
    await window.notifications().filter({ hasText: 'report-07 #43 on Team: Succeeded' }).waitFor();
  });

  it('shows the runs of all jobs by time without a request per job', async () => {
    const questions = team.runQuestions.length;
    await window.runCommand('Millrace: Show All Runs by Time');
    await row('report-14 #39').filter({ hasText: 'Pending' }).waitFor();
    await row('nightly-billing #1').filter({ hasText: 'Failed' }).waitFor();
    assert.deepEqual(
      team.runQuestions.slice(questions).filter(({ jobId }) => jobId !== null),
      [],
    );
  });

  it("puts a run's number after its job's name, even if that is written right to left", async () => {
    const name = row(turnedName).first().locator('.label-name');
    await name.waitFor();
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
  });

  it('cancels the selected runs after one confirmation, without notifications', async () => {
    await row('report-14 #39').click();
    // Its page takes the focus once it is there, which would close a menu.
    await (await window.webview('report-14 #39')).getByText('written').waitFor();
    await row('report-13 #38').click({ modifiers: ['Control'] });
    await window.contextMenu(row('report-13 #38'), 'Cancel Active Runs');
    await window.dialog().filter({ hasText: 'report-14 #39 (39)' }).filter({ hasText: 'report-13 #38 (38)' }).waitFor();
    await window.dialog().getByRole('button', { name: 'Cancel Runs on Team' }).click();
    await row('report-14 #39').filter({ hasText: 'Canceled' }).waitFor();
    await row('report-13 #38').filter({ hasText: 'Canceled' }).waitFor();
    const cancelled = team.sent.filter(({ route }) => route === 'runs/cancel').map(({ body }) => body['run_id']);
    assert.deepEqual(cancelled.map(String).toSorted(), ['38', '39']);
    assert.equal(await window.notifications().filter({ hasText: 'Canceled' }).count(), 0);
  });

  it('explains why it has no rows, with the button that fixes it', async () => {
    const picture = window.page.locator('.welcome-view');
    await chooseProfile(window, 'Locked');
    await picture.getByText('You are not signed in').waitFor();
    await picture.getByRole('button', { name: 'Sign In…' }).click();
    await window.inputMessage().filter({ hasText: 'Access token for' }).waitFor();
    await window.page.keyboard.press('Escape');
    await chooseProfile(window, 'Moody');
    await picture.getByText('Loading the jobs…').waitFor();
    assert.equal(await window.treeRows('Jobs').count(), 0);
    mood = ['{"error_code":"INTERNAL_ERROR","message":"It broke."}', '{}', 500];
    await picture.getByText('unreachable or failing').waitFor();
    await picture.getByText('Loading the jobs…').waitFor({ state: 'detached' });
    mood = ['{"jobs":[{"job_id":7,"settings":{"name":"corrected"},"created_time":1}]}', '{"runs":[]}'];
    await picture.getByRole('button', { name: 'Try Again' }).click();
    await picture.getByRole('button', { name: 'Show Runs by Job' }).click();
    await row('corrected').waitFor();
    await picture.waitFor({ state: 'hidden' });
  });
});
