/**
 * Drives the window of a real VS Code, for tests in `test/e2e` and for pictures.
 *
 *   const window = await openWindow({ vsix: vsixFile, workspace: '/tmp/ws' });
 *   await window.openView('Millrace');                              // the activity bar's container
 *   const chat = await window.webview();                            // the visible webview, a FrameLocator
 *   await chat.getByRole('textbox').fill('hello');
 *   await window.runCommand('Millrace: Refresh');                   // palette, by full title
 *   await window.pick('Local');                                     // answer of a quick pick; type('x') for an input box
 *   await window.treeRows('Jobs').filter({ hasText: 'nightly' }).click();
 *   await window.close();                                           // also stops the editor and its children
 * Everything else is playwright's: `window.page`. Waits are playwright's own; there is no sleeping.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { accessibilityProblems } from './accessibility.ts';
import { launchChromium } from './chromium.ts';
import { startEditor, type EditorOptions, type RunningEditor } from './editor.ts';
import { enterText } from './enterText.ts';
import { eventually } from './eventually.ts';
import { screenshots } from './paths.ts';
import { stopSpinners } from './stillIcons.ts';

export interface WindowOptions extends Omit<EditorOptions, 'vsix'> {
  /** The package to install; a list if there are several, left out if there is none. */
  vsix?: string | readonly string[];
  /** Absolute path of the folder to open, or of a `.code-workspace` with several; left out: no folder. */
  workspace?: string;
  /** Extensions run from their source folder instead of from a package (needs `smokeTestDriver` on 1.139). */
  extensionDevelopmentPath?: string;
  /** Size of the window in CSS pixels; 1280 x 800. */
  size?: { width: number; height: number };
  /** Device pixels per CSS pixel; 1. */
  scale?: number;
}

/** The windows that are open now; see `windowHooks.ts`. */
export const openWindows = new Set<EditorWindow>();

/** Milliseconds within which the window must do what it is asked; two cores shared with the servers can be slow. */
const patienceInMs = 60_000;

