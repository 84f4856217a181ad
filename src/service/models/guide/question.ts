import { contentText } from '../../../api/schema/inference/chat.ts';
import type { ChatMessage } from '../../../api/schema/inference/schemas.ts';

/** What a conversation asks. */
export interface Question {
  /** The last thing the user said. */
  readonly text: string;
  /** What the user said before, which a short or pointing question goes on from. */
  readonly before: string;
  /** Whether this is the first answer of the conversation. */
  readonly first: boolean;
  /** Results of tools that came after the user's last words. */
  readonly toolResults: string[];
  /** The calls that these answer, in their order. */
  readonly steps?: ToolStep[];
  /** Those before the user's last words. */
  readonly stepsBefore?: ToolStep[];
}

/** A call of a function and what it gave. */
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
