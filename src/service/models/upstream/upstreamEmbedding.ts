import type { EmbeddingRequest } from '../../../api/schema/inference/schemas.ts';
import type { AppError } from '../../../shared/errors.ts';
import { stringifyJson } from '../../../shared/json.ts';
import { upstreamFailure } from '../modelErrors.ts';
import { inModelThread, workLimitInMs, upstreamTasks } from '../modelTasks.ts';
import type { ModelCall, EmbeddingBackend } from '../modelTypes.ts';
import { estimateTokens } from '../tokenizer.ts';
import { newId, type WireUsage } from '../wire.ts';
import { otherFields } from './chatRequestBody.ts';
import { type Vectors, wantsBase64 } from './readVectors.ts';
import { mapLimited } from './streams.ts';
import type { UpstreamTarget } from './upstreamChat.ts';

/** How most models with instructions take them: before the text. */
const standardTemplate = '{instruction} {input}';
const maxAtOnce = 4;

const handled = new Set(['input', 'instruction', 'model', 'encoding_format', 'stream']);

/**
 * Creates the embedding backend of a model server. The model's template puts `instruction` before each text, because such servers lack the
 * field. A list that the server rejects is sent one by one.
 */
export function createUpstreamEmbedding(target: UpstreamTarget, template: string = standardTemplate): EmbeddingBackend {
  return {
    task: 'embedding',
    model: target.model,
    answer: async (request, call) => {
      const inputs = (typeof request.input === 'string' ? [request.input] : request.input).map((text) =>
        withInstruction(text, request.instruction, template),
      );
      const extra = otherFields(request, handled);
      const batch: Batch = { target, extra, asBase64: wantsBase64(request), call };
      const parts = await embedAll(batch, inputs);
      const counts = parts.map((part) => part.promptTokens);
      const tokens = counts.every((count) => count !== undefined) ? counts : inputs.map(estimateTokens);
      const promptTokens = tokens.reduce((sum, count) => sum + count, 0);
      return { kind: 'text', text: writeAnswer(parts, parts[0]?.model ?? target.model, promptTokens) };
    },
  };
}

/** Writes the answer around entries that are already JSON. */
function writeAnswer(parts: readonly Vectors[], model: string, promptTokens: number): Uint8Array {
  const head = stringifyJson({ id: newId('embd'), object: 'list', model });
  const usage: WireUsage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  const comma = Buffer.from(',');
  const entries = parts.flatMap((part, index) => (index === 0 ? [part.entries] : [comma, part.entries]));
  return Buffer.concat([
    Buffer.from(`${head.slice(0, -1)},"data":[`),
    ...entries,
    Buffer.from(`],"usage":${stringifyJson(usage)}}`),
  ]);
}

function withInstruction(text: string, instruction: EmbeddingRequest['instruction'], template: string): string {
  if (instruction === undefined || instruction === null || instruction === '') return text;
  // The template has the space; a space at the instruction's end, as in `Query: `, would be a second one.
  const plain = template === standardTemplate ? instruction.trimEnd() : instruction;
  return template.replace('{instruction}', () => plain).replace('{input}', () => text);
}

interface Batch {
  readonly target: UpstreamTarget;
  readonly extra: object;
  readonly asBase64: boolean;
  readonly call: ModelCall;
}

async function embedAll(batch: Batch, inputs: readonly string[]): Promise<Vectors[]> {
  const { label } = batch.target.connection;
  const together = await embedOnce(batch, inputs, 0);
  if (together.count === inputs.length) return [together];
  if (inputs.length === 1) throw upstreamFailure('protocol', `${label} answered without a vector.`);
  const single = await mapLimited(inputs, maxAtOnce, (input, index) => embedOnce(batch, [input], index));
  if (single.some((answer) => answer.count !== 1))
    throw upstreamFailure('protocol', `${label} did not answer each text with one vector.`);
  return single;
}

async function embedOnce(
  { target, extra, asBase64, call }: Batch,
  inputs: readonly string[],
  firstIndex: number,
): Promise<Vectors> {
  const { connection, model } = target;
  const request = { ...extra, model, input: inputs.length === 1 ? inputs[0] : inputs, encoding_format: 'float' };
  const body = await connection.postBytes('/embeddings', request, call);
  const refusal = (): AppError =>
    upstreamFailure(
      'protocol',
      `${connection.label} sent vectors that were not read within ${workLimitInMs / 1000} s. Send fewer inputs at once.`,
    );
  return await inModelThread(
    upstreamTasks.readVectors,
    { body, label: connection.label, asBase64, firstIndex },
    { signal: call.signal, refusal },
  );
}
