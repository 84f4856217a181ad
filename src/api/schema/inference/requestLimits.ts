import * as z from 'zod';
import { field, maybe } from '../field.ts';

/** Our limits for what the document leaves unlimited: each bounds the work that one request can cause. */

/** Maximum completions of one prompt, as in other services of this format. */
export const maxChoices = 128;
/** Maximum prompts of one completion request. */
export const maxPrompts = 1000;
/** Maximum completions of one request: prompts times `n`. */
export const maxCompletions = 4000;
/** Maximum texts of one embedding request, as in other services of this format. */
export const maxInputs = 2048;

/** Inference API, Usage. */
export const usage = z.looseObject({
  completion_tokens: maybe(field(z.number(), 'Number of generated tokens. Absent from embedding responses.')),
  prompt_tokens: maybe(
    field(z.number(), 'Number of tokens from the input prompts, with all text added by the server.'),
  ),
  total_tokens: maybe(field(z.number(), 'Total number of tokens.')),
});
