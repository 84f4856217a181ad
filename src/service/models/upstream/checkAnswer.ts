import type { ChatRequest } from '../../../api/inference/schemas.ts';
import { parseJson } from '../../../shared/json.ts';
import { nodeOf, isObject } from '../jsonSchema/schemaNode.ts';
import { describeProblem, validateJson } from '../jsonSchema/validateJson.ts';
import type { WireToolCall } from '../wire.ts';

/** What a model answered, before it is passed on. */
export interface ModelMessage {
  content: string;
  toolCalls: readonly WireToolCall[];
  finishReason: string;
}

/** What is wrong with an answer. `noCall`: a call was required and none came. */
export interface AnswerProblem {
  code: 'noCall' | 'other';
  text: string;
}

/**
 * Why an answer breaks what the request asked for: tool calls and JSON by their schemas (Inference API, FunctionObject
 * and ResponseFormatObject). Undefined where it keeps to it. An answer cut by `max_tokens` is not judged.
 */
export function problemOf(message: ModelMessage, request: ChatRequest): AnswerProblem | undefined {
  if (message.finishReason === 'length' || message.finishReason === 'content_filter') return undefined;
  if (message.toolCalls.length === 0 && requiresCall(request)) return { code: 'noCall', text: 'it called no function, although a call was required' };
  const text = problemOfCalls(message, request) ?? problemOfFormat(message, request);
  return text === undefined ? undefined : { code: 'other', text };
}

/** Whether `tool_choice` leaves no way around a call. */
export function requiresCall(request: ChatRequest): boolean {
  const choice = request.tool_choice ?? 'auto';
  return (request.tools ?? []).length > 0 && choice !== 'auto' && choice !== 'none';
}

function problemOfCalls(message: ModelMessage, request: ChatRequest): string | undefined {
  const tools = request.tools ?? [];
  const choice = tools.length === 0 ? 'none' : (request.tool_choice ?? 'auto');
  const [first] = message.toolCalls;
  if (!first) return undefined;
  if (choice === 'none') return `it called ${first.function.name}, although no call was allowed`;
  if (typeof choice === 'object' && first.function.name !== choice.function.name) return `it called ${first.function.name}, although ${choice.function.name} was forced`;
  for (const call of message.toolCalls) {
    const tool = tools.find((candidate) => candidate.function.name === call.function.name);
    if (!tool) return `it called ${call.function.name}, which is not among the functions`;
    const problem = problemOfJson(call.function.arguments, { type: 'object', ...tool.function.parameters });
    if (problem !== undefined) return `the arguments of ${call.function.name} do not fit its schema: ${problem}`;
  }
  return undefined;
}

function problemOfFormat(message: ModelMessage, request: ChatRequest): string | undefined {
  const format = request.response_format;
  if (!format || format.type === 'text' || message.toolCalls.length > 0) return undefined;
  const schema = format.type === 'json_schema' ? (format.json_schema?.schema ?? {}) : { type: 'object' };
  return problemOfJson(message.content, schema);
}

function problemOfJson(text: string, schema: Readonly<Record<string, unknown>>): string | undefined {
  let value: unknown;
  try {
    // A function without parameters is often called with nothing.
    value = parseJson(text.trim() === '' ? '{}' : text);
  } catch {
    return `it is not JSON (${text.slice(0, 60)})`;
  }
  if (schema['type'] === 'object' && !isObject(value)) return 'it is not an object';
  const [problem] = validateJson(value, nodeOf(schema));
  return problem && describeProblem(problem);
}
