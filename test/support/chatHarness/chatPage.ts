import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ChatService } from '../../../src/chat/chatService.ts';
import { pageHtml } from '../../../src/chat/page.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { root } from '../paths.ts';
import { fakePorts, type FakePorts } from './fakePorts.ts';
import { bundleForBrowser } from './pageBundle.ts';
import { themes } from './themes.ts';

/** The chat's page as the host writes it, in a plain browser, with the real host logic on this side. */
export interface ChatPage {
  page: Page;
  service: ChatService;
  ports: FakePorts;
  /** Kills the page and makes a new one, as hiding and showing the view does. */
  reopen(): Promise<void>;
  /** Requests that the page made beside its own files. */
  outsideRequests: string[];
  close(): Promise<void>;
}

const origin = 'http://chat.test';
let bundle: Promise<string> | undefined;

export async function openChatPage(
  browser: Browser,
  options: { theme?: keyof typeof themes; width?: number; height?: number; ports?: FakePorts } = {},
): Promise<ChatPage> {
  const { theme = 'dark', width = 420, height = 820, ports = fakePorts() } = options;
  const script = await (bundle ??= bundleForBrowser('src/chat/webview/main.ts'));
  const css = await readFile(path.join(root, 'src/chat/webview/chat.css'), 'utf8');
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  const service = new ChatService(ports);
  const handler = new RequestHandler(service, silentLogger);
  const outsideRequests: string[] = [];
  await context.route('**/*', (route) => {
    const { pathname, origin: requestOrigin } = new URL(route.request().url());
    if (requestOrigin !== origin) {
      outsideRequests.push(route.request().url());
      return route.abort();
    }
    if (pathname === '/chat.js') return route.fulfill({ contentType: 'text/javascript', body: script });
    if (pathname === '/chat.css') return route.fulfill({ contentType: 'text/css', body: css });
    if (pathname === '/')
      return route.fulfill({
        contentType: 'text/html',
        body: pageHtml({ nonce: 'harness', script: '/chat.js', style: '/chat.css', language: 'en', texts: undefined }),
      });
    outsideRequests.push(route.request().url());
    return route.abort();
  });
  const push = (message: unknown): Promise<void> => page.evaluate((data) => window.postMessage(data, '*'), message);
  service.onDidPost((message) => void push(message).catch(() => undefined)); // The page may be gone.
  await page.exposeFunction('postToHost', async (message: unknown) => {
    const reply = await handler.handle(message);
    await push(reply).catch(() => undefined);
  });
  const { variables, bodyClass } = themes[theme];
  await page.addInitScript(
    ({ values, className }) => {
      let state: unknown;
      const post = (message: unknown): unknown =>
        (window as unknown as { postToHost(message: unknown): unknown }).postToHost(message);
      const key = 'state';
      Object.assign(window, {
        acquireVsCodeApi: () => ({
          postMessage: post,
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
    },
    { values: variables, className: bodyClass },
  );
  await page.goto(`${origin}/`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return {
    page,
    service,
    ports,
    outsideRequests,
    reopen: async () => {
      await page.reload();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
    },
    close: async () => {
      await service.close();
      await context.close();
    },
  };
}
