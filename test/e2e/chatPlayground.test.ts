import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { AppError } from '../../src/shared/errors.ts';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, prompt, say } from '../support/chatHarness/chatPages.ts';
import { failingAnswer, fakePorts, textAnswer, type FakePorts } from '../support/chatHarness/fakePorts.ts';
import { pictureOf } from '../support/chatHarness/picture.ts';
import type { themes } from '../support/chatHarness/themes.ts';
import { chatWindow } from '../support/chatWindow.ts';
import { eventually } from '../support/eventually.ts';

type Task = 'completion' | 'embedding';

describe('Playground page', function () {
  this.timeout(300_000);
  const open = chatPages();

  function ports(): FakePorts {
    const made = fakePorts();
    made.backend.endpoints.push(
      { name: 'base', server: 'G', task: 'completion' },
      { name: 'e5', server: 'G', task: 'embedding' },
    );
    return made;
  }

  async function openPlayground(
    task: Task,
    theme: keyof typeof themes = 'dark',
    name = task === 'embedding' ? 'e5' : 'base',
  ): ReturnType<typeof open> {
    const chat = await open({ ports: ports(), theme });
    await chat.service.selectEndpoint({ name, task });
    await chat.page
      .getByRole('heading', { name: task === 'embedding' ? 'Try embeddings' : 'Try completions' })
      .waitFor();
    return chat;
  }

  /** Several results of one request, whole. */
  const results = (...texts: string[]): FakePorts['backend']['answer'] =>
    async function* () {
      yield {
        choices: texts.map((content, index) => ({
          index,
          delta: { content },
          finish_reason: index === 1 ? 'length' : 'stop',
        })),
        usage: { prompt_tokens: 12, total_tokens: 12 },
      };
    };

  const texts = async (page: Page, selector: string): Promise<string[]> =>
    (await page.locator(selector).allTextContents()).map((text) => text.trim());

  it('accepts one prompt per line and shows each completion with its prompt', async () => {
    const { page, ports: given } = await openPlayground('completion');
    await page.getByRole('button', { name: 'One Input per Line' }).click();
    await page.getByRole('button', { name: 'One Input per Line', pressed: true }).waitFor();
    given.backend.answer = results('went home.', 'was a miller');
    await prompt(page).pressSequentially('The farmer');
    await prompt(page).press('Shift+Enter');
    await prompt(page).pressSequentially('There');
    await prompt(page).press('Enter');
    await page.locator('.usage', { hasText: '12 tokens' }).waitFor();
    assert.deepEqual(given.backend.requests[0]?.request, { prompt: ['The farmer', 'There'], stream: true });
    assert.deepEqual(await texts(page, '.result .plain'), ['went home.', 'was a miller']);
    assert.deepEqual(await texts(page, '.result-title'), ['Prompt 1', 'Prompt 2']);
    assert.deepEqual(await texts(page, '.result-note'), ['', 'length']);
    await page.locator('.result').nth(1).getByRole('button', { name: 'Copy' }).click();
    await eventually(() => assert.deepEqual(given.editor.calls.at(-1), ['copy', 'was a miller']));
  });

  it('streams a completion as plain text, shows the seconds, and stops', async () => {
    const { page, ports: given, reopen } = await openPlayground('completion');
    given.backend.answer = textAnswer('<b>&amp; **not bold**\n  kept '.repeat(500), { delayInMs: 5 });
    await say(page, 'Go');
    await page.locator('.progress', { hasText: /Writing, \d+ s/ }).waitFor();
    await page.getByText('<b>&amp; **not bold**').first().waitFor();
    await prompt(page).press('Escape');
    await page.locator('.mark.stopped').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0);
    const before = await texts(page, '.result .plain');
    await prompt(page).fill('not sent yet');
    await reopen();
    await eventually(async () => assert.deepEqual(await texts(page, '.result .plain'), before));
    await eventually(async () => assert.equal(await prompt(page).inputValue(), 'not sent yet'));
  });

  it('reports a failure with cause and remedy, and retries', async () => {
    const { page, ports: given } = await openPlayground('embedding');
    given.backend.answer = failingAnswer(
      new AppError('protocol', 'The service sent no vector.', { remedy: 'Ask again.' }),
    );
    await say(page, 'one');
    await page.locator('.card-message', { hasText: 'sent no vector' }).waitFor();
    given.backend.answer = results('[1,0]');
    await page.getByRole('button', { name: 'Ask Again' }).click();
    await page.getByText('2 dim, norm 1.000').waitFor();
    // It came in one piece: there is no first word to wait for.
    await page.getByText(/^e5 · 12 tokens, [\d.]+ s$/).waitFor();
  });

  it('keeps a long name in the row of the buttons', async () => {
    const { page } = await openPlayground('embedding', 'dark', 'text-embedding-of-the-whole-team');
    for (const width of [420, 300, 200]) {
      await page.setViewportSize({ width, height: 600 });
      const { height = 0 } = (await page.locator('.composer .toolbar').boundingBox()) ?? {};
      assert.ok(height < 40, `${height} at ${width}`);
      assert.ok(await page.getByRole('button', { name: 'Endpoint text-embedding-of-the-whole-team' }).isVisible());
    }
    await pictureOf(page, 'playground-long-name-200');
  });

  it('shows similarities and a vector on demand, copies vectors, and sorts them', async () => {
    const { page, ports: given } = await openPlayground('embedding');
    await page.getByRole('button', { name: 'One Input per Line', pressed: true }).waitFor();
    given.backend.answer = results('[0,3,0,0,0]', '[0.1,0.2,0,0,0.123456789]', '[0,2,0,0,0.1]');
    await prompt(page).fill('north\nsouth\nnearly north');
    await prompt(page).press('Enter');
    await page.getByText('5 dim, norm 0.255').click();
    await page.getByText('[0.1,0.2,0,0,0.123456789]').waitFor();
    const similarities = page.getByRole('region', { name: 'Cosine similarities' }).locator('tr').last().locator('td');
    assert.deepEqual(await similarities.allTextContents(), ['1.00', '0.81', '1.00']);
    await page.getByRole('button', { name: 'Copy Vectors as JSON' }).click();
    await eventually(() =>
      assert.deepEqual(given.editor.calls.at(-1), [
        'copy',
        '[[0,3,0,0,0],\n[0.1,0.2,0,0,0.123456789],\n[0,2,0,0,0.1]]',
      ]),
    );
    const nearest = page.getByRole('button', { name: 'Nearest to: north' });
    await nearest.focus();
    await page.keyboard.press('Enter');
    await eventually(async () =>
      assert.deepEqual(await texts(page, '.result-input'), ['north', 'nearly north', 'south']),
    );
    assert.deepEqual(await texts(page, '.result-note'), ['cosine 1.000', 'cosine 0.999', 'cosine 0.783']);
    assert.equal(await nearest.getAttribute('aria-pressed'), 'true');
    assert.equal(await nearest.evaluate((button) => button === document.activeElement), true);
    await page.keyboard.press('Enter');
    await eventually(async () =>
      assert.deepEqual(await texts(page, '.result-input'), ['north', 'south', 'nearly north']),
    );
  });

  it('shows at most a hundred results until asked for more', async () => {
    const { page, ports: given } = await openPlayground('embedding');
    given.backend.answer = results(...Array.from({ length: 300 }, (_, index) => `[${index},1]`));
    await prompt(page).fill(Array.from({ length: 300 }, (_, index) => `text ${index}`).join('\n'));
    await page.getByRole('button', { name: 'One Input per Line', pressed: true }).waitFor();
    await prompt(page).press('Enter');
    await page.getByRole('button', { name: 'Show 200 more' }).waitFor();
    assert.equal(await page.locator('.result').count(), 100);
    await page.getByRole('button', { name: 'Nearest to: text 0', exact: true }).click();
    await eventually(async () => assert.equal(await page.locator('.result').count(), 300));
    assert.equal(await page.locator('.result-input').nth(1).textContent(), 'text 1');
  });

  it('is accessible in a dark and a high-contrast theme and fits 200 pixels', async () => {
    for (const theme of ['dark', 'hcLight'] as const)
      for (const task of ['completion', 'embedding'] as const) {
        const { page, ports: given, service } = await openPlayground(task, theme);
        assert.deepEqual(await accessibilityFaults(page), [], `${task}, ${theme}, empty`);
        await pictureOf(page, `playground-${task}-empty-${theme}`);
        await service.setParameters(task === 'embedding' ? { instruction: 'query: ' } : { each_line: true });
        given.backend.answer =
          task === 'embedding'
            ? results('[0.021,-0.913,0.4,0.12,0.5]', '[0.1,0.2,0.3,-0.4,0.1]', '[0.02,-0.9,0.5,0.1,0.4]')
            : results(
                'in a mill by the river, where the wheel turned all day.',
                'The end.\n\n  (of the first part)',
                'x',
              );
        await prompt(page).fill(
          'Once upon a time there lived a miller\nThe mill grinds slowly but exceedingly fine, as they say\nA third one',
        );
        await page.getByRole('button', { name: 'One Input per Line', pressed: true }).waitFor();
        await prompt(page).press('Enter');
        await page.locator('.usage', { hasText: '12 tokens' }).waitFor();
        if (task === 'embedding')
          await page
            .getByRole('button', { name: /^Nearest to/ })
            .first()
            .click();
        await page.mouse.move(0, 0);
        assert.deepEqual(await accessibilityFaults(page), [], `${task}, ${theme}`);
        await pictureOf(page, `playground-${task}-${theme}`);
        await page.getByRole('button', { name: /^Parameters/ }).click();
        assert.deepEqual(await accessibilityFaults(page), [], `${task}, ${theme}, parameters`);
        await pictureOf(page, `playground-${task}-parameters-${theme}`);
        await page.keyboard.press('Escape');
        await page.setViewportSize({ width: 200, height: 700 });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(overflow, 0);
        await pictureOf(page, `playground-${task}-200-${theme}`);
      }
  });
});

