import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';
import { reply, startServer, type TestServer, workspace } from '../unit/connection/testServer.ts';

/** Searched for in everything that the editor wrote. */
const token = 'dapi-canary-7f3a9c51e2';
const wrongToken = 'dapi-wrong-canary-b81d';

describe('Connection', function () {
  this.timeout(300_000);

  let folder: string;
  let window: EditorWindow;
  let service: TestServer;
  let stranger: TestServer;
  let accepted = token;
  let sick = false;
  /** Takes changes without ever answering. */
  let silent = false;

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-connection-'));
    const well = workspace(() => accepted);
    service = await startServer((request, response, body) => {
      if (silent && request.method === 'POST') return undefined;
      return sick && request.method === 'POST'
        ? reply(response, 503, {
            error_code: 'TEMPORARILY_UNAVAILABLE',
            message: 'Back soon. [Click me](command:workbench.action.closeFolder)',
          })
        : well(request, response, body);
    });
    stranger = await startServer((_request, response) =>
      reply(response, 200, '<!doctype html><title>Some other server</title>'),
    );
    window = await openWindow({
      vsix: vsixFile,
      workspace: folder,
    });
  });

  after(async () => {
    await window?.close();
    await Promise.all([service?.close(), stranger?.close()]);
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const message = (): ReturnType<EditorWindow['inputMessage']> => window.inputMessage();
  const saysNow = (text: string | RegExp): Promise<void> => message().filter({ hasText: text }).waitFor();
  const status = (text: string | RegExp): Promise<void> => window.statusItem(text).first().waitFor();

  it('reports what is wrong with an address before anything is saved', async () => {
    await window.runCommand('Millrace: Add Profile…');
    await window.type(stranger.url);
    await saysNow('not with this API');
    assert.ok(stranger.requests.every(({ headers }) => headers.authorization === undefined));
  });

  it('rejects a wrong token, accepts the right one, and saves only then', async () => {
    await window.type(service.url);
    await window.pick('Access token');
    await window.type(wrongToken);
    await saysNow('rejected this sign-in (401)');
    assert.ok(!userSettings().includes(service.url));
    await window.type(token);
    await saysNow('Name of the profile');
    await window.type('Staging');
    await window.quickPickRows().filter({ hasText: 'Read-only' }).waitFor();
    await window.input().press('Enter');
    await status('Staging');
    await window.notifications().filter({ hasText: 'is saved and active' }).waitFor();
    const settings = userSettings();
    assert.match(settings, /"name": "Staging"/);
    assert.ok(!settings.includes(token));
  });

  it('marks production clearly and asks by name before a change', async () => {
    await window.runCommand('Millrace: Edit Profile…');
    await window.pick('Staging');
    await window.input().waitFor();
    await saysNow('Address of the service');
    await window.input().press('Enter');
    await window.pick('Access token');
    await saysNow('Access token for');
    await window.input().press('Enter');
    await saysNow('Name of the profile');
    await window.type('Prod EU');
    await window
      .quickPickRows()
      .filter({ hasText: 'Production' })
      .locator('input[type=checkbox], .quick-input-list-checkbox, .monaco-checkbox')
      .first()
      .click();
    await window.input().press('Enter');
    await status('PRODUCTION: Prod EU');
    const item = window.page.locator('.statusbar-item.error-kind').filter({ hasText: 'PRODUCTION: Prod EU' });
    await item.waitFor();
    await eventually(async () =>
      assert.match((await item.locator('a').first().getAttribute('aria-label')) ?? '', /Prod EU.*Production/),
    );
  });

  /**
   * Asks for a run by the menu of its row. While a tree is read anew the editor cannot name the row to the command, which then asks for a job.
   * @returns the button that runs it
   */
  const askToRun = async (): Promise<Locator> => {
    const doIt = window.dialog().getByRole('button', { name: 'Run on Prod EU' });
    await eventually(async () => {
      if (await window.input().isVisible()) await window.page.keyboard.press('Escape');
      await window.contextMenu(window.treeRows('Jobs').filter({ hasText: 'nightly' }).first(), /^Run Now(?! with)/);
      await doIt.or(window.input()).first().waitFor({ timeout: 10_000 });
      assert.ok(await doIt.isVisible());
    }, 'the question before a run on production');
    return doIt;
  };

  it('asks by name before a change in production, and sends nothing if it is declined', async () => {
    await window.openView('Millrace');
    await askToRun();
    const dialog = window.dialog();
    await dialog.filter({ hasText: 'PRODUCTION "Prod EU"' }).waitFor();
    await eventually(async () => assert.match(await dialog.innerText(), /nightly/));
    await eventually(async () => assert.ok((await dialog.innerText()).includes(service.url)));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.ok(service.requests.every(({ path: route }) => route !== '/api/2.0/jobs/run-now'));
  });

  it('asks once when a token becomes invalid', async () => {
    accepted = 'rotated-token';
    await window.runCommand('Millrace: Refresh');
    const question = window.notifications().filter({ hasText: 'rejected the sign-in' });
    await question.first().waitFor();
    await status('sign in again');
    assert.ok((await question.count()) <= 1, 'one question');
    await window.runCommand('Millrace: Sign In to Profile…');
    await saysNow('Access token for');
    await window.type('rotated-token');
    await window.notifications().filter({ hasText: 'Signed in to' }).waitFor();
    await window.statusItem('sign in again').waitFor({ state: 'detached' });
  });

  it('finishes a run request after a reload, with the profile and its sign-in', async () => {
    const runs = (): string[] =>
      service.requests.filter(({ path: route }) => route === '/api/2.0/jobs/run-now').map(({ body }) => body);
    const before = runs().length;
    silent = true;
    await (await askToRun()).click();
    await eventually(() => runs().length === before + 1);
    // What was asked stays without an answer; what the next extension host asks gets one, however soon it does.
    silent = false;
    await window.reload();
    // The editor hides a message after a while, and the view that was open stands again by itself: nothing is done before it is seen.
    await window
      .notifications()
      .filter({ hasText: 'when the editor closed, has been started on "Prod EU": run 7' })
      .waitFor();
    await window.openView('Millrace');
    await status('PRODUCTION: Prod EU');
    const [first, ...others] = runs().slice(before);
    assert.match(first ?? '', /"idempotency_token":"[^"]+"/);
    assert.ok(others.length > 0 && others.every((body) => body === first), runs().slice(before).join('\n'));
  });

  it('counts down before it retries a failing service; "Retry now" ends the wait', async () => {
    const runs = (): number => service.requests.filter(({ path: route }) => route === '/api/2.0/jobs/run-now').length;
    const before = runs();
    const countdown = window.notifications().filter({ hasText: /Retrying jobs\/run-now in \d+ s/ });
    await window.treeRows('Jobs').filter({ hasText: 'nightly' }).first().waitFor();
    sick = true;
    await (await askToRun()).click();
    await countdown.waitFor();
    const first = Number(/in (\d+) s/.exec(await countdown.innerText())?.[1]);
    await eventually(
      async () => Number(/in (\d+) s/.exec(await countdown.innerText())?.[1]) <= first - 2,
      'the countdown',
    );
    await eventually(async () =>
      assert.deepEqual(
        (await countdown.locator('a').filter({ visible: true }).filter({ hasText: /\w/ }).allInnerTexts()).toSorted(),
        ['Cancel', 'Retry now'],
        'the words of the server are no link',
      ),
    );
    assert.equal(runs(), before + 1);
    sick = false;
    await countdown.getByText('Retry now').click();
    await window.notifications().filter({ hasText: 'Started nightly' }).waitFor();
    await countdown.waitFor({ state: 'detached' });
    assert.equal(runs(), before + 2);
    assert.equal(
      new Set(
        service.requests
          .filter(({ path: route }) => route === '/api/2.0/jobs/run-now')
          .slice(-2)
          .map(({ body }) => body),
      ).size,
      1,
    );
  });

  it('writes a diagnosis without secrets', async () => {
    await window.runCommand('Millrace: Diagnose Connection');
    await window.page.locator('.tabs-container .tab.active', { hasText: 'Untitled' }).waitFor();
    await window.editorLines().filter({ hasText: 'The connection works' }).waitFor();
    await window.page.keyboard.press('Control+A');
    await window.page.keyboard.press('Control+C');
    const text = await window.page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /^# Millrace: connection/);
    assert.ok(!text.includes('rotated-token') && !text.includes(token));
  });

  it('removes a profile with its sign-in and falls back to Local', async () => {
    await window.runCommand('Millrace: Remove Profile…');
    await window.pick('Prod EU');
    await window.dialog().getByRole('button', { name: 'Remove' }).click();
    await status('Local');
    await eventually(() => !userSettings().includes('Prod EU'), 'the profile to be gone from the settings');
  });

  it('leaves the tokens only in the secret storage', () => {
    const found = filesUnder(window.editor.profileFolder).filter((file) => {
      const content = fs.readFileSync(file, 'latin1');
      return [token, wrongToken, 'rotated-token'].some((secret) =>
        [secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)].some((form) =>
          content.includes(form),
        ),
      );
    });
    assert.deepEqual(
      found.filter((file) => !/secret/i.test(path.basename(file))),
      [],
    );
  });

  function userSettings(): string {
    return filesUnder(window.editor.profileFolder)
      .filter((file) => path.basename(file) === 'settings.json')
      .map((file) => fs.readFileSync(file, 'utf8'))
      .join('\n');
  }
});

function filesUnder(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
