import { chatPages, say } from '../support/chatHarness/chatPages.ts';
import { textAnswer } from '../support/chatHarness/fakePorts.ts';

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

/** What a model may write to hold up the page, by itself or led on. How long it takes to parse is measured by unit tests. */
const answers: Record<string, string> = {
  'code without line breaks': fence('ini', 'a'.repeat(60_000)),
  'nested elements': fence('xml', '<a>\n'.repeat(15_000)),
  'nested lists': Array.from({ length: 2_000 }, (_, index) => `${'  '.repeat(index % 200)}- x`).join('\n'),
  'a wide table': `|${'col|'.repeat(3_000)}\n|${'-|'.repeat(3_000)}\n|${'x|'.repeat(3_000)}\n`,
};

/** The page with the host's own policy in a real Chromium. How long its frames take is measured by the bench chatFrames. */
describe('Chat page with hostile answers', () => {
  const open = chatPages();

  it('takes the next question after each', async () => {
    const { page, ports } = await open();
    for (const [index, text] of Object.values(answers).entries()) {
      ports.backend.answer = textAnswer(text, { pieceLength: text.length });
      await say(page, 'Go');
      await page
        .locator('.usage')
        .nth(2 * index)
        .waitFor();
      ports.backend.answer = textAnswer('Here I am.');
      await say(page, 'Are you there?');
      await page
        .locator('.usage')
        .nth(2 * index + 1)
        .waitFor();
    }
  });

  it('keeps coloring after code that takes too long', async () => {
    const { page, ports } = await open();
    ports.backend.answer = textAnswer(
      `${fence('markdown', `${'[a]('.repeat(1_200)}\n`.repeat(12))}\n${fence('yaml', 'name: "x"')}`,
    );
    await say(page, 'Go');
    await page.locator('.hljs-attr').waitFor();
  });
});
