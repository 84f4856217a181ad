import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { chatWindow } from '../support/chatWindow.ts';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/paths.ts';
import type { EditorWindow } from '../support/window.ts';

describe('Chat view', () => {
  const opened = chatWindow((workspace) => {
    fs.cpSync(path.join(root, 'media', 'sample'), workspace, { recursive: true });
    fs.writeFileSync(
      path.join(workspace, 'broken.job.yml'),
      'name: Broken\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /broken.py\n',
    );
    fs.writeFileSync(path.join(workspace, 'broken.py'), 'print("begun")\nraise ValueError("the mill stands still")\n');
  });
  let window: EditorWindow;
  let chat: FrameLocator;
  before(() => ({ window, chat } = opened));
  const prompt = (): Locator => chat.getByRole('textbox', { name: 'Message' });
  const lastAnswer = (): Locator => chat.locator('.turn.answer').last();

  async function promptBecomes(text: string): Promise<void> {
    await eventually(async () => assert.equal(await prompt().inputValue(), text));
  }

  async function ask(text: string): Promise<void> {
    await prompt().fill(text);
    await prompt().press('Enter');
    // The answer to it: the one before has its usage already.
    await chat
      .locator(`.turn.user:has-text(${JSON.stringify(text)}) ~ .turn.answer .usage`)
      .last()
      .waitFor();
  }

  it('offers prompts, names profile and endpoint, and answers a command without a model', async () => {
    await chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    await chat.getByRole('button', { name: /^Endpoint guide\./ }).waitFor();
    await eventually(async () => assert.match((await chat.locator('.profile').textContent()) ?? '', /Local/));
    await window.screenshot('chat-empty');
    await chat.getByRole('button', { name: 'Write a job file' }).click();
    await lastAnswer().locator('.code-block').waitFor();
    assert.equal(await lastAnswer().locator('.usage').innerText(), 'Millrace');
    // Coloured by the page's worker, which the editor's own policy has to allow too.
    await lastAnswer().locator('.code-block .hljs-attr').first().waitFor();
    await window.screenshot('chat-answer');
  });

  it('is accessible', async () => {
    await eventually(async () => assert.deepEqual(await window.accessibilityProblems(chat), []));
  });

  it("colors code like the editor's theme, even after a theme change", async () => {
    const key = lastAnswer().locator('.code-block .hljs-attr').first();
    const keyBecomes = (colour: string): Promise<void> =>
      eventually(async () => {
        assert.equal(await key.evaluate((element) => getComputedStyle(element).color), colour);
      });
    // The editor's light theme of this year, whose file includes two others.
    await keyBecomes('rgb(17, 99, 41)');
    for (const [theme, colour] of [
      ['Monokai', 'rgb(249, 38, 114)'],
      ['Light 2026', 'rgb(17, 99, 41)'],
    ] as const) {
      await window.runCommand('Preferences: Color Theme');
      await window.pick(theme);
      await keyBecomes(colour);
      await window.screenshot(`chat-code-${theme}`);
    }
  });

  it('opens code in a new editor and inserts it at the cursor', async () => {
    const code = (await lastAnswer().locator('.code-block code').first().innerText()).trim().split('\n')[0] ?? '';
    await lastAnswer().locator('.code-block').first().getByRole('button', { name: 'New file' }).click();
    await window.editorLines().filter({ hasText: code.trim() }).first().waitFor();
    await window.openFile('hello.job.yml');
    await lastAnswer().locator('.code-block').first().getByRole('button', { name: 'Insert at the cursor' }).click();
    await window.editorLines().filter({ hasText: code.trim() }).first().waitFor();
    await window.runCommand('File: Revert File');
  });

  it("attaches the editor's selection", async () => {
    await window.openFile('hello.job.yml');
    await window.runCommand('Millrace: Attach Selection to Chat');
    await chat.locator('.composer .chip', { hasText: 'hello.job.yml' }).waitFor();
    await ask('What is wrong in this file?');
    await chat.locator('.turn.user').last().locator('summary', { hasText: 'hello.job.yml' }).waitFor();
    await eventually(async () => assert.equal(await chat.locator('.composer .chip').count(), 0));
  });

  it('looks the same after hiding the view and after reloading the window', async () => {
    const before = await chat.locator('.turns').textContent();
    await prompt().fill('a draft');
    await window.runCommand('View: Show Explorer');
    await window.openView('Millrace');
    chat = await window.webview();
    await eventually(async () => assert.equal(await prompt().inputValue(), 'a draft'));
    await chat.locator('.turn.answer').last().locator('.usage').waitFor();
    await eventually(async () => assert.equal(await chat.locator('.turns').textContent(), before));
    await window.reload();
    await window.openView('Millrace');
    chat = await window.webview();
    await chat.locator('.turn.answer').last().locator('.usage').waitFor();
    await eventually(async () => assert.equal(await chat.locator('.turns').textContent(), before));
    await prompt().fill('');
  });

  it('opens in an editor tab, continues there and survives a reload', async () => {
    await window.runCommand('Millrace: Open Chat in an Editor Tab');
    await window.runCommand('View: Close Primary Side Bar');
    chat = await window.webview();
    await ask('What is a cron expression?');
    // The tab has the buttons of the view.
    const actions = window.page.locator('.editor-group-container.active .editor-actions');
    for (const name of [/^New Chat/, /^Show Chats/]) await actions.getByRole('button', { name }).waitFor();
    await window.screenshot('chat-tab');
    await window.reload();
    // The editor may not have stored yet that the side bar is closed.
    await window.runCommand('View: Close Primary Side Bar');
    chat = await window.webview();
    await chat.locator('.turn.user', { hasText: 'What is a cron expression?' }).waitFor();
    await window.runCommand('View: Close Editor');
    await window.openView('Millrace');
    chat = await window.webview();
    await chat.locator('.turn.user', { hasText: 'What is a cron expression?' }).waitFor();
  });

  it('starts a new conversation, lists the old one, deletes it and restores it', async () => {
    await window.runCommand('Millrace: New Chat');
    await chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    await chat.locator('.recent-item').first().waitFor();
    await ask('What is a task_key?');
    await window.runCommand('Millrace: Show Chats');
    await window.pick('/new /jobs/etl.py');
    await chat.locator('.turn.user', { hasText: '/new /jobs/etl.py' }).waitFor();
    await window.runCommand('Millrace: Delete Chat');
    await chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    await window.notifications().filter({ hasText: 'was deleted' }).getByRole('button', { name: 'Undo' }).click();
    await chat.locator('.turn.user', { hasText: '/new /jobs/etl.py' }).waitFor();
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
    await chat.locator('.composer .chip', { hasText: 'Broken #1: state and output' }).waitFor();
    await chat.locator('.composer .chip', { hasText: 'Broken: job file' }).waitFor();
    await promptBecomes('Why did this run fail, and what can I do about it?');
    await window.screenshot('chat-about-run');
    await prompt().press('Enter');
    await lastAnswer().locator('.usage').waitFor();
    const turn = chat.locator('.turn.user').last();
    await turn.locator('summary', { hasText: 'state and output' }).click();
    await turn.getByText('the mill stands still').first().waitFor();
  });

  it('accepts a file and a run that are dragged with Shift', async () => {
    const { page } = window;
    const drag = async (from: Locator): Promise<void> => {
      // The mark of the drop before would pass for one of this.
      await eventually(async () => assert.equal(await chat.locator('body.dropping').count(), 0));
      const [start, end] = [await from.boundingBox(), await chat.owner().boundingBox()];
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
          assert.equal(await chat.locator('body.dropping').count(), 1);
        });
      } finally {
        await page.mouse.up();
        await page.keyboard.up('Shift');
      }
    };
    await drag(page.locator('.tabs-container .tab', { hasText: 'broken.job.yml' }).first());
    await chat.locator('.composer .chip', { hasText: 'broken.job.yml' }).waitFor();
    await drag(window.treeRows('Jobs').filter({ hasText: '#1' }));
    await chat.locator('.composer .chip', { hasText: 'Broken #1: state and output' }).waitFor();
    assert.equal(await chat.locator('body.dropping').count(), 0);
    await window.screenshot('chat-dropped');
    for (const name of ['broken.job.yml', 'Broken #1: state and output', 'Broken: job file'])
      await chat.getByRole('button', { name: `Remove ${name}` }).click();
    // A job without a run in question: its settings alone.
    await drag(window.treeRows('Jobs').filter({ hasText: 'Broken' }).first());
    await chat.locator('.composer .chip', { hasText: 'Broken: job file' }).waitFor();
    await eventually(async () => assert.equal(await chat.locator('.composer .chip').count(), 1));
    await chat.getByRole('button', { name: 'Remove Broken: job file' }).click();
  });

  it('accepts a question of another feature while its view is hidden', async () => {
    await window.runCommand('View: Show Explorer');
    await window.openFile('hello.job.yml');
    await window.runCommand('Millrace: Ask the Chat about This Run');
    await window.pick('Broken');
    chat = await window.webview();
    await chat.locator('.composer .chip', { hasText: 'Broken #1: state and output' }).waitFor();
    await chat.locator('textarea.prompt').waitFor();
    await promptBecomes('Why did this run fail, and what can I do about it?');
    await prompt().fill('');
  });

  it('answers about local runs, opens their pages, and starts a job only with a click', async () => {
    await window.runCommand('Millrace: New Chat');
    // The view was empty before; what was attached there is not in the new one.
    await eventually(async () => assert.equal(await chat.locator('.composer .chip').count(), 0));
    await chat.getByRole('button', { name: /^1 run failed today.*Explain$/ }).waitFor();
    await chat.getByRole('button', { name: /^Broken #1 failed.*Fix$/ }).waitFor();
    await prompt().fill('Which runs failed today?');
    await prompt().press('Enter');
    await lastAnswer().getByText('Failed runs on Local today').waitFor();
    await window.screenshot('chat-runs');
    await chat.locator('.run-link', { hasText: /^Broken #1/ }).click();
    await window.page.locator('.tabs-container .tab.active', { hasText: 'Broken #1' }).waitFor();
    // The next look for a webview shall find the chat.
    await window.runCommand('View: Close Editor');
    await prompt().fill('Why did it fail?');
    await prompt().press('Enter');
    await lastAnswer().getByText('the mill stands still').first().waitFor();
    await prompt().fill('Run Broken');
    await prompt().press('Enter');
    await window.screenshot('chat-offer');
    assert.deepEqual(await window.accessibilityProblems(chat), []);
    await lastAnswer().getByRole('button', { name: '/run Broken' }).click();
    await lastAnswer().getByText('Started').waitFor();
    await chat.locator('.run-link', { hasText: /^Broken #2/ }).waitFor();
    await prompt().press('Control+f');
    await chat.getByRole('textbox', { name: 'Find in Chat' }).fill('Is this what you mean');
    await chat.getByText('1 of 1').waitFor();
    assert.equal(await window.page.locator('.find-widget.visible').count(), 0, "nor is the editor's search open");
    await window.page.keyboard.press('Escape');
  });

  it('completes a command, finds a section of the manual and opens it', async () => {
    await prompt().fill('');
    await prompt().pressSequentially('/he');
    await chat.getByRole('option', { name: '/help' }).waitFor();
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
    await window.screenshot('chat-manual');
    await window.runCommand('View: Close Editor');
  });

  it('reads a conversation with a torn line from its file, and asks before it opens a link', async () => {
    const folders = fs.globSync('**/globalStorage/millrace.millrace/chat', { cwd: window.editor.profileFolder });
    assert.equal(folders.length, 1, "the history lies in the extension's own storage");
    const events = [
      { type: 'created', id: 'kept', title: 'From another day', atMs: 1 },
      { type: 'userAdded', id: 'u', parentId: null, text: 'Where is it?', atMs: 2 },
      { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 3 },
      {
        type: 'answerDelta',
        id: 'a',
        choices: [{ choice: 0, text: 'See [the page](https://example.com/millrace).', finishReason: 'stop' }],
      },
    ];
    fs.writeFileSync(
      path.join(window.editor.profileFolder, folders[0] ?? '', 'kept.jsonl'),
      `${events.map((event) => JSON.stringify(event)).join('\n')}\n{"type":"answerEn`,
    );
    await window.runCommand('Millrace: Show Chats');
    await window.pick('From another day');
    await chat.locator('.mark.cut-off').waitFor();
    await chat.getByRole('link', { name: 'the page' }).click();
    await window.dialog().getByText('https://example.com/millrace').first().waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('moves to the other side bar unchanged', async () => {
    const turns = await chat.locator('.turns').textContent();
    await prompt().fill('begun before the move');
    await window.runCommand('Millrace: Move Chat to Another Side Bar…');
    await window.pick(/Secondary Side Bar/);
    await window.page.locator('.part.auxiliarybar').getByRole('tab', { name: 'Chat' }).waitFor();
    chat = await window.webview();
    await promptBecomes('begun before the move');
    await eventually(async () => assert.equal(await chat.locator('.turns').textContent(), turns));
    const place = await chat.owner().boundingBox();
    const bar = await window.page.locator('.part.auxiliarybar').boundingBox();
    assert.ok(place && bar && place.width > 200 && bar.x > 600, JSON.stringify({ place, bar }));
    await window.screenshot('chat-secondary-side-bar');
    assert.deepEqual(await window.accessibilityProblems(chat), []);
    await window.runCommand('View: Reset View Locations');
    await window.openView('Millrace');
    chat = await window.webview();
    await promptBecomes('begun before the move');
    await prompt().fill('');
  });

  it('loads nothing that its policy forbids', () => {
    assert.deepEqual(
      window.consoleErrors.filter(
        (text) => /Content Security Policy/i.test(text) && /millrace|chat\.(js|css)/i.test(text),
      ),
      [],
    );
  });
});
