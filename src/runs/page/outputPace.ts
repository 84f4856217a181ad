/** How often the page of a run polls, and how fast it sends output. */
export const pollInMs = { local: 1000, remote: 4000 } as const;
/**
 * Minimum time between two pieces of a growing output: too short to notice, and long enough for whole lines. An output that nobody can
 * follow needs fewer updates, because drawing them would delay its lines.
 */
export const pieceGapInMs = { readable: 40, quick: 70 } as const;
export const quickCharacters = 16_000;
/** Maximum number of unacknowledged pieces: while the page draws one the next is read, and a slow page is not flooded. */
export const maxUntaken = 2;
/** A page that is this far behind also gets the newest lines, at this interval, until it has almost caught up. */
export const tail = { behindBytes: 1_000_000, nearBytes: 200_000, bytes: 32_000, everyInMs: 250 } as const;
export const failurePauseInMs = { first: 2000, max: 30_000 } as const;
export const attemptsLookedThrough = 100;
/** How often ages, which are shown in minutes, are refreshed. */
export const agesInMs = 30_000;
