import { contentText } from '../../../api/schema/inference/chat.ts';
import type { ChatRequest, ToolObject } from '../../../api/schema/inference/schemas.ts';
import { nodeOf } from '../../../shared/jsonSchema/schemaNode.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { countTokens } from '../tokenizer.ts';
import { newId, usageOf, type WireChat, type WireToolCall, type WireUsage } from '../wire.ts';
import {
  contextCharacters,
  contextTokens,
  type LimitedText,
  limitText,
  notAModel,
  writtenAnswer,
} from './completionDraft.ts';
import { sampleJson } from './sampleJson.ts';

/** A complete answer, ready to be streamed. */
export interface ChatDraft extends Omit<LimitedText, 'finishReason'> {
  readonly toolCall?: WireToolCall;
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
  readonly usage: WireUsage;
}

/** The fields that every response to a chat request starts with. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** Drafts the answer. Returns the draft itself for a stream, otherwise the response as JSON. */
export function draftChat({ request, head }: { request: ChatRequest; head: ChatHead }): ChatDraft | Uint8Array {
  const draft = draftAnswer(request, head.model);
  const copies = request.n ?? 1;
  const length = (draft.text.length + (draft.toolCall?.function.arguments.length ?? 0)) * copies;
  return writtenAnswer(length, request.stream === true ? undefined : () => wholeAnswer(draft, copies, head)) ?? draft;
}

function draftAnswer(request: ChatRequest, model: string): ChatDraft {
  const length = request.messages.reduce((sum, { content }) => sum + contentText(content).length, 0);
  if (length > contextCharacters)
    throw invalidModelParameter(
      `The conversation has ${length} characters; ${model} reads at most ${contextCharacters}. Shorten it or start a new one.`,
    );
  const promptTokens = countPrompt(request);
  if (promptTokens > contextTokens)
    throw invalidModelParameter(
      `The conversation has ${promptTokens} tokens; the context length of ${model} is ${contextTokens}. Shorten it or start a new one.`,
    );
  refuseUnknown(request);
  const last = contentText(request.messages.at(-1)?.content);
  const tool = toolToCall(request);
  if (tool) {
    const toolCall = callTool(tool, last);
    const tokens = countTokens(toolCall.function.name + toolCall.function.arguments);
    return {
      text: '',
      count: 0,
      toolCall,
      finishReason: 'tool_calls',
      usage: usageOf(promptTokens, tokens * (request.n ?? 1)),
    };
  }
  const limited = limitText(formatAnswer(last, request), request);
  return { ...limited, usage: usageOf(promptTokens, limited.count * (request.n ?? 1)) };
}

function countPrompt(request: ChatRequest): number {
  const messages = request.messages.map(
    (message) =>
      `${message.role} ${contentText(message.content)} ${(message.tool_calls ?? []).map((call) => call.function.name + call.function.arguments).join(' ')}`,
  );
  const tools =
    (request.tools ?? []).length > 0
      ? JSON.stringify(request.tools, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
      : '';
  return messages.reduce((sum, text) => sum + countTokens(text), countTokens(tools));
}

function refuseUnknown(request: ChatRequest): void {
  if (request.logprobs === true)
    throw invalidModelParameter(
      'The built-in endpoint has no log probabilities. Leave logprobs out or use a language model.',
    );
  for (const { content } of request.messages) {
    const other = Array.isArray(content) ? content.find((part) => part.type !== 'text') : undefined;
    if (other)
      throw invalidModelParameter(
        `The built-in endpoint reads text only, not a part of the type "${other.type}". Leave it out or use a model that reads it.`,
      );
  }
}

/** Formats the answer as the request's `response_format` requires (Inference API, ResponseFormatObject). */
function formatAnswer(text: string, request: ChatRequest): string {
  const format = request.response_format;
  if (format?.type === 'json_object') return JSON.stringify({ answer: notAModel, text }, undefined, 2);
  if (format?.type !== 'json_schema' || !format.json_schema) return `${notAModel}\n\n${text}`;
  const sample = sampleJson(nodeOf(format.json_schema.schema), text);
  if (!sample)
    throw invalidModelParameter(
      `The built-in endpoint found no JSON that satisfies the schema "${format.json_schema.name}". Simplify it or use a language model.`,
    );
  return JSON.stringify(sample.value, undefined, 2);
}

function wholeAnswer(draft: ChatDraft, copies: number, head: ChatHead): WireChat {
  const message = draft.toolCall
    ? { role: 'assistant' as const, content: null, tool_calls: [draft.toolCall] }
    : { role: 'assistant' as const, content: draft.text };
  const choices = Array.from({ length: copies }, (_unused, index) => ({
    index,
    message,
    finish_reason: draft.finishReason,
  }));
  return { ...head, object: 'chat.completions', choices, usage: draft.usage };
}

/** Returns the function to call (Inference API, Chat request, tool_choice). With `auto`, it is one that the user's message names. */
function toolToCall({ messages, tools = [], tool_choice: choice }: ChatRequest): ToolObject | undefined {
  if (typeof choice === 'object' && choice !== null)
    return tools?.find((tool) => tool.function.name === choice.function.name);
  if (choice === 'required') return tools?.[0];
  const last = messages.at(-1);
  const text = last?.role === 'user' && choice !== 'none' ? contentText(last.content) : '';
  return tools?.find((tool) => text.includes(tool.function.name));
}

/**
 * Returns a tool call with arguments that satisfy the function's schema.
 * @throws AppError with status 400 if no such arguments were found
 */
function callTool({ function: { name, parameters } }: ToolObject, text: string): WireToolCall {
  const sample = sampleJson(nodeOf({ type: 'object', ...parameters }), text);
  if (!sample)
    throw invalidModelParameter(
      `The built-in endpoint found no arguments that satisfy the schema of the function "${name}". Simplify its parameters or use a language model.`,
    );
  return { id: newId('call'), type: 'function', function: { name, arguments: JSON.stringify(sample.value) } };
}
