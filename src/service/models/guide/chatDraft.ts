import { contentText } from '../../../api/schema/inference/chat.ts';
import type { ChatRequest, ToolObject } from '../../../api/schema/inference/schemas.ts';
import { nodeOf } from '../../../shared/jsonSchema/schemaNode.ts';
import { generateJson } from '../jsonSchema/generateJson.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { countTokens, tokenize } from '../tokenizer.ts';
import { newId, usageOf, type WireChat, type WireLogprobs, type WireToolCall, type WireUsage } from '../wire.ts';
import { spelled } from './askedWords.ts';
import { type LimitedText, limitText, writtenAnswer } from './completionDraft.ts';
import { answerQuestion, ownWords } from './guideAnswer.ts';
import { contextCharacters, contextTokens, type GuideAnswer } from './guideReply.ts';
import { aboutNamedJob, aboutOwnJobs, type OwnJobsReply, ownJobsTools } from './ownJobs.ts';
import { type Question, questionOf } from './question.ts';
import { synonymsOf, termsOf } from './terms.ts';
import { answerSource, argumentSource } from './valueSource.ts';

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

export interface ChatTask {
  readonly request: ChatRequest;
  readonly nowInMs: number;
  readonly head: ChatHead;
}

/**
 * Drafts the guide's answer. Returns the draft itself for a stream, otherwise the response as JSON. Runs on a thread, because schemas,
 * patterns and texts can take arbitrarily long.
 */
export function draftChat({ request, nowInMs, head }: ChatTask): ChatDraft | Uint8Array {
  const draft = draftAnswer(request, nowInMs, head.model);
  const length = (draft.text.length + (draft.toolCall?.function.arguments.length ?? 0)) * (request.n ?? 1);
  return writtenAnswer(length, request.stream === true ? undefined : () => wholeAnswer(draft, request, head)) ?? draft;
}

function draftAnswer(request: ChatRequest, nowInMs: number, model: string): ChatDraft {
  const length = request.messages.reduce((sum, { content }) => sum + contentText(content).length, 0);
  if (length > contextCharacters)
    throw invalidModelParameter(
      `The conversation has ${length} characters; ${model} reads at most ${contextCharacters}. Shorten it or start a new one.`,
    );
  const promptTokens = countPrompt(request);
  const choices = request.n ?? 1;
  if (promptTokens > contextTokens)
    throw invalidModelParameter(
      `The conversation has ${promptTokens} tokens; the context length of ${model} is ${contextTokens}. Shorten it or start a new one.`,
    );
  refusePictures(request);
  const question = questionOf(request.messages);
  const sure = ownReply(request, question, aboutOwnJobs);
  const found = sure && 'answer' in sure ? sure.answer : answerQuestion(withoutOwnSteps(question), nowInMs);
  const isKnown = found.found && found.isUnsure !== true;
  const own = sure ?? ownReply(request, question, (...asked) => aboutNamedJob(...asked, isKnown));
  const answer = own && 'answer' in own ? own.answer : found;
  const tool = own ? undefined : chooseTool(request, question.text, answer.confidence);
  const toolCall = own && 'call' in own ? namedCall(own.call) : tool && callTool(tool, question.text);
  if (toolCall) {
    return {
      text: '',
      count: 0,
      toolCall,
      finishReason: 'tool_calls',
      usage: usageOf(promptTokens, choices * countTokens(toolCall.function.name + toolCall.function.arguments)),
    };
  }
  const limited = limitText(formatAnswer(answer, request, question.text), request);
  return { ...limited, usage: usageOf(promptTokens, choices * limited.count) };
}

/** Answers from the user's own jobs, if the request lets the model choose the function. */
function ownReply(request: ChatRequest, question: Question, about: typeof aboutOwnJobs): OwnJobsReply | undefined {
  const choice = request.tool_choice ?? 'auto';
  if (choice !== 'auto' && choice !== 'none') return undefined;
  const names = choice === 'none' ? [] : (request.tools ?? []).map((tool) => tool.function.name);
  const [text, tools] = [ownWords(question.text), new Set(names)];
  const written = spelled(text);
  return about(question, text, tools) ?? (written === text ? undefined : about(question, written, tools));
}

