import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { openChatPage, type ChatPage } from './chatPage.ts';

/**
 * For the tests of a suite: one browser for all of them, and a page for each that opens one, closed after it or when it
 * opens another.
 * Called in the suite itself; the function that it gives opens the page of the test that is running.
 */
export function chatPages(): (options?: Parameters<typeof openChatPage>[1]) => Promise<ChatPage> {
  let browser: Browser;
  let chat: ChatPage | undefined;
  before(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    await chat?.close();
    chat = undefined;
  });
  after(() => browser.close());
  return async (options = {}) => {
    await chat?.close();
    chat = await openChatPage(browser, options);
    return chat;
  };
}

/** Where the user writes. */
export const prompt = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' });

/** Sends what is given, as a user does. */
export async function say(page: Page, text: string): Promise<void> {
  await prompt(page).fill(text);
  await prompt(page).press('Enter');
}
