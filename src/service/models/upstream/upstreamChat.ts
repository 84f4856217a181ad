import { unexplainedEnd } from '../../../api/schema/inference/answer.ts';
import { contentText } from '../../../api/schema/inference/chat.ts';
import type { ChatChunk, ChatRequest, ChatResponse } from '../../../api/schema/inference/schemas.ts';
import type { Clock } from '../../../shared/clock.ts';
import { AppError } from '../../../shared/errors.ts';
import { isFields } from '../../../shared/fields.ts';
import { parseJson, stringifyJson } from '../../../shared/json.ts';
import { invalidModelParameter, upstreamFailure } from '../modelErrors.ts';
import type { ChatModelBackend, ModelCall } from '../modelTypes.ts';
import { estimateTokens } from '../tokenizer.ts';
import {
  newId,
  usageOf,
  type WireChat,
  type WireChatChoice,
  type WireChatChunk,
  type WireToolCall,
  type WireUsage,
} from '../wire.ts';
import type { Capabilities } from './capabilities.ts';
import { chatBody, type EmulatedCall, streamedBody, type UpstreamChat } from './chatRequestBody.ts';
import { documentChunks, type Head } from './chatStream.ts';
import { problemOf, requiresCall } from './checkAnswer.ts';
import { addUsage, logprobsFrom, readChunk, usageFrom } from './received.ts';
import { mapLimited, merged, primed } from './streams.ts';
import type { UpstreamConnection } from './upstreamConnection.ts';

export interface UpstreamTarget {
  readonly connection: UpstreamConnection;
  readonly capabilities: Capabilities;
  /** The server's own name of the model. */
  readonly model: string;
  readonly clock: Clock;
}

/** Answers are random; an answer that breaks its schema is requested once more. */
const attempts = 2;
/** Number of emulated choices requested at once: such servers answer one at a time anyway. */
const maxAtOnce = 4;

/** Creates the chat backend of a model server. */
export function createUpstreamChat(target: UpstreamTarget): ChatModelBackend {
  return {
    task: 'chat',
    model: target.model,
    answer: async (request, call) => {
      const emulates = (request.tools ?? []).length > 0 && !(await knowsTools(target, call));
      const prepared = chatBody(target.model, request, target.capabilities, emulates);
      if (request.stream === true)
        return { kind: 'stream', chunks: await primed(streamChat(target, request, prepared, call)) };
      return { kind: 'json', body: await wholeChat(target, request, prepared, call) };
    },
  };
}

/** Returns whether the model's template supports functions, by the properties that llama.cpp reports. */
async function knowsTools(target: UpstreamTarget, call: ModelCall): Promise<boolean> {
  if (target.capabilities.tools === 'pass') return true;
  try {
    const { chat_template_caps: known } = await target.connection.getJson('//props', {
      signal: call.signal,
      idleLimitInMs: 5_000,
    });
    return !(isFields(known) && known['supports_tools'] === false);
  } catch (error) {
    // An older server reports nothing; then the functions are passed on.
    if (error instanceof AppError && error.kind !== 'aborted') return true;
    throw error;
  }
}

function emulatesChoices(target: UpstreamTarget, request: ChatRequest): boolean {
  return (request.n ?? 1) > 1 && target.capabilities.n === 'emulate';
}

async function wholeChat(
  target: UpstreamTarget,
  request: ChatRequest,
  prepared: UpstreamChat,
  call: ModelCall,
): Promise<WireChat> {
  const count = emulatesChoices(target, request) ? (request.n ?? 1) : 1;
  const each = count > 1 ? { ...request, n: 1 } : request;
  const answers = await mapLimited(Array.from({ length: count }), maxAtOnce, () =>
    oneChat(target, each, prepared, call),
  );
  const [first] = answers;
  if (!first) throw upstreamFailure('protocol', `${target.connection.label} gave no answer.`);
  const choices = answers.flatMap((answer) => answer.choices).map((choice, index) => ({ ...choice, index }));
  const usage = answers.map((answer) => answer.usage).reduce((sum, part) => addUsage(sum, part, true) ?? part);
  return { ...first, choices, usage };
}

async function oneChat(
  target: UpstreamTarget,
  request: ChatRequest,
  prepared: UpstreamChat,
  call: ModelCall,
): Promise<WireChat> {
  const { connection } = target;
  for (let attempt = 1; ; attempt += 1) {
    let answer: WireChat;
    try {
      answer = documentAnswer(
        await connection.postChat('/chat/completions', { ...prepared.body, stream: false }, call),
        request,
        prepared,
        target,
      );
    } catch (error) {
      if (!refusesTools(error, request, prepared)) throw error;
      return await oneChat(target, request, emulated(target, request), call);
    }
    const problems = await Promise.all(
      answer.choices.map((choice) => problemOf(messageOfChoice(choice), request, call.signal)),
    );
    const problem = problems.find((found) => found !== undefined);
    if (problem === undefined) return answer;
    if (problem.code === 'noCall' && !prepared.emulated)
      return await oneChat(target, request, emulated(target, request), call);
    if (attempt >= attempts)
      throw upstreamFailure(
        'protocol',
        `The model of ${connection.label} broke what the request asks for, ${attempts} times: ${problem.text}. Try again, or use a more capable model.`,
      );
  }
}

