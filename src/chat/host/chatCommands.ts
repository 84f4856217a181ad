import type { ConnectionService } from '../../connection/connection.ts';
import type { Logger } from '../../shared/log.ts';
import type { ChatTools } from '../chatTools.ts';
import type { AnswerCode } from '../namedFile.ts';

export interface ChatServices {
  /** What models may call. */
  loadTools(): Promise<ChatTools>;
  /** Shows what the code of an answer changes in its file, and changes that if the user agrees. */
  applyCode(code: AnswerCode): Promise<void>;
  readonly connections: ConnectionService;
  /** Whether the process of another window is there. */
  isProcessAlive(id: number): boolean;
  /** Resolves once the view beside the chat's shows what there is. */
  jobsShown(): Promise<void>;
  readonly log: Logger;
  /** Tells the user what went wrong. */
  presentFailure(error: unknown, what: string): void;
}

export const chatViewId = 'millrace.chat';

/** The chat in a tab of the editor, as the editor names it. */
export const chatTabType = 'millrace.chatTab';

/** Documents with the request and the response of an answer; the query names conversation and answer. */
export const exchangeScheme = 'millrace-chat';

/** Commands of the chat, after `millrace.chat.`; the editor itself adds `focus`. */
export const chatCommands = [
  'new',
  'history',
  'openInTab',
  'move',
  'stop',
  'rename',
  'delete',
  'export',
  'attachSelection',
  'attach',
  'copyAnswer',
  'find',
  'ask',
] as const;
export type ChatCommand = (typeof chatCommands)[number];
