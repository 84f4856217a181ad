import type { ChatChunk, CompletionChunk, EmbeddingResponse } from '../api/schema/inference/schemas.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';

/** A piece of a streamed completion as one of a chat: the choice is its prompt. */
export function chunkOfCompletion({ choices = [], model, usage }: CompletionChunk): ChatChunk {
  return {
    model,
    usage,
    choices: choices.map(({ index, text, finish_reason }) => ({ index, delta: { content: text }, finish_reason })),
  };
}

/** A whole completion response: the completions of the first prompt come first, whatever order they were sent in. */
export function chunkOfWholeCompletion({ choices = [], ...rest }: CompletionChunk): ChatChunk {
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

/** An embedding response: each vector is a choice, as JSON. Throws where a text has none. */
export function chunkOfEmbedding({ data = [], model, usage }: EmbeddingResponse, count: number): ChatChunk {
  const list = Array.isArray(data) ? data : [data];
  const vectors = new Map(list.map(({ index, embedding }, position) => [index ?? position, embedding]));
  const missing = Array.from({ length: count }, (_, index) => index).find((index) => !vectors.get(index)?.length);
  if (missing !== undefined)
    throw new AppError('protocol', l10n.t('The service sent no vector for text {0} of {1}.', missing + 1, count), {
      remedy: l10n.t('Ask again, or check that the model of the endpoint makes embeddings.'),
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
