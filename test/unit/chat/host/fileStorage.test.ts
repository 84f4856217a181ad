import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { FileStorage } from '../../../../src/chat/host/fileStorage.ts';
import { recordSyncs } from '../../../support/diskWrites.ts';
import { eventually } from '../../../support/eventually.ts';

describe('fileStorage', () => {
  let folder: string;
  let storage: FileStorage;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-history-'));
    storage = new FileStorage(path.join(folder, 'chat'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('makes its folder, appends, reads, renames and removes', async () => {
    assert.deepEqual(await storage.list(), []);
    await storage.append('a.jsonl', 'Zürich\n');
    await storage.append('a.jsonl', '2\n');
    assert.equal(await storage.read('a.jsonl'), 'Zürich\n2\n');
    await storage.rename('a.jsonl', 'a.jsonl.deleted');
    assert.deepEqual(
      (await storage.list()).map((file) => file.name),
      ['a.jsonl.deleted'],
    );
    await storage.remove('a.jsonl.deleted');
    await storage.remove('a.jsonl.deleted');
    assert.deepEqual(await storage.list(), []);
  });

  it('lists what is there while files come and go', async () => {
    await storage.append('stays.jsonl', '1\n');
    const drafts = Array.from({ length: 100 }, (_, index) => `${index}.draft.json`);
    for (let round = 0; round < 10; round += 1) {
      for (const name of drafts) await writeFile(path.join(folder, 'chat', name), '{}');
      const listing = storage.list();
      await Promise.all(drafts.map((name) => storage.remove(name)));
      assert.ok((await listing).some(({ name }) => name === 'stays.jsonl'));
    }
  });

  it('is not followed where it cannot be watched, and goes on without', async () => {
    await writeFile(path.join(folder, 'file'), '');
    const stop = new FileStorage(path.join(folder, 'file', 'chat')).watch(() => assert.fail('nothing changes there'));
    stop();
  });

  it('replaces a draft as a whole, and leaves nothing else behind', async () => {
    await storage.replace('a.draft.json', '{"text":"long"}');
    await storage.replace('a.draft.json', '{}');
    assert.equal(await storage.read('a.draft.json'), '{}');
    assert.deepEqual(await readdir(path.join(folder, 'chat')), ['a.draft.json']);
    await assert.rejects(async () => storage.replace('../a.draft.json', 'x'), /not the name/);
  });

  it('writes for the user alone', async function () {
    if (process.platform === 'win32') this.skip();
    await storage.append('a.jsonl', 'x\n');
    assert.equal((await stat(path.join(folder, 'chat', 'a.jsonl'))).mode & 0o077, 0);
  });

  it('has on the disk what it says that it has written', async function () {
    if (process.platform !== 'linux') this.skip();
    const syncs = await recordSyncs(async () => {
      await storage.append('a.jsonl', '1\n');
      await storage.append('a.jsonl', '2\n');
    });
    const file = path.join(folder, 'chat', 'a.jsonl');
    assert.deepEqual(syncs, [
      { path: file, content: '1\n' },
      { path: file, content: '1\n2\n' },
    ]);
  });

  it('never leaves its folder', async () => {
    await writeFile(path.join(folder, 'outside.jsonl'), 'secret');
    for (const name of [
      '../outside.jsonl',
      '/etc/passwd',
      'a/../../outside.jsonl',
      '..',
      '',
      'a.json',
      'a.jsonl/b',
      'con:.jsonl',
      '.jsonl',
      `${'x'.repeat(101)}.jsonl`,
    ]) {
      await assert.rejects(async () => storage.read(name), /not the name/, name);
      await assert.rejects(async () => storage.append(name, 'x'), /not the name/, name);
      await assert.rejects(async () => storage.rename('a.jsonl', name), /not the name/, name);
      await assert.rejects(async () => storage.remove(name), /not the name/, name);
    }
    assert.deepEqual(await readdir(folder), ['outside.jsonl']);
  });

  it('makes its folder to be watched, and tells of what comes, until it is left', async () => {
    const seen: string[] = [];
    const stop = storage.watch((name) => seen.push(name));
    await writeFile(path.join(folder, 'chat', 'b.jsonl'), '1');
    await eventually(() => assert.ok(seen.includes('b.jsonl'), seen.join()));
    stop();
    await new Promise((resolve) => setImmediate(resolve));
    seen.length = 0;
    await writeFile(path.join(folder, 'chat', 'c.jsonl'), '1');
    assert.deepEqual((await storage.list()).map(({ name }) => name).toSorted(), ['b.jsonl', 'c.jsonl']);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, []);
  });

  it('lists files alone, and leaves nothing of a draft that could not be put in its place', async () => {
    await storage.append('a.jsonl', '1');
    await mkdir(path.join(folder, 'chat', 'b.jsonl'));
    assert.deepEqual(
      (await storage.list()).map(({ name }) => name),
      ['a.jsonl'],
    );
    await mkdir(path.join(folder, 'chat', 'c.draft.json', 'in the way'), { recursive: true });
    await assert.rejects(storage.replace('c.draft.json', '{}'));
    assert.deepEqual((await readdir(path.join(folder, 'chat'))).toSorted(), ['a.jsonl', 'b.jsonl', 'c.draft.json']);
  });
});
