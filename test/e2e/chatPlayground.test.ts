import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, prompt } from '../support/chatHarness/chatPages.ts';
import { fakePorts, type FakePorts } from '../support/chatHarness/fakePorts.ts';
import { chooseTheme } from '../support/chatHarness/themes.ts';
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

  async function openPlayground(task: Task, name = task === 'embedding' ? 'e5' : 'base'): ReturnType<typeof open> {
    const chat = await open({ ports: ports() });
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

  it('keeps a long name in the row of the buttons', async () => {
    const { page } = await openPlayground('embedding', 'text-embedding-of-the-whole-team');
    for (const width of [420, 300, 200]) {
      await page.setViewportSize({ width, height: 600 });
      const { height = 0 } = (await page.locator('.composer .toolbar').boundingBox()) ?? {};
      assert.ok(height < 40, `${height} at ${width}`);
      assert.ok(await page.getByRole('button', { name: 'Endpoint text-embedding-of-the-whole-team' }).isVisible());
    }
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

  it('is accessible in dark and high-contrast themes and fits 200 pixels', async () => {
    for (const task of ['completion', 'embedding'] as const) {
      const { page, ports: given, service } = await openPlayground(task);
      await service.setParameters(task === 'embedding' ? { instruction: 'query: ' } : { each_line: true });
      given.backend.answer =
        task === 'embedding'
          ? results('[0.021,-0.913,0.4,0.12,0.5]', '[0.1,0.2,0.3,-0.4,0.1]', '[0.02,-0.9,0.5,0.1,0.4]')
          : results('in a mill by the river, where the wheel turned.', 'The end.\n\n  (of the first part)', 'x');
      await prompt(page).fill('Once upon a time there lived a miller\nThe mill grinds slowly but fine\nA third one');
      await page.getByRole('button', { name: 'One Input per Line', pressed: true }).waitFor();
      await prompt(page).press('Enter');
      await page.locator('.usage', { hasText: '12 tokens' }).waitFor();
      assert.deepEqual(await accessibilityFaults(page), [], task);
      await page.getByRole('button', { name: /^Parameters/ }).click();
      await chooseTheme(page, 'hcLight');
      assert.deepEqual(await accessibilityFaults(page), [], `${task}, parameters`);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 200, height: 700 });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0);
    }
  });
});
