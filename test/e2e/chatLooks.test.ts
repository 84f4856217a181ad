import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ChatChunk } from '../../src/api/schema/inference/schemas.ts';
import { AppError } from '../../src/shared/errors.ts';
import { chatPages, prompt, say } from '../support/chatHarness/chatPages.ts';
import { failingAnswer, fakePorts, textAnswer } from '../support/chatHarness/fakePorts.ts';
import { eventually } from '../support/eventually.ts';

const usage = { prompt_tokens: 312, completion_tokens: 1_061, total_tokens: 1_373 };
const never = new Promise<never>(() => undefined);

/** Where it lies on the page. */
function placeOf(element: Locator): Promise<{ left: number; right: number; top: number; bottom: number }> {
  return element.evaluate((found) => found.getBoundingClientRect().toJSON() as never);
}

/** Whether it lies between the upper end of the messages and their lower one. */
function isInSight(element: Locator): Promise<boolean> {
  return element.evaluate((found) => {
    const list = document.querySelector('.messages')?.getBoundingClientRect();
    const { top, bottom } = found.getBoundingClientRect();
    return list !== undefined && top >= list.top && bottom <= list.bottom;
  });
}

/** What its user sees at a glance, as the editor's own views have it. */
describe('Look of the chat page', function () {
  this.timeout(120_000);
  const open = chatPages();

  it('aligns the edges of messages and composer, whatever the scrollbars', async () => {
    const { page } = await open({ width: 300 });
    await say(page, 'Hi');
    await page.getByText('Usage not reported').waitFor();
    const [turns, box] = [await placeOf(page.locator('.turns')), await placeOf(page.locator('.box'))];
    assert.deepEqual([turns.left, turns.right], [box.left, box.right]);
  });

  it('draws selects and secondary buttons like the editor', async () => {
    const { page, ports } = await open({ width: 300 });
    await page.getByRole('button', { name: 'Parameters', exact: true }).click();
    const arrows = await page
      .locator('.parameters select')
      .evaluateAll((all) =>
        all.map((list) => [getComputedStyle(list).appearance, getComputedStyle(list).backgroundImage]),
      );
    assert.ok(arrows.length > 1);
    for (const [appearance, image] of arrows) {
      assert.equal(appearance, 'base-select');
      assert.match(image ?? '', /gradient/);
    }
    // The list that opens is of the page, with its colours and keys, and Escape closes it alone.
    const preset = page.getByRole('combobox', { name: 'Preset' });
    await preset.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Default', exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('select:open').waitFor({ state: 'detached' });
    await preset.click();
    await page.getByRole('option', { name: 'Precise' }).click();
    assert.equal(await page.getByLabel('temperature').inputValue(), '0.2');
    await preset.focus();
    await page.keyboard.press('Escape');
    await page.locator('.parameters').waitFor({ state: 'hidden' });
    ports.backend.answer = failingAnswer(new AppError('network', 'chat: no.'));
    await say(page, 'Hi');
    const button = page.locator('.card .button.secondary').first();
    await button.waitFor();
    await page.evaluate(() =>
      document.documentElement.style.setProperty('--vscode-button-secondaryBorder', 'rgb(1, 2, 3)'),
    );
    assert.equal(await button.evaluate((found) => getComputedStyle(found).borderTopColor), 'rgb(1, 2, 3)');
  });

  it('keeps the head of the parameters to two lines in the narrowest view', async () => {
    const { page } = await open({ width: 200 });
    await page.getByRole('button', { name: 'Parameters', exact: true }).click();
    await page.getByLabel('temperature').fill('0.5');
    await page.getByRole('button', { name: 'Reset all' }).waitFor();
    const { top, bottom } = await placeOf(page.locator('.panel-head'));
    assert.ok(bottom - top < 70, String(bottom - top));
  });

  it('breaks a long function name before the edge', async () => {
    const { page, ports } = await open({ width: 200 });
    ports.backend.answer = async function* (): AsyncGenerator<ChatChunk> {
      const calls = [{ index: 0, id: 'c', function: { name: 'forecast_of_'.repeat(5), arguments: '{}' } }];
      yield { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: 'tool_calls' }] };
    };
    await say(page, 'Hi');
    await page.getByRole('button', { name: 'Send Results' }).waitFor();
    const name = await page.locator('.tool-call summary').evaluate((found) => [found.scrollWidth, found.clientWidth]);
    assert.equal(name[0], name[1]);
  });

  it('gives a scrolling table readable columns and opaque overlays', async () => {
    const { page, ports } = await open({ width: 450 });
    const row = `| ${['plan-1', '311', '7', 'complete with some words of a note', 'mara', 'yes', 'x'.repeat(30)].join(' | ')} |`;
    ports.backend.answer = textAnswer(`| a | b | c | d | e | f | g |\n${'|---'.repeat(7)}|\n${`${row}\n`.repeat(60)}`);
    await say(page, 'Hi');
    await page.getByText('Usage not reported').waitFor();
    const { top, bottom } = await placeOf(page.locator('td').first());
    assert.ok(bottom - top < 60, `${bottom - top} px for a row`);
    assert.equal(await page.locator('.messages').evaluate((list) => list.scrollWidth > list.clientWidth), false);
    await page.evaluate(() => {
      // As the editor's dark themes have it.
      document.documentElement.style.setProperty('--vscode-button-secondaryBackground', '#00000000');
    });
    await page.locator('.messages').hover();
    await page.mouse.wheel(0, -400);
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    for (const act of [() => jump.waitFor(), () => jump.hover()]) {
      await act();
      assert.match(await jump.evaluate((found) => getComputedStyle(found).backgroundColor), /^rgb\(/);
    }
  });

  it('keeps an edited message visible above a longer answer', async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer('A paragraph of some words.\n\n'.repeat(120));
    await say(page, 'Long?');
    await page.getByText('Usage not reported').waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await eventually(async () => assert.equal(await isInSight(page.locator('.usage')), true));
    // With the keyboard: nothing is scrolled by hand.
    await page.locator('.user').getByRole('button', { name: 'Edit and resend' }).focus();
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'Edit and resend' });
    await eventually(async () => assert.equal(await isInSight(editor), true));
    ports.backend.answer = textAnswer('Another one.\n\n'.repeat(120), { delayInMs: 5 });
    await editor.press('Escape');
    await prompt(page).fill('And?');
    await prompt(page).press('Enter');
    await page.getByText('Another one.').first().waitFor({ state: 'attached' });
    const copy = page.locator('.user').first().getByRole('button', { name: 'Copy' });
    await copy.focus();
    await page.getByText('Another one.').nth(80).waitFor({ state: 'attached' });
    assert.equal(await isInSight(copy), true);
  });

  it('hides the actions of earlier answers during the next one', async () => {
    const { page, ports } = await open();
    await say(page, 'One?');
    await page.getByText('Usage not reported').waitFor();
    ports.backend.answer = async function* (): AsyncGenerator<ChatChunk> {
      yield { choices: [{ index: 0, delta: { content: 'It begins' } }] };
      await never;
    };
    await say(page, 'Two?');
    await page.getByText('It begins').waitFor();
    const buttons = page.locator('.answer').first().locator('.turn-tools > .icon-button');
    // They fade.
    await eventually(async () =>
      assert.deepEqual(
        await buttons.evaluateAll((all) => all.map((button) => Number(getComputedStyle(button).opacity))),
        [0, 0, 0],
      ),
    );
  });

  it('shows tokens and time beside the buttons, and more if there is room', async () => {
    for (const [width, isWhole] of [
      [300, false],
      [900, true],
    ] as const) {
      const { page, ports } = await open({ width });
      ports.backend.answer = textAnswer('word '.repeat(40), { pieceLength: 5, delayInMs: 10, usage });
      await say(page, 'Hi');
      await page.getByText('1,373 tokens').waitFor();
      const tools = page.locator('.answer .turn-tools');
      assert.ok((await placeOf(tools)).bottom - (await placeOf(tools)).top < 30, 'one line');
      assert.equal(await page.getByText(/tokens\/s, first word after/).isVisible(), isWhole);
      assert.match((await page.locator('.usage').getAttribute('title')) ?? '', /tokens\/s, first word after/);
    }
  });

  it("leaves no empty line for hidden buttons, however long the endpoint's name", async () => {
    const ports = fakePorts();
    ports.backend.endpoints = [{ name: 'a-model-with-a-long-name', server: 'Local' }];
    const { page } = await open({ ports, width: 300 });
    await say(page, 'Hi');
    await page.getByText('Usage not reported').waitFor();
    const [usage, button] = [page.locator('.usage'), page.locator('.answer .turn-tools > .icon-button').first()];
    assert.ok((await placeOf(usage)).top < (await placeOf(button)).bottom, 'beside each other');
    assert.ok((await placeOf(usage)).left > (await placeOf(button)).right);
  });

  it("folds with the editor's chevron instead of the browser's triangle", async () => {
    const { page, ports, service } = await open({ width: 200 });
    ports.backend.answer = async function* (): AsyncGenerator<ChatChunk> {
      yield { choices: [{ index: 0, delta: { reasoning_content: 'Thinks.' } }] } as ChatChunk;
      yield { choices: [{ index: 0, delta: { content: '{"a":{"b":[1]}}' }, finish_reason: 'stop' }] };
    };
    service.prompt.attach({ label: 'a-file-with-a-long-name-indeed.py:38-49', language: 'python', text: 'x' });
    await say(page, 'Why?');
    await page.locator('.json-tree').waitFor();
    const folds = await page.locator('summary').evaluateAll((summaries) =>
      summaries.map((summary) => ({
        marker: getComputedStyle(summary).display,
        chevron: getComputedStyle(summary, '::before').clipPath.slice(0, 5),
        isInPage: summary.getBoundingClientRect().right <= document.documentElement.clientWidth,
      })),
    );
    assert.ok(folds.length >= 4);
    for (const fold of folds) assert.deepEqual(fold, { marker: 'flex', chevron: 'path(', isInPage: true });
    const label = page.locator('.bubble .chip-label');
    const { top, bottom } = await placeOf(label);
    assert.ok(bottom - top < 24, 'its name is shortened, not broken');
  });

  it('announces at most four things to a screen reader during a minute of writing', async () => {
    const { page, ports, reopen } = await open();
    await page.clock.install();
    await reopen();
    let go = Promise.withResolvers<void>();
    ports.backend.answer = async function* (): AsyncGenerator<ChatChunk> {
      yield { choices: [{ index: 0, delta: { reasoning_content: 'Let me see.' } }] } as ChatChunk;
      for (let second = 1; second <= 60; second += 1) {
        await go.promise;
        go = Promise.withResolvers();
        yield { choices: [{ index: 0, delta: { content: `Words of second ${second}.\n\n` } }] };
      }
      yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
    };
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const live = '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]';
      new MutationObserver((changes) => {
        const regions = changes.flatMap(({ target, addedNodes }) => {
          const around = (target instanceof Element ? target : target.parentElement)?.closest(live);
          const added = [...addedNodes].filter((node) => node instanceof Element && node.matches(live)) as Element[];
          return [...added, ...(around ? [around] : [])];
        });
        for (const region of new Set(regions)) if (region.textContent !== '') said.push(region.textContent);
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    await say(page, 'A minute, please.');
    await page.getByText('Let me see.').waitFor();
    for (let second = 1; second <= 60; second += 1) {
      go.resolve();
      const words = page.getByText(`Words of second ${second}.`);
      for (let tries = 0; tries < 200 && (await words.count()) === 0; tries += 1) await page.clock.runFor(20);
      await page.clock.runFor(980);
    }
    for (let tries = 0; tries < 200 && (await page.locator('.usage:visible').count()) === 0; tries += 1)
      await page.clock.runFor(20);
    await page.clock.runFor(1_000);
    const said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
    assert.equal(said[0], 'The answer is in progress.');
    assert.equal(said.at(-1), 'guide has answered.');
    assert.ok(said.length <= 4, said.join('\n'));
    assert.match(await page.locator('.usage').innerText(), /1,373 tokens/);
  });

  it('omits the usage of an answer without an end, and never separates a number from its unit', async () => {
    const { page, ports } = await open({ width: 300 });
    ports.backend.endpoints = [{ name: 'a-model-with-a-long-name', server: 'Local' }];
    ports.backend.answer = failingAnswer(new AppError('network', 'chat: no.'));
    await say(page, 'Hi');
    await page.locator('.answer .card').waitFor();
    assert.match((await page.locator('.usage').innerText()).trim(), /^[\w-]+( · [\d.,]+ s)?$/);
    ports.backend.answer = textAnswer('word', { usage });
    await say(page, 'Again');
    const told = page.locator('.answer').last().locator('.told');
    await told.filter({ hasText: '1,373 tokens, ' }).waitFor();
    assert.equal(await told.evaluate((found) => found.getClientRects().length), 1, 'one line');
    assert.equal(await page.locator('.answer .usage').last().getByText('Usage not reported').count(), 0);
  });

  it('wraps long code lines on request', async () => {
    const { page, ports } = await open({ width: 300 });
    ports.backend.answer = textAnswer(`\`\`\`python\nprint("${'grain and '.repeat(20)}")\n\`\`\``);
    await say(page, 'Hi');
    await page.getByText('Usage not reported').waitFor();
    const beyond = (): Promise<number> =>
      page.locator('.code-block pre').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assert.ok((await beyond()) > 0);
    const wrap = page.getByRole('button', { name: 'Wrap Lines' });
    await wrap.click();
    assert.equal(await beyond(), 0);
    assert.equal(await wrap.getAttribute('aria-pressed'), 'true');
    await wrap.click();
    assert.ok((await beyond()) > 0);
    assert.equal(await wrap.getAttribute('aria-pressed'), 'false');
  });

  it('keeps deeply nested text visible, in the direction of its script', async () => {
    const { page, ports } = await open({ width: 200 });
    const levels = Array.from({ length: 30 }, (_, level) => level);
    const list = levels.map((level) => `${'  '.repeat(level)}- level ${level}`).join('\n');
    ports.backend.answer = textAnswer(`مرحبا بالعالم.\n\n${list}\n\n${'> '.repeat(30)}quoted deep\n\nThe end.`);
    await say(page, 'Hi');
    await page.getByText('Usage not reported').waitFor();
    const { right } = await placeOf(page.locator('.turns'));
    for (const words of ['level 18', 'level 29', 'quoted deep', 'The end.']) {
      const place = await placeOf(page.getByText(words));
      assert.ok(place.right <= right && place.right - place.left > 30, `${words}: ${JSON.stringify(place)}`);
    }
    const arabic = page.locator('.markdown p').first();
    const first = await arabic.evaluate((paragraph) => {
      const range = document.createRange();
      range.setStart(paragraph.firstChild as Node, 0);
      range.setEnd(paragraph.firstChild as Node, 1);
      return range.getBoundingClientRect().right;
    });
    assert.ok(first > right - 5, `the first letter ends at ${first} of ${right}`);
  });

  it('underlines the selected view in high contrast', async () => {
    const { page, ports } = await open({ theme: 'hcDark' });
    ports.backend.answer = textAnswer('{"days": [3]}');
    await say(page, 'As JSON');
    await page.locator('.json-tree').waitFor();
    await page.evaluate(() =>
      document.documentElement.style.setProperty('--vscode-inputOption-activeBorder', 'rgb(1, 2, 3)'),
    );
    const lines = await page
      .locator('.json-answer .choice')
      .evaluateAll((all) => all.map((choice) => getComputedStyle(choice).borderTopColor));
    assert.deepEqual(lines, ['rgb(1, 2, 3)', 'rgba(0, 0, 0, 0)']);
  });
});
