import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { FromPage, RunView, ToPage } from '../../src/runs/page/pageProtocol.ts';
import { runPageHtml } from '../../src/runs/page/runPageHtml.ts';
import { bundleForBrowser } from './chatHarness/pageBundle.ts';
import { themes } from './chatHarness/themes.ts';
import { root } from './paths.ts';

/** The page of a run as the host writes it, in a plain browser; the test is the host. */
export interface RunPageLab {
  page: Page;
  /** What the page has sent, without that it has drawn. */
  readonly sent: FromPage[];
  /** Resolves once the page has sent a message like this. */
  untilSent(wanted: Partial<FromPage>): Promise<void>;
  post(message: ToPage): Promise<void>;
  /** Hands a piece of the output over and waits until it is drawn. */
  output(text: string, more?: { reset?: boolean; isEnd?: boolean }): Promise<void>;
  outsideRequests: string[];
  close(): Promise<void>;
}

const origin = 'http://runs.test';
let bundle: Promise<string> | undefined;

export async function openRunPageLab(
  browser: Browser,
  options: { theme?: keyof typeof themes; width?: number; height?: number; first?: RunView } = {},
): Promise<RunPageLab> {
  const { theme = 'dark', width = 1000, height = 800, first } = options;
  const script = await (bundle ??= bundleForBrowser('src/runs/webview/pages.ts'));
  const css = await readFile(path.join(root, 'src/runs/webview/runs.css'), 'utf8');
  const subject = { kind: first?.kind ?? 'run', profileId: 'local', id: '218' } as const;
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  const outsideRequests: string[] = [];
  const files: Record<string, [type: string, body: string]> = {
    '/runs.js': ['text/javascript', script],
    '/runs.css': ['text/css', css],
    '/': [
      'text/html',
      runPageHtml({ nonce: 'n', script: '/runs.js', style: '/runs.css', language: 'en', texts: undefined, subject }),
    ],
  };
  await context.route('**/*', (route) => {
    const { pathname, origin: asked } = new URL(route.request().url());
    const file = asked === origin ? files[pathname] : undefined;
    if (file) return route.fulfill({ contentType: file[0], body: file[1] });
    outsideRequests.push(route.request().url());
    return route.abort();
  });
  const sent: FromPage[] = [];
  let drawn = 0;
  const waiting = new Set<() => void>();
  await page.exposeFunction('postToHost', (message: FromPage) => {
    if (message.type === 'drawn') drawn += 1;
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
  const { variables, bodyClass } = themes[theme];
  await page.addInitScript(
    ({ values, className }) => {
      const post = (message: unknown): unknown =>
        (window as unknown as { postToHost(message: unknown): unknown }).postToHost(message);
      Object.assign(window, {
        acquireVsCodeApi: () => ({
          postMessage: post,
          setState: (value: unknown) => sessionStorage.setItem('state', JSON.stringify(value)),
        }),
      });
      document.addEventListener('DOMContentLoaded', () => {
        document.body.className = className;
        for (const [name, value] of Object.entries(values))
          document.documentElement.style.setProperty(`--vscode-${name}`, value);
      });
    },
    { values: variables, className: bodyClass },
  );
  await page.goto(`${origin}/`);
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
    async output(text, { reset = false, isEnd = false } = {}) {
      const before = drawn;
      await post({ type: 'output', text, reset, isEnd });
      await until(() => drawn > before, 'the output to be drawn');
    },
    outsideRequests,
    close: () => context.close(),
  };
  await lab.untilSent({ type: 'ready' });
  if (first) await post({ type: 'run', view: first });
  return lab;
}

function sameValue(message: FromPage, name: string, value: unknown): boolean {
  return JSON.stringify((message as unknown as Record<string, unknown>)[name]) === JSON.stringify(value);
}
