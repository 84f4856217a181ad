import { tokenize } from './tokenizer.ts';

export interface LimitedText {
  tokens: string[];
  finishReason: 'stop' | 'length';
}

/**
 * Applies `stop` and `max_tokens` (Inference API, Chat request). The text ends before the first stop sequence.
 */
export function limitText(text: string, limits: { stop?: string | readonly string[] | null; max_tokens?: number | null }): LimitedText {
  const sequences = typeof limits.stop === 'string' ? [limits.stop] : (limits.stop ?? []);
  const ends = sequences.filter((sequence) => sequence !== '').map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  const tokens = tokenize(ends.length > 0 ? text.slice(0, Math.min(...ends)) : text);
  const most = limits.max_tokens ?? Infinity;
  return tokens.length > most ? { tokens: tokens.slice(0, most), finishReason: 'length' } : { tokens, finishReason: 'stop' };
}
