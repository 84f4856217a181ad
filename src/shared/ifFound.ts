import { toAppError } from './errors.ts';

/** What a service answers, or undefined if it has nothing of that id. @throws whatever else went wrong */
export async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (toAppError(error).kind === 'notFound') return undefined;
    throw error;
  }
}
