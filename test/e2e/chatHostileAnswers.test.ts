import type { Browser } from 'playwright-core';
import { openChatPage } from '../support/chatHarness/chatPage.ts';
import { textAnswer } from '../support/chatHarness/fakePorts.ts';
import { launchChromium } from '../support/chromium.ts';

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

/** What a model may write to hold up the page, by itself or led on. */
const answers: Record<string, string> = {
  'one line of ini': fence('ini', 'a'.repeat(60_000)),
  'lines of ini': fence('ini', `${'a'.repeat(4_900)}\n`.repeat(12)),
  'open brackets of markdown': fence('markdown', `${'[a]('.repeat(100)}\n`.repeat(120)),
  'nested brackets of JSON': fence('json', '['.repeat(30_000)),
  'nested elements': fence('xml', '<a>\n'.repeat(15_000)),
  'one character': 'a'.repeat(400_000),
  'open brackets': '['.repeat(100_000),
  'open images': '![word fou'.repeat(10_000),
  'nested quotes': Array.from({ length: 2_000 }, (_, index) => `${'>'.repeat(index % 200)} x`).join('\n'),
  'nested lists': Array.from({ length: 2_000 }, (_, index) => `${'  '.repeat(index % 200)}- x`).join('\n'),
  'a wide table': `|${'col|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n|${'x|'.repeat(3_000)}\n`,
  'thousands of links': Array.from(
    { length: 5_000 },
    (_, index) => `[Name ${index}](https://example.com/${index})`,
  ).join(' '),
  'thousands of definitions': `${Array.from({ length: 5_000 }, (_, index) => `[n${index}]: https://example.com/${index}`).join('\n')}\n\n[n1] [n4000]`,
};

/** The page with the host's own policy in a real Chromium. How long its frames take is measured by the bench chatFrames. */
describe('Chat page with hostile answers', () => {
  let browser: Browser;

  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  for (const [name, text] of Object.entries(answers)) {
    it(`takes the next question after an answer of ${name}`, async () => {
      const chat = await openChatPage(browser);
      const prompt = chat.page.getByRole('textbox', { name: 'Message' });
      chat.ports.backend.answer = textAnswer(text, { pieceLength: text.length });
      await prompt.fill('Go');
      await prompt.press('Enter');
      await chat.page.locator('.usage').waitFor();
      chat.ports.backend.answer = textAnswer('Here I am.');
      await prompt.fill('Are you there?');
      await prompt.press('Enter');
      await chat.page.getByText('Here I am.').waitFor();
      await chat.close();
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
