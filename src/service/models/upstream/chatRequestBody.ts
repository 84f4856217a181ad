import type { ChatMessage, ChatRequest, ToolObject } from '../../../api/schema/inference/schemas.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import type { Capabilities } from './capabilities.ts';

/** Fields of chats and completions that are handled here for every server. */
const sharedFields = ['stream', 'temperature', 'top_p', 'top_k', 'max_tokens', 'stop', 'n', 'model', 'stream_options'];

/** Returns the names of the fields of a chat or completion that are handled here. @param own fields that only one of the two has */
export function handledFields(...own: string[]): ReadonlySet<string> {
  return new Set([...sharedFields, ...own]);
}

/** Returns the server's own fields, which are passed on as they came. Nulls are left out. */
export function otherFields(request: object, handled: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !handled.has(name) && value !== undefined && value !== null),
  );
}

/** Returns the body of a streamed request, with token counts if the server supports them. */
export function streamedBody(body: object, { streamUsage }: Capabilities): Record<string, unknown> {
  return { ...body, stream: true, ...(streamUsage && { stream_options: { include_usage: true } }) };
}

/** A tool call that is requested as JSON, because the server cannot be made to call. */
export interface EmulatedCall {
  /** The functions among which the model chooses. */
  readonly tools: readonly ToolObject[];
  /** Whether the model may answer with text instead. Otherwise, with one function, the JSON is its arguments only. */
  readonly allowsText: boolean;
}

export interface UpstreamChat {
  readonly body: Record<string, unknown>;
  readonly emulated?: EmulatedCall;
}

const handled = handledFields('messages', 'tools', 'tool_choice', 'response_format', 'logprobs', 'top_logprobs');

/**
 * Builds the body for a server's chat route. Every field of the request is in it, emulated by the caller, or rejected here.
 * @param emulateTools whether functions are requested as JSON, because model or server do not support them
 * @throws AppError with status 400 for what the server cannot do
 */
export function chatBody(
  model: string,
  request: ChatRequest,
  capabilities: Capabilities,
  emulateTools: boolean,
): UpstreamChat {
  const body: Record<string, unknown> = {
    ...capabilities.neutralSampling,
    ...otherFields(request, handled),
    model,
    messages: request.messages.map(plainMessage),
    ...samplingOf(request, capabilities),
  };
  if (capabilities.n === 'pass' && (request.n ?? 1) > 1) body['n'] = request.n;
  if (request.logprobs === true) {
    if (capabilities.logprobs === 'refuse')
      throw invalidModelParameter(
        `logprobs: ${capabilities.label} gives no log probabilities on its chat route. Leave it out or use another server.`,
      );
    body['logprobs'] = true;
    if (typeof request.top_logprobs === 'number') body['top_logprobs'] = request.top_logprobs;
  }
  const format = responseFormat(request, capabilities);
  if (format) body['response_format'] = format;
  const emulated = addTools(body, request, capabilities, emulateTools);
  return { body, emulated };
}

/** Returns the sampling values. Each is sent even if it is the document's default, because servers have other defaults. */
export function samplingOf(
  request: Pick<ChatRequest, 'temperature' | 'top_p' | 'top_k' | 'max_tokens' | 'stop'>,
  capabilities: Capabilities,
): Record<string, unknown> {
  const sampling: Record<string, unknown> = { temperature: request.temperature ?? 1, top_p: request.top_p ?? 1 };
  const topK = request.top_k ?? undefined;
  if (capabilities.topKForNone !== undefined) sampling['top_k'] = topK ?? capabilities.topKForNone;
  else if (topK === 1) {
    // Only the most likely token remains: that is the effect of temperature 0.
    sampling['temperature'] = 0;
  } else if (topK !== undefined) {
    throw invalidModelParameter(
      `top_k: ${capabilities.label} does not take it on this route and would drop it. Leave it out, set it to 1, or use another server.`,
    );
  }
  if (typeof request.max_tokens === 'number') sampling['max_tokens'] = request.max_tokens;
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []);
  if (stop.length > 0) sampling['stop'] = stop;
  return sampling;
}

/** Returns the content as one text if it is text, which every server reads; null beside tool calls. */
function plainMessage(message: ChatMessage): Record<string, unknown> {
  const { content, tool_calls: calls, tool_call_id: callId, ...rest } = message;
  const isText = Array.isArray(content) && content.every((part) => part.type === 'text');
  const hasCalls = calls !== undefined && calls !== null && calls.length > 0;
  return {
    ...rest,
    content: isText ? content.map((part) => part.text ?? '').join('') : hasCalls ? null : content,
    ...(hasCalls && { tool_calls: calls }),
    ...(callId !== undefined && callId !== null && callId !== '' && { tool_call_id: callId }),
  };
}

