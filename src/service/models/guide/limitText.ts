import { tokenize } from '../tokenizer.ts';

export interface LimitedText {
  readonly text: string;
  /** Tokens of the text. */
  readonly count: number;
  readonly finishReason: 'stop' | 'length';
}

/**
 * Applies `stop` and `max_tokens` (Inference API, Chat request). The text ends before the first stop sequence.
 */
export function limitText(
  text: string,
  limits: { stop?: string | readonly string[] | null; max_tokens?: number | null },
): LimitedText {
  const sequences = typeof limits.stop === 'string' ? [limits.stop] : (limits.stop ?? []);
  const end = sequences
    .filter((sequence) => sequence !== '')
    .map((sequence) => text.indexOf(sequence))
    .filter((at) => at >= 0)
    .reduce((first, at) => Math.min(first, at), text.length);
  const ended = text.slice(0, end);
  const tokens = tokenize(ended);
  const maxTokens = limits.max_tokens ?? Infinity;
  if (tokens.length <= maxTokens) return { text: ended, count: tokens.length, finishReason: 'stop' };
  return { text: tokens.slice(0, maxTokens).join(''), count: maxTokens, finishReason: 'length' };
}
