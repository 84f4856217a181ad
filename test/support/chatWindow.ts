import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import type { Settings } from './editor.ts';
import { eventually } from './eventually.ts';
import type { ModelServer } from './modelServer.ts';
import { vsixFile } from './paths.ts';
import { openWindow, type EditorWindow } from './window.ts';

/** A window of the editor with the chat's view, in a workspace of its own. */
export interface ChatWindow {
  window: EditorWindow;
  workspace: string;
  /** The view's document; another one after the window was loaded anew. */
  chat: FrameLocator;
  /** Where the user writes. */
  prompt(): Locator;
  lastAnswer(): Locator;
  /** Brings the view to the front and takes the chat's document. */
  show(): Promise<void>;
  /** Takes the document that has the prompt, in the view or in a tab. */
  take(): Promise<void>;
  /** Adds a model server to the local service, and chooses its model. */
  useModel(models: ModelServer, name: string): Promise<void>;
  /** Begins a conversation, unless none has begun: that another one took its place could not be seen there, and so not be waited for. */
  newChat(): Promise<void>;
}

/** Called in a suite: opens the window before its tests and closes it after them. The window is there once they run. */
export function chatWindow(
  prepare: (workspace: string) => void = () => undefined,
  settings: Settings = {},
): ChatWindow {
  const made: Partial<ChatWindow> = {};
  const opened = Object.assign(made, {
    prompt: () => opened.chat.getByRole('textbox', { name: 'Message' }),
    lastAnswer: () => opened.chat.locator('.turn.answer').last(),
    show: async () => {
      await opened.window.openView('Millrace');
      await opened.take();
    },
    take: () =>
      eventually(async () => {
        for (const frame of await opened.window.page.locator('iframe.webview.ready').all()) {
          const name = (await frame.isVisible()) ? await frame.getAttribute('name') : null;
          if (name === null) continue;
          const outer = opened.window.page.locator(`iframe.webview[name="${name}"]`).contentFrame();
          opened.chat = outer.locator('#active-frame').contentFrame();
          if (await opened.prompt().isVisible()) return;
        }
        throw new Error('The chat is not shown.');
      }),
    useModel: (models: ModelServer, name: string) => useModel(opened, models, name),
    newChat: async () => {
      if ((await opened.chat.locator('.turn').count()) > 0) await opened.window.runCommand('Millrace: New Chat');
      await opened.chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    },
  }) as ChatWindow;
  before(async () => {
    opened.workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-chat-'));
    prepare(opened.workspace);
    opened.window = await openWindow({
      vsix: vsixFile,
      workspace: opened.workspace,
      settings,
      size: { width: 1400, height: 900 },
    });
    await opened.show();
  });
  after(async () => {
    await made.window?.close();
    if (made.workspace !== undefined) fs.rmSync(made.workspace, { recursive: true, force: true });
  });
  return opened;
}

/** Adds a model server to the local service, and chooses its model in the chat. */
export async function useModel(
  { window, chat }: Pick<ChatWindow, 'window' | 'chat'>,
  { settings }: ModelServer,
  name: string,
): Promise<void> {
  const row = (text: string): Locator => window.quickPickRows().filter({ hasText: text }).first();
  const choose = chat.getByRole('button', { name: /Choose another endpoint/ });
  await choose.click();
  // The service has made its folder once it lists its own endpoints.
  await row('guide-embedding').waitFor();
  await window.page.keyboard.press('Escape');
  const local = path.join(window.editor.profileFolder, '**', 'globalStorage', 'millrace.millrace', 'local', '*/');
  fs.writeFileSync(path.join(fs.globSync(local)[0] ?? '', 'models.json'), settings);
  await eventually(async () => {
    await choose.click({ timeout: 5000 });
    if (
      !(await row(name)
        .waitFor({ timeout: 5000 })
        .then(
          () => true,
          () => false,
        ))
    ) {
      await window.page.keyboard.press('Escape');
      throw new Error(`${name} is not listed yet`);
    }
  });
  await window.pick(name);
  await chat.getByRole('button', { name: new RegExp(`^Endpoint ${name}\\.`) }).waitFor();
}
