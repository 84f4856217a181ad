/** The number of cases of a test: the full count in `npm run test:long`, a smaller one otherwise. */
export function cases(full: number, quick: number): number {
  return process.env['MILLRACE_LONG'] === '1' ? full : quick;
}

/** A small generator of numbers in [0, 1) that gives the same sequence for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
