import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { chatWindow } from '../support/chatWindow.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer, type ModelServer } from '../support/modelServer.ts';
import { EditorWindow } from '../support/window.ts';

describe('Two windows on one conversation', () => {
  const opened = chatWindow();
  let models: ModelServer;
  before(async () => {
    models = await startModelServer('smollm2');
    models.paceInMs = 40;
    await opened.useModel(models, 'smollm2');
  });
  after(() => models?.close());

  const questions = (chat: FrameLocator): Promise<string[]> =>
    chat.locator('.turn.user .bubble .plain').allTextContents();
  const answers = (chat: FrameLocator): Promise<string[]> => chat.locator('.turn.answer .markdown').allTextContents();

  it('show the same progress, let one of them write, and duplicate nothing', async () => {
    const { window, chat } = opened;
    await opened.prompt().fill('What is a task_key?');
    await opened.prompt().press('Enter');
    await opened.lastAnswer().locator('.usage').waitFor();
    const browser = window.context.browser();
    assert.ok(browser);
    const page = await window.context.newPage();
    const second = new EditorWindow(window.editor, browser, window.context, page, window.url);
    await second.load();
    await second.openView('Millrace');
    const other = await second.webview();
    await other.locator('.turn.user', { hasText: 'What is a task_key?' }).waitFor();

    const prompt = other.getByRole('textbox', { name: 'Message' });
    // Typed before the first window asks, so that it is sent while that answer still arrives.
    await prompt.fill('And what is autoscale?');
    await opened.prompt().fill('What is new_cluster?');
    await opened.prompt().press('Enter');
    await other.locator('.turn.user', { hasText: 'What is new_cluster?' }).waitFor();
    await prompt.press('Enter');
    await other.locator('.card-message', { hasText: 'Another window is writing an answer' }).waitFor();
    await eventually(async () => assert.equal(await prompt.inputValue(), 'And what is autoscale?'));
    await second.screenshot('two-windows-writing');
    await other.locator('.turn.answer').nth(1).locator('.usage').waitFor();
    await chat.locator('.turn.answer').nth(1).locator('.usage').waitFor();
    await eventually(async () => assert.deepEqual(await answers(other), await answers(chat)));

    await prompt.press('Enter');
    await other.locator('.turn.answer').nth(2).locator('.usage').waitFor();
    await chat.locator('.turn.answer').nth(2).locator('.usage').waitFor();
    await eventually(async () => assert.deepEqual(await answers(other), await answers(chat)));
    const asked = ['What is a task_key?', 'What is new_cluster?', 'And what is autoscale?'];
    for (const one of [chat, other])
      await eventually(async () =>
        assert.deepEqual(
          (await questions(one)).map((text) => text.trim()),
          asked,
        ),
      );
    await second.screenshot('two-windows-end');
    await page.close();
  });
});