function responseFormat(request: ChatRequest, capabilities: Capabilities): object | undefined {
  const format = request.response_format;
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') {
    return capabilities.jsonObject === 'asSchema'
      ? { type: 'json_schema', json_schema: { name: 'object', schema: { type: 'object' } } }
      : { type: 'json_object' };
  }
  return schemaFormat(
    format.json_schema?.name ?? 'answer',
    format.json_schema?.schema ?? {},
    capabilities,
    format.json_schema,
  );
}

function schemaFormat(name: string, schema: object, capabilities: Capabilities, whole?: object): object {
  if (capabilities.jsonSchema === 'inJsonObject') return { type: 'json_object', schema };
  return { type: 'json_schema', json_schema: { ...whole, name, schema } };
}

function addTools(
  body: Record<string, unknown>,
  request: ChatRequest,
  capabilities: Capabilities,
  emulateTools: boolean,
): EmulatedCall | undefined {
  const tools = request.tools ?? [];
  const choice = request.tool_choice ?? 'auto';
  if (emulateTools) body['messages'] = request.messages.map(messageWithoutTools);
  if (tools.length === 0) return undefined;
  const emulate = (offered: readonly ToolObject[]): EmulatedCall =>
    emulateCall(body, { tools: offered, allowsText: choice === 'auto' }, request, capabilities);
  if (choice === 'none') {
    if (capabilities.toolNone === 'pass' && !emulateTools) Object.assign(body, { tools, tool_choice: 'none' });
    return undefined;
  }
  if (choice === 'auto') {
    if (emulateTools) return emulate(tools);
    Object.assign(body, { tools, tool_choice: 'auto' });
    return undefined;
  }
  if (choice === 'required') {
    if (emulateTools || capabilities.toolRequired === 'emulate') return emulate(tools);
    Object.assign(body, { tools, tool_choice: 'required' });
    return undefined;
  }
  const forced = tools.filter((tool) => tool.function.name === choice.function.name);
  if (emulateTools || capabilities.toolForced === 'emulate') return emulate(forced);
  if (capabilities.toolForced === 'narrow') Object.assign(body, { tools: forced, tool_choice: 'required' });
  else Object.assign(body, { tools, tool_choice: choice });
  return undefined;
}

/** Writes a turn about functions as plain text, for a model whose template supports none. */
function messageWithoutTools(message: ChatMessage): Record<string, unknown> {
  const plain = plainMessage(message);
  if (message.role === 'tool')
    return { role: 'user', content: `Result of the function call: ${String(plain['content'])}` };
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return plain;
  return {
    role: 'assistant',
    content: calls
      .map((call) => JSON.stringify({ name: call.function.name, arguments: call.function.arguments }))
      .join('\n'),
  };
}

/** Requests the call as JSON of a schema, with the functions described in the system message. */
function emulateCall(
  body: Record<string, unknown>,
  emulated: EmulatedCall,
  request: ChatRequest,
  capabilities: Capabilities,
): EmulatedCall {
  const { tools, allowsText } = emulated;
  if (allowsText && request.response_format && request.response_format.type !== 'text') {
    throw invalidModelParameter(
      `response_format together with tools: this model of ${capabilities.label} knows no functions by ` +
        'itself, and both cannot be emulated at once. Leave one of them out, or force a function.',
    );
  }
  const argumentsOf = (tool: ToolObject): object => ({ type: 'object', ...tool.function.parameters });
  const told = tools
    .map(
      (tool) =>
        `- ${tool.function.name}: ${tool.function.description} Parameters as JSON schema: ${JSON.stringify(argumentsOf(tool))}`,
    )
    .join('\n');
  const messages = body['messages'] as Record<string, unknown>[];
  const [only] = tools;
  if (tools.length === 1 && only && !allowsText) {
    body['messages'] = withSystem(
      messages,
      `Answer with nothing but the JSON object of arguments for a call of this function:\n${told}`,
    );
    body['response_format'] = schemaFormat('function_call', argumentsOf(only), capabilities);
    return emulated;
  }
  const call = (tool: ToolObject): object => ({
    type: 'object',
    properties: { name: { const: tool.function.name }, arguments: argumentsOf(tool) },
    required: ['name', 'arguments'],
    additionalProperties: false,
  });
  const text = {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  };
  const otherwise = allowsText ? ' If none of them helps, answer with a JSON object {"answer"} instead.' : '';
  body['messages'] = withSystem(
    messages,
    `Answer with nothing but a JSON object {"name", "arguments"} that calls the most fitting of these functions.${otherwise}\n${told}`,
  );
  body['response_format'] = schemaFormat(
    'function_call',
    { anyOf: [...tools.map(call), ...(allowsText ? [text] : [])] },
    capabilities,
  );
  return emulated;
}

function withSystem(messages: readonly Record<string, unknown>[], instruction: string): Record<string, unknown>[] {
  const [first, ...rest] = messages;
  if (first?.['role'] !== 'system') return [{ role: 'system', content: instruction }, ...messages];
  const own = typeof first['content'] === 'string' ? first['content'] : '';
  return [{ ...first, content: `${own}\n\n${instruction}` }, ...rest];
}
