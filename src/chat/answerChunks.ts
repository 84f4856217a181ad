import type { CallOptions, InferenceClient } from '../api/client/client.ts';
import { wholeAsChatChunk } from '../api/client/inference/chunk.ts';
import type { ChatChunk, CompletionChunk, EmbeddingResponse } from '../api/schema/inference/schemas.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { ModelRequest } from './playground.ts';

/**
 * Returns the response of any task as chat chunks. A response that is not streamed becomes a single chunk.
 * @throws AppError as the client's calls do; a stream throws when it breaks while being read
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

/** Converts a chunk of a streamed completion to a chat chunk, with one choice per prompt. */
function chunkOfCompletion({ choices = [], model, usage }: CompletionChunk): ChatChunk {
  return {
    model,
    usage,
    choices: choices.map(({ index, text, finish_reason }) => ({ index, delta: { content: text }, finish_reason })),
  };
}

/** Converts a whole completion response: the completions of the first prompt come first, whatever their order in the response. */
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

/** Converts an embedding response: each vector becomes a choice, as JSON. Throws if a text has no vector. */
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
