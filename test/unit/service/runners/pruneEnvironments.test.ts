import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentsFolder, readyFile } from '../../../../src/service/runners/libraries.ts';
import { removeSetAsideEnvironments, setAsideEnvironments } from '../../../../src/service/runners/pruneEnvironments.ts';

const dayInMs = 24 * 60 * 60 * 1000;
const nowInMs = Date.UTC(2026, 0, 31);

describe('environments of libraries that nobody uses any more', () => {
  let dataFolder: string;
  beforeEach(() => (dataFolder = mkdtempSync(join(tmpdir(), 'millrace-prune-'))));
  afterEach(() => rmSync(dataFolder, { recursive: true }));

  const names = (): string[] => readdirSync(environmentsFolder(dataFolder)).toSorted();
  /** @param usedAtInMs of one that was built to its end: when a run asked for it last */
  function make(name: string, madeAtInMs: number, usedAtInMs?: number): void {
    const folder = join(environmentsFolder(dataFolder), name);
    mkdirSync(folder, { recursive: true });
    if (usedAtInMs !== undefined) {
      writeFileSync(join(folder, readyFile), '');
      utimesSync(join(folder, readyFile), usedAtInMs / 1000, usedAtInMs / 1000);
    }
    utimesSync(folder, madeAtInMs / 1000, madeAtInMs / 1000);
  }

  it('are set aside after 30 days without a run, however old they are, and removed then', async () => {
    const old = nowInMs - 400 * dayInMs;
    make('used', old, nowInMs - 30 * dayInMs + 1000);
    make('unused', nowInMs, nowInMs - 30 * dayInMs);
    make('broken-off', nowInMs - 30 * dayInMs);
    make('being-built', nowInMs - 29 * dayInMs);
    make('removed-before', nowInMs);
    assert.equal(await setAsideEnvironments(dataFolder, nowInMs), 2);
    assert.deepEqual(names(), ['being-built', 'removed-before', 'removed-broken-off', 'removed-unused', 'used']);
    assert.equal(await setAsideEnvironments(dataFolder, nowInMs), 0);
    await removeSetAsideEnvironments(dataFolder);
    assert.deepEqual(names(), ['being-built', 'used']);
  });

  it('are none where no library was ever installed, and what cannot be read is told', async () => {
    assert.equal(await setAsideEnvironments(dataFolder, nowInMs), 0);
    await removeSetAsideEnvironments(dataFolder);
    writeFileSync(environmentsFolder(dataFolder), '');
    await assert.rejects(setAsideEnvironments(dataFolder, nowInMs), { code: 'ENOTDIR' });
    await assert.rejects(removeSetAsideEnvironments(dataFolder), { code: 'ENOTDIR' });
  });
});
