import * as z from 'zod';
import { field, maybe } from '../field.ts';
import { maxInputs, usage } from './requestLimits.ts';

/** Inference API, Embedding request. */
const embeddingRequestFields = {
  input: field(
    z.union([z.string(), z.array(z.string()).min(1).max(maxInputs)]),
    `Text or texts to embed. Many inputs may be batched in one request, at most ${maxInputs}.`,
  ),
  instruction: field(
    z.string().nullish(),
    'Instruction for the embedding model. Model-specific: some models want none for indexing and one for retrieval queries.',
  ),
};
export const embeddingRequest = z.looseObject(embeddingRequestFields);

/** Inference API, EmbeddingObject. */
const embeddingObject = z.looseObject({
  object: maybe(z.string()),
  index: maybe(field(z.number(), 'Position of the embedding among those generated.')),
  embedding: maybe(field(z.array(z.number()), 'The vector; each model returns one of fixed size.')),
});

/** Inference API, Embedding response. */
export const embeddingResponse = z.looseObject({
  id: maybe(z.string()),
  object: maybe(z.string()),
  model: maybe(z.string()),
  data: maybe(z.union([z.array(embeddingObject), embeddingObject])),
  usage: maybe(usage),
});

export type EmbeddingRequest = z.output<typeof embeddingRequest>;
export type EmbeddingResponse = z.output<typeof embeddingResponse>;
