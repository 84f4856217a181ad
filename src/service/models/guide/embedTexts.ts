import { stringifyJson } from '../../../shared/json.ts';
import { countTokens } from '../tokenizer.ts';
import { base64Of } from '../upstream/readVectors.ts';
import type { WireEmbeddings } from '../wire.ts';

export interface EmbeddingTask {
  readonly inputs: readonly string[];
  readonly instruction: string;
  /** Whether to encode vectors as base64 instead of numbers. */
  readonly asBase64: boolean;
  readonly head: Pick<WireEmbeddings, 'id' | 'object' | 'model'>;
}

/** Returns the vectors of all texts as a JSON response. Runs on a thread, because the texts can take arbitrarily long. */
export function embedTexts({ inputs, instruction, asBase64, head }: EmbeddingTask): Uint8Array {
  const tokens = inputs.reduce((total, text) => total + countTokens(text), inputs.length * countTokens(instruction));
  const data = inputs.map((text, index) => {
    const vector = embedText(text, instruction);
    return { object: 'embedding' as const, index, embedding: asBase64 ? base64Of(vector) : vector };
  });
  return new TextEncoder().encode(
    stringifyJson({ ...head, data, usage: { prompt_tokens: tokens, total_tokens: tokens } } satisfies WireEmbeddings),
  );
}

/** Weight of an instruction, which shifts the vector slightly, as in other embedding models. */
const instructionWeight = 0.25;
const pairWeight = 0.4;
const partWeight = 0.35;

/** Returns a vector of length 1. */
export function embedText(text: string, instruction = ''): number[] {
  const vector = new Float64Array(guideEmbeddingSize);
  addText(vector, text, 1);
  if (instruction !== '') addText(vector, instruction, instructionWeight);
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) {
    addFeature(vector, `text:${text}`, 1);
    squares = 1;
  }
  const length = Math.sqrt(squares);
  // Seven digits exceed the precision of a 32-bit number.
  return Array.from(vector, (value) => Number((value / length).toFixed(7)));
}

function addText(vector: Float64Array, text: string, weight: number): void {
  const terms = termsOf(text);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, count] of counts) {
    const strength = weight * (1 + Math.log(count));
    addFeature(vector, `word:${term}`, strength);
    const padded = `^${term}$`;
    const parts = Math.max(1, padded.length - 2);
    for (let at = 0; at < padded.length - 2; at += 1)
      addFeature(vector, `part:${padded.slice(at, at + 3)}`, (strength * partWeight) / Math.sqrt(parts));
  }
  for (let at = 1; at < terms.length; at += 1)
    addFeature(vector, `pair:${terms[at - 1] ?? ''} ${terms[at] ?? ''}`, weight * pairWeight);
}

/** Adds a feature by the hashing trick: its hash (FNV-1a) determines its position and sign. */
function addFeature(vector: Float64Array, feature: string, weight: number): void {
  let hash = 0x811c9dc5;
  for (let at = 0; at < feature.length; at += 1) {
    hash ^= feature.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  // The low bits of FNV are weak, so fold in the high bits.
  const mixed = (hash ^ (hash >>> 15)) >>> 0;
  const place = mixed % guideEmbeddingSize;
  vector[place] = (vector[place] ?? 0) + ((hash & 0x80000000) !== 0 ? -weight : weight);
}

/** Dimensions of the built-in embedding model's vectors. */
export const guideEmbeddingSize = 256;

const stopWords = new Set(
  (
    'a about an and any are as at be been but by can could did do does for from get had has have how i if in into is it its just me my no not of on or ' +
    'our so that the their them then there these they this to too up was we were what when where which who why will with would you your'
  ).split(' '),
);

/** Removes a word's English ending. Coarse, but the same for every text. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 6 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 5 && word.endsWith('ed')) return undouble(word.slice(0, -2));
  if (word.length > 4 && word.endsWith('es') && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return finalE(word.slice(0, -1));
  return finalE(word);
}

function undouble(word: string): string {
  return finalE(/([bdfglmnprt])\1$/.test(word) ? word.slice(0, -1) : word);
}

function finalE(word: string): string {
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** Returns the terms of a text in order. A name with underscores is a term, and so are its parts. */
function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    const parts = word.split('_').filter((part) => part !== '');
    if (parts.length > 1) terms.push(word);
    for (const part of parts) if (part.length > 1 && !stopWords.has(part)) terms.push(stem(part));
  }
  return terms;
}
