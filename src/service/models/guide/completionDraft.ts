import type { CompletionRequest } from '../../../api/schema/inference/schemas.ts';
import { stringifyJson } from '../../../shared/json.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { countTokens, tokenize } from '../tokenizer.ts';
import { usageOf, type WireCompletion, type WireUsage } from '../wire.ts';
import { answerQuestion } from './guideAnswer.ts';
import { contextCharacters, contextTokens, notAModel } from './guideReply.ts';

/** The completion of one prompt; each of its n times is the same. */
export interface CompletionDraft extends LimitedText {
  readonly before: string;
  readonly after: string;
}

export interface CompletionDrafts {
  /** In the order of the prompts. */
  readonly drafts: CompletionDraft[];
  readonly usage: WireUsage;
}

export interface CompletionTask {
  readonly request: CompletionRequest;
  readonly nowInMs: number;
  readonly head: Omit<WireCompletion, 'choices' | 'usage'>;
}

/**
 * The completions of all prompts: for a stream as drafts, otherwise as JSON that is written already. Runs in a thread: the
 * prompts may take any time.
 */
export function draftCompletions({ request, nowInMs, head }: CompletionTask): CompletionDrafts | Uint8Array {
  const prompts = typeof request.prompt === 'string' ? [request.prompt] : request.prompt;
  const copies = request.n ?? 1;
  const fitted = prompts.map((prompt) => fitPrompt(prompt, request, head.model));
  const drafts = fitted.map((prompt) => draftCompletion(prompt, request, nowInMs));
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

/** Inference API, Errors rule 1: a prompt beyond the context is an error, or is cut at its beginning. */
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

function draftCompletion(prompt: string, request: CompletionRequest, nowInMs: number): CompletionDraft {
  const text = request.use_raw_prompt === true ? prompt : withoutLabels(prompt);
  const { found, isUnsure, markdown } = answerQuestion({ text, before: '', first: false, toolResults: [] }, nowInMs);
  // What goes on from a prompt asks nothing back, and guesses at nothing.
  const answer =
    found && isUnsure !== true
      ? markdown
      : `${notAModel} I cannot continue this prompt: choose an endpoint that completes with one.`;
  const joined = prompt === '' || /\s$/.test(prompt) ? answer : `\n\n${answer}`;
  return { ...limitText(joined, request), before: request.echo === true ? prompt : '', after: request.suffix ?? '' };
}

/** Prompts for completion models often carry the labels of a dialogue, which are not part of the question. */
function withoutLabels(prompt: string): string {
  const question = prompt.replace(/^\s*(?:q|question|user|human|instruction)\s*:\s*/i, '');
  const ending = question.trimEnd();
  const label = /(?<=^|\n)[ \t]*(?:a|answer|assistant|response)[ \t]*:$/i.exec(ending);
  return label ? ending.slice(0, label.index).trimEnd() : question;
}

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

/** Characters of all choices together: a stream of more would go on for minutes. */
const maxAnswerLength = 32 * 1024 * 1024;

/**
 * An answer as the bytes that are sent; undefined if it is sent in another way.
 * @param length characters of all that it holds @throws AppError with status 400 if that is too much
 */
export function writtenAnswer(length: number, answer: (() => object) | undefined): Uint8Array | undefined {
  if (length > maxAnswerLength)
    throw invalidModelParameter(
      `The answer would have ${length} characters; at most ${maxAnswerLength} are given at once. Lower n, or send fewer or shorter prompts.`,
    );
  return answer && new TextEncoder().encode(stringifyJson(answer()));
}
