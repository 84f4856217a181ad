/** The lists in the store. */
export type StoredList = 'jobs' | 'runs';

/** What is known of a job's runs: the newest ones, and whether there are older ones. */
export interface RunPage {
  readonly runIds: readonly string[];
  readonly hasMore: boolean;
}

export function samePage(before: RunPage | undefined, after: RunPage): boolean {
  return before !== undefined && before.hasMore === after.hasMore && before.runIds.join() === after.runIds.join();
}
