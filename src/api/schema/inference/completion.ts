import * as z from 'zod';
import { decidingText, field, maybe } from '../field.ts';
import { samplingFields } from './chat.ts';
import { maxCompletions, maxPrompts, usage } from './requestLimits.ts';

const completionRequestFields = {
  prompt: field(
    z.union([z.string(), z.array(z.string()).min(1).max(maxPrompts)]),
    `The prompts. A list sends several independent prompts in one request, at most ${maxPrompts}; with \`n\`, at most ${maxCompletions} completions.`,
  ),
  ...samplingFields,
  error_behavior: field(
    z.enum(['truncate', 'error']).optional(),
    'For time-outs and context-length-exceeded errors: `truncate` returns as many tokens as possible, ' +
      '`error` returns an error. Only on pay-per-token endpoints.',
    { default: 'error' },
  ),
  suffix: field(z.string().nullish(), 'Appended to the end of every completion.', { default: '' }),
  echo: field(z.boolean().nullish(), 'Returns the prompt together with the completion.', { default: false }),
  use_raw_prompt: field(z.boolean().nullish(), 'When true, the prompt goes to the model without any transformation.', {
    default: false,
  }),
};

/** Inference API, Completion request. */
export const completionRequest = z.looseObject(completionRequestFields).superRefine(({ prompt, n }, context) => {
  const count = (Array.isArray(prompt) ? prompt.length : 1) * (n ?? 1);
  if (count <= maxCompletions) return;
  context.addIssue({
    code: 'custom',
    path: ['n'],
    message: `${n ?? 1} for each of the prompts makes ${count} completions; at most ${maxCompletions} are allowed. Lower n, or send fewer prompts at once.`,
  });
});

/** Inference API, CompletionChoice. */
const completionChoice = z.looseObject({
  index: maybe(field(z.number(), 'Index of the prompt in the request.')),
  text: maybe(field(z.string(), 'The generated completion.')),
  finish_reason: decidingText(),
});

/** Inference API, Completion response; the chunks of a stream have the same shape. */
export const completionResponse = z.looseObject({
  id: maybe(z.string()),
  choices: maybe(z.array(completionChoice)),
  object: maybe(z.string()),
  created: maybe(field(z.number(), 'Time of generation.', { unit: 's' })),
  model: maybe(z.string()),
  usage: maybe(usage),
});

export type CompletionRequest = z.output<typeof completionRequest>;
export type CompletionResponse = z.output<typeof completionResponse>;
export type CompletionChunk = CompletionResponse;
