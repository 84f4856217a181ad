import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StopMark } from '../../../../src/service/host/stopMark.ts';
import { silentLogger } from '../../../../src/shared/log.ts';

describe('the mark that the user has stopped the service', () => {
  let folder: string;
  const said: string[] = [];
  const log = {
    ...silentLogger,
    warn: (text: string) => void said.push(text),
    debug: (text: string) => void said.push(text),
  };
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stop-'));
    said.length = 0;
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('counts for windows that were open already, until somebody starts it', () => {
    const mark = new StopMark(folder, log);
    const before = Date.now();
    assert.equal(mark.isSetSince(before), false);
    mark.set();
    assert.deepEqual([mark.isSetSince(before), mark.isSetSince(Date.now() + 1000)], [true, false]);
    assert.equal(fs.statSync(path.join(folder, 'stopped')).mode & 0o777, 0o600);
    mark.remove();
    mark.remove();
    assert.deepEqual([mark.isSetSince(before), said], [false, []]);
  });

  it('makes no folder for a service that was never used', () => {
    const missing = path.join(folder, 'never');
    new StopMark(missing, log).set();
    assert.deepEqual([fs.existsSync(missing), said], [false, []]);
  });

  it('keeps nobody from stopping or starting where it cannot be written or read', () => {
    fs.mkdirSync(path.join(folder, 'stopped', 'inner'), { recursive: true });
    const mark = new StopMark(folder, log);
    mark.set();
    mark.remove();
    assert.equal(mark.isSetSince(0), false);
    assert.match(said[0] ?? '', /stopped could not be written, so the service may be started again by itself: /);
    assert.match(said[1] ?? '', /stopped could not be removed: /);
    assert.equal(said.length, 3);
    assert.ok(
      said.every((text) => /EISDIR|ERR_FS_EISDIR|directory/i.test(text)),
      said.join('\n'),
    );
  });
});
