/** Requests the first item at once, so that a rejected request rejects here and not in the middle of a stream. */
export async function primed<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await source.next();
  return (async function* () {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* source;
    } finally {
      // The reader may leave before the source was read further.
      await source.return(undefined);
    }
  })();
}

/** Yields the items of several sources as they arrive. Leaving the loop, or a failure of one source, ends all. */
export async function* merged<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const next = (index: number): Promise<{ index: number; result: IteratorResult<T> }> =>
    (sources[index] as AsyncGenerator<T>).next().then((result) => ({ index, result }));
  const waiting = new Map(sources.map((_source, index) => [index, next(index)]));
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      if (result.done === true) {
        waiting.delete(index);
        continue;
      }
      waiting.set(index, next(index));
      yield result.value;
    }
  } finally {
    // Their remaining results and failures no longer matter.
    for (const pending of waiting.values()) pending.catch(() => undefined);
    await Promise.allSettled(sources.map((source) => source.return(undefined)));
  }
}

/** Returns the results of `work` for each item, in order, with at most `limit` at a time. The first failure rejects. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
