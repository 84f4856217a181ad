import assert from 'node:assert/strict';
import { AppError } from '../../src/shared/errors.ts';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, prompt, say } from '../support/chatHarness/chatPages.ts';
import { failingAnswer, fakePorts, textAnswer, type FakePorts } from '../support/chatHarness/fakePorts.ts';
import { themes } from '../support/chatHarness/themes.ts';
import { eventually } from '../support/eventually.ts';

function sentMessages({ backend }: FakePorts, request: number): unknown[] {
  const messages = backend.requests[request]?.request['messages'];
  return Array.isArray(messages) ? messages : [];
}

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

  it('stops with Escape, keeps the text and marks it', async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer('word '.repeat(5000), { delayInMs: 5 });
    await say(page, 'Go');
    await page.locator('.markdown', { hasText: 'word' }).waitFor();
    await prompt(page).press('Escape');
    await page.locator('.mark.stopped').waitFor();
    await eventually(async () => assert.match((await page.locator('.markdown').textContent()) ?? '', /^word word/));
    await page.getByRole('button', { name: 'Send (Enter)' }).waitFor();
  });

  it('sends with Enter and breaks the line with Shift+Enter', async () => {
    const { page, ports } = await open();
    await prompt(page).pressSequentially('one');
    await prompt(page).press('Shift+Enter');
    await prompt(page).pressSequentially('two');
    await prompt(page).press('Enter');
    await page.getByText('Usage not reported').waitFor();
    assert.deepEqual(ports.backend.requests[0]?.request['messages'], [{ role: 'user', content: 'one\ntwo' }]);
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

  it('shows a failure with its remedy and retries', async () => {
    const { page, ports } = await open();
    ports.backend.answer = failingAnswer(
      new AppError('rateLimited', 'Too many requests (429).', { remedy: 'Wait a minute.' }),
    );
    await say(page, 'Hi');
    await page.locator('.card.error', { hasText: 'Wait a minute.' }).waitFor();
    ports.backend.answer = failingAnswer(new AppError('network', 'The connection broke.'), 'Half an answer');
    await page.getByRole('button', { name: 'Ask Again' }).click();
    await page.locator('.mark.cut-off').waitFor();
    await page.getByText('Half an answer').waitFor();
    await eventually(async () => assert.equal(await page.locator('.answer .pager-label').textContent(), '2/2'));
  });

  it('shows several choices and continues from the selected one', async () => {
    const { page, ports } = await open();
    ports.backend.answer = async function* () {
      yield {
        choices: [
          { index: 0, delta: { content: 'Alpha' } },
          { index: 1, delta: { content: 'Beta' } },
        ],
      };
      yield {
        choices: [
          { index: 0, delta: {}, finish_reason: 'stop' },
          { index: 1, delta: {}, finish_reason: 'stop' },
        ],
      };
    };
    await say(page, 'Two');
    await page.getByText('Alpha').waitFor();
    await page.getByRole('button', { name: 'Alternative 2 of 2' }).click();
    await page.getByText('Beta').waitFor();
    ports.backend.answer = textAnswer('Then.');
    await say(page, 'Next');
    await page.getByText('Then.').waitFor();
    assert.deepEqual(sentMessages(ports, 1)[1], { role: 'assistant', content: 'Beta' });
  });

  it('survives being killed during an answer without losing a character', async () => {
    const { page, ports, reopen } = await open();
    const text = Array.from({ length: 400 }, (_, index) => `Line ${index}.`).join('\n\n');
    ports.backend.answer = textAnswer(text, { pieceLength: 20, delayInMs: 3 });
    await say(page, 'Long');
    await page.getByText('Line 20.').waitFor();
    await prompt(page).fill('a draft');
    await reopen();
    await eventually(async () => assert.equal(await prompt(page).inputValue(), 'a draft'));
    await page.getByText('Usage not reported').waitFor();
    await eventually(async () =>
      assert.deepEqual(await page.locator('.markdown p').allTextContents(), text.split('\n\n')),
    );
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

  it('reports an unavailable service in the answer, counts down, and retries on request', async () => {
    const { page, ports } = await open();
    let tries = 0;
    ports.backend.answer = async function* (...call) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const reason = new AppError('unavailable', 'smollm2 cannot be reached.', { remedy: 'Is llama.cpp started?' });
      const ended = promise.catch(() => undefined);
      call[3]({
        operation: 'chat',
        attempt: 1,
        waitUntil: Date.now() + 30_000,
        giveUpAt: Date.now() + 600_000,
        reason,
        retryNow: resolve,
        stop: () => reject(reason),
        ended,
      });
      tries += 1;
      await promise;
      yield* textAnswer('It answers.')(...call);
    };
    await say(page, 'Why?');
    const card = page.locator('.answer .card.retry');
    await card.filter({ hasText: 'smollm2 cannot be reached.' }).filter({ hasText: 'Is llama.cpp started?' }).waitFor();
    const seconds = async (): Promise<number> =>
      Number(
        /^Retrying in (\d+) s \(attempt 2\)\. Gives up in (?:9 min \d+ s|10 min 0 s)\.$/.exec(
          await card.getByText(/^Retrying in/).innerText(),
        )?.[1],
      );
    const first = await seconds();
    assert.ok(first > 0 && first <= 30, `${first} s`);
    await eventually(async () => (await seconds()) < first, 'the countdown');
    await card.getByRole('button', { name: 'Retry Now' }).click();
    await page.getByText('It answers.').waitFor();
    await eventually(async () => assert.equal(await card.isVisible(), false));
    assert.equal(tries, 1);
  });

  it('shows waiting, thinking, writing and stalling, each with its seconds', async () => {
    const { page, ports } = await open();
    await page.clock.install();
    const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    ports.backend.answer = async function* () {
      await steps[0]?.promise;
      yield { choices: [{ index: 0, delta: { reasoning_content: 'The days are empty.' } }] };
      await steps[1]?.promise;
      yield { choices: [{ index: 0, delta: { content: 'Return the base rate.' } }] };
      await steps[2]?.promise;
      yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    };
    await say(page, 'Why?');
    await page.getByText(/^Waiting for guide, \d+ s$/).waitFor();
    steps[0]?.resolve();
    await page.locator('.reasoning[open] summary', { hasText: 'Thinking, ' }).waitFor();
    await page.getByText('The days are empty.').waitFor();
    await page.clock.runFor(2000);
    steps[1]?.resolve();
    await page.locator('.reasoning:not([open]) summary', { hasText: 'Thought for ' }).waitFor();
    await page.locator('.answer.writing').waitFor();
    await page.getByText(/^Writing, \d+ s$/).waitFor();
    const caret = (): Promise<string> =>
      page.locator('.markdown p').evaluate((element) => getComputedStyle(element, '::after').content);
    await eventually(async () => assert.equal(await caret(), '""'));
    await page.clock.runFor(12_000);
    await page
      .locator('.progress')
      .getByText(/^No data for [1-9]\d s/)
      .waitFor();
    await eventually(async () => assert.equal(await caret(), 'none'));
    steps[2]?.resolve();
    await page.clock.runFor(1_000);
    await page.locator('.progress').waitFor({ state: 'hidden' });
    await page.getByText('Usage not reported').waitFor();
    ports.backend.answer = textAnswer('Yes.');
    await say(page, 'So?');
    await page.getByText('Yes.').waitFor();
    assert.deepEqual(sentMessages(ports, 1)[1], { role: 'assistant', content: 'Return the base rate.' });
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

  it('keeps the focus when an answer is regenerated', async () => {
    const { page, ports } = await open();
    await say(page, 'Hi');
    await page.getByText('Hello.').waitFor();
    ports.backend.answer = textAnswer('Again.');
    await page.getByRole('button', { name: 'Regenerate' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Again.').waitFor();
    await eventually(async () => assert.notEqual(await page.evaluate(() => document.activeElement?.localName), 'body'));
  });

  it('keeps the focus when a button starts the conversation', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Write a job file' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Hello.').waitFor();
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.className), 'prompt'));
  });

  it('returns the results of tool calls', async () => {
    const { page, ports } = await open();
    ports.backend.answer = async function* () {
      yield {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'get_run', arguments: '{"run' } }] },
          },
        ],
      };
      yield {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, function: { arguments: '_id":1}' } }] },
            finish_reason: 'tool_calls',
          },
        ],
      };
    };
    await say(page, 'Run?');
    await page.getByText('Calls get_run').waitFor();
    await page.getByRole('textbox', { name: 'Result of get_run' }).fill('SUCCESS');
    ports.backend.answer = textAnswer('It succeeded.');
    await page.getByRole('button', { name: 'Send Results' }).click();
    await page.getByText('It succeeded.').waitFor();
    assert.deepEqual(sentMessages(ports, 1).slice(1), [
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_run', arguments: '{"run_id":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'SUCCESS' },
    ]);
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

  it('renders 100 KB of streaming code and text without parsing finished blocks again', async () => {
    const { page, ports } = await open();
    const code = Array.from({ length: 3000 }, (_, index) => `value_${index} = compute(${index})`).join('\n');
    ports.backend.answer = textAnswer(`\`\`\`python\n${code}\n\`\`\`\n\nEnd.`, { pieceLength: 400 });
    await say(page, 'Code');
    await page.getByText('End.').waitFor();
    await eventually(async () => assert.equal(await page.locator('.code-block code').textContent(), `${code}\n`));
    await eventually(async () => assert.equal(await page.locator('.code-block .piece').count(), 150));
  });

  for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
    it(`is accessible in the theme ${theme}`, async () => {
      const ports = fakePorts();
      ports.backend.answer = textAnswer(
        '# T\n\nText with `code` and [a link](https://x.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```yaml\na: 1 # x\nb: "y"\n```\n\n```yaml\nc: 2\n```\n',
      );
      const { page } = await open({ theme, ports });
      const check = async (state: string): Promise<void> =>
        assert.deepEqual(await accessibilityFaults(page), [], state);
      await page.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
      await check('empty');
      await say(page, 'Hi');
      await page.getByText('Usage not reported').waitFor();
      await page.locator('.hljs-comment').first().waitFor();
      await check('answer');
      ports.backend.answer = failingAnswer(new AppError('network', 'It broke.', { remedy: 'Try again.' }), 'Half');
      await say(page, 'Again');
      await page.locator('.mark.cut-off').waitFor();
      await page.getByRole('button', { name: 'Parameters', exact: true }).click();
      await check('failure and parameters');
    });
  }
});
