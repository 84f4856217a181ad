import { stringifyJson } from '../../../shared/json.ts';
import { invalidModelParameter } from '../modelErrors.ts';

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
