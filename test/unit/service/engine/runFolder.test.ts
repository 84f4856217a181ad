import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeRunFolder, runFolder } from '../../../../src/service/engine/runStart.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';

describe('the folder of a run', () => {
  let data: string;
  let warned: string[];
  const logger = { ...silentLogger, warn: (text: string) => void warned.push(text) };
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'millrace-folder-'));
    warned = [];
  });
  afterEach(() => rmSync(data, { recursive: true }));

  it('is its own, among those of the others', () => {
    assert.equal(runFolder('/data', '12'), join('/data', 'runs', '12'));
  });

  it('is removed with all that is in it, and nothing else', async () => {
    for (const runId of ['4', '5']) {
      mkdirSync(join(runFolder(data, runId), 'deep'), { recursive: true });
      writeFileSync(join(runFolder(data, runId), 'deep', 'stdout.log'), 'out');
    }
    removeRunFolder(data, '4', logger);
    removeRunFolder(data, '6', logger);
    await eventually(() => assert.deepEqual(readdirSync(join(data, 'runs')), ['5']));
    assert.ok(existsSync(join(runFolder(data, '5'), 'deep', 'stdout.log')));
    assert.deepEqual(warned, [], 'one that left none is no fault');
  });

  it('that cannot be removed is told of in the log', async () => {
    removeRunFolder(data, '\0', logger);
    await eventually(() => assert.equal(warned.length, 1));
    assert.match(warned[0] ?? '', /^The folder of run \0 could not be removed: /);
  });
});
