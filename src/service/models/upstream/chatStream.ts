import { contentText } from '../../../api/inference/messageText.ts';
import type { ChatChunk, ChatRequest } from '../../../api/inference/schemas.ts';
import { invalidParameter, upstreamFailure } from '../modelErrors.ts';
import { newId, type WireChatChunk, type WireDelta, type WireToolCall, type WireUsage } from '../wire.ts';
import { problemOf } from './checkAnswer.ts';
import { logprobsFrom, usageFrom } from './received.ts';

export interface Head {
  id: string;
  created: number;
  model: string;
}

interface Choice {
  content: string;
  calls: Map<number, WireToolCall>;
  finishReason?: string;
}

/**
 * Turns the chunks of a server into those of the document: `role` only in the first of a choice, `finish_reason` only
 * in the last, usage in the very last. Checks the whole before it says that it is complete.
 * @throws AppError `cutOff` where a choice has no finish_reason, `protocol` where the answer breaks its schema
 */
export async function* documentChunks(chunks: AsyncIterable<ChatChunk>, request: ChatRequest, head: Head, { label, signal }: { label: string; signal?: AbortSignal }): AsyncGenerator<WireChatChunk> {
  const choices = new Map<number, Choice>();
  let usage: WireUsage | undefined;
  let named = head;
  let hasLogprobs = false;
  const chunk = (index: number, delta: WireDelta, more: Partial<WireChatChunk['choices'][number]> = {}): WireChatChunk => ({ ...named, object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: null, ...more }] });
  for await (const received of chunks) {
    usage = usageFrom(received.usage) ?? usage;
    named = { ...head, id: received.id || named.id, model: received.model || named.model };
    for (const part of received.choices ?? []) {
      const index = part.index ?? 0;
      let choice = choices.get(index);
      const isFirst = choice === undefined;
      choices.set(index, (choice ??= { content: '', calls: new Map() }));
      const delta = takeDelta(choice, part.delta);
      const logprobs = logprobsFrom(part.logprobs);
      hasLogprobs ||= logprobs !== undefined;
      if (request.logprobs === true && !hasLogprobs && delta?.content) throw invalidParameter(`logprobs: ${label} gave none. Leave it out or use another server.`);
      if (isFirst) yield chunk(index, { role: 'assistant', content: delta?.tool_calls ? null : '', ...delta }, logprobs && { logprobs });
      else if (delta || logprobs) yield chunk(index, delta ?? {}, logprobs && { logprobs });
      if (part.finish_reason) choice.finishReason = part.finish_reason;
    }
  }
  if (choices.size === 0) throw upstreamFailure('cutOff', `${label} ended its answer before it began.`);
  const wanted = request.n ?? 1;
  for (const choice of choices.values()) await finish(choice, request, label, signal);
  if (choices.size < wanted) throw upstreamFailure('protocol', `${label} gave ${choices.size} choices of the ${wanted} that were asked for.`);
  const last = [...choices.keys()].at(-1);
  for (const [index, choice] of choices) {
    const final = chunk(index, {}, { finish_reason: choice.finishReason ?? null });
    yield index === last && usage ? { ...final, usage } : final;
  }
}

async function finish(choice: Choice, request: ChatRequest, label: string, signal: AbortSignal | undefined): Promise<void> {
  if (choice.finishReason === undefined) throw upstreamFailure('cutOff', `${label} broke off its answer: it ended without a finish_reason.`);
  const toolCalls = [...choice.calls.values()];
  if (toolCalls.length > 0 && choice.finishReason === 'stop') choice.finishReason = 'tool_calls';
  const problem = await problemOf({ content: choice.content, toolCalls, finishReason: choice.finishReason }, request, signal);
  if (problem !== undefined) throw upstreamFailure('protocol', `The model of ${label} broke what the request asks for: ${problem.text}. Try again, or use a more capable model.`);
}

type ReceivedDelta = NonNullable<NonNullable<ChatChunk['choices']>[number]['delta']>;

/** Adds a delta to its choice. @returns what is new in it, or undefined where nothing is */
function takeDelta(choice: Choice, received: ReceivedDelta | undefined): WireDelta | undefined {
  if (!received) return undefined;
  const content = contentText(received.content);
  choice.content += content;
  const calls = (received.tool_calls ?? []).map((part) => takeCall(choice, part));
  const reasoning = received['reasoning_content'] ?? received['reasoning'];
  const delta: WireDelta & { reasoning_content?: string } = {
    ...(content !== '' && { content }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof reasoning === 'string' && reasoning !== '' && { reasoning_content: reasoning }),
  };
  return Object.keys(delta).length > 0 ? delta : undefined;
}

type ReceivedCall = NonNullable<ReceivedDelta['tool_calls']>[number];

function takeCall(choice: Choice, part: ReceivedCall): NonNullable<WireDelta['tool_calls']>[number] {
  const known = part.index ?? [...choice.calls].find(([, call]) => part.id !== undefined && call.id === part.id)?.[0];
  // A server that does not number its calls sends each whole: a new name is a new call.
  const index = known ?? (part.function?.name ? choice.calls.size : Math.max(0, choice.calls.size - 1));
  const name = part.function?.name ?? '';
  const text = part.function?.arguments ?? '';
  const call = choice.calls.get(index);
  if (call) {
    call.function.name ||= name;
    call.function.arguments += text;
    return { index, function: { ...(name !== '' && { name }), arguments: text } };
  }
  const added: WireToolCall = { id: part.id || newId('call'), type: 'function', function: { name, arguments: text } };
  choice.calls.set(index, added);
  return { index, id: added.id, type: 'function', function: { name, arguments: text } };
}
