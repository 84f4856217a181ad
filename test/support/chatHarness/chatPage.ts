import type { Browser, Page } from 'playwright-core';
import { pageFiles, pageHtml } from '../../../src/chat/chatPage.ts';
import { ChatService } from '../../../src/chat/chatService.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from './fakePorts.ts';
import { servePage } from './servedPage.ts';
import type { themes } from './themes.ts';

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

export async function openChatPage(
  browser: Browser,
  options: { theme?: keyof typeof themes; width?: number; height?: number; ports?: FakePorts } = {},
): Promise<ChatPage> {
  const { theme = 'dark', width = 420, height = 820, ports = fakePorts() } = options;
  const html = pageHtml({
    nonce: 'harness',
    scripts: pageFiles.scripts.map((file) => `/${file}`),
    style: `/${pageFiles.style}`,
    language: 'en',
    place: 'view',
    texts: undefined,
  });
  const { context, page, outsideRequests, load } = await servePage(browser, html, {
    viewport: { width, height },
    deviceScaleFactor: 2,
  });
  const service = new ChatService(ports);
  const handler = new RequestHandler(service, silentLogger);
  const push = (message: unknown): Promise<void> => page.evaluate((data) => window.postMessage(data, '*'), message);
  service.onDidPost((message) => void push(message).catch(() => undefined)); // The page may be gone.
  await page.exposeFunction('postToHost', async (message: unknown) => {
    const reply = await handler.handle(message);
    await push(reply).catch(() => undefined);
  });
  await load(theme);
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
