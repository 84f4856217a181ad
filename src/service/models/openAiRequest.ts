import type { EndpointTask } from '../../api/schema/inference/endpoints.ts';
import { contentText } from '../../api/schema/inference/messageText.ts';
import { isFields, type Fields } from '../../shared/fields.ts';
import { invalidModelParameter } from './modelErrors.ts';
import type { OpenAiRoute } from './modelTypes.ts';

export const taskOfRoute: Record<OpenAiRoute, EndpointTask> = {
  'chat/completions': 'chat',
  completions: 'completion',
  embeddings: 'embedding',
};

/**
 * A request of the widely used chat-completion format as one of the Inference API: the endpoint it names, and a body
 * in which `developer` messages are system messages, leading system messages are one, and
 * `max_completion_tokens` is `max_tokens`. Everything else stays as it is.
 */
export function fromOpenAi(route: OpenAiRoute, body: unknown): { endpoint: string; body: Fields } {
  if (!isFields(body)) throw invalidModelParameter('The body must be a JSON object.');
  const { model, max_completion_tokens: completionTokens, ...rest } = body;
  if (typeof model !== 'string' || model === '')
    throw invalidModelParameter('model is required: it names the serving endpoint.');
  const fields: Record<string, unknown> = rest;
  if (completionTokens !== undefined && fields['max_tokens'] === undefined) fields['max_tokens'] = completionTokens;
  if (route !== 'chat/completions') return { endpoint: model, body: fields };
  if (Array.isArray(fields['messages'])) fields['messages'] = joinSystem(fields['messages'].map(plainMessage));
  if (Array.isArray(fields['tools'])) fields['tools'] = fields['tools'].map(withDescription);
  if (Array.isArray(fields['tools']) && fields['tools'].length === 0) delete fields['tools'];
  return { endpoint: model, body: fields };
}

function plainMessage(message: unknown): unknown {
  if (!isFields(message)) return message;
  const role = message['role'] === 'developer' ? 'system' : message['role'];
  const hasCalls = Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0;
  const { content, ...rest } = message;
  // Clients of this format send an empty text beside tool calls.
  return hasCalls && (content === '' || content === null) ? { ...rest, role } : { ...message, role };
}

function joinSystem(messages: readonly unknown[]): unknown[] {
  const end = messages.findIndex((message) => !isFields(message) || message['role'] !== 'system');
  const leading = messages.slice(0, end < 0 ? messages.length : end).filter(isFields);
  if (leading.length < 2) return [...messages];
  const content = leading.map((message) => contentText(message['content'])).join('\n\n');
  return [{ role: 'system', content }, ...messages.slice(leading.length)];
}

/** The document requires a description; this format does not. */
function withDescription(tool: unknown): unknown {
  if (!isFields(tool) || !isFields(tool['function']) || tool['function']['description'] !== undefined) return tool;
  return { ...tool, function: { ...tool['function'], description: '' } };
}
