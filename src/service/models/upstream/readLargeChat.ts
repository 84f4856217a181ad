import type { ChatResponse } from '../../../api/schema/inference/schemas.ts';
import { findExcess } from '../../../shared/jsonExtent.ts';
import { upstreamFailure } from '../modelErrors.ts';
import { readChat } from './received.ts';

/** Enough for the log probabilities of 20 candidates at each of several thousand tokens. */
const limits = { maxValues: 1_000_000, maxDepth: 200 };

/** Parses a whole answer that is too large to parse between other requests. Runs on a thread. */
export function readLargeChat({ text, label }: { text: string; label: string }): ChatResponse {
  const excess = findExcess(text, limits);
  if (excess !== undefined)
    throw upstreamFailure(
      'protocol',
      `${label} sent an answer with ${excess}, which is too much to be read. Ask for fewer choices, tokens or log probabilities.`,
    );
  try {
    return readChat(JSON.parse(text), label);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw upstreamFailure('protocol', `${label} sent something that is not JSON: ${text.slice(0, 120)}`, {
        cause: error,
      });
    throw error;
  }
}
