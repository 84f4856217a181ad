import type { EmbeddingRequest } from '../../../api/inference/schemas.ts';
import type { Call, EmbeddingBackend } from '../backend.ts';
import { countTokens } from '../guide/tokenizer.ts';
import { upstreamFailure } from '../modelErrors.ts';
import { newId, type WireEmbeddings } from '../wire.ts';
import { readEmbeddings } from './received.ts';
import { mapLimited } from './streams.ts';
import type { UpstreamTarget } from './upstreamChat.ts';

/** How most models that want an instruction take it: before the text. */
const standardTemplate = '{instruction} {input}';
const mostAtOnce = 4;

const handled = new Set(['input', 'instruction', 'model', 'encoding_format', 'stream']);

/**
 * The embedding task of a model server. `instruction` is put before each text by the model's template, since no such
 * server has the field; a list that the server does not take is sent one by one.
 */
export function createUpstreamEmbedding(target: UpstreamTarget, template: string = standardTemplate): EmbeddingBackend {
  return {
    task: 'embedding',
    model: target.model,
    answer: async (request, call) => {
      const inputs = (typeof request.input === 'string' ? [request.input] : request.input).map((text) => withInstruction(text, request.instruction, template));
      const extra = Object.fromEntries(Object.entries(request).filter(([name, value]) => !handled.has(name) && value !== undefined && value !== null));
      const vectors = await embedAll(target, inputs, extra, call);
      const tokens = vectors.promptTokens ?? inputs.reduce((sum, text) => sum + countTokens(text), 0);
      const data = vectors.vectors.map((embedding, index) => ({ object: 'embedding' as const, index, embedding }));
      return { kind: 'json', body: { id: newId('embd'), object: 'list', model: vectors.model ?? target.model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } } satisfies WireEmbeddings };
    },
  };
}

function withInstruction(text: string, instruction: EmbeddingRequest['instruction'], template: string): string {
  if (instruction === undefined || instruction === null || instruction === '') return text;
  return template.replace('{instruction}', () => instruction).replace('{input}', () => text);
}

interface Vectors {
  vectors: number[][];
  promptTokens?: number;
  model?: string;
}

async function embedAll(target: UpstreamTarget, inputs: readonly string[], extra: object, call: Call): Promise<Vectors> {
  const together = await embedOnce(target, inputs, extra, call);
  if (together.vectors.length === inputs.length) return together;
  if (inputs.length === 1) throw upstreamFailure('protocol', `${target.connection.label} answered without a vector.`);
  const single = await mapLimited(inputs, mostAtOnce, (input) => embedOnce(target, [input], extra, call));
  if (single.some((answer) => answer.vectors.length !== 1)) throw upstreamFailure('protocol', `${target.connection.label} did not answer each text with one vector.`);
  const counts = single.map((answer) => answer.promptTokens);
  return {
    vectors: single.flatMap((answer) => answer.vectors),
    promptTokens: counts.every((count) => count !== undefined) ? counts.reduce((sum, count) => sum + count, 0) : undefined,
    model: single[0]?.model,
  };
}

async function embedOnce(target: UpstreamTarget, inputs: readonly string[], extra: object, call: Call): Promise<Vectors> {
  const { connection, model } = target;
  const body = { ...extra, model, input: inputs.length === 1 ? inputs[0] : inputs, encoding_format: 'float' };
  const received = readEmbeddings(await connection.postJson('/embeddings', body, call), connection.label);
  const data = Array.isArray(received.data) ? received.data : received.data ? [received.data] : [];
  const ordered = data.map((entry, position) => ({ index: entry.index ?? position, vector: entry.embedding ?? [] })).sort((left, right) => left.index - right.index);
  if (ordered.some((entry) => entry.vector.length === 0)) throw upstreamFailure('protocol', `${connection.label} answered with an empty vector.`);
  return { vectors: ordered.map((entry) => entry.vector), promptTokens: received.usage?.prompt_tokens, model: received.model };
}
