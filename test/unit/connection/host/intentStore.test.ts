import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Intent } from '../../../../src/api/index.ts';
import { FileIntentStore } from '../../../../src/connection/host/intentStore.ts';

describe('FileIntentStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-intents-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const intent = (token: string, createdAt: number): Intent => ({ token, operation: 'jobs/run-now', body: `{"job_id":9007199254740993,"idempotency_token":${JSON.stringify(token)}}`, profile: 'p', createdAt });

  it('gives back what was saved, oldest first, under any token', async () => {
    const store = new FileIntentStore(path.join(folder, 'deep', 'er'));
    assert.deepEqual(await store.list(), []);
    for (const [index, token] of ['../../up', 'a/b', 'ü"\n', ''].entries()) await store.save(intent(token, 10 - index));
    assert.deepEqual((await store.list()).map((one) => one.token), ['', 'ü"\n', 'a/b', '../../up']);
    await store.settle('a/b');
    await store.settle('a/b');
    assert.equal((await store.list()).length, 3);
    assert.deepEqual(await readdir(folder), ['deep']);
  });

  it('is readable by its owner only, and leaves no draft', async () => {
    const store = new FileIntentStore(folder);
    await store.save(intent('t', 1));
    const [name = ''] = await readdir(folder);
    assert.match(name, /^[0-9a-f]{32}\.json$/);
    if (process.platform !== 'win32') assert.equal((await stat(path.join(folder, name))).mode & 0o777, 0o600);
  });

  it('passes over what is no intent', async () => {
    const store = new FileIntentStore(folder);
    await store.save(intent('t', 1));
    for (const [name, text] of [['a.json', '{"token":'], ['b.json', '[]'], ['c.json', 'null'], ['d.json', '{"token":"x","operation":"jobs/delete","body":"{}","profile":"p","createdAt":1}'], ['e.draft', '{}']] as const) await writeFile(path.join(folder, name), text);
    assert.deepEqual((await store.list()).map((one) => one.token), ['t']);
  });
});
