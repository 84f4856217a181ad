import { contentText } from '../../../api/schema/inference/chat.ts';
import type { ChatMessage } from '../../../api/schema/inference/schemas.ts';

/** The user's question and the conversation around it. */
export interface Question {
  /** The user's last message. */
  readonly text: string;
  /** The user's previous message, which gives context to short follow-up questions. */
  readonly before: string;
  /** Whether this is the first answer of the conversation. */
  readonly first: boolean;
  /** Results of the tools that were called after the user's last message. */
  readonly toolResults: string[];
  /** The calls with these results, in order. */
  readonly steps?: ToolStep[];
  /** The calls before the user's last message. */
  readonly stepsBefore?: ToolStep[];
}

/** A function call and its result. */
export interface ToolStep {
  readonly name: string;
  /** As JSON. */
  readonly arguments: string;
  readonly result: string;
}

export function questionOf(messages: readonly ChatMessage[]): Question {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const previous = messages.slice(0, Math.max(0, lastUser)).findLast((message) => message.role === 'user');
  return {
    text: lastUser < 0 ? '' : contentText(messages[lastUser]?.content),
    before: contentText(previous?.content),
    first: !messages.some((message) => message.role === 'assistant'),
    toolResults: messages
      .slice(lastUser + 1)
      .filter((message) => message.role === 'tool')
      .map((message) => contentText(message.content)),
    steps: stepsOf(messages.slice(lastUser + 1)),
    stepsBefore: stepsOf(messages.slice(0, Math.max(0, lastUser))),
  };
}

function stepsOf(messages: readonly ChatMessage[]): ToolStep[] {
  const calls = new Map(
    messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function] as const)),
  );
  return messages.flatMap((message) => {
    const call = message.role === 'tool' ? calls.get(message.tool_call_id ?? '') : undefined;
    return call ? [{ name: call.name, arguments: call.arguments, result: contentText(message.content) }] : [];
  });
}
