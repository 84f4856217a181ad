import type { CallOptions, InferenceClient } from '../api/client/client.ts';
import { wholeAsChatChunk } from '../api/client/inference/chunk.ts';
import type { ChatChunk, CompletionChunk, EmbeddingResponse } from '../api/schema/inference/schemas.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { ModelRequest } from './modelRequest.ts';

/**
 * An answer of any task as the chunks of a chat. One that does not come as a stream is a single chunk.
 * @throws AppError as the client's calls do; a stream throws what breaks it while it is read
 */
export async function answerChunks(
  inference: InferenceClient,
  endpoint: string,
  { task, body }: ModelRequest,
  options: CallOptions,
): Promise<AsyncIterable<ChatChunk>> {
  if (task === 'embedding') {
    const count = Array.isArray(body.input) ? body.input.length : 1;
    return single(chunkOfEmbedding(await inference.embed(endpoint, body, options), count));
  }
  if (task === 'completion')
    return body.stream === false
      ? single(chunkOfWholeCompletion(await inference.complete(endpoint, body, options)))
      : chunksOfCompletion(inference.streamCompletion(endpoint, body, options));
  return body.stream === false
    ? single(wholeAsChatChunk(await inference.chat(endpoint, body, options)))
    : inference.streamChat(endpoint, body, options);
}

async function* single(chunk: ChatChunk | undefined): AsyncGenerator<ChatChunk> {
  if (chunk) yield chunk;
}

async function* chunksOfCompletion(chunks: AsyncIterable<CompletionChunk>): AsyncGenerator<ChatChunk> {
  for await (const chunk of chunks) yield chunkOfCompletion(chunk);
}

/** A piece of a streamed completion as one of a chat: the choice is its prompt. */
function chunkOfCompletion({ choices = [], model, usage }: CompletionChunk): ChatChunk {
  return {
    model,
    usage,
    choices: choices.map(({ index, text, finish_reason }) => ({ index, delta: { content: text }, finish_reason })),
  };
}

/** A whole completion response: the completions of the first prompt come first, whatever order they were sent in. */
function chunkOfWholeCompletion({ choices = [], ...rest }: CompletionChunk): ChatChunk {
  const sorted = choices.toSorted((left, right) => (left.index ?? 0) - (right.index ?? 0));
  return chunkOfCompletion({
    ...rest,
    choices: sorted.map(({ text = '', finish_reason = '' }, index) => ({
      index,
      text,
      finish_reason: finish_reason || 'stop',
    })),
  });
}

/** An embedding response: each vector is a choice, as JSON. Throws if a text has none. */
function chunkOfEmbedding({ data = [], model, usage }: EmbeddingResponse, count: number): ChatChunk {
  const list = Array.isArray(data) ? data : [data];
  const vectors = new Map(list.map(({ index, embedding }, position) => [index ?? position, embedding]));
  const missing = Array.from({ length: count }, (_, index) => index).find((index) => !vectors.get(index)?.length);
  if (missing !== undefined)
    throw new AppError('protocol', l10n.t('The service returned no vector for text {0} of {1}.', missing + 1, count), {
      remedy: l10n.t("Ask again, or check that the endpoint's model creates embeddings."),
    });
  return {
    model,
    usage,
    choices: Array.from({ length: count }, (_, index) => ({
      index,
      delta: { content: JSON.stringify(vectors.get(index)) },
      finish_reason: 'stop',
    })),
  };
}
