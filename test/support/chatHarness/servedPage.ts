import fs from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { dist } from '../paths.ts';
import { themes } from './themes.ts';

interface ServedPage {
  context: BrowserContext;
  page: Page;
  /** Requests that the page made beside its own files; none was answered. */
  outsideRequests: string[];
  /** Loads it in the theme; what it posts to its host goes to the page's own function `postToHost`. */
  load(theme: keyof typeof themes): Promise<void>;
}

/** With a port, as editors in a browser have it. */
const origin = 'http://page.test:8080';
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };

/**
 * A page of the extension in a plain browser, which serves it the product's own files, as they were built, and nothing else.
 *
 * @param html the page's document, which names its files as `/page.js`
 */
export async function servePage(browser: Browser, html: string, options: BrowserContextOptions): Promise<ServedPage> {
  const answer = (pathname: string): { contentType: string; body: string } | undefined => {
    if (pathname === '/') return { contentType: 'text/html', body: html };
    const contentType = types[path.extname(pathname)];
    const file = path.join(dist, 'webview', path.basename(pathname));
    return contentType === undefined || !fs.existsSync(file)
      ? undefined
      : { contentType, body: fs.readFileSync(file, 'utf8') };
  };
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const outsideRequests: string[] = [];
  await context.route('**/*', (route) => {
    const { pathname, origin: asked } = new URL(route.request().url());
    const found = asked === origin ? answer(pathname) : undefined;
    if (found) return route.fulfill(found);
    outsideRequests.push(route.request().url());
    return route.abort();
  });
  const load = async (theme: keyof typeof themes): Promise<void> => {
    const { variables, bodyClass } = themes[theme];
    await page.addInitScript(actAsEditor, { values: variables, className: bodyClass });
    await page.goto(`${origin}/`);
  };
  return { context, page, outsideRequests, load };
}

/** Runs in the page before its own script: what the editor's webview gives it. */
function actAsEditor({ values, className }: { values: Record<string, string>; className: string }): void {
  let state: unknown;
  const key = 'state';
  const host = window as unknown as { postToHost(message: unknown): unknown };
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: unknown) => host.postToHost(message),
      getState: (): unknown => state ?? JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined,
      setState: (value: unknown) => {
        state = value;
        sessionStorage.setItem(key, JSON.stringify(value));
      },
    }),
  });
  // Its own style of every page, over which the page's own goes.
  const style = new CSSStyleSheet();
  style.replaceSync(':where(html) { scrollbar-color: rgb(100 100 100 / 0.4) transparent; }');
  document.adoptedStyleSheets = [style];
  document.addEventListener('DOMContentLoaded', () => {
    document.body.className = className;
    for (const [name, value] of Object.entries(values))
      document.documentElement.style.setProperty(`--vscode-${name}`, value);
  });
}
