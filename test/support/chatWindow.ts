import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import type { Settings } from './editor.ts';
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
  /** Brings the view to the front and takes its document. */
  show(): Promise<void>;
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
      opened.chat = await opened.window.webview();
    },
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