describe('Playgrounds in the editor', () => {
  const opened = chatWindow();
  const message = (): Locator => opened.prompt();

  async function choose(endpoint: string): Promise<void> {
    // The list goes with the focus, and one of a moment ago does not have what was just created.
    await eventually(async () => {
      await opened.chat.getByRole('button', { name: /Choose another endpoint/ }).click({ timeout: 5000 });
      await opened.window.quickPickRows().filter({ hasText: endpoint }).first().waitFor({ timeout: 10_000 });
    });
    await opened.window.pick(endpoint);
    await opened.chat.getByRole('button', { name: new RegExp(`^Endpoint ${endpoint}\\.`) }).waitFor();
    // Who has chosen goes on in the prompt.
    await eventually(async () =>
      assert.equal(
        await message().evaluate((prompt) => document.hasFocus() && document.activeElement === prompt),
        true,
      ),
    );
  }

  it('complete a list of prompts with echo, and survive a reload', async () => {
    await choose('guide-completion');
    await opened.chat.getByRole('heading', { name: 'Try completions' }).waitFor();
    await opened.chat.getByRole('button', { name: 'One Input per Line' }).click();
    await opened.chat.getByRole('button', { name: 'Parameters, changed: 1' }).click();
    await opened.chat.getByRole('combobox', { name: 'echo' }).selectOption('true');
    await opened.chat.getByRole('button', { name: 'Close parameters' }).click();
    await message().fill('What is max_retries?\nWhat is timeout_seconds?');
    await message().press('Enter');
    await opened.chat.locator('.usage', { hasText: /[\d,]+ tokens/ }).waitFor();
    const shown = await opened.chat.locator('.result .plain').allTextContents();
    assert.equal(shown.length, 2);
    assert.match(shown[0] ?? '', /^What is max_retries\?/);
    assert.match(shown[1] ?? '', /^What is timeout_seconds\?/);
    await message().fill('not sent yet');
    await opened.window.screenshot('playground-completion');
    assert.deepEqual(await opened.window.accessibilityProblems(opened.chat), []);
    await opened.window.reload();
    await opened.show();
    await eventually(async () =>
      assert.deepEqual(await opened.chat.locator('.result .plain').allTextContents(), shown),
    );
    await eventually(async () => assert.equal(await message().inputValue(), 'not sent yet'));
  });

  it('embed texts, find the nearest, and copy the vectors', async () => {
    await choose('guide-embedding');
    await opened.chat.getByRole('heading', { name: 'Try embeddings' }).waitFor();
    await message().fill('retry a failed task\nthe weather is fine\ntasks that fail are tried again');
    await message().press('Enter');
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
    await opened.window.screenshot('playground-embedding');
    await opened.chat.getByRole('button', { name: 'Copy Vectors as JSON' }).click();
    await eventually(async () => {
      const vectors = JSON.parse(await opened.window.page.evaluate(() => navigator.clipboard.readText())) as number[][];
      assert.deepEqual(
        vectors.map(({ length }) => length),
        [256, 256, 256],
      );
    });
    assert.deepEqual(await opened.window.accessibilityProblems(opened.chat), []);
    await choose('guide');
    await opened.chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
  });

  it('create an endpoint, use it, and delete it after a confirmation', async () => {
    await opened.window.runCommand('Millrace: Create Serving Endpoint…');
    await opened.window.quickPickRows().filter({ hasText: 'guide-completion' }).first().click();
    await opened.window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await opened.window.type('two at once');
    await opened.window.inputMessage().filter({ hasText: 'at most 63' }).waitFor();
    await opened.window.type('twice');
    await opened.window.notifications().filter({ hasText: 'The endpoint "twice" was created on Local' }).waitFor();
    await opened.window.clearNotifications();
    await choose('twice');
    await opened.chat.getByRole('heading', { name: 'Try completions' }).waitFor();
    await opened.chat.getByRole('button', { name: /^Parameters/ }).click();
    await opened.chat.getByRole('textbox', { name: 'n', exact: true }).fill('2');
    await opened.chat.getByRole('button', { name: 'Close parameters' }).click();
    await message().fill('What is max_retries?');
    await message().press('Enter');
    await eventually(async () =>
      assert.deepEqual(await opened.chat.locator('.result-title').allTextContents(), [
        'Alternative 1 of 2',
        'Alternative 2 of 2',
      ]),
    );
    await opened.window.screenshot('playground-alternatives');
    await opened.window.runCommand('Millrace: Delete Serving Endpoint…');
    await opened.window.pick('twice');
    await opened.window.dialog().getByText('Delete the endpoint "twice" on Local?').first().waitFor();
    await opened.window.dialog().getByRole('button', { name: 'Delete' }).click();
    await opened.window.notifications().filter({ hasText: 'The endpoint "twice" on Local was deleted' }).waitFor();
  });
});
