/** How long an answer holds up the chat page: CPU time of its longest task, against a page that draws the same answer at once. */
import { median, recordFigures, type Figure } from '../support/bench.ts';
import { openChatPage } from '../support/chatHarness/chatPage.ts';
import { textAnswer } from '../support/chatHarness/fakePorts.ts';
import { longestTasks } from '../support/chatHarness/longestTask.ts';
import { bundleForBrowser } from '../support/chatHarness/pageBundle.ts';
import { launchChromium } from '../support/chromium.ts';

const answers: Record<string, { text: string; goal: number }> = {
  '400 KB of code': { text: `\`\`\`python\n${'value = compute(1, "text")\n'.repeat(16_000)}\n\`\`\`\n`, goal: 0.97 },
  '400 KB of text in one line': { text: 'word '.repeat(80_000), goal: 1 },
  'a list of 10,000 points': { text: '- apple pie\n'.repeat(10_000), goal: 0.65 },
  'a table of 5,000 rows': { text: `|a|b|c|\n|-|-|-|\n${'|one|two|three|\n'.repeat(5_000)}`, goal: 0.5 },
  '10,000 emphasized words': { text: '*word* and '.repeat(10_000), goal: 0.5 },
  '20,000 short lines': { text: 'ab c\n'.repeat(20_000), goal: 0.5 },
};
const rounds = 3;

const browser = await launchChromium();
const script = await bundleForBrowser('test/support/chatHarness/renderLab.ts', 'lab');

/** While the answer arrives, while the page is opened again, and while it is read from end to end. */
async function chatPage(text: string): Promise<number> {
  const chat = await openChatPage(browser);
  const { page } = chat;
  chat.ports.backend.answer = textAnswer(text, { pieceLength: text.length });
  const isStill = async (): Promise<void> => {
    await page.locator('.usage').waitFor();
    const elements = (): Promise<number> => page.evaluate(() => document.getElementsByTagName('*').length);
    for (let before = -1, now = await elements(); before !== now; before = now, now = await elements())
      await page.waitForTimeout(400);
  };
  const [longest = 0] = await longestTasks(browser, page, async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill('Go');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await isStill();
    await chat.reopen();
    await isStill();
    for (const share of [0.5, 0.2, 0.8, 0]) {
      await page.locator('.messages').evaluate((list, place) => (list.scrollTop = list.scrollHeight * place), share);
      await page.waitForTimeout(120);
    }
  });
  await chat.close();
  return longest;
}

async function wholeDocument(text: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 420, height: 820 } });
  await page.setContent('<!doctype html><style>body{font:13px sans-serif}pre{overflow-x:auto}</style><body>');
  await page.addScriptTag({ content: `${script};window.lab=lab` });
  const [longest = 0] = await longestTasks(browser, page, () =>
    page.evaluate(
      (source) =>
        (window as unknown as { lab: { stream(name: string, text: string, step: number): Promise<void> } }).lab.stream(
          'whole document',
          source,
          source.length,
        ),
      text,
    ),
  );
  await page.close();
  return longest;
}

const figures: Figure[] = [];
for (const [name, { text, goal }] of Object.entries(answers)) {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await chatPage(text));
    theirs.push(await wholeDocument(text));
  }
  figures.push({
    name: `longest task for ${name}`,
    ours: median(ours),
    peer: median(theirs),
    peerName: 'markdown-it at once',
    unit: 'ms CPU',
    goal,
  });
}
await browser.close();
recordFigures('chatFrames', figures);
