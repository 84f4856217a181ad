import type { CompletionRequest } from '../../../api/schema/inference/schemas.ts';
import { stringifyJson } from '../../../shared/json.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { countTokens, tokenize } from '../tokenizer.ts';
import { usageOf, type WireCompletion, type WireUsage } from '../wire.ts';

/** Begins every answer of the built-in endpoints. */
export const notAModel =
  'This endpoint is built in, to try out the API. It is not a language model: it repeats what it is sent.';

/** Context length of the built-in endpoints, in tokens. */
export const contextTokens = 32_768;

/** Maximum characters of a conversation: whitespace costs no tokens, so the token limit alone does not bound it. */
export const contextCharacters = 500_000;

/** The completion of one prompt. All `n` choices are identical. */
export interface CompletionDraft extends LimitedText {
  readonly before: string;
  readonly after: string;
}

export interface CompletionDrafts {
  /** One draft per prompt, in order. */
  readonly drafts: CompletionDraft[];
  readonly usage: WireUsage;
}

export interface CompletionTask {
  readonly request: CompletionRequest;
  readonly head: Omit<WireCompletion, 'choices' | 'usage'>;
}

/**
 * Drafts the completions of all prompts. Returns the drafts for a stream, otherwise the response as JSON. Runs on a thread, because the
 * prompts can take arbitrarily long.
 */
export function draftCompletions({ request, head }: CompletionTask): CompletionDrafts | Uint8Array {
  const prompts = typeof request.prompt === 'string' ? [request.prompt] : request.prompt;
  const copies = request.n ?? 1;
  const fitted = prompts.map((prompt) => fitPrompt(prompt, request, head.model));
  const drafts = fitted.map((prompt) => draftCompletion(prompt, request));
  const usage = usageOf(sum(fitted.map(countTokens)), copies * sum(drafts.map((draft) => draft.count)));
  const length = copies * sum(drafts.map(({ before, text, after }) => before.length + text.length + after.length));
  const whole = (): WireCompletion => ({
    ...head,
    choices: drafts.flatMap(({ before, text, after, finishReason }, index) =>
      Array.from({ length: copies }, () => ({ index, text: before + text + after, finish_reason: finishReason })),
    ),
    usage,
  });
  return writtenAnswer(length, request.stream === true ? undefined : whole) ?? { drafts, usage };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Cuts a prompt that exceeds the context at its start, or throws (Inference API, Errors rule 1). */
function fitPrompt(prompt: string, request: CompletionRequest, model: string): string {
  if (prompt.length > contextCharacters && request.error_behavior !== 'truncate') {
    throw invalidModelParameter(
      `A prompt has ${prompt.length} characters; ${model} reads at most ${contextCharacters}. Shorten it, or set error_behavior to truncate.`,
    );
  }
  const tokens = tokenize(prompt.slice(-contextCharacters));
  if (tokens.length <= contextTokens) return tokens.join('');
  if (request.error_behavior === 'truncate') return tokens.slice(-contextTokens).join('');
  throw invalidModelParameter(
    `A prompt has ${tokens.length} tokens; the context length of ${model} is ${contextTokens}. Shorten it, or set error_behavior to truncate.`,
  );
}

function draftCompletion(prompt: string, request: CompletionRequest): CompletionDraft {
  const text = `${/(?:^|\s)$/.test(prompt) ? '' : '\n\n'}${notAModel}\n\n${prompt}`;
  return { ...limitText(text, request), before: request.echo === true ? prompt : '', after: request.suffix ?? '' };
}

export interface LimitedText {
  readonly text: string;
  /** Number of tokens in the text. */
  readonly count: number;
  readonly finishReason: 'stop' | 'length';
}

/** Applies `stop` and `max_tokens` (Inference API, Chat request). Cuts the text before the first stop sequence. */
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

/** Maximum characters in all choices together. A longer stream would take minutes. */
const maxAnswerLength = 32 * 1024 * 1024;

/**
 * Returns the response as bytes, or `undefined` if there is nothing to encode.
 * @param length total number of characters
 * @throws AppError with status 400 if the length exceeds the maximum
 */
export function writtenAnswer(length: number, answer: (() => object) | undefined): Uint8Array | undefined {
  if (length > maxAnswerLength)
    throw invalidModelParameter(
      `The answer would have ${length} characters; at most ${maxAnswerLength} are given at once. Lower n, or send fewer or shorter prompts.`,
    );
  return answer && new TextEncoder().encode(stringifyJson(answer()));
}
