import type { ChatMessage, ChatRequest } from '../../api/schema/inference/schemas.ts';
import { isFields } from '../../shared/fields.ts';

/** A message of the editor's language model API. Parts are recognized by their fields, since newer editors add kinds of parts. */
export interface EditorMessage {
  /** 1 is the user, 2 the assistant, and 3 the system. */
  readonly role: number;
  readonly content: readonly unknown[];
}

/** A request of the editor for an answer. */
export interface EditorRequest {
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly inputSchema?: object }[];
  /** Whether a tool must be called. */
  readonly isToolRequired: boolean;
  readonly modelOptions?: Readonly<Record<string, unknown>>;
}

interface Part {
  readonly value?: unknown;
  readonly callId?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly content?: unknown;
  readonly mimeType?: unknown;
  readonly data?: unknown;
}

/** Maximum number of tools in a request, and of properties of a tool (Inference API, Limits). A tool that exceeds them is left out. */
const maxTools = 32;
const maxProperties = 15;

/** Options of the editor that are passed on: they have the same names in the API (Inference API, Chat request). */
const passedOptions = ['temperature', 'top_p', 'max_tokens', 'stop'] as const;

/** Converts a request of the editor to a streamed chat request (Inference API, Chat request): text, images, tool calls and their results. */
export function chatRequestOf(
  messages: readonly EditorMessage[],
  { tools = [], isToolRequired, modelOptions = {} }: EditorRequest,
): ChatRequest {
  const sent: ChatMessage[] = [];
  const offered = tools.filter(({ inputSchema }) => propertiesOf(inputSchema) <= maxProperties).slice(0, maxTools);
  for (const message of messages) for (const each of messagesOf(message)) add(sent, each);
  const options = passedOptions.flatMap((name) =>
    modelOptions[name] === undefined ? [] : [[name, modelOptions[name]]],
  );
  return {
    stream: true,
    messages: sent,
    ...(Object.fromEntries(options) as Partial<ChatRequest>),
    ...(offered.length > 0 && {
      tools: offered.map(({ name, description, inputSchema }) => ({
        type: 'function' as const,
        function: { name, description, ...(inputSchema && { parameters: { ...inputSchema } }) },
      })),
      ...(isToolRequired && { tool_choice: 'required' as const }),
    }),
  };
}

/** Returns the text of a message, with the inputs of its tool calls and their results, for counting tokens. */
export function textOfMessage({ content }: EditorMessage): string {
  const texts = content.map((part) => {
    const { name = '', input, content: result } = (part ?? {}) as Part;
    if (input !== undefined) return `${String(name)}${JSON.stringify(input)}`;
    return Array.isArray(result) ? result.map(textOf).join('') : textOf(part);
  });
  return texts.join('');
}

/** Returns tool results first, since they answer the calls of the message before. */
function messagesOf({ role, content }: EditorMessage): ChatMessage[] {
  const parts = content.filter((part): part is Part => typeof part === 'object' && part !== null);
  const results = parts.flatMap(({ callId, content: result }): ChatMessage[] =>
    typeof callId === 'string' && Array.isArray(result)
      ? [{ role: 'tool', tool_call_id: callId, content: result.map(textOf).join('') }]
      : [],
  );
  const calls = parts.flatMap(({ callId, name, input }) =>
    typeof callId === 'string' && typeof name === 'string'
      ? [{ id: callId, type: 'function' as const, function: { name, arguments: JSON.stringify(input ?? {}) } }]
      : [],
  );
  // A message with tool calls has no content (Inference API, ChatMessage).
  if (calls.length > 0) return [...results, { role: 'assistant', tool_calls: calls }];
  const text = parts.map(textOf).join('');
  const images = parts.flatMap(({ mimeType, data }) =>
    typeof mimeType === 'string' && mimeType.startsWith('image/') && data instanceof Uint8Array
      ? [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${Buffer.from(data).toString('base64')}` } }]
      : [],
  );
  if (text === '' && images.length === 0) return results;
  const name = role === 2 ? 'assistant' : role === 3 ? 'system' : 'user';
  const body = images.length > 0 ? [...(text === '' ? [] : [{ type: 'text', text }]), ...images] : text;
  return [...results, { role: name, content: body }];
}

/** Adds a message, merged with the one before if both are texts of one role: many models' templates refuse two user messages in a row. */
function add(sent: ChatMessage[], message: ChatMessage): void {
  const last = sent.at(-1);
  const isSame = last?.role === message.role && message.role !== 'tool';
  if (isSame && typeof last.content === 'string' && typeof message.content === 'string')
    last.content = `${last.content}\n\n${message.content}`;
  // The system message comes first and only once (Inference API, ChatMessage).
  else sent.push(message.role === 'system' && last ? { ...message, role: 'user' } : message);
}

function propertiesOf(schema: object | undefined): number {
  return schema && 'properties' in schema && isFields(schema.properties) ? Object.keys(schema.properties).length : 0;
}

function textOf(part: unknown): string {
  const { value } = (part ?? {}) as Part;
  return typeof value === 'string' ? value : '';
}
