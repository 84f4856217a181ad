import type { CompletionRequest } from '../../../api/schema/inference/schemas.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { countTokens, tokenize } from '../tokenizer.ts';
import { usageOf, type WireCompletion, type WireUsage } from '../wire.ts';
import { answerQuestion } from './guideAnswer.ts';
import { contextCharacters, contextTokens, notAModel } from './guideReply.ts';
import { limitText, type LimitedText } from './limitText.ts';
import { writtenAnswer } from './writtenAnswer.ts';

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
