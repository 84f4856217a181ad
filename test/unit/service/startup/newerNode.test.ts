import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNewerNode, hasDatabase, oldestNode } from '../../../../src/service/startup/newerNode.ts';

describe('a Node for the service', () => {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'millrace-node-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A program that says this of itself. */
  function program(name: string, says: string, code = 0): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho '${says}'\nexit ${code}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const environment = (): NodeJS.ProcessEnv => ({ PATH: folder });

  it('is new enough from the first on that has the database', async () => {
    assert.equal(oldestNode, '22.13');
    for (const [version, isNewEnough] of [
      ['22.13.0', true],
      ['22.20.1', true],
      ['23.0.0', true],
      ['24.1.0', true],
      ['22.12.9', false],
      ['21.99.0', false],
      ['20.20.2', false],
      ['', false],
    ] as const) {
      const path = program('node', version);
      assert.deepEqual(await findNewerNode(environment()), isNewEnough ? { path } : { tooOld: version }, version);
    }
  });

  it('is none where its database was taken away, where it fails, or where it is something else', async () => {
    program('node', '24.0.0 without node:sqlite');
    assert.deepEqual(await findNewerNode(environment()), { tooOld: '24.0.0 without node:sqlite' });
    program('node', '24.0.0', 1);
    assert.deepEqual(await findNewerNode(environment()), { tooOld: '24.0.0' });
    program('node', `v24 ${'x'.repeat(60)}`);
    assert.deepEqual(await findNewerNode(environment()), { tooOld: `v24 ${'x'.repeat(36)}` });
  });

  it('is looked for on the PATH first, then where the caller knows of some', async () => {
    const further = [
      join(folder, 'not-there'),
      program('old', '18.0.0'),
      program('new', '24.0.0'),
      program('newer', '25.0.0'),
    ];
    assert.deepEqual(await findNewerNode(environment(), further), { path: join(folder, 'new') });
    assert.deepEqual(await findNewerNode(environment(), further.slice(0, 2)), { tooOld: undefined });
    const onPath = program('node', '20.0.0');
    assert.deepEqual(await findNewerNode(environment(), further.slice(0, 2)), { tooOld: '20.0.0' });
    program('node', '22.14.0');
    assert.deepEqual(await findNewerNode(environment(), further), { path: onPath });
  });

  it('is this one, which has its database', async () => {
    assert.equal(hasDatabase(), true);
    symlinkSync(process.execPath, join(folder, 'node'));
    assert.deepEqual(await findNewerNode(environment()), { path: join(folder, 'node') });
  });
});
