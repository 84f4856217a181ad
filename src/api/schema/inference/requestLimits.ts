import * as z from 'zod';
import { field, maybe } from '../field.ts';

/** Limits of ours, for what the document leaves unlimited: each bounds what one request can make a service do. */

/** Completions of one prompt: what other services of this format take. */
export const maxChoices = 128;
/** Prompts of one completion request. */
export const maxPrompts = 1000;
/** Completions of one request: its prompts, each n times. */
export const maxCompletions = 4000;
/** Texts of one embedding request: what other services of this format take. */
export const maxInputs = 2048;

/** Inference API, Usage. */
export const usage = z.looseObject({
  completion_tokens: maybe(field(z.number(), 'Number of generated tokens. Absent from embedding responses.')),
  prompt_tokens: maybe(
    field(z.number(), 'Number of tokens from the input prompts, with all text added by the server.'),
  ),
  total_tokens: maybe(field(z.number(), 'Total number of tokens.')),
});
