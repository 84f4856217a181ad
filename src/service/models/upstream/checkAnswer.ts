import type { ChatRequest } from '../../../api/schema/inference/schemas.ts';
import type { AppError } from '../../../shared/errors.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { inModelThread, workLimitInMs, upstreamTasks } from '../modelTasks.ts';
import type { WireToolCall } from '../wire.ts';

/** A model's answer before it is passed on. */
export interface ModelMessage {
  readonly content: string;
  readonly toolCalls: readonly WireToolCall[];
  readonly finishReason: string;
}

/** A problem with an answer. `noCall`: a call was required and none came. */
export interface AnswerProblem {
  readonly code: 'noCall' | 'other';
  readonly text: string;
}

/**
 * Returns how an answer breaks the request: tool calls and JSON are checked by their schemas (Inference API, FunctionObject and
 * ResponseFormatObject). Returns `undefined` if it does not. An answer cut by `max_tokens` is not judged.
 */
export async function problemOf(
  message: ModelMessage,
  request: ChatRequest,
  signal: AbortSignal | undefined,
): Promise<AnswerProblem | undefined> {
  if (message.finishReason === 'length' || message.finishReason === 'content_filter') return undefined;
  if (message.toolCalls.length === 0 && requiresCall(request))
    return { code: 'noCall', text: 'it called no function, although a call was required' };
  const text = (await problemOfCalls(message, request, signal)) ?? (await problemOfFormat(message, request, signal));
  return text === undefined ? undefined : { code: 'other', text };
}

/** Returns whether `tool_choice` requires a call. */
export function requiresCall(request: ChatRequest): boolean {
  const choice = request.tool_choice ?? 'auto';
  return (request.tools ?? []).length > 0 && choice !== 'auto' && choice !== 'none';
}

async function problemOfCalls(
  message: ModelMessage,
  request: ChatRequest,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const tools = request.tools ?? [];
  const choice = tools.length === 0 ? 'none' : (request.tool_choice ?? 'auto');
  const [first] = message.toolCalls;
  if (!first) return undefined;
  if (choice === 'none') return `it called ${first.function.name}, although no call was allowed`;
  if (typeof choice === 'object' && first.function.name !== choice.function.name)
    return `it called ${first.function.name}, although ${choice.function.name} was forced`;
  for (const call of message.toolCalls) {
    const tool = tools.find((candidate) => candidate.function.name === call.function.name);
    if (!tool) return `it called ${call.function.name}, which is not among the functions`;
    const problem = await problemOfJson(
      call.function.arguments,
      { type: 'object', ...tool.function.parameters },
      signal,
    );
    if (problem !== undefined) return `the arguments of ${call.function.name} do not fit its schema: ${problem}`;
  }
  return undefined;
}

async function problemOfFormat(
  message: ModelMessage,
  request: ChatRequest,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const format = request.response_format;
  if (!format || format.type === 'text' || message.toolCalls.length > 0) return undefined;
  const schema = format.type === 'json_schema' ? (format.json_schema?.schema ?? {}) : { type: 'object' };
  return await problemOfJson(message.content, schema, signal);
}

async function problemOfJson(
  text: string,
  schema: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return await inModelThread(upstreamTasks.checkJson, { text, schema }, { signal, refusal: unchecked });
}

function unchecked(): AppError {
  return invalidModelParameter(
    `Whether the model's answer fits its schema was not clear after ${workLimitInMs / 1000} s, so it was not passed on.`,
    'Simplify the schema and the patterns in it.',
  );
}
