import type { ChatMessage, ChatRequest, ToolObject } from '../api/schema/inference/schemas.ts';
import type { ToolDefinition } from './chatTools.ts';
import { shownChoice, toolCallId, type Answer, type Turn, type UserTurn } from './conversation.ts';
import type { Attachment, Parameters, PlaygroundTask } from './conversationEvent.ts';
import { splitThoughts } from './conversationThoughts.ts';
import { type ModelRequest, playgroundRequest } from './playground.ts';

/** A message (Inference API, ChatMessage) as this feature builds it: its content is a single text. */
type RequestMessage = ChatMessage & { content?: string };

/** Name under which the system prompt is stored among a conversation's parameters. It is sent as a message. */
export const systemPromptParameter = 'system';

/** Maximum number of tools that a request may list (Inference API, Limits). */
const maxTools = 32;

/** Result sent for a tool call when the user continues without one, since the API requires a result for each call. */
const noToolResult = 'No result was given.';

/**
 * Builds a chat request (Inference API, Chat request) for the turns of one branch. Parameters that the user did not set are left out. The
 * system prompt comes first and only once. Answers without any content (failed before the first word) are skipped, and the questions around
 * them are merged.
 * @param offered functions in addition to those in the parameters
 */
export function buildChatRequest(
  turns: readonly Turn[],
  parameters: Parameters,
  offered: readonly ToolDefinition[] = [],
): ChatRequest {
  const messages: RequestMessage[] = [];
  const system = parameters[systemPromptParameter];
  if (typeof system === 'string' && system.trim() !== '') messages.push({ role: 'system', content: system });
  let openCalls: string[] = [];
  for (const turn of turns) {
    if (turn.role === 'user') {
      addUserMessages(messages, userMessages(turn, openCalls));
      openCalls = [];
    } else {
      const answer = answerMessages(turn);
      openCalls = answer.callIds;
      messages.push(...answer.messages);
    }
  }
  const { [systemPromptParameter]: _system, ...rest } = parameters as Parameters & { tools?: ToolObject[] };
  const own = Array.isArray(rest.tools) ? rest.tools : [];
  const tools = [...own, ...offered].slice(0, maxTools);
  return { messages, ...rest, ...(tools.length > 0 && { tools }) };
}

/** Returns the request for an endpoint's task, streamed unless the parameters say otherwise. */
export function requestOf(
  task: PlaygroundTask | undefined,
  turns: readonly Turn[],
  parameters: Parameters,
  offered: readonly ToolDefinition[],
): ModelRequest {
  if (task) return playgroundRequest(task, turns, parameters);
  return { body: { stream: true, ...buildChatRequest(turns, parameters, offered) } };
}

/** Merges a question that was never answered with the next one: many models' templates refuse two user messages in a row. */
function addUserMessages(messages: RequestMessage[], added: readonly RequestMessage[]): void {
  const [first, ...others] = added;
  const last = messages.at(-1);
  if (first?.role === 'user' && last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', content: `${last.content}\n\n${first.content}` };
  else if (first) messages.push(first);
  messages.push(...others);
}

function userMessages(turn: UserTurn, openCalls: readonly string[]): RequestMessage[] {
  const results = new Map(turn.toolResults.map((result) => [result.toolCallId, result.content]));
  const messages: RequestMessage[] = openCalls.map((id) => ({
    role: 'tool',
    tool_call_id: id,
    content: results.get(id) ?? noToolResult,
  }));
  const content = withAttachments(turn.text, turn.attachments);
  if (content !== '') messages.push({ role: 'user', content });
  return messages;
}

function answerMessages(answer: Answer): { messages: RequestMessage[]; callIds: string[] } {
  const choice = shownChoice(answer);
  if (!choice) return { messages: [], callIds: [] };
  const { text } = splitThoughts(choice.text);
  // A call that was cut off has arguments that are not valid JSON; the server would refuse them.
  const calls = answer.status === 'done' ? choice.toolCalls.filter((call) => call.name !== '') : [];
  if (calls.length > 0) {
    const toolCalls = calls.map((call) => ({
      id: toolCallId(answer, call),
      type: 'function' as const,
      function: { name: call.name, arguments: call.arguments || '{}' },
    }));
    return {
      messages: [{ role: 'assistant', tool_calls: toolCalls }],
      callIds: toolCalls.map((call) => call.id),
    };
  }
  return { messages: text === '' ? [] : [{ role: 'assistant', content: text }], callIds: [] };
}

/** Returns the attachments as fenced blocks, followed by the user's text. */
export function withAttachments(text: string, attachments: readonly Attachment[]): string {
  const parts = attachments.map((attachment) => {
    const fence = fenceFor(attachment.text);
    return `${attachment.label}:\n${fence}${attachment.language ?? ''}\n${attachment.text.replace(/\n$/, '')}\n${fence}`;
  });
  return [...parts, text].filter((part) => part !== '').join('\n\n');
}

/** Returns a fence longer than every run of backticks in the text. */
export function fenceFor(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return '`'.repeat(longest + 1);
}
