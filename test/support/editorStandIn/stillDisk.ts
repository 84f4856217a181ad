import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

/** For a suite: paths are real as they are. The disk would answer in its own time, and what a page does would come in another order each time. */
export function useStillDisk(): void {
  let realpath: { mock: { restore(): void } };
  before(() => {
    realpath = mock.method(fs, 'realpath', async (name: unknown) => String(name));
    syncBuiltinESMExports();
  });
  after(() => {
    realpath.mock.restore();
    syncBuiltinESMExports();
  });
}
