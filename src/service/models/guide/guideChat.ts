import type { Clock } from '../../../shared/clock.ts';
import type { ChatModelBackend } from '../backend.ts';
import { inModelThread } from '../modelThread.ts';
import { tokensOf } from '../tokenizer.ts';
import { newId, type WireChatChunk, type WireDelta, type WireUsage } from '../wire.ts';
import type { ChatDraft, ChatHead } from './chatDraft.ts';
import { guideTasks, tooLong } from './guideTasks.ts';

const guideChatModel = 'millrace-guide-1';

/** Creates the built-in chat endpoint, which repeats what it is sent: it shows how the API works, without a model. */
export function createGuideChat(clock: Clock): ChatModelBackend {
  return {
    task: 'chat',
    model: guideChatModel,
    answer: async (request, { signal }) => {
      const head = { id: newId('chatcmpl'), created: Math.floor(clock.now() / 1000), model: guideChatModel };
      const answer = await inModelThread(guideTasks.chat, { request, head }, { signal, refusal: tooLong });
      if (answer instanceof Uint8Array) return { kind: 'text', text: answer };
      return { kind: 'stream', chunks: streamDraft(answer, request.n ?? 1, head, signal) };
    },
  };
}

async function* streamDraft(
  draft: ChatDraft,
  copies: number,
  head: ChatHead,
  signal?: AbortSignal,
): AsyncGenerator<WireChatChunk> {
  const all = Array.from({ length: copies }, (_unused, index) => index);
  const chunk = (
    index: number,
    delta: WireDelta,
    finishReason: string | null = null,
    usage?: WireUsage,
  ): WireChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: finishReason }],
    ...(usage && { usage }),
  });
  for (const index of all) {
    yield chunk(index, { role: 'assistant', content: draft.toolCall ? null : '' });
    if (draft.toolCall) yield chunk(index, { tool_calls: [{ index: 0, ...draft.toolCall }] });
  }
  for (const content of tokensOf(draft.text)) {
    signal?.throwIfAborted();
    for (const index of all) yield chunk(index, { content });
  }
  for (const index of all) yield chunk(index, {}, draft.finishReason, index === copies - 1 ? draft.usage : undefined);
}
