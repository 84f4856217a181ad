import type { Clock } from '../../shared/clock.ts';
import { ApiError } from '../base/apiError.ts';
import type { Store } from '../store/store.ts';
import { limits } from './admission.ts';

const hourInMs = 60 * 60 * 1000;

/**
 * Counts a creation against the hourly limit (Jobs API 2.0, Limits); submitted runs count too.
 * @param what the operation that the error names
 * @throws ApiError 429 after too many creations
 */
export function countCreation({ store, clock }: { store: Store; clock: Clock }, what: string): void {
  const now = clock.now();
  if (store.creations.countSince(now - hourInMs) >= limits.creationsPerHour) {
    const oldest = store.creations.oldestSince(now - hourInMs) ?? now;
    throw new ApiError(
      429,
      'REQUEST_LIMIT_EXCEEDED',
      `${limits.creationsPerHour.toLocaleString('en')} jobs were created within an hour, submitted runs among them; ${what}. Repeat the request later.`,
      {
        retryAfterInSeconds: Math.max(1, Math.ceil((oldest + hourInMs - now) / 1000)),
      },
    );
  }
  store.creations.insert(now);
}