function emulated(target: UpstreamTarget, request: ChatRequest): UpstreamChat {
  return chatBody(target.model, request, target.capabilities, true);
}

/**
 * Returns whether the server rejects functions. Servers say only in their message that the model or configuration does not support them.
 */
function refusesTools(error: unknown, request: ChatRequest, prepared: UpstreamChat): boolean {
  return (
    !prepared.emulated &&
    (request.tools ?? []).length > 0 &&
    error instanceof AppError &&
    ['rejected', 'server'].includes(error.kind) &&
    /\btools?\b|tool[ _-]choice|jinja/i.test(error.message)
  );
}

function messageOfChoice(choice: WireChatChoice): {
  content: string;
  toolCalls: readonly WireToolCall[];
  finishReason: string;
} {
  return {
    content: choice.message.content ?? '',
    toolCalls: choice.message.tool_calls ?? [],
    finishReason: choice.finish_reason,
  };
}

function documentAnswer(
  received: ChatResponse,
  request: ChatRequest,
  prepared: UpstreamChat,
  target: UpstreamTarget,
): WireChat {
  const { label } = target.connection;
  const choices = (received.choices ?? []).map((choice, position) =>
    documentChoice(choice, position, request, prepared, label),
  );
  if (choices.length === 0) throw upstreamFailure('protocol', `${label} answered without a choice.`);
  if (choices.length < (request.n ?? 1))
    throw upstreamFailure(
      'protocol',
      `${label} gave ${choices.length} choices of the ${request.n ?? 1} that were asked for.`,
    );
  return {
    id: received.id || newId('chatcmpl'),
    object: 'chat.completions',
    created: received.created ?? Math.floor(target.clock.now() / 1000),
    model: received.model || target.model,
    choices,
    usage: usageFrom(received.usage) ?? countedUsage(request, choices),
  };
}

type ReceivedChoice = NonNullable<ChatResponse['choices']>[number];

function documentChoice(
  choice: ReceivedChoice,
  position: number,
  request: ChatRequest,
  prepared: UpstreamChat,
  label: string,
): WireChatChoice {
  const { message } = choice;
  const text = contentText(message?.content);
  const read = prepared.emulated ? readEmulated(text, prepared.emulated) : undefined;
  const calls = read?.call ? [read.call] : (message?.tool_calls ?? []).map(toolCallFrom);
  const logprobs = logprobsFrom(choice.logprobs);
  if (request.logprobs === true && !logprobs && calls.length === 0)
    throw invalidModelParameter(`logprobs: ${label} gave none. Leave it out or use another server.`);
  const finishReason = choice.finish_reason ?? 'stop';
  return {
    index: choice.index ?? position,
    // The document has either content or tool calls.
    message:
      calls.length > 0
        ? { role: 'assistant', content: null, tool_calls: calls }
        : { role: 'assistant', content: read ? (read.text ?? '') : text, ...reasoningOf(message) },
    finish_reason: calls.length > 0 && finishReason === 'stop' ? 'tool_calls' : finishReason,
    ...(request.logprobs === true && { logprobs: logprobs ?? null }),
  };
}

function reasoningOf(message: ReceivedChoice['message']): object {
  const reasoning = message?.['reasoning_content'] ?? message?.['reasoning'];
  return typeof reasoning === 'string' && reasoning !== '' ? { reasoning_content: reasoning } : {};
}

function toolCallFrom(call: NonNullable<NonNullable<ReceivedChoice['message']>['tool_calls']>[number]): WireToolCall {
  return {
    id: call.id || newId('call'),
    type: 'function',
    function: { name: call.function?.name ?? '', arguments: call.function?.arguments || '{}' },
  };
}

/** Counts tokens with our own tokenizer if the server sends no counts: close, not exact. */
function countedUsage(request: ChatRequest, choices: readonly WireChatChoice[]): WireUsage {
  const prompt = request.messages.reduce(
    (sum, message) => sum + estimateTokens(`${message.role} ${contentText(message.content)}`),
    0,
  );
  const completion = choices.reduce(
    (sum, { message }) =>
      sum + estimateTokens(message.tool_calls ? stringifyJson(message.tool_calls) : (message.content ?? '')),
    0,
  );
  return usageOf(prompt, completion);
}

/** A request for one answer of a server. */
interface AskedChat {
  readonly target: UpstreamTarget;
  readonly request: ChatRequest;
  readonly prepared: UpstreamChat;
  /** First fields of every chunk of the answer. */
  readonly head: Head;
  readonly call: ModelCall;
}

