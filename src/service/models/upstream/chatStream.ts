import {
  type AnswerDelta,
  AnswerReader,
  callOf,
  type ChoiceDelta,
  join,
  type ToolCallDelta,
  unexplainedEnd,
} from '../../../api/schema/inference/answer.ts';
import type { ChatChunk, ChatRequest } from '../../../api/schema/inference/schemas.ts';
import { invalidModelParameter, upstreamFailure } from '../modelErrors.ts';
import { newId, type WireChatChunk, type WireDelta, type WireToolCall, type WireUsage } from '../wire.ts';
import { problemOf } from './checkAnswer.ts';
import { logprobsFrom, usageFrom } from './received.ts';

export interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/**
 * Converts the chunks of a server to those of the document: `role` only in the first chunk of a choice, `finish_reason` only in the last,
 * usage in the very last. Validates the whole answer before it reports completion.
 * @throws AppError `cutOff` if a choice has no finish_reason and nothing else says that it is complete, `protocol` if the answer breaks its
 * schema
 */
export async function* documentChunks(
  chunks: AsyncIterable<ChatChunk>,
  request: ChatRequest,
  head: Head,
  { label, signal }: { label: string; signal?: AbortSignal },
): AsyncGenerator<WireChatChunk> {
  const reader = new AnswerReader();
  let answer: AnswerDelta = { choices: [] };
  let usage: WireUsage | undefined;
  let named = head;
  let hasLogprobs = false;
  const wanted = request.n ?? 1;
  const chunk = (
    index: number,
    delta: WireDelta,
    more: Partial<WireChatChunk['choices'][number]> = {},
  ): WireChatChunk => ({
    ...named,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: null, ...more }],
  });
  for await (const received of chunks) {
    usage = usageFrom(received.usage) ?? usage;
    // Some servers never send a finish_reason: their usage and the end mark show that nothing is missing.
    if (received === unexplainedEnd && (!usage || answer.choices.length < wanted)) continue;
    named = { ...head, id: received.id || named.id, model: received.model || named.model };
    const added = reader.read(received);
    for (const [position, part] of added.choices.entries()) {
      const known = answer.choices.find(({ choice }) => choice === part.choice);
      const delta = wireDelta(part, known?.toolCalls ?? []);
      const logprobs = logprobsFrom(received.choices?.[position]?.logprobs);
      hasLogprobs ||= logprobs !== undefined;
      if (request.logprobs === true && !hasLogprobs && delta?.content)
        throw invalidModelParameter(`logprobs: ${label} gave none. Leave it out or use another server.`);
      if (!known)
        yield chunk(
          part.choice,
          { role: 'assistant', content: delta?.tool_calls ? null : '', ...delta },
          logprobs && { logprobs },
        );
      else if (delta || logprobs) yield chunk(part.choice, delta ?? {}, logprobs && { logprobs });
      answer = join(answer, { choices: [part] });
    }
  }
  const { choices } = answer;
  if (choices.length === 0) throw upstreamFailure('cutOff', `${label} ended its answer before it began.`);
  const reasons: string[] = [];
  for (const choice of choices) reasons.push(await endOf(choice, request, label, signal));
  if (choices.length < wanted)
    throw upstreamFailure('protocol', `${label} gave ${choices.length} choices of the ${wanted} that were asked for.`);
  for (const [position, { choice }] of choices.entries()) {
    const final = chunk(choice, {}, { finish_reason: reasons[position] ?? null });
    yield position === choices.length - 1 && usage ? { ...final, usage } : final;
  }
}

/** Returns the finish_reason of a choice that meets the request. */
async function endOf(
  { text = '', toolCalls = [], finishReason }: ChoiceDelta,
  request: ChatRequest,
  label: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (finishReason === undefined)
    throw upstreamFailure('cutOff', `${label} broke off its answer: it ended without a finish_reason.`);
  const calls = toolCalls.map(({ id = '', name = '', arguments: given = '' }): WireToolCall => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  const given = finishReason || 'stop';
  const reason = calls.length > 0 && given === 'stop' ? 'tool_calls' : given;
  const problem = await problemOf({ content: text, toolCalls: calls, finishReason: reason }, request, signal);
  if (problem !== undefined)
    throw upstreamFailure(
      'protocol',
      `The model of ${label} broke what the request asks for: ${problem.text}. Try again, or use a more capable model.`,
    );
  return reason;
}

/** Returns a delta for the client, which has seen the calls in `known`, or `undefined` if it adds nothing. */
function wireDelta(
  { text, reasoning, toolCalls = [] }: ChoiceDelta,
  known: readonly ToolCallDelta[],
): WireDelta | undefined {
  const calls = toolCalls.map(({ index, id, name, arguments: piece = '' }) => {
    if (callOf(known, index)) return { index, function: { ...(name !== undefined && { name }), arguments: piece } };
    return {
      index,
      id: id ?? newId('call'),
      type: 'function' as const,
      function: { name: name ?? '', arguments: piece },
    };
  });
  const delta: WireDelta & { reasoning_content?: string } = {
    ...(text !== undefined && { content: text }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
  };
  return Object.keys(delta).length > 0 ? delta : undefined;
}
