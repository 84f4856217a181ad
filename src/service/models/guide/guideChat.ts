import type { ChatRequest } from '../../../api/schema/inference/schemas.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { ChatModelBackend } from '../backend.ts';
import { inModelThread } from '../modelThread.ts';
import { tokenize, tokensOf } from '../tokenizer.ts';
import { newId, type WireChatChunk, type WireDelta, type WireToolCall, type WireUsage } from '../wire.ts';
import { type ChatDraft, type ChatHead, logprobsOf } from './chatDraft.ts';
import { tooLong } from './guideReply.ts';
import { guideTasks, paced } from './guideTasks.ts';

const guideChatModel = 'millrace-guide-1';

/** Creates the built-in chat model, which answers from the documentation without a language model. It runs on its own thread. */
export function createGuideChat(clock: Clock): ChatModelBackend {
  return {
    task: 'chat',
    model: guideChatModel,
    answer: async (request, { signal }) => {
      const nowInMs = clock.now();
      const head = { id: newId('chatcmpl'), created: Math.floor(nowInMs / 1000), model: guideChatModel };
      const answer = await inModelThread(guideTasks.chat, { request, nowInMs, head }, { signal, refusal: tooLong });
      if (answer instanceof Uint8Array) return { kind: 'text', text: answer };
      return { kind: 'stream', chunks: streamDraft(answer, request, head, { signal, clock }) };
    },
  };
}

async function* streamDraft(
  draft: ChatDraft,
  request: ChatRequest,
  head: ChatHead,
  options: { signal?: AbortSignal; clock: Clock },
): AsyncGenerator<WireChatChunk> {
  const all = Array.from({ length: request.n ?? 1 }, (_unused, index) => index);
  const chunk = (
    index: number,
    delta: WireDelta,
    more: { finishReason?: string; tokens?: string[]; usage?: WireUsage } = {},
  ): WireChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [
      {
        index,
        delta,
        finish_reason: more.finishReason ?? null,
        ...(request.logprobs === true &&
          more.tokens && { logprobs: logprobsOf(more.tokens, request.top_logprobs ?? 0) }),
      },
    ],
    ...(more.usage && { usage: more.usage }),
  });
  for (const index of all) yield chunk(index, { role: 'assistant', content: draft.toolCall ? null : '' });
  if (draft.toolCall) yield* streamCall(draft.toolCall, all, chunk, options);
  for await (const token of paced(tokensOf(draft.text), draft.count, options)) {
    for (const index of all) yield chunk(index, { content: token }, { tokens: [token] });
  }
  for (const index of all)
    yield chunk(
      index,
      {},
      { finishReason: draft.finishReason, usage: index === all.length - 1 ? draft.usage : undefined },
    );
}

async function* streamCall(
  call: WireToolCall,
  all: readonly number[],
  chunk: (index: number, delta: WireDelta) => WireChatChunk,
  options: { signal?: AbortSignal; clock: Clock },
): AsyncGenerator<WireChatChunk> {
  for (const index of all)
    yield chunk(index, {
      tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } }],
    });
  const pieces = tokenize(call.function.arguments);
  for await (const piece of paced(pieces, pieces.length, options)) {
    for (const index of all) yield chunk(index, { tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
}