async function* streamChat(
  target: UpstreamTarget,
  request: ChatRequest,
  prepared: UpstreamChat,
  call: ModelCall,
): AsyncGenerator<WireChatChunk> {
  const head: Head = { id: newId('chatcmpl'), created: Math.floor(target.clock.now() / 1000), model: target.model };
  if (prepared.emulated) {
    yield* chunksOf(await wholeChat(target, request, prepared, call));
    return;
  }
  if (!emulatesChoices(target, request)) {
    yield* surelyOneStream({ target, request, prepared, head, call });
    return;
  }
  const count = request.n ?? 1;
  let usage: WireUsage | undefined;
  let open = count;
  const sources = Array.from({ length: count }, (_unused, index) =>
    indexed(surelyOneStream({ target, request: { ...request, n: 1 }, prepared, head, call }), index),
  );
  for await (const chunk of merged(sources)) {
    const { usage: part, ...rest } = chunk;
    usage = addUsage(usage, part, true);
    if (rest.choices.some((choice) => choice.finish_reason !== null)) open -= 1;
    yield { ...rest, id: head.id, ...(open === 0 && usage && { usage }) };
  }
}

async function* indexed(source: AsyncGenerator<WireChatChunk>, index: number): AsyncGenerator<WireChatChunk> {
  for await (const chunk of source) yield { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, index })) };
}

/**
 * A stream that falls back to an emulated call if the server rejects functions, or if a call is required and the model begins with text or
 * ends without one. Nothing is passed on before that is decided.
 */
async function* surelyOneStream(asked: AskedChat): AsyncGenerator<WireChatChunk> {
  const { target, request, prepared, call } = asked;
  const held: WireChatChunk[] = [];
  let decided = !requiresCall(request);
  let passedOn = false;
  try {
    for await (const chunk of oneStream(asked)) {
      held.push(chunk);
      const deltas = chunk.choices.map((choice) => choice.delta);
      if (!decided && deltas.some((delta) => (delta.content ?? '').trim() !== '')) break;
      decided ||= deltas.some((delta) => delta.tool_calls !== undefined);
      if (!decided) continue;
      passedOn = true;
      yield* held.splice(0);
    }
    if (decided) return;
    // An answer that max_tokens cut before the call is passed on as it is.
    if (held.at(-1)?.choices[0]?.finish_reason === 'length') {
      yield* held;
      return;
    }
  } catch (error) {
    const lacksCall = !decided && error instanceof AppError && error.kind === 'protocol';
    if (passedOn || (!lacksCall && !refusesTools(error, request, prepared))) throw error;
  }
  yield* chunksOf(await oneChat(target, request, emulated(target, request), call));
}

async function* oneStream({ target, request, prepared, head, call }: AskedChat): AsyncGenerator<WireChatChunk> {
  const { connection, capabilities } = target;
  const body = streamedBody(prepared.body, capabilities);
  const received = async function* (): AsyncGenerator<ChatChunk> {
    let isMarked = false;
    const onMark = (): void => {
      isMarked = true;
    };
    for await (const value of connection.postStream('/chat/completions', body, { ...call, onMark }))
      yield readChunk(value, connection.label);
    if (isMarked) yield unexplainedEnd;
  };
  yield* documentChunks(received(), request, head, { label: connection.label, signal: call.signal });
}

/** Yields a whole answer as a stream. */
function* chunksOf(answer: WireChat): Generator<WireChatChunk> {
  const { choices, usage, ...head } = answer;
  const chunk = (choice: WireChatChunk['choices'][number]): WireChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [choice],
  });
  for (const { index, message } of choices) {
    yield chunk({
      index,
      delta: { role: 'assistant', content: message.tool_calls ? null : (message.content ?? '') },
      finish_reason: null,
    });
    for (const [position, call] of (message.tool_calls ?? []).entries())
      yield chunk({ index, delta: { tool_calls: [{ index: position, ...call }] }, finish_reason: null });
  }
  for (const [position, { index, finish_reason: finishReason }] of choices.entries()) {
    yield {
      ...chunk({ index, delta: {}, finish_reason: finishReason }),
      ...(position === choices.length - 1 && { usage }),
    };
  }
}

/** Parses an answer in JSON into the tool call or text that it stands for; neither if it is not what was requested. */
function readEmulated(answer: string, emulated: EmulatedCall): { call?: WireToolCall; text?: string } {
  const [only] = emulated.tools;
  let value: unknown;
  try {
    value = parseJson(answer);
  } catch {
    // The check of the answer reports the missing call.
    return {};
  }
  if (!isFields(value)) return {};
  const call = (name: string, args: unknown): WireToolCall => ({
    id: newId('call'),
    type: 'function',
    function: { name, arguments: stringifyJson(args) },
  });
  if (emulated.tools.length === 1 && only && !emulated.allowsText) return { call: call(only.function.name, value) };
  if (typeof value['name'] === 'string') return { call: call(value['name'], value['arguments'] ?? {}) };
  return emulated.allowsText && typeof value['answer'] === 'string' ? { text: value['answer'] } : {};
}
