import type { ChatPorts } from './chatPorts.ts';
import type { Conversation, UserTurn } from './conversation.ts';
import type { PlaygroundTask } from './conversationEvent.ts';

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

/** Returns whether a text is the command of an action below an answer of the conversation. */
export function isAction(conversation: Conversation | undefined, text: string): boolean {
  const turns = conversation?.turns ?? [];
  const links = turns.flatMap((turn) => (turn.role === 'assistant' ? (turn.links ?? []) : []));
  return links.some((link) => link.isAction === true && link.command === text.trim());
}
