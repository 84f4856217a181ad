import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { chatWindow } from '../support/chatWindow.ts';
import { eventually } from '../support/eventually.ts';
import { editorProcesses } from '../support/extensionHost.ts';
import { startModelServer, type ModelServer } from '../support/modelServer.ts';

/** Letters and digits alone: what a mark of markdown looks like depends on what comes after it. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

describe('Chat after a crash during an answer', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  const opened = chatWindow();
  let models: ModelServer;
  before(async () => {
    models = await startModelServer('smollm2');
    models.paceInMs = 40;
    await opened.useModel(models, 'smollm2');
  });
  after(() => models?.close());
  const prompt = (): Locator => opened.prompt();
  const answer = (): Locator => opened.chat.locator('.turn.answer .markdown').last();

  const kills: readonly (readonly [what: string, afterMs: number, kill: () => Promise<unknown>])[] = [
    ['the service', 600, () => kill9('millrace.js serve')],
    ['the view', 500, () => opened.window.runCommand('Developer: Reload Webviews')],
    ['the extension host', 700, () => kill9('--type=extensionHost')],
    ['the window', 400, () => opened.window.reload()],
  ];
  for (const [what, afterMs, kill] of kills)
    it(`keeps draft, queue and answer: ${what}, ${afterMs} ms later`, async () => {
      const { window } = opened;
      await opened.newChat();
      const question = `What is new_cluster? (${what}, ${afterMs})`;
      await prompt().fill(question);
      await prompt().press('Enter');
      await opened.chat.locator('.turn.user', { hasText: question }).waitFor();
      await eventually(async () => assert.ok(plain((await answer().textContent()) ?? '').length > 10));
      await prompt().fill(`queued before ${what}`);
      await prompt().press('Enter');
      await opened.chat.locator('.queued-text', { hasText: `queued before ${what}` }).waitFor();
      await prompt().fill(`begun before ${what}`);
      await window.page.waitForTimeout(afterMs);
      const shown = plain((await answer().textContent()) ?? '');
      await kill();
      if (what === 'the extension host') await window.load();
      await opened.show();
      await eventually(async () => assert.equal(await prompt().inputValue(), `begun before ${what}`));
      // If the answer goes on, or was whole before the kill, the next message is asked at its end.
      const first = opened.chat.locator('.turn.answer').first().locator('.markdown');
      await eventually(async () => assert.ok(plain((await first.textContent()) ?? '').startsWith(shown), shown));
      const waiting = opened.chat.locator('.queued-text, .turn.user', { hasText: `queued before ${what}` });
      await waiting.first().waitFor();
      await window.screenshot(`killed-${what.replaceAll(' ', '-')}`);
    });

  /** Ends the editor's processes of this command line as a crash would. */
  async function kill9(text: string): Promise<void> {
    const found = editorProcesses(opened.window.editor, text) ?? [];
    assert.ok(found.length > 0, text);
    for (const pid of found) process.kill(pid, 'SIGKILL');
    await eventually(() =>
      assert.ok(!(editorProcesses(opened.window.editor, text) ?? []).some((pid) => found.includes(pid))),
    );
  }
});
