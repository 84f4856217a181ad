import type { Browser, Page } from 'playwright-core';
import type { FromPage, JobView, RunView, ToPage } from '../../src/runs/page/pageProtocol.ts';
import { webviewPage } from '../../src/shared/webviewPage.ts';
import { servePage } from './chatHarness/servedPage.ts';
import { launchChromium } from './chromium.ts';

/** The page of a run as the host writes it, in a plain browser; the test is the host. */
export interface RunPageLab {
  page: Page;
  /** What the page has sent, without what it says of pieces of the output. */
  readonly sent: FromPage[];
  /** Resolves once the page has sent a message like this. */
  untilSent(wanted: Partial<FromPage>): Promise<void>;
  post(message: ToPage): Promise<void>;
  /** Resolves once the page has taken so many pieces of the output since it was opened. */
  untilTaken(count: number): Promise<void>;
  /** Hands a piece of the output over and waits until it is drawn. */
  output(text: string, more?: { reset?: boolean; isEnd?: boolean }): Promise<void>;
  outsideRequests: string[];
  close(): Promise<void>;
}

interface LabOptions {
  width?: number;
  height?: number;
  first?: RunView | JobView;
}

/**
 * For a suite: one browser for all of its tests, in which each opens a page of its own, one at a time.
 * @param first what the page shows if the test says nothing else
 * @returns what opens the page
 */
export function useRunPageLab(first: RunView | JobView): (options?: LabOptions) => Promise<RunPageLab> {
  let browser: Browser;
  let lab: RunPageLab | undefined;
  before(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    await lab?.close();
    lab = undefined;
  });
  after(() => browser?.close());
  return async (options = {}) => {
    await lab?.close();
    lab = await openRunPageLab(browser, { first, ...options });
    return lab;
  };
}

async function openRunPageLab(browser: Browser, options: LabOptions = {}): Promise<RunPageLab> {
  const { width = 1000, height = 800, first } = options;
  const subject = { kind: first?.kind ?? 'run', profileId: 'local', id: '218' } as const;
  const parts = { nonce: 'n', title: 'Millrace', scripts: ['/runs.js'], style: '/runs.css', language: 'en' };
  const { context, page, outsideRequests, load } = await servePage(
    browser,
    webviewPage({ ...parts, data: { subject } }),
    { viewport: { width, height } },
  );
  const sent: FromPage[] = [];
  let taken = 0;
  const waiting = new Set<() => void>();
  await page.exposeFunction('postToHost', (message: FromPage) => {
    if (message.type === 'taken') taken += 1;
    else sent.push(message);
    for (const look of [...waiting]) look();
  });
  const until = (isSo: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(new Error(`Waited in vain for ${what}.`));
      }, 30_000);
      const look = (): void => {
        if (!isSo()) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  await load('dark');
  const post = (message: ToPage): Promise<void> =>
    page.evaluate((data) => window.postMessage(data, '*'), message as unknown);
  const lab: RunPageLab = {
    page,
    sent,
    untilSent: (wanted) =>
      until(
        () => sent.some((message) => Object.entries(wanted).every(([name, value]) => sameValue(message, name, value))),
        JSON.stringify(wanted),
      ),
    post,
    untilTaken: (count) => until(() => taken >= count, `${count} pieces to be taken`),
    async output(text, { reset = false, isEnd = false } = {}) {
      const before = taken;
      await post({ type: 'output', text, reset, isEnd });
      await until(() => taken > before, 'the output to be taken');
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    },
    outsideRequests,
    close: () => context.close(),
  };
  await lab.untilSent({ type: 'ready' });
  if (first?.kind === 'job') await post({ type: 'job', view: first });
  else if (first) await post({ type: 'run', view: first });
  return lab;
}

function sameValue(message: FromPage, name: string, value: unknown): boolean {
  return JSON.stringify((message as unknown as Record<string, unknown>)[name]) === JSON.stringify(value);
}
