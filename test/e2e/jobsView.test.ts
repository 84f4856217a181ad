import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { remoteIntervals } from '../../src/runs/polling/pollIntervals.ts';
import { chooseProfile } from '../support/chooseProfile.ts';
import { eventually } from '../support/eventually.ts';
import { startMoodyServer, type MoodyServer } from '../support/moodyServer.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';
import { startWorkspaceOfForty, type WorkspaceOfForty } from '../support/workspaceOfForty.ts';

/** Closer together are no two looks that the view takes by itself at a service that fails. */
const leastPauseInMs = remoteIntervals.activeInMs * 2;

describe('Jobs view', () => {
  let window: EditorWindow;
  let workspace: string;
  let team: WorkspaceOfForty;
  let moody: MoodyServer;

  const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-view-'));
    team = await startWorkspaceOfForty();
    moody = await startMoodyServer();
    const settings = {
      'millrace.profiles': [
        { id: 'team', name: 'Team', baseUrl: team.url, authKind: 'none' },
        { id: 'locked', name: 'Locked', baseUrl: team.url, authKind: 'bearer' },
        { id: 'refused', name: 'Refused', baseUrl: `${team.url}/refused`, authKind: 'none' },
        { id: 'viewer', name: 'Viewer', baseUrl: team.url, authKind: 'none', readOnly: true },
        { id: 'moody', name: 'Moody', baseUrl: moody.url, authKind: 'none' },
        { id: 'nobody', name: 'Nobody', baseUrl: 'http://127.0.0.1:9', authKind: 'none' },
      ],
      'millrace.defaultProfile': 'team',
    };
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 1200 }, settings });
    await window.openView('Millrace');
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
    await row('nightly-billing').filter({ hasText: 'Failed' }).waitFor();
  });

  after(async () => {
    await window?.close();
    team?.close();
    await moody?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('fits result, age and duration of the last run into 300 pixels', async () => {
    await row('report-39').filter({ hasText: 'no runs yet' }).waitFor();
    const width = await window.page.locator('.sidebar').evaluate((element) => element.clientWidth);
    assert.ok(width <= 300, `${width} px`);
    await row('nightly-billing')
      .filter({ hasText: /Failed .*next \S/ })
      .waitFor();
    await row('report-06').filter({ hasText: 'schedule paused' }).waitFor();
    for (const [job, run] of [
      ['retried-load', /^#7\s*Succeeded \d+[mhd] · attempt 2 · 9 s$/],
      ['nightly-billing', /^#1\s*Failed \d+[mhd] · 9 s$/],
    ] as const) {
      await row(job).click();
      await window.page.keyboard.press('ArrowRight');
      await row(run).waitFor();
    }
    const cut = await row(/^#1\s*Failed/)
      .locator('.monaco-icon-label-container')
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.ok(cut <= 0, `${cut} px are cut off`);
    await window.screenshot('view-rows');
  });

  /** The names of the rows, without the state and age before them. */
  const names = async (): Promise<string[]> =>
    (await window.page.locator('.monaco-list[aria-label*="Jobs"] [role=treeitem] .label-name').allInnerTexts()).map(
      (label) => label.replace(/^.* · /, ''),
    );
  const message = (text: string | RegExp) => window.page.locator('.sidebar .message').filter({ hasText: text });

  it('keeps open and selected rows over a reload, with at most two requests at once', async () => {
    // A click opens a row and selects it.
    await row('retried-load').click();
    await row(/^#7\s*Succeeded/).waitFor({ state: 'detached' });
    await row('retried-load').click();
    for (const run of [/^#1\s*Failed/, /^#7\s*Succeeded/]) await row(run).waitFor();
    // The editor takes a moment to note down what extensions keep.
    await window.runCommand('Millrace: Refresh');
    await window.reload();
    for (const run of [/^#1\s*Failed/, /^#7\s*Succeeded/]) await row(run).waitFor();
    await window.page.locator('[role=treeitem][aria-selected=true]').filter({ hasText: 'retried-load' }).waitFor();
    assert.ok(team.mostAtOnce <= 2, `${team.mostAtOnce} at once`);
    await window.screenshot('view-after-reload');
    for (const name of ['nightly-billing', 'retried-load']) await row(name).click();
    await row(/^#\d/).waitFor({ state: 'detached' });
  });

  it('shows its filter, keeps it over a reload, and edits it from the title', async () => {
    await window.runCommand('Millrace: Filter Jobs…');
    for (const state of ['Running', 'Queued or pending', 'Failed', 'Timed out', 'Internal error'])
      await window.quickPickRows().filter({ hasText: state }).first().click();
    await window.input().press('Enter');
    await message('6 of 40 jobs match: running, queued or pending, failed, timed out, internal error').waitFor();
    await row('report-06').waitFor({ state: 'detached' });
    await row('nightly-billing').waitFor();
    await row('report-13').waitFor();
    await window.screenshot('view-filtered');
    await window.contextMenu(row('report-13'), 'Add to Favorites');
    await row('report-13').filter({ hasText: '★' }).waitFor();
    await window.runCommand('Millrace: Refresh');
    await window.reload();
    await message('6 of 40 jobs match: running, queued or pending, failed, timed out, internal error').waitFor();
    await row('report-13').filter({ hasText: '★' }).waitFor();
    await window.contextMenu(row('report-13'), 'Remove from Favorites');
    await row(/★/).waitFor({ state: 'detached' });
    await window.runCommand('Millrace: Filter Jobs by Text…');
    await window.type('no-such-job');
    await window.page.locator('.welcome-view').getByText('No jobs match the filter.').waitFor();
    await window.screenshot('view-nothing-fits');
    await window.viewHeader('Jobs').hover();
    await window.viewHeader('Jobs').getByRole('button', { name: 'Edit Filter…' }).waitFor();
    await window.runCommand('Millrace: Clear Filter');
    await row('report-06').waitFor();
    await message('match').waitFor({ state: 'detached' });
  });

  it('sorts jobs, with favorites first', async () => {
    await window.runCommand('Millrace: Sort Jobs…');
    await window.pick('By Last Run');
    await row(/★/).waitFor({ state: 'detached' });
    const isFirst = async (name: string): Promise<void> => {
      await window.page.waitForFunction(
        (wanted) =>
          document
            .querySelector('.monaco-list[aria-label*="Jobs"] [role=treeitem] .label-name')
            ?.textContent?.endsWith(wanted),
        name,
      );
    };
    // Rows that move while one of them is clicked put another one under the mouse.
    await isFirst('report-14');
    await window.contextMenu(row('report-06'), 'Add to Favorites');
    await row('report-06').filter({ hasText: '★' }).waitFor();
    await isFirst('report-06');
    assert.deepEqual((await names()).slice(0, 3), ['report-06', 'report-14', 'report-13']);
    await window.runCommand('Millrace: Sort Jobs…');
    await window.pick('By Name');
    await eventually(async () => {
      const shown = await names();
      return shown.indexOf('nightly-billing') < shown.indexOf('report-13');
    }, 'the jobs by name');
    await window.contextMenu(row('report-06'), 'Remove from Favorites');
    await row(/★/).waitFor({ state: 'detached' });
  });

  it('shows the runs of all jobs by time without a request per job', async () => {
    const questions = team.runQuestions.length;
    await window.runCommand('Millrace: Show All Runs by Time');
    await row('report-14 #39').filter({ hasText: 'Pending' }).waitFor();
    assert.equal((await names())[0], 'report-35 #41');
    await row('nightly-billing #1').filter({ hasText: 'Failed' }).waitFor();
    await window.screenshot('view-by-time');
    assert.deepEqual(
      team.runQuestions.slice(questions).filter(({ jobId }) => jobId !== null),
      [],
    );
    await window.reload();
    await row('report-14 #39').waitFor();
  });

  it('cancels the selected runs after one confirmation, without notifications', async () => {
    await row('report-14 #39').click();
    // Its page takes the focus once it is there, which would close a menu.
    await (await window.webview('report-14 #39')).getByText('written').waitFor();
    await row('report-13 #38').click({ modifiers: ['Control'] });
    await window.contextMenu(row('report-13 #38'), 'Cancel Active Runs');
    await window.dialog().filter({ hasText: 'report-14 #39 (39)' }).filter({ hasText: 'report-13 #38 (38)' }).waitFor();
    await window.screenshot('view-cancel-question');
    await window.dialog().getByRole('button', { name: 'Cancel Runs on Team' }).click();
    await row('report-14 #39').filter({ hasText: 'Canceled' }).waitFor();
    await row('report-13 #38').filter({ hasText: 'Canceled' }).waitFor();
    const cancelled = team.sent.filter(({ route }) => route === 'runs/cancel').map(({ body }) => body['run_id']);
    assert.deepEqual(cancelled.map(String).toSorted(), ['38', '39']);
    assert.equal(await window.notifications().filter({ hasText: 'Canceled' }).count(), 0);
  });

  it('removes the actions from the page of a deleted run', async () => {
    const page = await window.webview('report-14 #39');
    await page.getByRole('heading', { name: /^Canceled after / }).waitFor();
    await page.getByRole('button', { name: 'Run Again', exact: true }).waitFor();
    await row('report-14 #39').click();
    await window.contextMenu(row('report-14 #39'), 'Delete Run');
    await window.dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Team no longer has this run.').waitFor();
    await page.getByRole('button', { name: 'Run Again', exact: true }).waitFor({ state: 'detached' });
    await row('report-14 #39').waitFor({ state: 'detached' });
    await window.screenshot('view-run-deleted');
  });

  it('runs a run again unchanged, with one message that ends with its result', async () => {
    await window.contextMenu(row('nightly-billing #1'), /^Run Again(?! with)/);
    const told = window.notifications().filter({ hasText: 'nightly-billing #42 on Team: Succeeded' });
    await told.waitFor();
    await window.notifications().filter({ hasText: 'Started nightly-billing' }).waitFor({ state: 'detached' });
    await window.screenshot('view-run-again');
    assert.deepEqual(team.sent.find(({ route }) => route === 'jobs/run-now')?.body['job_id'], 1);
    await row('nightly-billing #42').filter({ hasText: 'Succeeded' }).waitFor();
    await window.clearNotifications();
    await window.runCommand('Millrace: Show Runs by Job');
    await row('report-06').waitFor();
  });

  const started = (): unknown[] => team.sent.filter(({ route }) => route === 'jobs/run-now').map(({ body }) => body);

  it('applies its keys to the selected row and to the view', async () => {
    const press = async (key: string): Promise<void> => {
      await window.page.keyboard.press('Control+Alt+J');
      await window.page.keyboard.press(key);
    };
    const before = started().length;
    await row('report-07').click();
    await press('r');
    await row('report-07').filter({ hasText: 'Succeeded' }).waitFor();
    assert.deepEqual(
      started()
        .slice(before)
        .map((body) => (body as Record<string, unknown>)['job_id']),
      [8],
    );
    await press('f');
    await window.quickPickRows().filter({ hasText: 'Failed' }).first().waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('runs a run again with changed parameters', async () => {
    await row('report-07').click();
    await window.page.keyboard.press('ArrowRight');
    await window.contextMenu(row(/^#43/), 'Run Again with Changes…');
    await window.pick('day');
    await window.input().and(window.page.locator('input:focus')).waitFor();
    assert.equal(await window.input().inputValue(), 'today');
    await window.type('monday');
    await window.quickPickRows().filter({ hasText: 'day' }).filter({ hasText: 'monday' }).waitFor();
    await window.pick('Run with these parameters');
    await row(/^#44/).waitFor();
    assert.deepEqual((started().at(-1) as Record<string, unknown>)['notebook_params'], { day: 'monday' });
    await window.clearNotifications();
    await row('report-07').first().click();
  });

  it('pauses and resumes a schedule, and copies a job as a curl command', async () => {
    await window.contextMenu(row('nightly-billing'), 'Pause Schedule');
    await row('nightly-billing').filter({ hasText: 'schedule paused' }).waitFor();
    await window.contextMenu(row('nightly-billing'), 'Resume Schedule');
    await row('nightly-billing').filter({ hasText: 'next' }).waitFor();
    assert.deepEqual(
      team.sent.filter(({ route }) => route === 'jobs/update').map(({ body }) => body['new_settings']),
      ['PAUSED', 'UNPAUSED'].map((status) => ({
        schedule: { quartz_cron_expression: '0 30 2 * * ?', timezone_id: 'UTC', pause_status: status },
      })),
    );
    await window.contextMenu(row('nightly-billing'), 'Copy as curl');
    await window.notifications().filter({ hasText: 'Copied' }).waitFor();
    const copied = await window.page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^curl -sS 'http:.*\/api\/2\.0\/jobs\/run-now' .* -d '\{"job_id":1\}'$/);
  });

  it('offers no runs on a read-only profile', async () => {
    const play = (name: string) => row(name).locator('.actions').getByRole('button', { name: 'Run Now' });
    await row('report-20').hover();
    await play('report-20').waitFor();
    await chooseProfile(window, 'Viewer');
    await window.page.locator('.sidebar').getByText('Viewer').first().waitFor();
    await row('report-20').hover();
    await row('report-20').locator('.actions').waitFor({ state: 'attached' });
    await play('report-20').waitFor({ state: 'detached' });
    await chooseProfile(window, 'Team');
    await row('report-20').hover();
    await play('report-20').waitFor();
  });

  it("offers to cancel a job's runs only if some may be active", async () => {
    const offered = async (name: string): Promise<number> => {
      await row(name).click({ button: 'right' });
      const last = window.page.getByRole('menuitem', { name: 'Delete Job' });
      await last.waitFor();
      const count = await window.page.getByRole('menuitem', { name: 'Cancel All Runs' }).count();
      await window.page.keyboard.press('Escape');
      await last.waitFor({ state: 'detached' });
      return count;
    };
    const again = team.runs.find((run) => run.job_id === 14);
    assert.ok(again);
    Object.assign(again, { state: { life_cycle_state: 'RUNNING' }, end_time: 0, run_id: 90, number_in_job: 90 });
    await window.runCommand('Millrace: Refresh');
    await row('report-13').filter({ hasText: 'Running' }).waitFor();
    // Until the service has told of a job's runs, some may be going on.
    await eventually(async () => {
      const counts = [await offered('report-39'), await offered('nightly-billing'), await offered('report-13')];
      assert.deepEqual(counts, [0, 0, 1]);
    });
  });

  it('explains each reason for having no rows, with the button that fixes it', async () => {
    const picture = window.page.locator('.welcome-view');
    await chooseProfile(window, 'Nobody');
    await picture.getByText('unreachable').waitFor();
    await picture.getByRole('button', { name: 'Diagnose Connection' }).waitFor();
    await window.screenshot('view-offline');
    await chooseProfile(window, 'Locked');
    await picture.getByText('You are not signed in').waitFor();
    await window.screenshot('view-signed-out');
    await picture.getByRole('button', { name: 'Sign In…' }).click();
    await window.inputMessage().filter({ hasText: 'Access token for' }).waitFor();
    await window.page.keyboard.press('Escape');
    await chooseProfile(window, 'Refused');
    await picture.getByText('does not allow it to read jobs').waitFor();
    await picture.getByRole('button', { name: 'Sign In Again…' }).waitFor();
    await window.screenshot('view-refused');
    await window.clearNotifications();
    await picture.getByRole('button', { name: 'Diagnose Connection' }).click();
    await window.editorLines().filter({ hasText: '403' }).first().waitFor();
    await chooseProfile(window, 'Team');
    await row('nightly-billing').waitFor();
    assert.equal(await picture.getByText('You are not signed in').count(), 0);
  });

  it('shows that it is loading, or why nothing can be shown, with a button to retry', async () => {
    const picture = window.page.locator('.welcome-view');
    const again = picture.getByRole('button', { name: 'Try Again' });
    const tryAgain = async (): Promise<void> => {
      const asked = moody.listedAtMs.length;
      await again.click();
      await eventually(() => moody.listedAtMs.length > asked, 'a question for the jobs');
    };
    await chooseProfile(window, 'Moody');
    await picture.getByText('Loading the jobs…').waitFor();
    await row('nightly-billing').waitFor({ state: 'detached' });
    assert.equal(await window.treeRows('Jobs').count(), 0);
    await window.screenshot('view-loading');
    moody.mood = ['{"error_code":"INTERNAL_ERROR","message":"It broke."}', '{}', 500];
    await picture.getByText('unreachable or failing').waitFor();
    await picture.getByText('Loading the jobs…').waitFor({ state: 'detached' });
    await window.screenshot('view-fails');
    moody.mood = ['<!doctype html><title>Some other server</title>', 'nothing of ours'];
    await tryAgain();
    await picture.getByText('The jobs could not be loaded.').waitFor();
    await window.screenshot('view-failed');
    // It also looks by itself, though less often than that.
    await eventually(async () => {
      await tryAgain();
      const [before = 0, last = 0] = moody.listedAtMs.slice(-2);
      assert.ok(last - before < leastPauseInMs);
    });
    await picture.getByRole('button', { name: 'Diagnose Connection' }).click();
    await window.editorLines().filter({ hasText: 'Moody' }).first().waitFor();
    moody.mood = ['{"jobs":[{"job_id":7,"settings":{"name":"mended"},"created_time":1}]}', '{"runs":[]}'];
    await again.click();
    await row('mended').waitFor();
    await picture.waitFor({ state: 'hidden' });
    const shown = window.page.evaluate(async () => {
      const frames = new Set<string>();
      const text = (selector: string): string => document.querySelector<HTMLElement>(selector)?.innerText ?? '';
      const pane = '.pane:has(.monaco-list[aria-label*="Jobs"])';
      while (![...frames].at(-1)?.includes('nightly-billing')) {
        frames.add([`${pane} .pane-header .description`, `${pane} .monaco-list`, '.welcome-view'].map(text).join('\n'));
        await new Promise(requestAnimationFrame);
      }
      return [...frames];
    });
    await chooseProfile(window, 'Team');
    await row('nightly-billing').waitFor();
    for (const frame of await shown) assert.doesNotMatch(frame, /^Team\n[^]*mended|No jobs yet/);
  });
});
