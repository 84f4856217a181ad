import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { chatWindow } from '../support/chatWindow.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer, type ModelServer } from '../support/modelServer.ts';

describe('Context of the chat', () => {
  const opened = chatWindow(
    (workspace) => {
      fs.mkdirSync(path.join(workspace, 'jobs', 'etl'), { recursive: true });
      // Beside the folder in it, so that the Explorer does not draw both as one.
      fs.writeFileSync(path.join(workspace, 'jobs', 'notes.txt'), 'Rates are divided.\n');
      fs.writeFileSync(path.join(workspace, 'jobs', 'etl', 'rates.py'), 'rate = 1\nprint(rate / 0)\n');
      fs.writeFileSync(
        path.join(workspace, 'rates.job.yml'),
        'name: Rates\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /jobs/etl/rates.py\n',
      );
      fs.writeFileSync(path.join(workspace, 'wrong.job.yml'), 'name: Wrong\nmax_retries: many\n');
    },
    { 'millrace.chat.whileAnswering': 'stop' },
  );
  let models: ModelServer;
  before(async () => {
    models = await startModelServer('smollm2');
  });
  after(() => models?.close());

  const prompt = (): Locator => opened.prompt();
  const chip = (label: string): Locator => opened.chat.getByRole('button', { name: `Remove ${label}`, exact: true });
  const rows = (text: string | RegExp): Locator => opened.window.quickPickRows().filter({ hasText: text });
  const groups = async (): Promise<string[]> => {
    const all = opened.window.page.locator('.quick-input-list .quick-input-list-separator');
    return (await all.filter({ visible: true }).allInnerTexts()).filter(Boolean);
  };

  /** Attaches what a `#` word names, and chooses by their boxes. */
  const attach = async (what: string, ...names: string[]): Promise<void> => {
    await prompt().press('End');
    await prompt().pressSequentially(`#${what}`);
    await opened.chat
      .getByRole('option', { selected: true })
      .filter({ hasText: `#${what}` })
      .waitFor();
    await prompt().press('Enter');
    for (const name of names) {
      await rows(name).first().click();
      await opened.window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    }
  };
  const send = async (text: string): Promise<void> => {
    await prompt().fill(text);
    await prompt().press('Enter');
  };
  const ask = async (text: string): Promise<void> => {
    await send(text);
    await opened.chat
      .locator(`.turn.user:has-text(${JSON.stringify(text)}) ~ .turn.answer .usage`)
      .last()
      .waitFor();
  };

  it('suggests what is current: the selection, a job file that is not deployed, a failed run', async () => {
    const { window, chat } = opened;
    const offer = (title: string): Locator => chat.locator('.suggestion', { hasText: title });
    // What the service has is known once it runs.
    await ask('/failed');
    await opened.newChat();
    await offer('rates.job.yml').waitFor();
    await window.openFile('rates.py');
    await window.runCommand('Select All');
    await offer('Selection').getByText('rates.py:1-2').waitFor();
    assert.equal(await chat.locator('.suggestion').count(), 4);
    await window.screenshot('chat-offers');
    await offer('Selection').click();
    await chip('rates.py:1-2').click();
    await window.editorLines().first().click();
    await offer('Selection').waitFor({ state: 'detached' });
    await offer('rates.job.yml').click();
    const told = window.notifications().filter({ hasText: 'Deployed "Rates" to Local' });
    await told.getByRole('button', { name: 'Run Now' }).click();
    await offer('1 run failed today').waitFor();
    await offer('rates.job.yml').waitFor({ state: 'detached' });
    await window.clearNotifications();
    await offer('1 run failed today').click();
    await opened.lastAnswer().getByText('ZeroDivisionError: division by zero').first().waitFor();
    await opened.lastAnswer().locator('.usage').waitFor();
    await opened.newChat();
  });

  it('attaches by # and a name, and sends all of it', async () => {
    const { window, chat } = opened;
    await window.openFile('rates.py');
    await window.runCommand('Select All');
    await prompt().click();
    await attach('selection');
    await chip('rates.py:1-2').waitFor();
    await attach('jobs/etl/rates.py');
    await chip('jobs/etl/rates.py').waitFor();
    await window.openFile('wrong.job.yml');
    await window.statusItem(/^\s*[1-9]\d*\s*0\s*$/).waitFor();
    await prompt().click();
    await attach('problems');
    await chip('Problems of wrong.job.yml').waitFor();
    await attach('problem', 'max_retries');
    await chip('wrong.job.yml:2').waitFor();
    await attach('folder', 'etl');
    await chip('Files of jobs/etl').waitFor();
    await attach('jobFile', 'rates.job.yml');
    await chip('rates.job.yml').waitFor();
    await attach('job');
    await window.pick('Rates');
    await chip('Rates: job file').waitFor();
    await attach('line');
    await window.pick('Rates #1');
    await chip('rates.py:2').waitFor();
    await attach('run');
    await window.pick('Rates #1');
    await chip('Rates #1: state and output').waitFor();
    assert.equal(await prompt().inputValue(), '', 'each # word has gone');
    await window.screenshot('chat-context');
    await ask('What is all this?');
    const sent = chat.locator('.turn.user').last();
    for (const [label, words] of [
      ['rates.py:1-2', 'print(rate / 0)'],
      ['jobs/etl/rates.py', 'rate = 1'],
      ['Problems of wrong.job.yml', 'wrong.job.yml:2: error: max_retries'],
      ['wrong.job.yml:2', 'name: Wrong'],
      ['Files of jobs/etl', 'jobs/etl/rates.py'],
      ['rates.job.yml', 'name: Rates'],
      ['Rates: job file', 'python_file: /jobs/etl/rates.py'],
      ['rates.py:2', '2: print(rate / 0)'],
      ['Rates #1: state and output', 'ZeroDivisionError'],
    ] as const) {
      const place = sent.locator('details.chip').filter({ has: chat.getByText(label, { exact: true }) });
      await place.first().locator('summary').click();
      await place.first().locator('pre', { hasText: words }).waitFor();
    }
  });

  it('accepts items from the menus of Explorer, Problems and the light bulb', async () => {
    const { window } = opened;
    await window.runCommand('View: Show Explorer');
    const folder = window.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'jobs' }).first();
    await window.contextMenu(folder, 'Attach to Chat');
    opened.chat = await window.webview();
    await chip('Files of jobs').click();
    await window.openFile('wrong.job.yml');
    const problem = (await window.problems()).filter({ hasText: 'max_retries' }).first();
    await problem.click();
    // The menu has what the bulb has, once the editor has asked for that.
    await problem.locator('[class*=codicon-light]').waitFor();
    await window.contextMenu(problem, 'Attach to Chat');
    await chip('wrong.job.yml:2').click();
    await window.screenshot('chat-from-problems');
    await window.runCommand('View: Hide Panel');
    await window.editorLines().nth(1).click();
    const entry = window.page.locator('.action-widget .monaco-list-row', { hasText: 'Attach to Chat' });
    // The editor opens no list while it still looks for actions.
    await eventually(async () => {
      if (!(await entry.isVisible())) await window.page.keyboard.press('Control+.');
      await entry.click({ timeout: 3000 });
    });
    await chip('wrong.job.yml:2').click();
  });

  it('moves between messages with Alt and an arrow, with a visible focus', async () => {
    await prompt().click();
    const focused = (): Locator => opened.chat.locator('.turn:focus');
    const expectName = (name: RegExp): Promise<void> =>
      eventually(async () => assert.match((await focused().getAttribute('aria-label')) ?? '', name));
    await prompt().press('Alt+ArrowUp');
    await expectName(/^Millrace: /);
    assert.notEqual(await focused().evaluate((turn) => getComputedStyle(turn).outlineStyle), 'none');
    await focused().press('Alt+ArrowUp');
    await expectName(/^You: What is all this\?$/);
    await opened.window.screenshot('chat-focused-message');
    assert.deepEqual(await opened.window.accessibilityProblems(opened.chat), []);
    await focused().press('Alt+ArrowDown');
    await expectName(/^Millrace: /);
    await focused().press('Alt+ArrowDown');
    assert.equal(await prompt().evaluate((element) => element === document.activeElement), true);
    assert.equal(await opened.chat.locator('.turn[tabindex]').count(), 0, 'a click on one would show a focus');
  });

  it('switches to a new chat and back by its keys without typing a letter', async () => {
    const { page } = opened.window;
    const begun = (text: string): Promise<void> =>
      eventually(async () => assert.equal(await prompt().inputValue(), text));
    await prompt().fill('begun');
    await page.keyboard.press('Control+Alt+J');
    await page.keyboard.press('n');
    await begun('');
    await page.keyboard.press('Control+Alt+J');
    await page.keyboard.press('h');
    await opened.window.pick('What is all this?');
    await begun('begun');
    await prompt().fill('');
  });

  it('renames and exports a conversation by keyboard, and finds it by day and attachment', async () => {
    const { window } = opened;
    await window.runCommand('Millrace: Rename Chat…');
    await window.type('The one with the rates');
    await eventually(async () => assert.match(await window.viewHeader('Chat').innerText(), /The one with the rates/i));
    await window.runCommand('Millrace: Export Chat…');
    // The dialog takes an answer once it shows the file that it offers.
    const file = path.join(opened.workspace, 'The-one-with-the-rates.md');
    await eventually(async () => assert.equal(await window.input().inputValue(), file));
    await window.page.keyboard.press('Enter');
    await eventually(() => assert.match(fs.readFileSync(file, 'utf8'), /What is all this\?/));
    await window.runCommand('Millrace: New Chat');
    // It takes the focus, which would close a list.
    await eventually(
      () => prompt().evaluate((element) => document.hasFocus() && document.activeElement === element),
      'the prompt of the new chat to have the focus',
    );
    await window.runCommand('Millrace: Show Chats');
    await eventually(async () => assert.equal((await groups())[0], 'Today'));
    await window.page.keyboard.type('Files of jobs/etl');
    await rows('The one with the rates').filter({ hasText: 'Files of jobs/etl' }).waitFor();
    await window.screenshot('chat-history');
    await window.page.keyboard.press('Enter');
    await opened.chat.locator('.turn.user', { hasText: 'What is all this?' }).waitFor();
    await opened.newChat();
  });

  it('adds a model by the address of its server, and lists endpoints by task', async () => {
    const { window } = opened;
    const profiles = path.join(window.editor.profileFolder, '**', 'globalStorage', 'millrace.millrace', 'local', '*/');
    const data = fs.globSync(profiles)[0] ?? '';
    fs.writeFileSync(path.join(data, 'models.json'), '{"discover": false}');
    const endpoint = opened.chat.getByRole('button', { name: /Choose another endpoint/ });
    await endpoint.click();
    await window.pick('Add Model…');
    await window.pick('Another Address…');
    await window.type(models.address);
    await window.pick('smollm2');
    const isChosen = opened.chat.getByRole('button', { name: 'Endpoint smollm2. Choose another endpoint' });
    await isChosen.waitFor();
    await window.screenshot('chat-model-added');
    await window.clearNotifications();
    await endpoint.click();
    assert.match(
      await rows(/^smollm2/)
        .first()
        .innerText(),
      /current/,
    );
    await eventually(async () => assert.deepEqual(await groups(), ['Chat', 'Completions', 'Embeddings']));
    await window.screenshot('chat-endpoints');
    await window.page.keyboard.type('127.0.0.1');
    await rows('guide').first().waitFor({ state: 'detached' });
    await window.pick('smollm2');
    await isChosen.waitFor();
  });

  it("shows an answer's request and response, and copies it as a curl command and as a Python program", async () => {
    await opened.newChat();
    await ask('Are you there?');
    await opened.lastAnswer().getByRole('button', { name: 'Request and response…' }).click();
    await opened.window.pick('Show Request and Response');
    const shown = opened.window.editorLines().filter({ hasText: '/serving-endpoints/smollm2/invocations' });
    await shown.first().waitFor();
    await opened.window.runCommand('View: Close Editor');
    for (const [what, words] of [
      ['Copy Request as curl', /^curl -sSN .*\/serving-endpoints\/smollm2\/invocations/],
      ['Copy Request as Python', /^import json\n[^]*\/serving-endpoints\/smollm2\/invocations/],
    ] as const) {
      await opened.lastAnswer().getByRole('button', { name: 'Request and response…' }).click();
      await opened.window.pick(what);
      await eventually(async () =>
        assert.match(await opened.window.page.evaluate(() => navigator.clipboard.readText()), words),
      );
      await opened.window.clearNotifications();
    }
  });

  it('stops the current answer for the next message if the setting says so', async () => {
    models.isSlow = true;
    await opened.newChat();
    await send('One?');
    await opened.lastAnswer().getByText('Here I am.').waitFor();
    models.isSlow = false;
    await send('Two?');
    const answers = opened.chat.locator('.turn.answer');
    await answers.nth(1).locator('.usage').waitFor();
    await answers
      .nth(0)
      .getByText(/^You stopped it/)
      .waitFor();
    await answers.nth(1).getByText('Here I am.').waitFor();
    assert.equal(await opened.chat.locator('.queued').count(), 0);
  });

  it('waits as long as the model server asks, retries on request, and can use another endpoint', async () => {
    const { window, chat } = opened;
    const before = models.asked.length;
    models.busyForInS = 40;
    await send('Are you there?');
    const card = chat.locator('.answer .card.retry');
    await card.getByText(/^Retrying in [34]\d s \(attempt 2\)/).waitFor();
    await window.screenshot('chat-retry-after');
    assert.deepEqual(await window.accessibilityProblems(chat), []);
    assert.equal(models.asked.length, before + 1);
    models.busyForInS = undefined;
    await card.getByRole('button', { name: 'Retry Now' }).click();
    await opened.lastAnswer().getByText('Here I am.').waitFor();
    assert.equal(models.asked.length, before + 2);
    models.busyForInS = 40;
    await send('What is max_retries?');
    await card.getByRole('button', { name: 'Other Endpoint' }).click();
    await window.pick(/^guide/);
    await opened.lastAnswer().locator('.usage', { hasText: 'Millrace' }).waitFor();
    await opened.lastAnswer().getByText('max_retries').first().waitFor();
    assert.equal(models.asked.length, before + 3);
  });
});
