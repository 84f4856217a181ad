import type { AppError } from '../../../shared/errors.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { workLimitInMs } from '../modelThread.ts';

/** An answer with its sources, from which JSON answers are filled. */
export interface GuideAnswer {
  /** Whether the guide found an answer. */
  readonly found: boolean;
  /** Share of the question that it answers, 0 to 1. */
  readonly confidence: number;
  readonly markdown: string;
  /** The answer's first paragraph, without markup. */
  readonly summary: string;
  /** Named values: `path`, `type`, `default`, `example`, … */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Whether the answer may miss the question; its text says so. */
  readonly isUnsure?: boolean;
}

/** Added to the first answer of a conversation and to every answer that found nothing. */
export const notAModel =
  "I am Millrace's built-in guide: I look things up in the documentation of job files and of both APIs. I am not a language model.";

/**
 * Returns the answer for a question without results, with suggestions what to ask.
 * @param nearest titles of topics that may help
 */
export function nothingFound(text: string, nearest: readonly string[] = []): GuideAnswer {
  const line = text.trim().replace(/\s+/g, ' ');
  const shown = line.length > 80 ? `${line.slice(0, 80).trimEnd()}…` : line;
  const markdown =
    `I found nothing about ${shown === '' ? 'that' : `"${shown}"`} in the documentation of job files, runs and models. ${notAModel}\n\n` +
    (nearest.length === 0
      ? ''
      : `What comes nearest, if you ask for it in these words:\n${nearest.map((title) => `- ${title}`).join('\n')}\n\n`) +
    'You can ask me, for example:\n- Which runs failed today?\n- How do I run a job every working day at 2:30?\n- What is ' +
    '`max_retries`?\n- Write a job file for `/jobs/etl.py`, daily at 6, with 2 retries.\n- Why was my ' +
    'run skipped?\n\n' +
    'For anything else choose an endpoint with a language model; "How do I use a real language model?" tells how to add one.';
  return {
    found: false,
    confidence: 0,
    markdown,
    summary: 'Nothing was found in the documentation of job files, runs and models.',
    facts: {},
  };
}

/** Creates the error for a question, schema or pattern that exceeds the time limit. */
export function tooLong(): AppError {
  return invalidModelParameter(
    `The built-in model did not finish within ${workLimitInMs / 1000} s, and was stopped.`,
    'Shorten the request, simplify its schema and the patterns in it, or use a language model.',
  );
}

/** Context length of the built-in models, in tokens. */
export const contextTokens = 32_768;

/** Maximum characters of a conversation: whitespace costs no tokens, so the token limit alone does not bound it. */
export const contextCharacters = 500_000;
