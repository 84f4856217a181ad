import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { chatWindow } from '../support/chatWindow.ts';
import { eventually } from '../support/eventually.ts';
import { editorProcesses } from '../support/extensionHost.ts';
import { untilKept } from '../support/keptState.ts';
import { startModelServer, type ModelServer } from '../support/modelServer.ts';
import { root } from '../support/paths.ts';
import type { EditorWindow } from '../support/window.ts';

/** Letters and digits alone: what a mark of markdown looks like depends on what comes after it. */
const plain = (text: string | null): string => (text ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '');

describe('Chat view', () => {
  const opened = chatWindow((workspace) => {
    fs.cpSync(path.join(root, 'media', 'sample'), workspace, { recursive: true });
    fs.mkdirSync(path.join(workspace, 'jobs', 'etl'), { recursive: true });
    const files = {
      'broken.job.yml': 'name: Broken\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /broken.py\n',
      'broken.py': 'print("begun")\nraise ValueError("the mill stands still")\n',
      'wrong.job.yml': 'name: Wrong\nmax_retries: many\n',
      // Beside the folder in it, so that the Explorer does not draw both as one.
      'jobs/notes.txt': 'Rates are divided.\n',
      'jobs/etl/rates.py': 'rate = 1\nprint(rate / 0)\n',
    };
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(workspace, name), text);
  });
  let window: EditorWindow;
  before(() => ({ window } = opened));
  // Each begins at the view, whatever the one before left.
  beforeEach(() => opened.show());

  const prompt = (): Locator => opened.prompt();
  const lastAnswer = (): Locator => opened.lastAnswer();
  const chip = (label: string): Locator => opened.chat.getByRole('button', { name: `Remove ${label}`, exact: true });

  async function promptBecomes(text: string): Promise<void> {
    await eventually(async () => assert.equal(await prompt().inputValue(), text));
  }

  async function send(text: string): Promise<void> {
    await prompt().fill(text);
    await prompt().press('Enter');
  }

  async function ask(text: string): Promise<void> {
    await send(text);
    // The answer to it: the one before has its usage already.
    await opened.chat
      .locator(`.turn.user:has-text(${JSON.stringify(text)}) ~ .turn.answer .usage`)
      .last()
      .waitFor();
  }

  /** Attaches what a `#` word names, and chooses by its box. */
  async function attach(what: string, name?: string): Promise<void> {
    await prompt().press('End');
    await prompt().pressSequentially(`#${what}`);
    await opened.chat
      .getByRole('option', { selected: true })
      .filter({ hasText: `#${what}` })
      .waitFor();
    await prompt().press('Enter');
    if (name === undefined) return;
    await window.quickPickRows().filter({ hasText: name }).first().click();
    await window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  }

  async function choose(endpoint: string): Promise<void> {
    // The list goes with the focus, and one of a moment ago does not have what was just created.
    await eventually(async () => {
      await opened.chat.getByRole('button', { name: /Choose another endpoint/ }).click({ timeout: 5000 });
      await window.quickPickRows().filter({ hasText: endpoint }).first().waitFor({ timeout: 10_000 });
    });
    await window.pick(endpoint);
    await opened.chat.getByRole('button', { name: new RegExp(`^Endpoint ${endpoint}\\.`) }).waitFor();
    // Who has chosen goes on in the prompt.
    await eventually(() => prompt().evaluate((element) => document.hasFocus() && document.activeElement === element));
  }

  it('offers prompts, names profile and endpoint, and answers a command without a model', async () => {
    await opened.chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    await opened.chat.getByRole('button', { name: /^Endpoint guide\./ }).waitFor();
    await eventually(async () => assert.match((await opened.chat.locator('.profile').textContent()) ?? '', /Local/));
    await opened.chat.getByRole('button', { name: 'Write a job file' }).click();
    await lastAnswer().locator('.code-block').waitFor();
    assert.equal(await lastAnswer().locator('.usage').innerText(), 'Millrace');
    // Coloured by the page's worker, which the editor's own policy has to allow too.
    await lastAnswer().locator('.code-block .hljs-attr').first().waitFor();
    await eventually(async () => assert.deepEqual(await window.accessibilityProblems(opened.chat), []));
  });

  it('opens code in a new editor', async () => {
    const code = (await lastAnswer().locator('.code-block code').first().innerText()).trim().split('\n')[0] ?? '';
    await lastAnswer().locator('.code-block').first().getByRole('button', { name: 'New file' }).click();
    await window.editorLines().filter({ hasText: code.trim() }).first().waitFor();
  });

  it('starts a new conversation, lists the old one, deletes it and restores it', async () => {
    await window.runCommand('Millrace: New Chat');
    await opened.chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    await opened.chat.locator('.recent-item').first().waitFor();
    await ask('What is a task_key?');
    await window.runCommand('Millrace: Show Chats');
    await window.pick('/new /jobs/etl.py');
    await opened.chat.locator('.turn.user', { hasText: '/new /jobs/etl.py' }).waitFor();
    await window.runCommand('Millrace: Delete Chat');
    await opened.chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    await window.notifications().filter({ hasText: 'was deleted' }).getByRole('button', { name: 'Undo' }).click();
    await opened.chat.locator('.turn.user', { hasText: '/new /jobs/etl.py' }).waitFor();
  });

  it('asks about a run from its row, with its state, output and job file', async () => {
    await window.openFile('broken.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('broken.job.yml');
    const row = (name: string): ReturnType<EditorWindow['treeRows']> =>
      window.treeRows('Jobs').filter({ hasText: name });
    await row('Broken').filter({ hasText: 'Failed' }).waitFor();
    await row('Broken').click();
    await window.contextMenu(row('#1').filter({ hasText: 'Failed' }), 'Ask the Chat about This Run');
    await opened.chat.locator('.composer .chip', { hasText: 'Broken #1: state and output' }).waitFor();
    await opened.chat.locator('.composer .chip', { hasText: 'Broken: job file' }).waitFor();
    await promptBecomes('Why did this run fail, and what can I do about it?');
    await prompt().press('Enter');
    await lastAnswer().locator('.usage').waitFor();
    const turn = opened.chat.locator('.turn.user').last();
    await turn.locator('summary', { hasText: 'state and output' }).click();
    await turn.getByText('the mill stands still').first().waitFor();
  });

  it('accepts a file and a run that are dragged with Shift', async () => {
    const { page } = window;
    const drag = async (from: Locator): Promise<void> => {
      // The mark of the drop before would pass for one of this.
      await eventually(async () => assert.equal(await opened.chat.locator('body.dropping').count(), 0));
      const [start, end] = [await from.boundingBox(), await opened.chat.owner().boundingBox()];
      assert.ok(start && end);
      const [x, y] = [end.x + end.width / 2, end.y + end.height / 2];
      await page.mouse.move(start.x + 40, start.y + 10);
      await page.mouse.down();
      await page.keyboard.down('Shift');
      await page.mouse.move(start.x + 60, start.y + 14, { steps: 4 });
      await page.mouse.move(x, y, { steps: 8 });
      try {
        // The editor lets the page have the pointer only once something is dragged over it, and a page learns of moves alone.
        await eventually(async () => {
          for (const step of [0, 10]) await page.mouse.move(x, y + step);
          assert.equal(await opened.chat.locator('body.dropping').count(), 1);
        });
      } finally {
        await page.mouse.up();
        await page.keyboard.up('Shift');
      }
    };
    await drag(page.locator('.tabs-container .tab', { hasText: 'broken.job.yml' }).first());
    await opened.chat.locator('.composer .chip', { hasText: 'broken.job.yml' }).waitFor();
    await drag(window.treeRows('Jobs').filter({ hasText: '#1' }));
    await opened.chat.locator('.composer .chip', { hasText: 'Broken #1: state and output' }).waitFor();
    assert.equal(await opened.chat.locator('body.dropping').count(), 0);
    for (const name of ['broken.job.yml', 'Broken #1: state and output', 'Broken: job file'])
      await opened.chat.getByRole('button', { name: `Remove ${name}` }).click();
    // A job without a run in question: its settings alone.
    await drag(window.treeRows('Jobs').filter({ hasText: 'Broken' }).first());
    await opened.chat.locator('.composer .chip', { hasText: 'Broken: job file' }).waitFor();
    await eventually(async () => assert.equal(await opened.chat.locator('.composer .chip').count(), 1));
    await opened.chat.getByRole('button', { name: 'Remove Broken: job file' }).click();
  });

  it('attaches by a command or by # and a name, and sends all of it', async () => {
    await opened.newChat();
    await window.openFile('wrong.job.yml');
    await window.runCommand('Millrace: Attach Selection to Chat');
    await chip('wrong.job.yml').waitFor();
    await window.page.locator('.squiggly-error').first().waitFor({ state: 'attached' });
    await prompt().click();
    await attach('problems');
    await chip('Problems of wrong.job.yml').waitFor();
    await attach('folder', 'etl');
    await chip('Files of jobs/etl').waitFor();
    // Each # word has gone.
    await promptBecomes('');
    await ask('What is all this?');
    const sent = opened.chat.locator('.turn.user').last();
    for (const [label, words] of [
      ['wrong.job.yml', 'max_retries: many'],
      ['Problems of wrong.job.yml', 'wrong.job.yml:2: error: max_retries'],
      ['Files of jobs/etl', 'jobs/etl/rates.py'],
    ] as const) {
      const place = sent.locator('details.chip').filter({ has: opened.chat.getByText(label, { exact: true }) });
      await place.first().locator('summary').click();
      await place.first().locator('pre', { hasText: words }).waitFor();
    }
  });

  it('accepts items from the menus of Explorer, Problems and the light bulb', async () => {
    await window.runCommand('View: Show Explorer');
    const folder = window.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'jobs' }).first();
    await window.contextMenu(folder, 'Attach to Chat');
    await opened.take();
    await chip('Files of jobs').click();
    await window.openFile('wrong.job.yml');
    const problem = (await window.problems()).filter({ hasText: 'many' }).first();
    await problem.click();
    // The menu has what the bulb has, once the editor has asked for that.
    await problem.locator('[class*=codicon-light]').waitFor();
    await window.contextMenu(problem, 'Attach to Chat');
    await chip('wrong.job.yml:2').click();
    await window.page.keyboard.press('Control+J');
    await window.editorLines().nth(1).click();
    const entry = window.page.locator('.action-widget .monaco-list-row', { hasText: 'Attach to Chat' });
    // The editor opens no list while it still looks for actions.
    await eventually(async () => {
      if (!(await entry.isVisible())) await window.page.keyboard.press('Control+.');
      await entry.click({ timeout: 3000 });
    });
    await chip('wrong.job.yml:2').click();
  });

  it('moves between messages with Alt and an arrow, and to a new chat by its keys', async () => {
    await opened.newChat();
    await ask('What is a task_key?');
    await prompt().click();
    const focused = (): Locator => opened.chat.locator('.turn:focus');
    const expectName = (name: RegExp): Promise<void> =>
      eventually(async () => assert.match((await focused().getAttribute('aria-label')) ?? '', name));
    await prompt().press('Alt+ArrowUp');
    await expectName(/^Millrace: /);
    assert.notEqual(await focused().evaluate((turn) => getComputedStyle(turn).outlineStyle), 'none');
    await focused().press('Alt+ArrowUp');
    await expectName(/^You: What is a task_key\?$/);
    await focused().press('Alt+ArrowDown');
    await focused().press('Alt+ArrowDown');
    assert.equal(await prompt().evaluate((element) => element === document.activeElement), true);
    await prompt().fill('begun');
    await window.page.keyboard.press('Control+Alt+J');
    await window.page.keyboard.press('n');
    await promptBecomes('');
  });

  it('answers about local runs, opens their pages, and starts a job only with a click', async () => {
    await opened.newChat();
    await eventually(async () => assert.equal(await opened.chat.locator('.composer .chip').count(), 0));
    await opened.chat.getByRole('button', { name: /^1 run failed today.*Explain$/ }).waitFor();
    await opened.chat.getByRole('button', { name: /^Broken #1 failed.*Fix$/ }).waitFor();
    await prompt().fill('Which runs failed today?');
    await prompt().press('Enter');
    await lastAnswer().getByText('Failed runs on Local today').waitFor();
    await opened.chat.locator('.run-link', { hasText: /^Broken #1/ }).click();
    await window.page.locator('.tabs-container .tab.active', { hasText: 'Broken #1' }).waitFor();
    await opened.take();
    await prompt().fill('Run Broken');
    await prompt().press('Enter');
    await lastAnswer().getByRole('button', { name: '/run Broken' }).click();
    await lastAnswer().getByText('Started').waitFor();
    await opened.chat.locator('.run-link', { hasText: /^Broken #2/ }).waitFor();
  });

  it('completes a command, finds a section of the manual and opens it', async () => {
    await opened.newChat();
    await prompt().pressSequentially('/he');
    await opened.chat.getByRole('option', { name: '/help' }).waitFor();
    await prompt().press('Enter');
    await promptBecomes('/help ');
    await prompt().pressSequentially('keyboard');
    await prompt().press('Enter');
    await lastAnswer()
      .getByRole('button', { name: /^Keyboard/ })
      .click();
    await window.page.locator('.tabs-container .tab.active', { hasText: 'Preview README.md' }).waitFor();
    const preview = await window.webview('Preview README.md');
    await preview.getByRole('heading', { name: 'Keyboard' }).waitFor();
  });

  describe('with a model server', () => {
    let models: ModelServer;
    let others: ModelServer;
    before(async () => {
      [models, others] = await Promise.all([startModelServer('smollm2'), startModelServer('qwen3')]);
      await opened.newChat();
      await opened.useModel(models, 'smollm2');
    });
    after(() => Promise.all([models?.close(), others?.close()]));
    beforeEach(() => opened.newChat());

    it('shows the request and the response of an answer, and copies it as a curl command', async () => {
      await ask('Are you there?');
      const more = lastAnswer().getByRole('button', { name: 'Request and response…' });
      await more.click();
      await window.pick('Copy Request as curl');
      await eventually(async () =>
        assert.match(
          await window.page.evaluate(() => navigator.clipboard.readText()),
          /^curl -sSN .*\/serving-endpoints\/smollm2\/invocations/,
        ),
      );
      await more.click();
      await window.pick('Show Request and Response');
      await window.editorLines().filter({ hasText: '/serving-endpoints/smollm2/invocations' }).first().waitFor();
    });

    it('waits as long as the server asks, retries on request, and can use another endpoint', async () => {
      const before = models.asked.length;
      const card = opened.chat.locator('.answer .card.retry');
      models.busyForInS = 40;
      await send('What is max_retries?');
      await card.getByText(/^Retrying in [34]\d s \(attempt 2\)/).waitFor();
      await card.getByRole('button', { name: 'Other Endpoint' }).click();
      await window.pick(/^guide/);
      await lastAnswer().locator('.usage', { hasText: 'Millrace' }).waitFor();
      await lastAnswer().getByText('max_retries').first().waitFor();
      await choose('smollm2');
      // What the server asked for holds for the next question to it as well.
      await send('Are you there?');
      await card.waitFor();
      assert.equal(models.asked.length, before + 1);
      models.busyForInS = undefined;
      await card.getByRole('button', { name: 'Retry Now' }).click();
      await lastAnswer().getByText('Here I am.').waitFor();
      assert.equal(models.asked.length, before + 2);
    });

    it('adds a model by the address of its server, and lists endpoints by task', async () => {
      const endpoint = opened.chat.getByRole('button', { name: /Choose another endpoint/ });
      await endpoint.click();
      await window.pick('Add Model…');
      await window.pick('Another Address…');
      await window.type(others.address);
      await window.pick('qwen3');
      await opened.chat.getByRole('button', { name: 'Endpoint qwen3. Choose another endpoint' }).waitFor();
      await window.clearNotifications();
      await endpoint.click();
      await window
        .quickPickRows()
        .filter({ hasText: /^qwen3.*current/s })
        .first()
        .waitFor();
      const groups = window.page.locator('.quick-input-list .quick-input-list-separator').filter({ visible: true });
      await eventually(async () =>
        assert.deepEqual((await groups.allInnerTexts()).filter(Boolean), ['Chat', 'Completions', 'Embeddings']),
      );
      await window.page.keyboard.press('Escape');
    });

    it('keeps draft, queue and answer in an editor tab if the extension host is killed', async function () {
      if (process.platform !== 'linux') this.skip();
      await choose('smollm2');
      models.paceInMs = 100;
      await window.runCommand('Millrace: Open Chat in an Editor Tab');
      // The view refers to the tab.
      await prompt().waitFor({ state: 'detached' });
      await opened.take();
      // The tab has the buttons of the view.
      const actions = window.page.locator('.editor-group-container.active .editor-actions');
      for (const name of [/^New Chat/, /^Show Chats/]) await actions.getByRole('button', { name }).waitFor();
      await untilKept(window.page, '"viewType":"mainThreadWebview-millrace.chatTab');
      await send('What is new_cluster?');
      const answer = (): Locator => opened.chat.locator('.turn.answer .markdown').first();
      await eventually(async () => assert.ok(plain(await answer().textContent()).length > 10));
      await send('queued before');
      const waiting = (): Locator => opened.chat.locator('.queued-text, .turn.user', { hasText: 'queued before' });
      await waiting().first().waitFor();
      await prompt().fill('begun before');
      await eventually(async () => assert.ok(plain(await answer().textContent()).length > 80));
      const shown = plain(await answer().textContent());
      for (const pid of editorProcesses(window.editor, '--type=extensionHost') ?? []) process.kill(pid, 'SIGKILL');
      await window.load();
      await opened.take();
      await promptBecomes('begun before');
      await eventually(async () => assert.ok(plain(await answer().textContent()).startsWith(shown), shown));
      // If the answer was whole before, the next message is asked at its end.
      await waiting().first().waitFor();
      models.paceInMs = undefined;
      // Without the tab, its conversation is in the view.
      await window.runCommand('View: Close Editor');
      await opened.show();
      await opened.chat.locator('.turn.user', { hasText: 'What is new_cluster?' }).waitFor();
      await prompt().fill('');
    });
  });

  it('moves to the other side bar unchanged', async () => {
    await opened.newChat();
    await ask('What is a task_key?');
    const turns = await opened.chat.locator('.turns').textContent();
    await prompt().fill('begun before the move');
    // The editor's own question goes away if the focus returns to the view late.
    await eventually(async () => {
      await window.runCommand('Millrace: Move Chat to Another Side Bar…');
      const place = window.quickPickRows().filter({ hasText: /Secondary Side Bar/ });
      await place.first().click({ timeout: 5000 });
    });
    await window.page.locator('.part.auxiliarybar').getByRole('tab', { name: 'Chat' }).waitFor();
    await opened.take();
    await promptBecomes('begun before the move');
    await eventually(async () => assert.equal(await opened.chat.locator('.turns').textContent(), turns));
    const place = await opened.chat.owner().boundingBox();
    const bar = await window.page.locator('.part.auxiliarybar').boundingBox();
    assert.ok(place && bar && place.width > 200 && bar.x > 600, JSON.stringify({ place, bar }));
    await window.runCommand('View: Reset View Locations');
    await window.openView('Millrace');
    await opened.take();
    await promptBecomes('begun before the move');
    await prompt().fill('');
  });

  it("colors code like the editor's theme, even after a theme change", async () => {
    await opened.newChat();
    await ask('/new /jobs/etl.py');
    const key = lastAnswer().locator('.code-block .hljs-attr').first();
    const keyBecomes = (colour: string): Promise<void> =>
      eventually(async () => {
        assert.equal(await key.evaluate((element) => getComputedStyle(element).color), colour);
      });
    // The editor's light theme of this year, whose file includes two others.
    await keyBecomes('rgb(17, 99, 41)');
    await window.runCommand('Preferences: Color Theme');
    await window.pick('Monokai');
    await keyBecomes('rgb(249, 38, 114)');
  });

  it('loads nothing that its policy forbids', () => {
    assert.deepEqual(
      window.consoleErrors.filter(
        (text) => /Content Security Policy/i.test(text) && /millrace|chat\.(js|css)/i.test(text),
      ),
      [],
    );
  });

  describe('as a playground', () => {
    it('completes a list of prompts with echo', async () => {
      await choose('guide-completion');
      await opened.chat.getByRole('heading', { name: 'Try completions' }).waitFor();
      await opened.chat.getByRole('button', { name: 'One Input per Line' }).click();
      await opened.chat.getByRole('button', { name: 'Parameters, changed: 1' }).click();
      await opened.chat.getByRole('combobox', { name: 'echo' }).selectOption('true');
      await opened.chat.getByRole('button', { name: 'Close parameters' }).click();
      await prompt().fill('What is max_retries?\nWhat is timeout_seconds?');
      await prompt().press('Enter');
      await opened.chat.locator('.usage', { hasText: /[\d,]+ tokens/ }).waitFor();
      const shown = await opened.chat.locator('.result .plain').allTextContents();
      assert.equal(shown.length, 2);
      assert.match(shown[0] ?? '', /^What is max_retries\?/);
      assert.match(shown[1] ?? '', /^What is timeout_seconds\?/);
    });

    it('embeds texts, finds the nearest, and copies the vectors', async () => {
      await choose('guide-embedding');
      await opened.chat.getByRole('heading', { name: 'Try embeddings' }).waitFor();
      await prompt().fill('retry a failed task\nthe weather is fine\ntasks that fail are tried again');
      await prompt().press('Enter');
      await opened.chat
        .getByText(/256 dim, norm 1\.000/)
        .first()
        .waitFor();
      await opened.chat.getByRole('button', { name: 'Nearest to: retry a failed task' }).click();
      await eventually(async () =>
        assert.deepEqual(await opened.chat.locator('.result-input').allTextContents(), [
          'retry a failed task',
          'tasks that fail are tried again',
          'the weather is fine',
        ]),
      );
      await opened.chat.getByRole('button', { name: 'Copy Vectors as JSON' }).click();
      await eventually(async () => {
        const vectors = JSON.parse(await window.page.evaluate(() => navigator.clipboard.readText())) as number[][];
        assert.deepEqual(
          vectors.map(({ length }) => length),
          [256, 256, 256],
        );
      });
    });

    it('creates an endpoint, uses it, and deletes it after a confirmation', async () => {
      await window.runCommand('Millrace: Create Serving Endpoint…');
      await window.quickPickRows().filter({ hasText: 'guide-completion' }).first().click();
      await window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
      await window.type('two at once');
      await window.inputMessage().filter({ hasText: 'at most 63' }).waitFor();
      await window.type('twice');
      await window.notifications().filter({ hasText: 'The endpoint "twice" was created on Local' }).waitFor();
      await window.clearNotifications();
      await choose('twice');
      await opened.chat.getByRole('heading', { name: 'Try completions' }).waitFor();
      await opened.chat.getByRole('button', { name: /^Parameters/ }).click();
      await opened.chat.getByRole('textbox', { name: 'n', exact: true }).fill('2');
      await opened.chat.getByRole('button', { name: 'Close parameters' }).click();
      await prompt().fill('What is max_retries?');
      await prompt().press('Enter');
      await eventually(async () =>
        assert.deepEqual(await opened.chat.locator('.result-title').allTextContents(), [
          'Alternative 1 of 2',
          'Alternative 2 of 2',
        ]),
      );
      await window.runCommand('Millrace: Delete Serving Endpoint…');
      await window.pick('twice');
      await window.dialog().getByText('Delete the endpoint "twice" on Local?').first().waitFor();
      await window.dialog().getByRole('button', { name: 'Delete' }).click();
      await window.notifications().filter({ hasText: 'The endpoint "twice" on Local was deleted' }).waitFor();
    });
  });
});
