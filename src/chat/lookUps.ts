import type { ChatPorts } from './chatPorts.ts';
import type { UserTurn } from './conversation.ts';
import type { AnswerLink, PlaygroundTask } from './conversationEvent.ts';

/** A completion of a command in the prompt. */
export interface CommandCompletion {
  /** The prompt's text once it is chosen. */
  readonly text: string;
  readonly detail: string;
}

export interface LookUpAnswer {
  readonly markdown: string;
  readonly links?: readonly AnswerLink[];
}

/** Commands of the prompt, such as `/failed`: look-ups that are answered at once, without a model. */
export interface ChatLookUps {
  /** Endpoint of the local service that is no model, so that look-ups answer its free text as well. */
  readonly endpoint: string;
  isCommand(text: string): boolean;
  /** Answers a command, or finds the commands that fit a free text. */
  answer(question: Pick<UserTurn, 'text' | 'attachments'>, signal: AbortSignal): Promise<LookUpAnswer>;
  /** Returns completions of the command that the prompt begins with. */
  complete(text: string): Promise<CommandCompletion[]>;
  /** Opens a section of the manual, as named by a link. */
  openSection(section: string): Promise<void>;
}

/** Name shown for answers of look-ups. */
export const lookUpAuthor = 'Millrace';

/** Returns whether an endpoint is the local service's own, which is no model. */
export function isLookUpEndpoint({ lookUps, backend }: Pick<ChatPorts, 'lookUps' | 'backend'>, name: string): boolean {
  return name === lookUps.endpoint && backend.profile.isLocal;
}

/** Returns whether a look-up answers the turn: a command to any endpoint, or any text to the local service's own. */
export function isLookUp(
  ports: Pick<ChatPorts, 'lookUps' | 'backend'>,
  turn: UserTurn,
  endpoint: string,
  task: PlaygroundTask | undefined,
): boolean {
  if (task || turn.toolResults.length > 0) return false;
  return ports.lookUps.isCommand(turn.text) || isLookUpEndpoint(ports, endpoint);
}
