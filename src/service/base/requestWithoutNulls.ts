import { withoutNullFields } from '../../shared/withoutNullFields.ts';
import { type ApiError, invalidParameter } from './apiError.ts';

/** Maximum nesting of lists and objects in a request. */
export const deepestNesting = 100;

export function nestedTooDeep(): ApiError {
  return invalidParameter(`The request is nested more than ${deepestNesting} levels deep. Nothing was done.`);
}

/** Removes null fields, which mean the same as absent ones; real job files hold both. @throws ApiError 400 for a value nested too deeply */
export function requestWithoutNulls<T>(value: T): T {
  return withoutNullFields(value, (depth) => {
    if (depth > deepestNesting) throw nestedTooDeep();
  });
}

/** Longer texts are processed in several turns of the event loop, so that other requests are not blocked. */
const largeText = 1_000_000;

/** Ends this turn of the event loop if the text is so long that each further step takes a while. */
export async function yieldIfLarge(text: string): Promise<void> {
  if (text.length > largeText) await new Promise((resolve) => setImmediate(resolve));
}
