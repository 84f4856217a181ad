import * as z from 'zod';
import { field, maybe } from '../field.ts';

/** Inference API, Usage. */
export const usage = z.looseObject({
  completion_tokens: maybe(field(z.number(), 'Number of generated tokens. Absent from embedding responses.')),
  prompt_tokens: maybe(
    field(z.number(), 'Number of tokens from the input prompts, with all text added by the server.'),
  ),
  total_tokens: maybe(field(z.number(), 'Total number of tokens.')),
});
