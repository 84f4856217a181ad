import type { ConnectionService } from '../../connection/connection.ts';
import type { Logger } from '../../shared/log.ts';
import type { ChatPorts } from '../chatPorts.ts';
import type { AnswerCode } from '../namedFile.ts';

export interface ChatServices {
  /** Functions that models may call, and commands of the prompt that need no model. */
  loadTools(): Promise<Pick<ChatPorts, 'tools' | 'lookUps'>>;
  /** Shows how an answer's code would change its file, and applies the change if the user agrees. */
  applyCode(code: AnswerCode): Promise<void>;
  readonly connections: ConnectionService;
  /** Returns whether another window's process is alive. */
  isProcessAlive(id: number): boolean;
  /** Resolves once the jobs view beside the chat shows its content. */
  jobsShown(): Promise<void>;
  readonly log: Logger;
  /** Shows a failure to the user. */
  presentFailure(error: unknown, what: string): void;
}

export const chatViewId = 'millrace.chat';

/** View type of the chat in an editor tab. */
export const chatTabType = 'millrace.chatTab';

/** URI scheme of documents with the request and the response of an answer; the query names conversation and answer. */
export const exchangeScheme = 'millrace-chat';

/** Chat commands, without the prefix `millrace.chat.`; the editor itself adds `focus`. */
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
