import type { CompletionRequest } from '../../../api/inference/schemas.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { CompletionBackend } from '../backend.ts';
import { invalidParameter } from '../modelErrors.ts';
import { newId, usageOf, type WireCompletion } from '../wire.ts';
import { answerQuestion } from './guideAnswer.ts';
import { contextTokens } from './guideReply.ts';
import { limitText, type LimitedText } from './limitText.ts';
import { paced } from './pace.ts';
import { countTokens, tokenize } from './tokenizer.ts';

export const guideCompletionModel = 'millrace-guide-completion-1';

interface Draft extends LimitedText {
  /** Index of the prompt in the request. */
  index: number;
  before: string;
  after: string;
}

/** The built-in completion model: continues a prompt with what the documentation says about it. */
export function createGuideCompletion(clock: Clock): CompletionBackend {
  return {
    task: 'completion',
    model: guideCompletionModel,
    answer: async (request, { signal }) => {
      const prompts = typeof request.prompt === 'string' ? [request.prompt] : request.prompt;
      const fitted = prompts.map((prompt) => fitPrompt(prompt, request));
      const drafts = fitted.flatMap((prompt, index) => Array.from({ length: request.n ?? 1 }, () => draftCompletion(prompt, index, request, clock.now())));
      const usage = usageOf(fitted.reduce((sum, prompt) => sum + countTokens(prompt), 0), drafts.reduce((sum, draft) => sum + draft.tokens.length, 0));
      const head = { id: newId('cmpl'), object: 'text_completion' as const, created: Math.floor(clock.now() / 1000), model: guideCompletionModel };
      if (request.stream === true) return { kind: 'stream', chunks: streamDrafts(drafts, { ...head, usage }, { signal, clock }) };
      const choices = drafts.map(({ index, before, tokens, after, finishReason }) => ({ index, text: before + tokens.join('') + after, finish_reason: finishReason }));
      return { kind: 'json', body: { ...head, choices, usage } satisfies WireCompletion };
    },
  };
}

/** Inference API, Errors rule 1: a prompt beyond the context is an error, or is cut at its beginning. */
function fitPrompt(prompt: string, request: CompletionRequest): string {
  const tokens = tokenize(prompt);
  if (tokens.length <= contextTokens) return prompt;
  if (request.error_behavior === 'truncate') return tokens.slice(-contextTokens).join('');
  throw invalidParameter(`A prompt has ${tokens.length} tokens; the context length of ${guideCompletionModel} is ${contextTokens}. Shorten it, or set error_behavior to truncate.`);
}

function draftCompletion(prompt: string, index: number, request: CompletionRequest, nowInMs: number): Draft {
  const text = request.use_raw_prompt === true ? prompt : withoutLabels(prompt);
  const answer = answerQuestion({ text, before: '', first: false, toolResults: [] }, nowInMs).markdown;
  const joined = prompt === '' || /\s$/.test(prompt) ? answer : `\n\n${answer}`;
  return { ...limitText(joined, request), index, before: request.echo === true ? prompt : '', after: request.suffix ?? '' };
}

/** Prompts for completion models often carry the labels of a dialogue, which are not part of the question. */
function withoutLabels(prompt: string): string {
  const question = prompt.replace(/^\s*(?:q|question|user|human|instruction)\s*:\s*/i, '');
  const ending = question.trimEnd();
  const label = /(?<=^|\n)[ \t]*(?:a|answer|assistant|response)[ \t]*:$/i.exec(ending);
  return label ? ending.slice(0, label.index).trimEnd() : question;
}

async function* streamDrafts(drafts: readonly Draft[], whole: Omit<WireCompletion, 'choices'>, options: { signal?: AbortSignal; clock: Clock }): AsyncGenerator<WireCompletion> {
  const { usage, ...head } = whole;
  const chunk = (index: number, text: string, finishReason: string | null): WireCompletion => ({ ...head, choices: [{ index, text, finish_reason: finishReason }] });
  for (const [position, draft] of drafts.entries()) {
    if (draft.before !== '') yield chunk(draft.index, draft.before, null);
    for await (const token of paced(draft.tokens, options)) yield chunk(draft.index, token, null);
    const last = chunk(draft.index, draft.after, draft.finishReason);
    yield position === drafts.length - 1 ? { ...last, usage } : last;
  }
}