/** Removes the results of job functions if they turned out to be irrelevant, so that the documentation answers. */
function withoutOwnSteps(question: Question): Question {
  const isOwn = (question.steps ?? []).length > 0 && question.steps?.every(({ name }) => ownJobsTools.has(name));
  return isOwn === true ? { ...question, toolResults: [] } : question;
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

function refusePictures(request: ChatRequest): void {
  for (const { content } of request.messages) {
    const other = Array.isArray(content) ? content.find((part) => part.type !== 'text') : undefined;
    if (other)
      throw invalidModelParameter(
        `The built-in guide reads text only, not a part of the type "${other.type}". Leave it out or use a model that reads it.`,
      );
  }
}

/** Formats the answer as the request's `response_format` requires (Inference API, ResponseFormatObject). */
function formatAnswer(answer: GuideAnswer, request: ChatRequest, question: string): string {
  const format = request.response_format;
  if (format?.type === 'json_object')
    return JSON.stringify({ answer: answer.summary, found: answer.found, ...answer.facts }, undefined, 2);
  if (format?.type !== 'json_schema' || !format.json_schema) return answer.markdown;
  const generated = generateJson(nodeOf(format.json_schema.schema), answerSource(question, answer));
  if (!generated)
    throw invalidModelParameter(
      `The built-in guide found no JSON that satisfies the schema "${format.json_schema.name}". Simplify it or use a language model.`,
    );
  return JSON.stringify(generated.value, undefined, 2);
}

function wholeAnswer(draft: ChatDraft, request: ChatRequest, head: ChatHead): WireChat {
  const choices = Array.from({ length: request.n ?? 1 }, (_unused, index) => ({
    index,
    message: draft.toolCall
      ? { role: 'assistant' as const, content: null, tool_calls: [draft.toolCall] }
      : { role: 'assistant' as const, content: draft.text },
    finish_reason: draft.finishReason,
    ...(request.logprobs === true && { logprobs: logprobsOf(tokenize(draft.text), request.top_logprobs ?? 0) }),
  }));
  return { ...head, object: 'chat.completions', choices, usage: draft.usage };
}

/** Minimum share of the question's words that a tool must cover for `auto` to call it. */
const minRelevance = 0.5;

/**
 * Chooses the function to call (Inference API, Chat request, tool_choice).
 * @param confidence share of the question that the documentation answers; `auto` calls a function only if the function covers more
 * @returns undefined if the answer is a text
 */
function chooseTool(request: ChatRequest, question: string, confidence: number): ToolObject | undefined {
  const choice = request.tool_choice ?? 'auto';
  // `ownReply` decides about the chat's own functions, so `auto` must not guess them.
  const tools = (request.tools ?? []).filter((tool) => choice !== 'auto' || !ownJobsTools.has(tool.function.name));
  if (tools.length === 0 || choice === 'none') return undefined;
  if (typeof choice === 'object') return tools.find((tool) => tool.function.name === choice.function.name);
  const ranked = tools
    .map((tool) => ({ tool, relevance: relevanceOf(tool, question) }))
    .sort((left, right) => right.relevance - left.relevance);
  if (choice === 'required') return ranked[0]?.tool;
  const answered = request.messages.at(-1)?.role === 'tool';
  const [best] = ranked;
  return best && !answered && best.relevance >= Math.max(minRelevance, confidence) ? best.tool : undefined;
}

function relevanceOf(tool: ToolObject, question: string): number {
  const { name, description, parameters } = tool.function;
  const own = new Set(
    termsOf(
      `${name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_]/g, ' ')} ${description} ` +
        `${Object.keys((parameters?.['properties'] as object | undefined) ?? {}).join(' ')}`,
    ),
  );
  const asked = [...new Set(termsOf(question))];
  const matched = asked.filter((term) => own.has(term) || [...synonymsOf(term)].some((synonym) => own.has(synonym)));
  return asked.length === 0 ? 0 : matched.length / asked.length;
}

/** Returns a tool call with known arguments. */
function namedCall({ name, arguments: given }: { name: string; arguments: object }): WireToolCall {
  return { id: newId('call'), type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

/**
 * Returns a tool call with arguments that satisfy the function's schema.
 * @throws AppError with status 400 if no such arguments were found
 */
function callTool(tool: ToolObject, question: string): WireToolCall {
  const { name, parameters } = tool.function;
  const generated = generateJson(nodeOf({ type: 'object', ...parameters }), argumentSource(question));
  if (!generated)
    throw invalidModelParameter(
      `The built-in guide found no arguments that satisfy the schema of the function "${name}". Simplify its parameters or use a language model.`,
    );
  return namedCall({ name, arguments: generated.value as object });
}

const encoder = new TextEncoder();

/** Returns log probabilities. The guide never chooses among candidates: every token has the probability 1 and no alternatives. */
export function logprobsOf(tokens: readonly string[], topCount: number): WireLogprobs {
  return {
    content: tokens.map((token) => {
      const entry = { token, logprob: 0, bytes: [...encoder.encode(token)] };
      return { ...entry, top_logprobs: topCount > 0 ? [entry] : [] };
    }),
  };
}
