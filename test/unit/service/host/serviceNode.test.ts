import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServiceNode } from '../../../../src/service/host/launcher.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('the Node of the local service', () => {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-node-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is the editor's own where that has the database", async () => {
    assert.equal(await findServiceNode('/the/editor', { hasDatabase: true, environment: {} }), '/the/editor');
    assert.equal(await findServiceNode('/the/editor'), '/the/editor');
  });

  it('is the one of the PATH in an editor with an older one', async () => {
    symlinkSync(process.execPath, join(folder, 'node'));
    assert.equal(
      await findServiceNode('/the/editor', { hasDatabase: false, environment: { PATH: folder } }),
      join(folder, 'node'),
    );
  });

  it('is missing in words, with what works without it', async () => {
    const missing =
      (pattern: RegExp) =>
      (error: unknown): boolean =>
        isAppError(error) &&
        error.kind === 'unavailable' &&
        pattern.test(error.message) &&
        /remote profile/.test(error.remedy ?? '');
    await assert.rejects(
      findServiceNode('/the/editor', { hasDatabase: false, environment: { PATH: folder } }),
      missing(/needs Node 22\.13 or newer.*no other Node is on the PATH/),
    );
    writeFileSync(join(folder, 'node'), '#!/bin/sh\necho 22.12.0\n');
    chmodSync(join(folder, 'node'), 0o755);
    await assert.rejects(
      findServiceNode('/the/editor', { hasDatabase: false, environment: { PATH: folder } }),
      missing(/the one on the PATH is 22\.12\.0/),
    );
  });
});
