import assert from 'node:assert/strict';
import { AppError } from '../../src/shared/errors.ts';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, say } from '../support/chatHarness/chatPages.ts';
import { failingAnswer, fakePorts, textAnswer } from '../support/chatHarness/fakePorts.ts';
import { chooseTheme, themes } from '../support/chatHarness/themes.ts';
import { eventually } from '../support/eventually.ts';

/** The view in a plain browser with the real host logic behind it; the driven editor is another test's. */
describe('Chat page', function () {
  this.timeout(300_000);
  const open = chatPages();

  it('streams an answer, renders its markdown and shows the usage', async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer('# Title\n\nSome **bold** text, in `jobs/x.py`:\n\n```python\nx = 1\n```\n', {
      pieceLength: 3,
      delayInMs: 2,
      usage: { prompt_tokens: 1234, completion_tokens: 5, total_tokens: 1239 },
    });
    await say(page, 'Hi');
    await page.getByRole('heading', { name: 'Title' }).waitFor();
    await page.getByText(/^guide · 1,239 tokens, [\d.]+ s/).waitFor();
    assert.match((await page.locator('.usage').getAttribute('title')) ?? '', /^1,234 in · 5 out · 1,239 tokens/);
    await eventually(async () => assert.equal(await page.locator('.markdown strong').textContent(), 'bold'));
    await page.locator('.code-block .hljs-number').waitFor();
    for (const name of ['Copy code', 'Insert at the cursor', 'Apply With Diff', 'New file'])
      await page.getByRole('button', { name }).click();
    await eventually(() =>
      assert.deepEqual(ports.editor.calls, [
        ['copy', 'x = 1\n'],
        ['insertAtCursor', 'x = 1\n'],
        ['applyCode', { text: 'x = 1\n', language: 'python', path: 'jobs/x.py' }],
        ['newFile', { text: 'x = 1\n', language: 'python', path: 'jobs/x.py' }],
      ]),
    );
    await eventually(async () => assert.equal(await page.getByRole('status').textContent(), 'guide has answered.'));
  });

  it("ignores the letters of the editor's chords and accepts all others", async () => {
    const { page } = await open();
    const prompt = page.getByRole('textbox', { name: 'Message' });
    await prompt.click();
    for (const first of ['Control+Alt+KeyJ', 'Meta+Alt+KeyJ']) {
      await page.keyboard.press(first);
      await page.keyboard.press('n');
      await page.keyboard.press('o');
    }
    await page.keyboard.press('Control+Alt+KeyK');
    await page.keyboard.press('k');
    assert.equal(await prompt.inputValue(), 'ook');
  });

  it('keeps the old branch of an edited message and switches between the variants', async () => {
    const { page, ports } = await open();
    await say(page, 'First?');
    await page.getByText('Hello.').waitFor();
    ports.backend.answer = textAnswer('Second answer.');
    await page.getByText('First?').hover();
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    await page.getByRole('textbox', { name: 'Edit and resend' }).fill('Second?');
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByText('Second answer.').waitFor();
    await eventually(async () => assert.equal(await page.getByText('First?').count(), 0));
    await eventually(async () => assert.equal(await page.locator('.user .pager-label').textContent(), '2/2'));
    await page.locator('.user').getByRole('button', { name: 'Previous variant' }).click();
    await page.getByText('Hello.').waitFor();
    await page.getByText('First?').waitFor();
  });

  it('keeps the question in sight, and follows the end after "Jump to latest" until the reader scrolls up', async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer('A paragraph of some words.\n\n'.repeat(600), { pieceLength: 60, delayInMs: 4 });
    await say(page, 'Long');
    const list = page.locator('.messages');
    await page.getByText('some words').nth(30).waitFor({ state: 'attached' });
    assert.equal(await page.locator('.user').evaluate((question) => question.getBoundingClientRect().top < 60), true);
    const top = (): Promise<number> => list.evaluate((element) => element.scrollTop);
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.waitForFunction(() => (document.querySelector('.messages')?.scrollTop ?? 0) > 400);
    await list.hover();
    await page.mouse.wheel(0, -120);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    const before = await top();
    const height = (): Promise<number> => list.evaluate((element) => element.scrollHeight);
    const heightBefore = await height();
    await eventually(async () => (await height()) > heightBefore + 400, 'more of the answer');
    assert.ok(Math.abs((await top()) - before) < 130, 'it stays where the reader is');
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.waitForFunction(() => {
      const element = document.querySelector('.messages');
      return element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    });
  });

  it('starts an empty conversation at its top in any view size', async () => {
    const { page, service } = await open({ width: 300, height: 330 });
    await say(page, 'First?');
    await page.getByText('Hello.').waitFor();
    await service.newConversation();
    await page.locator('.recent-item').waitFor();
    await page.waitForTimeout(100);
    const { top, more } = await page
      .locator('.messages')
      .evaluate((list) => ({ top: list.scrollTop, more: list.scrollHeight > list.clientHeight }));
    assert.deepEqual([top, more], [0, true]);
  });

  it("keeps the model's line breaks", async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer('The woods are lovely,\ndark and deep,\n\n> Main Street 1\n> Springfield');
    await say(page, 'A poem');
    await page.getByText('Springfield').waitFor();
    await eventually(async () =>
      assert.equal(await page.locator('.markdown p').first().innerText(), 'The woods are lovely,\ndark and deep,'),
    );
    await eventually(async () =>
      assert.equal(await page.locator('.markdown blockquote').innerText(), 'Main Street 1\nSpringfield'),
    );
  });

  it('keeps only the newest 50 messages on the page until a search', async () => {
    const ports = fakePorts();
    ports.backend.answer = textAnswer('Short.');
    const { page, service } = await open({ ports });
    for (let count = 0; count < 40; count += 1) {
      const finished = new Promise<void>((resolve) => void service.asking.onDidFinishAnswer(() => resolve()));
      await service.asking.send(`Question ${count}`);
      await finished;
    }
    await page.getByText('Question 39').waitFor();
    await eventually(async () => assert.equal(await page.locator('.turn').count(), 50));
    await page.getByRole('button', { name: 'Show 30 earlier messages' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).press('Control+f');
    // What is not on the page is found as well.
    await page.getByRole('textbox', { name: 'Find in Chat' }).fill('QUESTION 0');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await page.getByText('Question 0', { exact: true }).waitFor();
    await eventually(async () => assert.equal(await page.locator('.turn').count(), 80));
  });

  it('is accessible in every theme', async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer(
      '# T\n\nText with `code` and [a link](https://x.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```yaml\na: 1 # x\nb: "y"\n```\n\n```yaml\nc: 2\n```\n',
    );
    await page.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], 'empty');
    await say(page, 'Hi');
    await page.getByText('Usage not reported').waitFor();
    await page.locator('.hljs-comment').first().waitFor();
    ports.backend.answer = failingAnswer(new AppError('network', 'It broke.', { remedy: 'Try again.' }), 'Half');
    await say(page, 'Again');
    await page.locator('.mark.cut-off').waitFor();
    await page.getByRole('button', { name: 'Parameters', exact: true }).click();
    for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
      await chooseTheme(page, theme);
      assert.deepEqual(await accessibilityFaults(page), [], `answer, failure and parameters in ${theme}`);
    }
  });
});
