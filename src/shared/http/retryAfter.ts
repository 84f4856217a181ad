const delaySeconds = /^\d{1,12}(\.\d+)?$/;
/** The three date forms of HTTP begin with the day's name. */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds: seconds or a date.
 * @returns undefined if there is none, it has passed, or it says nothing that can be read
 */
export function retryAfterInMs(header: string | undefined, nowInMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (delaySeconds.test(text)) {
    const delayInMs = Math.ceil(Number(text) * 1000);
    return delayInMs > 0 ? delayInMs : undefined;
  }
  if (!httpDate.test(text)) return undefined;
  const delayInMs = Date.parse(text) - nowInMs;
  return delayInMs > 0 ? delayInMs : undefined;
}
