import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { bundleForBrowser } from './pageBundle.ts';
import { themes } from './themes.ts';

/** What a page of the extension is made of: paths below the repository, and its document, which names `/page.js` and `/page.css`. */
interface PageSources {
  script: string;
  style: string;
  html: string;
}

interface ServedPage {
  context: BrowserContext;
  page: Page;
  /** Requests that the page made beside its own files; none was answered. */
  outsideRequests: string[];
  /** Loads it in the theme; what it posts to its host goes to the page's own function `postToHost`. */
  load(theme: keyof typeof themes): Promise<void>;
}

const origin = 'http://page.test';
const bundles = new Map<string, Promise<string>>();

/** A page of the extension in a plain browser, which serves it its own files and nothing else. */
export async function servePage(
  browser: Browser,
  { script, style, html }: PageSources,
  options: BrowserContextOptions,
): Promise<ServedPage> {
  const bundled = (file: string): Promise<string> => {
    const bundle = bundles.get(file) ?? bundleForBrowser(file);
    bundles.set(file, bundle);
    return bundle;
  };
  const files: Record<string, [type: string, body: string]> = {
    '/page.js': ['text/javascript', await bundled(script)],
    '/page.css': ['text/css', await bundled(style)],
    '/': ['text/html', html],
  };
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const outsideRequests: string[] = [];
  await context.route('**/*', (route) => {
    const { pathname, origin: asked } = new URL(route.request().url());
    const file = asked === origin ? files[pathname] : undefined;
    if (file) return route.fulfill({ contentType: file[0], body: file[1] });
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
  document.addEventListener('DOMContentLoaded', () => {
    document.body.className = className;
    for (const [name, value] of Object.entries(values))
      document.documentElement.style.setProperty(`--vscode-${name}`, value);
  });
}