/** Starts an editor with a profile of its own and opens its window. */
export async function openWindow(options: WindowOptions = {}): Promise<EditorWindow> {
  const vsix = typeof options.vsix === 'string' ? [options.vsix] : (options.vsix ?? []);
  const editor = await startEditor({ ...options, vsix });
  let browser: Browser | undefined;
  try {
    browser = await launchChromium();
    const context = await browser.newContext({
      viewport: options.size ?? { width: 1280, height: 800 },
      deviceScaleFactor: options.scale ?? 1,
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(patienceInMs);
    await context.addInitScript(stopSpinners);
    const page = await context.newPage();
    const window = new EditorWindow(editor, browser, context, page, windowUrl(editor, options));
    openWindows.add(window);
    await window.load().catch(async (error: unknown) => {
      await window.screenshot('failed-to-open');
      openWindows.delete(window);
      throw error;
    });
    return window;
  } catch (error) {
    await browser?.close();
    await editor.stop();
    throw error;
  }
}

/** Address of an editor's window with a folder and, if given, an extension under development. */
function windowUrl(editor: RunningEditor, options: { workspace?: string; extensionDevelopmentPath?: string }): string {
  const query = new URLSearchParams();
  if (options.workspace === undefined) query.set('ew', 'true');
  else query.set(options.workspace.endsWith('.code-workspace') ? 'workspace' : 'folder', options.workspace);
  if (options.extensionDevelopmentPath !== undefined) {
    const uri = `vscode-remote://127.0.0.1:${editor.port}${options.extensionDevelopmentPath}`;
    const payload = Object.entries({ extensionDevelopmentPath: uri, skipWelcome: 'true' });
    query.set('payload', JSON.stringify(payload));
  }
  return `${editor.url}?${query.toString()}`;
}

export class EditorWindow {
  readonly editor: RunningEditor;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly url: string;
  /** Messages of the browser's console of kind error, the newest last. */
  readonly consoleErrors: string[] = [];
  readonly #browser: Browser;

  constructor(editor: RunningEditor, browser: Browser, context: BrowserContext, page: Page, url: string) {
    this.editor = editor;
    this.#browser = browser;
    this.context = context;
    this.page = page;
    this.url = url;
    page.on('console', (message) => {
      if (message.type() === 'error') this.consoleErrors.push(message.text());
    });
  }

  /** Opens the window anew and waits until the workbench stands. */
  async load(): Promise<void> {
    await this.page.goto(this.url);
    await this.ready();
  }

  /** Reloads the window, as `Developer: Reload Window` does: the extension host starts anew. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Resolves when the workbench stands and the extension host has started. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .activitybar').waitFor();
    await this.page.locator('.statusbar [id="status.host"]').waitFor();
    await this.page.locator('.statusbar [id="status.host"] .codicon-loading').waitFor({ state: 'detached' });
  }

  /** Runs a command from the palette by its full title, category included: `Millrace: Deploy Job File`. */
  async runCommand(title: string): Promise<void> {
    const row = this.quickPickRows().filter({ has: this.page.locator('.label-name', { hasText: exactly(title) }) });
    // The palette does not learn of commands that are contributed while it is open: early in a window's life it is opened again.
    await this.#until(`the command “${title}” in the palette`, async (timeout) => {
      await this.showPalette();
      await enterText(this.input(), `>${title}`, timeout);
      await row.first().click({ timeout });
    });
  }

  async showPalette(): Promise<void> {
    await this.#until('the palette', async (timeout) => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('F1');
      await this.input().waitFor({ timeout });
    });
  }

  /** Repeats an action that may come too early until it goes well. Each try gets more time than the one before it: the machine may be slow. */
  async #until(what: string, action: (timeoutInMs: number) => Promise<void>): Promise<void> {
    const end = Date.now() + patienceInMs;
    for (let timeoutInMs = 4000; ; timeoutInMs *= 2) {
      try {
        await action(timeoutInMs);
        return;
      } catch (error) {
        if (Date.now() > end)
          throw new Error(`${what} was not there within ${patienceInMs / 1000} s.`, { cause: error });
      }
    }
  }

  /** The text field of the palette, of a quick pick or of an input box. */
  input(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input');
  }

  /** The rows of the open quick pick; a row's label is `.label-name`. */
  quickPickRows(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
  }

  /** The message under an input box: its prompt or what is wrong with the text. */
  inputMessage(): Locator {
    return this.page.locator('.quick-input-widget:visible .quick-input-message');
  }

  /** Chooses the quick pick's row whose label holds the text. */
  async pick(label: string | RegExp): Promise<void> {
    const row = this.quickPickRows().filter({ hasText: label }).first();
    await row.waitFor();
    const chosen = await row.elementHandle();
    const asked = await chosen?.evaluate(questionAt);
    await row.click();
    // The question stays in sight until the extension has answered; what is typed meanwhile would go into it and be lost.
    const end = Date.now() + 15_000;
    while (asked && Date.now() < end && (await chosen?.evaluate(questionAt).catch(() => '')) === asked)
      await this.page.waitForTimeout(30);
  }

  /** Fills an input box and accepts it. */
  async type(text: string): Promise<void> {
    await enterText(this.input(), text);
    await this.input().press('Enter');
  }

  /** Answers the editor's own dialog for a folder. It takes an answer once it shows the folder that it starts in. */
  async typeFolder(folder: string): Promise<void> {
    await this.input().waitFor();
    await eventually(
      async () => /[\\/]$/.test(await this.input().inputValue()),
      'the folder that the dialog starts in',
    );
    // The folder's entries are read then, and what is typed meanwhile is taken for a name in it: so it is typed until it is taken.
    await eventually(async () => {
      if (!(await this.input().isVisible())) return;
      await this.input().fill(`${folder}/`, { timeout: 2000 });
      // An Enter that comes before would choose the folder that is still shown, which has this one among its entries.
      const itself = this.quickPickRows().filter({
        has: this.page.locator('.label-name', { hasText: exactly(path.basename(folder)) }),
      });
      await itself.first().waitFor({ state: 'hidden', timeout: 4000 });
      // While the entries are being read there are no rows at all; the folder's own begin with the way up.
      await this.quickPickRows().filter({ hasText: '..' }).first().waitFor({ timeout: 4000 });
      await itself.first().waitFor({ state: 'hidden', timeout: 4000 });
      await this.input().press('Enter', { timeout: 2000 });
      await this.input().waitFor({ state: 'hidden', timeout: 4000 });
    }, 'the dialog to take the folder');
  }

  /** Shows a view container by its name in the activity bar; nothing happens if it is shown already. */
  async openView(name: string): Promise<void> {
    const tab = this.page.locator('.activitybar').getByRole('tab', { name });
    await tab.waitFor();
    // The tab may say "expanded" for a moment while the layout of an earlier window is restored.
    const title = this.page.locator('.sidebar .composite.title h2').filter({ hasText: exactly(name) });
    await eventually(async () => {
      if (await isShown(title, 2000)) return;
      await tab.click();
      // A second click too soon would close it.
      assert.ok(await isShown(title, 15_000));
    });
  }

  /** The header of one view inside a container, to open or close it or to reach its actions. */
  viewHeader(name: string): Locator {
    return this.page.locator('.pane-header').filter({ has: this.page.getByRole('heading', { name, exact: true }) });
  }

  /** The rows of a tree view, by the tree's title. */
  treeRows(title: string): Locator {
    return this.page.locator(`.monaco-list[aria-label*="${title}"] [role=treeitem]`);
  }

  /** Opens a row's context menu and chooses one of its entries. */
  async contextMenu(row: Locator, entry: string | RegExp): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: entry });
    // A menu goes with the row that it was opened on, which may just be drawn anew.
    await this.#until(`the entry ${String(entry)} of a menu`, async (timeout) => {
      if (!(await item.isVisible())) {
        // The tooltip of a row would cover the others, and stay while the mouse is over it.
        await this.page.mouse.move(700, 300);
        await this.page.mouse.move(700, 5);
        const tooltip = this.page.locator('.monaco-hover:visible').first();
        // Now and then it stays nevertheless.
        await tooltip.waitFor({ state: 'hidden', timeout: 2000 }).catch(() => this.page.keyboard.press('Escape'));
        await tooltip.waitFor({ state: 'hidden', timeout });
        await row.click({ button: 'right', timeout });
      }
      await item.hover({ timeout });
      // The editor's menu ignores a button that comes up right after it was opened, so the keyboard decides.
      await this.page.locator('.monaco-menu .action-item.focused').filter({ has: item }).waitFor({ timeout });
    });
    await this.page.keyboard.press('Enter');
    await item.waitFor({ state: 'detached' });
  }

  /**
   * The document inside a visible webview. With several, name one by the `title` its frame has (a panel's or view's title);
   * waits until such a webview is there.
   */
  async webview(title?: string): Promise<FrameLocator> {
    const frames = this.page.locator('iframe.webview.ready');
    const end = Date.now() + patienceInMs;
    let seen: string[] = [];
    while (Date.now() < end) {
      seen = [];
      for (let index = 0; index < (await frames.count()); index++) {
        const outer = frames.nth(index);
        if (!(await outer.isVisible())) continue;
        const inner = outer.contentFrame().locator('#active-frame');
        const found = (await inner.count()) > 0 ? ((await inner.getAttribute('title')) ?? '') : undefined;
        if (found !== undefined) seen.push(found);
        if (found !== undefined && (title === undefined || found === title)) return inner.contentFrame();
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(
      `No webview ${title === undefined ? '' : `titled “${title}” `}is shown; shown are: ${seen.join(', ') || 'none'}.`,
    );
  }

  /** What axe-core finds wrong in a webview's document, as `rule: element` lines; none is good. */
  async accessibilityProblems(webview: FrameLocator): Promise<string[]> {
    const handle = await webview.owner().elementHandle();
    const frame = await handle?.contentFrame();
    if (frame === null || frame === undefined) throw new Error('The webview has no document.');
    return accessibilityProblems(frame);
  }

  /** The modal dialog: its text is in it, its answers are buttons. */
  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** The notifications that are shown; each has its text and its buttons. */
  notifications(): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item');
  }

  async clearNotifications(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
  }

  /** The problems of the workspace; opens their panel. */
  async problems(): Promise<Locator> {
    const panel = this.page.locator('.markers-panel');
    await this.#until('the list of problems', async (timeout) => {
      // A task that starts brings its terminal to the front, over the list.
      if (!(await panel.isVisible())) await this.page.keyboard.press('Control+Shift+M');
      await panel.waitFor({ timeout });
    });
    return panel.locator('[role=treeitem]');
  }

  /** Opens a file of the workspace by its name, through quick open. */
  async openFile(name: string): Promise<void> {
    await this.#until(`the file ${name} in quick open`, async (timeout) => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('Control+P');
      await this.input().waitFor({ timeout });
      await enterText(this.input(), name, timeout);
      await this.quickPickRows()
        .filter({ hasText: path.basename(name) })
        .first()
        .click({ timeout });
      // The rows of what was open lately come before the files, and may take the place of the one that is clicked.
      await this.page.locator('.tabs-container .tab.active', { hasText: path.basename(name) }).waitFor({ timeout });
    });
    // The cells of a notebook are no part of the group that shows them.
    await this.editorLines().or(this.page.locator('.notebookOverlay .view-line')).first().waitFor();
  }

  /** The text area of the active editor, as lines. Blanks are no-break spaces there: use `editorText` to compare. */
  editorLines(): Locator {
    return this.page.locator('.editor-group-container.active .monaco-editor .view-line');
  }

  async editorText(): Promise<string> {
    return (await this.editorLines().allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
  }

  /** An item of the status bar by the text it shows. */
  statusItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  /** Whole milliseconds that `Developer: Show Running Extensions` tells for an extension; waits until it is activated. */
  async activationTime(displayName: string): Promise<number> {
    const size = this.page.viewportSize();
    // The list draws only the rows that fit, the slowest first.
    await this.page.setViewportSize({ width: size?.width ?? 1280, height: 3000 });
    await this.runCommand('Developer: Show Running Extensions');
    const extension = this.page
      .locator('.runtime-extensions-editor .extension')
      .filter({ has: this.page.locator('.name', { hasText: exactly(displayName) }) });
    const time = extension.locator('.activation-time');
    await time.filter({ hasText: /\d+\s*ms/ }).waitFor();
    const timeInMs = Number(/(\d+)\s*ms/.exec(await time.innerText())?.[1]);
    if (size !== null) await this.page.setViewportSize(size);
    return timeInMs;
  }

  /** Saves a picture of the window as `out/screenshots/<name>.png` and returns its path. */
  async screenshot(name: string): Promise<string> {
    fs.mkdirSync(screenshots, { recursive: true });
    const file = path.join(screenshots, `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** What the extension wrote into its log channel of that name, from the profile's log files. */
  readLog(channel: string): string {
    const folder = path.join(this.editor.profileFolder, 's', 'data', 'logs');
    return [folder, path.join(this.editor.profileFolder, 'logs')]
      .flatMap((place) => fs.globSync(path.join(place, '**/*')))
      .filter((file) => file.endsWith('.log') && path.basename(file).includes(channel))
      .map((file) => fs.readFileSync(file, 'utf8'))
      .join('\n');
  }

  /** Closes the window, the editor and everything they started. */
  async close(): Promise<void> {
    openWindows.delete(this);
    await this.#browser.close();
    await this.editor.stop();
  }
}

/** Names the question that a row belongs to, since the next one may have a row of the same name at this place; '' if the row is not in sight. */
function questionAt(row: Element): string {
  if (!row.isConnected || (row as HTMLElement).offsetParent === null) return '';
  const widget = row.closest('.quick-input-widget');
  const title = widget?.querySelector('.quick-input-title')?.textContent;
  return [row.textContent, widget?.querySelector('input')?.placeholder, title].join();
}

async function isShown(locator: Locator, timeout: number): Promise<boolean> {
  const shown = locator.waitFor({ timeout }).then(() => true);
  return shown.catch(() => false);
}

function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
}
