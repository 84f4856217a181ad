import type { AppError } from '../../../shared/errors.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { workLimitInMs } from '../modelThread.ts';

/** An answer with what it rests on, from which answers in JSON are filled. */
export interface GuideAnswer {
  /** Whether anything was found. */
  readonly found: boolean;
  /** How much of the question it answers, 0 to 1. */
  readonly confidence: number;
  readonly markdown: string;
  /** The answer's first paragraph, without markup. */
  readonly summary: string;
  /** Named values: `path`, `type`, `default`, `example`, … */
  readonly facts: Readonly<Record<string, unknown>>;
  /** It may answer something else, and says so. */
  readonly isUnsure?: boolean;
}

/** Said once in a conversation, and wherever nothing was found. */
export const notAModel =
  "I am Millrace's built-in guide: I look things up in the documentation of job files and of both APIs. I am not a language model.";

/** What is said if nothing was found: it admits that and says what can be asked. @param nearest titles that may help all the same */
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

/** A question, a schema or a pattern that is not done with in time. */
export function tooLong(): AppError {
  return invalidModelParameter(
    `The built-in model did not finish within ${workLimitInMs / 1000} s, and was stopped.`,
    'Shorten the request, simplify its schema and the patterns in it, or use a language model.',
  );
}

/** The context length of the built-in models, in tokens. */
export const contextTokens = 32_768;

/** The white space between tokens has no length of its own in tokens: this bounds it. */
export const contextCharacters = 500_000;
