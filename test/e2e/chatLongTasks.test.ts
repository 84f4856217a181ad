import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { openChatPage } from '../support/chatHarness/chatPage.ts';
import { textAnswer } from '../support/chatHarness/fakePorts.ts';
import { longestTasks } from '../support/chatHarness/longestTask.ts';
import { launchChromium } from '../support/chromium.ts';

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

/** What a model may write to hold up the page, by itself or led on. */
const answers: Record<string, string> = {
  'one line of ini': fence('ini', 'a'.repeat(60_000)),
  'lines of ini': fence('ini', `${'a'.repeat(4_900)}\n`.repeat(12)),
  'open brackets of markdown': fence('markdown', `${'[a]('.repeat(100)}\n`.repeat(120)),
  'nested brackets of JSON': fence('json', '['.repeat(30_000)),
  'nested elements': fence('xml', '<a>\n'.repeat(15_000)),
  '400 KB of code': fence('python', 'value = compute(1, "text")\n'.repeat(16_000)),
  '400 KB of code in one line': fence('', 'x '.repeat(200_000)),
  '400 KB of text in one line': 'word '.repeat(80_000),
  '400 KB of one character': 'a'.repeat(400_000),
  'open brackets': '['.repeat(100_000),
  'open images': '![word fou'.repeat(10_000),
  'nested quotes': Array.from({ length: 2_000 }, (_, index) => `${'>'.repeat(index % 200)} x`).join('\n'),
  'nested lists': Array.from({ length: 2_000 }, (_, index) => `${'  '.repeat(index % 200)}- x`).join('\n'),
  'a long list': '- apple pie\n'.repeat(10_000),
  'a long table': `|a|b|c|\n|-|-|-|\n${'|one|two|three|\n'.repeat(5_000)}`,
  'a wide table': `|${'col|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n|${'x|'.repeat(3_000)}\n`,
  'thousands of links': Array.from(
    { length: 5_000 },
    (_, index) => `[Name ${index}](https://example.com/${index})`,
  ).join(' '),
  'thousands of definitions': `${Array.from({ length: 5_000 }, (_, index) => `[n${index}]: https://example.com/${index}`).join('\n')}\n\n[n1] [n4000]`,
  emphasis: '*word* and '.repeat(10_000),
  'short lines': 'ab c\n'.repeat(20_000),
};
/** As it is promised, in CPU time: on a machine with six times more work than processors the longest was 37. */
const limitInMs = 50;
const mostTries = 4;

/** The page with the host's own policy in a real Chromium: whatever it is given, it answers the hand of the user. */
describe('Chat page with long and hostile answers', function () {
  this.timeout(300_000);
  let browser: Browser;

  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  /** CPU milliseconds of the longest task of each part: while the answer comes, while it is opened again, while it is read. */
  async function longestParts(text: string): Promise<Record<string, number>> {
    const chat = await openChatPage(browser);
    const { page } = chat;
    chat.ports.backend.answer = textAnswer(text, { pieceLength: text.length });
    const isStill = async (): Promise<void> => {
      await page.locator('.usage').waitFor();
      const elements = (): Promise<number> => page.evaluate(() => document.getElementsByTagName('*').length);
      for (let before = -1, now = await elements(); before !== now; before = now, now = await elements())
        await page.waitForTimeout(400);
    };
    try {
      const tasks = {
        first: await longestTasks(browser, page, async () => {
          await page.getByRole('textbox', { name: 'Message' }).fill('Go');
          await page.getByRole('textbox', { name: 'Message' }).press('Enter');
          await isStill();
        }),
        again: await longestTasks(browser, page, async () => {
          await chat.reopen();
          await isStill();
        }),
        read: await longestTasks(browser, page, async () => {
          for (const share of [0.5, 0.2, 0.8, 0]) {
            await page
              .locator('.messages')
              .evaluate((list, place) => (list.scrollTop = list.scrollHeight * place), share);
            await page.waitForTimeout(120);
          }
        }),
      };
      return Object.fromEntries(Object.entries(tasks).map(([part, times]) => [part, Math.round(times[0] ?? 0)]));
    } finally {
      await chat.close();
    }
  }

  for (const [name, text] of Object.entries(answers)) {
    it(`never blocks for long: ${name}`, async () => {
      const tries: Record<string, number>[] = [];
      // A machine that is short of memory makes the same work cost twice as much at times, which is not the page's: what seems long is
      // measured again, and the least counts.
      const longParts = (): string[] =>
        ['first', 'again', 'read'].filter((part) => tries.every((times) => (times[part] ?? 0) > limitInMs));
      do tries.push(await longestParts(text));
      while (longParts().length > 0 && tries.length < mostTries);
      assert.deepEqual(longParts(), [], `milliseconds: ${JSON.stringify(tries)}`);
    });
  }

  it('keeps coloring after code that takes too long', async () => {
    const chat = await openChatPage(browser);
    chat.ports.backend.answer = textAnswer(
      `${fence('markdown', `${'[a]('.repeat(1_200)}\n`.repeat(12))}\n${fence('yaml', 'name: "x"')}`,
    );
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('Go');
    await chat.page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await chat.page.locator('.hljs-attr').waitFor();
    await chat.close();
  });
});
