import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { AppError } from '../../src/shared/errors.ts';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, prompt, say } from '../support/chatHarness/chatPages.ts';
import { fakePorts } from '../support/chatHarness/fakePorts.ts';
import { eventually } from '../support/eventually.ts';

/** The view in a plain browser with the real host logic behind it; the driven editor is another test's. */
describe('Endpoints and parameters of the chat page', function () {
  this.timeout(300_000);
  const open = chatPages();

  const isWholeInSight = (part: ReturnType<Page['locator']>): Promise<boolean> =>
    part.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const outer = element.closest('.notices')?.getBoundingClientRect();
      return (
        outer !== undefined && top >= Math.max(0, outer.top) && bottom <= Math.min(outer.bottom, window.innerHeight)
      );
    });

  it('explains a missing endpoint once, next to its buttons, until there is one', async () => {
    const ports = fakePorts();
    ports.backend.listFailure = new AppError(
      'untrusted',
      `The workspace is not trusted. ${'It runs programs on this machine. '.repeat(30)}`,
      { remedy: 'Trust this workspace.' },
    );
    const { page, service } = await open({ ports, width: 300, height: 360 });
    await page.locator('.card.warning', { hasText: 'could not be listed' }).waitFor();
    await say(page, 'Hi');
    const card = page.locator('.notices .card');
    await card.filter({ hasText: 'Nothing was sent' }).waitFor();
    await eventually(async () => assert.equal(await card.count(), 1));
    await eventually(async () =>
      assert.equal((await page.locator('.notices').innerText()).match(/is not trusted/g)?.length, 1),
    );
    await eventually(async () => assert.equal(await prompt(page).inputValue(), 'Hi'));
    for (const part of [
      page.getByText('Trust this workspace.'),
      page.getByRole('button', { name: 'Retry', exact: true }),
    ])
      await eventually(async () => assert.deepEqual(await isWholeInSight(part), true));
    ports.backend.listFailure = undefined;
    await service.refreshEndpoints();
    await card.waitFor({ state: 'detached' });
  });

  it('completes a command in the prompt, answers it without a model, and opens its links', async () => {
    const ports = fakePorts();
    const opened: string[] = [];
    Object.assign(ports.lookUps, {
      complete: async (text: string) =>
        ['/failed ', '/fix ', '/help ']
          .filter((each) => each.startsWith(text) && each !== text)
          .map((each) => ({ text: each, detail: 'A command' })),
      answer: async ({ text }: { text: string }) => ({
        markdown: `Answer to ${text}`,
        links: [
          { title: 'Keyboard', detail: 'Every chord.', section: 'README.md#keyboard' },
          { title: '/help more', command: '/help more' },
        ],
      }),
      openSection: async (section: string) => void opened.push(section),
    });
    const { page } = await open({ ports });
    await prompt(page).pressSequentially('/f');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await list.getByRole('option', { name: '/fix' }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], 'completions');
    await prompt(page).press('ArrowDown');
    await prompt(page).press('Tab');
    assert.equal(await prompt(page).inputValue(), '/fix ');
    await list.waitFor({ state: 'hidden' });
    await prompt(page).fill('/help');
    await list.waitFor();
    await prompt(page).press('Enter');
    const answer = page.getByRole('article', { name: 'Millrace' });
    await answer.first().getByText('Answer to /help').waitFor();
    assert.equal(await answer.first().locator('.usage').innerText(), 'Millrace');
    await answer.first().getByRole('button', { name: 'Keyboard' }).click();
    await eventually(() => assert.deepEqual(opened, ['README.md#keyboard']));
    await answer.first().getByRole('button', { name: '/help more' }).click();
    await answer.nth(1).getByText('Answer to /help more').waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], 'answers');
    assert.equal(ports.backend.requests.length, 0);
  });

  it('keeps every valid parameter while others are invalid, and marks each invalid one', async () => {
    const { page, ports, service } = await open();
    const field = (name: string): ReturnType<Page['locator']> => page.getByRole('textbox', { name, exact: true });
    await page.getByRole('button', { name: 'Parameters', exact: true }).click();
    await field('temperature').fill('3');
    await field('top_p').fill('7');
    await field('max_tokens').fill('50');
    await field('stop').fill('END');
    await field('tools').fill('[{"type":"function","function":{"name":"f","description":"d"}}]');
    await field('top_k').click();
    await page.getByText(/^temperature: /).waitFor();
    await page.getByText(/^top_p: /).waitFor();
    await service.selectEndpoint({ name: 'other' });
    await page.getByRole('button', { name: /^Endpoint other\./ }).waitFor();
    const values = async (): Promise<string[]> =>
      Promise.all(['temperature', 'top_p', 'max_tokens', 'stop'].map((name) => field(name).inputValue()));
    await eventually(async () => assert.deepEqual(await values(), ['3', '7', '50', 'END']));
    await eventually(async () => assert.match(await field('tools').inputValue(), /"function"/));
    await field('temperature').fill('1');
    await field('top_p').fill('1');
    await say(page, 'Hi');
    await page.getByText('Hello.').waitFor();
    const { temperature, top_p: topP, max_tokens: maxTokens, stop, tools } = ports.backend.requests[0]?.request ?? {};
    assert.deepEqual([temperature, topP, maxTokens, stop, Array.isArray(tools)], [1, 1, 50, ['END'], true]);
  });

  it('shows what is wrong in a small view and keeps the prompt visible', async () => {
    const { page } = await open({ width: 300, height: 440 });
    await page.getByRole('button', { name: 'Parameters', exact: true }).click();
    await page.getByRole('textbox', { name: 'tool_choice' }).fill('"required"');
    await say(page, 'Which runs failed?');
    await page.locator('.card.error', { hasText: 'A parameter is invalid' }).waitFor();
    const problem = page.getByText('tool_choice: is used only together with tools. Add tools or remove it.');
    const isIn = (inner: Locator, around: string): Promise<boolean> =>
      inner.evaluate((found, selector) => {
        const [a, b] = [found.getBoundingClientRect(), found.closest(selector)?.getBoundingClientRect()];
        return b !== undefined && a.top >= b.top && a.bottom <= Math.min(b.bottom + 1, window.innerHeight);
      }, around);
    await eventually(async () => {
      assert.equal(await isIn(page.getByRole('button', { name: 'Send' }), '.composer'), true, 'send');
      assert.equal(await isIn(problem, '.parameter-rows'), true, 'the problem');
    });
  });
});
