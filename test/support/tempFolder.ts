import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For the tests of a suite: hands each a folder of its own, which is removed after it. */
export function eachWithTempFolder(take: (folder: string) => void): void {
  let folder: string;
  beforeEach(() => take((folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-test-'))))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}
