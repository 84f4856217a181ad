import type { WireLogprobs } from '../wire.ts';

const encoder = new TextEncoder();

/** The guide never chooses among candidates: every token has the probability 1, and there is no other one. */
export function logprobsOf(tokens: readonly string[], topCount: number): WireLogprobs {
  return {
    content: tokens.map((token) => {
      const entry = { token, logprob: 0, bytes: [...encoder.encode(token)] };
      return { ...entry, top_logprobs: topCount > 0 ? [entry] : [] };
    }),
  };
}
