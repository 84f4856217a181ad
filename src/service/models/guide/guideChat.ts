import type { ChatRequest } from '../../../api/inference/schemas.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { ChatBackend } from '../backend.ts';
import { generateJson } from '../jsonSchema/generateJson.ts';
import { nodeOf } from '../jsonSchema/schemaNode.ts';
import { invalidParameter } from '../modelErrors.ts';
import { newId, usageOf, type WireChat, type WireChatChunk, type WireDelta, type WireLogprobs, type WireToolCall, type WireUsage } from '../wire.ts';
import { callTool, chooseTool } from './chooseTool.ts';
import { answerQuestion } from './guideAnswer.ts';
import { contextTokens, type GuideAnswer } from './guideReply.ts';
import { limitText } from './limitText.ts';
import { paced } from './pace.ts';
import { questionOf, textOf } from './question.ts';
import { countTokens, tokenize } from './tokenizer.ts';
import { answerSource } from './valueSource.ts';

/** A finished answer before it is sent whole or in pieces. */
interface Draft {
  tokens: string[];
  toolCall?: WireToolCall;
  finishReason: 'stop' | 'length' | 'tool_calls';
  usage: WireUsage;
}

export const guideChatModel = 'millrace-guide-1';

/** The built-in chat model: answers from the documentation, without a language model. */
export function createGuideChat(clock: Clock): ChatBackend {
  return {
    task: 'chat',
    model: guideChatModel,
    answer: async (request, { signal }) => {
      const draft = draftAnswer(request, clock.now());
      const head = { id: newId('chatcmpl'), created: Math.floor(clock.now() / 1000), model: guideChatModel };
      if (request.stream === true) return { kind: 'stream', chunks: streamDraft(draft, request, head, { signal, clock }) };
      return { kind: 'json', body: wholeAnswer(draft, request, head) };
    },
  };
}

function draftAnswer(request: ChatRequest, nowInMs: number): Draft {
  const promptTokens = countPrompt(request);
  const choices = request.n ?? 1;
  if (promptTokens > contextTokens) throw invalidParameter(`The conversation has ${promptTokens} tokens; the context length of ${guideChatModel} is ${contextTokens}. Shorten it or start a new one.`);
  refusePictures(request);
  const question = questionOf(request.messages);
  const answer = answerQuestion(question, nowInMs);
  const tool = chooseTool(request, question.text, answer.confidence);
  if (tool) {
    const toolCall = callTool(tool, question.text);
    return { tokens: [], toolCall, finishReason: 'tool_calls', usage: usageOf(promptTokens, choices * countTokens(toolCall.function.name + toolCall.function.arguments)) };
  }
  const limited = limitText(formatAnswer(answer, request, question.text), request);
  return { ...limited, usage: usageOf(promptTokens, choices * limited.tokens.length) };
}

function countPrompt(request: ChatRequest): number {
  const messages = request.messages.map((message) => `${message.role} ${textOf(message.content)} ${(message.tool_calls ?? []).map((call) => call.function.name + call.function.arguments).join(' ')}`);
  const tools = (request.tools ?? []).length > 0 ? JSON.stringify(request.tools, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)) : '';
  return messages.reduce((sum, text) => sum + countTokens(text), countTokens(tools));
}

function refusePictures(request: ChatRequest): void {
  for (const { content } of request.messages) {
    const other = Array.isArray(content) ? content.find((part) => part.type !== 'text') : undefined;
    if (other) throw invalidParameter(`The built-in guide reads text only, not a part of the type "${other.type}". Leave it out or use a model that reads it.`);
  }
}

/** The answer in the format that is asked for (Inference API, ResponseFormatObject). */
function formatAnswer(answer: GuideAnswer, request: ChatRequest, question: string): string {
  const format = request.response_format;
  if (format?.type === 'json_object') return JSON.stringify({ answer: answer.summary, found: answer.found, ...answer.facts }, undefined, 2);
  if (format?.type !== 'json_schema' || !format.json_schema) return answer.markdown;
  const generated = generateJson(nodeOf(format.json_schema.schema), answerSource(question, answer));
  if (!generated) throw invalidParameter(`The built-in guide found no JSON that satisfies the schema "${format.json_schema.name}". Simplify it or use a language model.`);
  return JSON.stringify(generated.value, undefined, 2);
}

interface Head {
  id: string;
  created: number;
  model: string;
}

function indexes(request: ChatRequest): number[] {
  return Array.from({ length: request.n ?? 1 }, (_unused, index) => index);
}

function wholeAnswer(draft: Draft, request: ChatRequest, head: Head): WireChat {
  const choices = indexes(request).map((index) => ({
    index,
    message: draft.toolCall ? { role: 'assistant' as const, content: null, tool_calls: [draft.toolCall] } : { role: 'assistant' as const, content: draft.tokens.join('') },
    finish_reason: draft.finishReason,
    ...(request.logprobs === true && { logprobs: logprobsOf(draft.tokens, request) }),
  }));
  return { ...head, object: 'chat.completions', choices, usage: draft.usage };
}

/** The guide never chooses among candidates: every token has the probability 1, and there is no other one. */
function logprobsOf(tokens: readonly string[], request: ChatRequest): WireLogprobs {
  const encoder = new TextEncoder();
  return {
    content: tokens.map((token) => {
      const entry = { token, logprob: 0, bytes: [...encoder.encode(token)] };
      return { ...entry, top_logprobs: (request.top_logprobs ?? 0) > 0 ? [entry] : [] };
    }),
  };
}

async function* streamDraft(draft: Draft, request: ChatRequest, head: Head, options: { signal?: AbortSignal; clock: Clock }): AsyncGenerator<WireChatChunk> {
  const all = indexes(request);
  const chunk = (index: number, delta: WireDelta, more: { finishReason?: string; tokens?: string[]; usage?: WireUsage } = {}): WireChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: more.finishReason ?? null, ...(request.logprobs === true && more.tokens && { logprobs: logprobsOf(more.tokens, request) }) }],
    ...(more.usage && { usage: more.usage }),
  });
  for (const index of all) yield chunk(index, { role: 'assistant', content: draft.toolCall ? null : '' });
  if (draft.toolCall) yield* streamCall(draft.toolCall, all, chunk, options);
  for await (const token of paced(draft.tokens, options)) {
    for (const index of all) yield chunk(index, { content: token }, { tokens: [token] });
  }
  for (const index of all) yield chunk(index, {}, { finishReason: draft.finishReason, usage: index === all.length - 1 ? draft.usage : undefined });
}

async function* streamCall(call: WireToolCall, all: readonly number[], chunk: (index: number, delta: WireDelta) => WireChatChunk, options: { signal?: AbortSignal; clock: Clock }): AsyncGenerator<WireChatChunk> {
  for (const index of all) yield chunk(index, { tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } }] });
  for await (const piece of paced(tokenize(call.function.arguments), options)) {
    for (const index of all) yield chunk(index, { tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
}
