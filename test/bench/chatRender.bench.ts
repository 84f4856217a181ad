/** What it costs a browser to draw an answer while it arrives: CPU seconds of the page's main thread, layout and painting included. */
import { recordFigures, type Figure } from '../support/bench.ts';
import { bundleForBrowser } from '../support/chatHarness/pageBundle.ts';
import { launchChromium } from '../support/chromium.ts';

const section = (index: number): string => `## Section ${index}

A paragraph with **bold** words, \`code\`, and [a link](https://example.com/${index}),
long enough to be wrapped at least once on a narrow side bar of the editor.

- first point of ${index}
- second point with *emphasis*
  - nested

\`\`\`python
def function_${index}(value: int) -> int:
    """Adds ${index}."""
    return value + ${index}
\`\`\`

| a | b |
|---|---|
| ${index} | text |

`;

function repeated(make: (index: number) => string, sizeBytes: number): string {
  let text = '';
  for (let index = 0; text.length < sizeBytes; index += 1) text += make(index);
  return text.slice(0, sizeBytes);
}

const mixed = repeated(section, 100_000);
const code = `\`\`\`python\n${repeated((index) => `value_${index} = compute(${index}, "text")\n`, 400_000)}\`\`\`\n`;
/** 200 tokens of four characters: far faster than any model, so that the run is short; the costs of a frame weigh the same for all. */
const charactersPerFrame = 800;

const browser = await launchChromium();
const script = await bundleForBrowser('test/support/chatHarness/renderLab.ts', 'lab');

async function cpuSeconds(name: string, text: string, size = charactersPerFrame): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 420, height: 820 } });
  await page.setContent(
    '<!doctype html><style>body{font:13px sans-serif}pre{overflow-x:auto}.piece{display:block}</style><body>',
  );
  await page.addScriptTag({ content: `${script};window.lab=lab` });
  const session = await page.context().newCDPSession(page);
  // The thread's own time: what else runs on the machine does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskSeconds = async (): Promise<number> =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name: metric }) => metric === 'TaskDuration')
      ?.value ?? 0;
  const before = await taskSeconds();
  await page.evaluate(
    ({ kind, source, step }) =>
      (window as unknown as { lab: { stream(name: string, text: string, step: number): Promise<void> } }).lab.stream(
        kind,
        source,
        step,
      ),
    { kind: name, source: text, step: size },
  );
  const seconds = (await taskSeconds()) - before;
  await page.close();
  return seconds;
}

const figures: Figure[] = [];
for (const [label, text, goal] of [
  ['100 KB of mixed markdown', mixed, 4],
  ['one code block of 400 KB', code, 2],
] as const) {
  const floor = await cpuSeconds('plain text', text);
  figures.push({
    name: `${label}, against plain text in blocks`,
    ours: await cpuSeconds('view', text),
    peer: floor,
    peerName: 'plain text',
    unit: 's',
    goal,
  });
}
// Less of it: the whole document each frame grows with the square of the length.
const short = mixed.slice(0, 40_000);
figures.push({
  name: '40 KB of mixed markdown, against the whole document each frame',
  ours: await cpuSeconds('view', short, 40),
  peer: await cpuSeconds('whole document', short, 40),
  peerName: 'markdown-it',
  unit: 's',
  goal: 0.5,
});
await browser.close();
recordFigures('chatRender', figures);
