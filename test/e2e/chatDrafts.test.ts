import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { chatPages, prompt } from '../support/chatHarness/chatPages.ts';
import { fakePorts, textAnswer } from '../support/chatHarness/fakePorts.ts';
import { eventually } from '../support/eventually.ts';

/** What is typed in the chat's page, in a plain browser with the real host logic behind it. */
describe('Drafts in the chat', function () {
  this.timeout(120_000);
  const open = chatPages();
  const said = (page: Page, text: string): Promise<void> => page.locator('.markdown', { hasText: text }).waitFor();

  it('survive a new view, in their own conversation only', async () => {
    const { page, service, reopen } = await open();
    await prompt(page).fill('First?');
    await prompt(page).press('Enter');
    await said(page, 'Hello.');
    const first = service.currentConversation?.id ?? '';
    await page.getByText('First?').hover();
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    await page.getByRole('textbox', { name: 'Edit and resend' }).fill('Other?');
    await prompt(page).fill('begun here');
    service.prompt.attach({ label: 'rates.py', text: 'x' });
    await page.locator('.chip', { hasText: 'rates.py' }).waitFor();
    await reopen();
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('.prompt')?.value === 'begun here');
    await eventually(async () =>
      assert.equal(await page.getByRole('textbox', { name: 'Edit and resend' }).inputValue(), 'Other?'),
    );
    await service.newConversation();
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('.prompt')?.value === '');
    await eventually(async () => assert.equal(await page.locator('.composer .chip').count(), 0));
    await service.openConversation(first);
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('.prompt')?.value === 'begun here');
    await page.locator('.composer .chip', { hasText: 'rates.py' }).waitFor();
  });

  it('queue during an answer, can be taken back, and are sent at its end', async () => {
    const ports = fakePorts();
    const { promise, resolve } = Promise.withResolvers<void>();
    ports.backend.answer = async function* (...call) {
      ports.backend.answer = textAnswer('Second.');
      yield { choices: [{ index: 0, delta: { content: 'First' } }] };
      await promise;
      yield* textAnswer('.')(...call);
    };
    const { page } = await open({ ports });
    await prompt(page).fill('One');
    await prompt(page).press('Enter');
    await said(page, 'First');
    for (const text of ['Two', 'Three']) {
      await prompt(page).fill(text);
      await prompt(page).press('Enter');
    }
    await page.locator('.queued-text', { hasText: 'Three' }).waitFor();
    await eventually(async () =>
      assert.deepEqual(await page.locator('.queued-text').allTextContents(), ['Two', 'Three']),
    );
    const third = page.locator('.queued', { hasText: 'Three' });
    await third.getByRole('button', { name: 'Move back to the prompt' }).click();
    await eventually(async () => assert.equal(await prompt(page).inputValue(), 'Three'));
    await prompt(page).press('Enter');
    await third.getByRole('button', { name: 'Remove from the queue' }).click();
    await third.waitFor({ state: 'detached' });
    assert.equal(await prompt(page).inputValue(), '');
    await prompt(page).fill('Three');
    await prompt(page).press('Enter');
    await third.waitFor();
    await prompt(page).press('ArrowUp');
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('.prompt')?.value === 'Three');
    await page.locator('.queued-text', { hasText: 'Three' }).waitFor({ state: 'detached' });
    await eventually(async () => assert.deepEqual(await page.locator('.queued-text').allTextContents(), ['Two']));
    resolve();
    await said(page, 'Second.');
    await eventually(async () => assert.equal(await page.locator('.queued').count(), 0));
    assert.equal(await prompt(page).inputValue(), 'Three');
  });

  it('keep an attachment chosen after a #, show its size, and send it once', async () => {
    const { page, ports } = await open();
    ports.editor.attachment = { label: 'rates.py:38-49', language: 'python', text: 'x'.repeat(640) };
    await prompt(page).pressSequentially('Why is #rates');
    await page.getByRole('option', { name: '#rates.py' }).click();
    await page.locator('.composer .chip', { hasText: 'rates.py:38-49' }).getByText('0.6 KB').waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('.prompt')?.value === 'Why is ');
    ports.editor.attachment = undefined;
    await prompt(page).pressSequentially('this slow? C# or F#');
    assert.equal(await prompt(page).inputValue(), 'Why is this slow? C# or F#');
    await prompt(page).press('Enter');
    await said(page, 'Hello.');
    await eventually(async () => assert.equal(await page.locator('.composer .chip').count(), 0));
    assert.match(
      JSON.stringify(ports.backend.requests[0]?.request['messages']),
      /rates\.py:38-49.*x{640}.*Why is this/,
    );
  });
});
