import { isFields } from '../../../shared/fields.ts';
import { stringifyJson } from '../../../shared/json.ts';
import { upstreamFailure } from '../modelErrors.ts';
import { usageFrom } from './received.ts';

export interface VectorsTask {
  /** Body of a server's answer. */
  readonly body: Uint8Array;
  readonly label: string;
  readonly asBase64: boolean;
  /** Index of the first vector in the whole answer. */
  readonly firstIndex: number;
}

export interface Vectors {
  readonly count: number;
  readonly promptTokens?: number;
  readonly model?: string;
  /** The entries as they are sent, separated by commas. */
  readonly entries: Uint8Array;
}

/** Reads a server's vectors and writes them in the document's form. Runs on a thread: there may be millions of numbers. */
export function readVectors({ body, label, asBase64, firstIndex }: VectorsTask): Vectors {
  const answer = parse(new TextDecoder().decode(body), label);
  const data: unknown[] = Array.isArray(answer['data'])
    ? answer['data']
    : isFields(answer['data'])
      ? [answer['data']]
      : [];
  const vectors = data.map((entry, position) => {
    const { index, embedding } = isFields(entry) ? entry : {};
    if (!isVector(embedding))
      throw upstreamFailure('protocol', `${label} answered with something that is no vector of numbers.`);
    return { index: typeof index === 'number' ? index : position, embedding };
  });
  vectors.sort((left, right) => left.index - right.index);
  const entries = vectors.map(({ embedding }, position) =>
    stringifyJson({
      object: 'embedding',
      index: firstIndex + position,
      embedding: asBase64 ? base64Of(embedding) : embedding,
    }),
  );
  const usage = isFields(answer['usage'])
    ? usageFrom({ prompt_tokens: countOf(answer['usage']['prompt_tokens']) })
    : undefined;
  return {
    count: vectors.length,
    promptTokens: usage?.prompt_tokens,
    model: typeof answer['model'] === 'string' && answer['model'] !== '' ? answer['model'] : undefined,
    entries: new TextEncoder().encode(entries.join(',')),
  };
}

function parse(text: string, label: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw upstreamFailure('protocol', `${label} sent something that is not JSON: ${text.slice(0, 120)}`, {
      cause: error,
    });
  }
  if (!isFields(value))
    throw upstreamFailure('protocol', `${label} sent something that is not an object: ${text.slice(0, 120)}`);
  const { error } = value;
  if (error !== undefined && error !== null && value['data'] === undefined) {
    const message =
      typeof error === 'string'
        ? error
        : isFields(error) && typeof error['message'] === 'string'
          ? error['message']
          : 'an error without a text';
    throw upstreamFailure('server', `${label} answered: ${message.slice(0, 300)}`);
  }
  return value;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number');
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Encodes a vector's 32-bit floats in base64, which some clients request. */
export function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** Returns whether a request asks for vectors in base64. */
export function wantsBase64(request: Readonly<Record<string, unknown>>): boolean {
  return request['encoding_format'] === 'base64';
}
