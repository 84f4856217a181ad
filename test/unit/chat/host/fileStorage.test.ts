import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { FileStorage } from '../../../../src/chat/host/fileStorage.ts';
import { recordSyncs } from '../../../support/diskWrites.ts';
import { eventually } from '../../../support/eventually.ts';

describe('FileStorage', () => {
  let folder: string;
  let storage: FileStorage;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-history-'));
    storage = new FileStorage(path.join(folder, 'chat'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('creates its folder, appends, reads, renames and removes', async () => {
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

  it('replaces a whole draft and leaves no temporary file', async () => {
    await storage.replace('a.draft.json', '{"text":"long"}');
    await storage.replace('a.draft.json', '{}');
    assert.equal(await storage.read('a.draft.json'), '{}');
    assert.deepEqual(await readdir(path.join(folder, 'chat')), ['a.draft.json']);
    await assert.rejects(async () => storage.replace('../a.draft.json', 'x'), { kind: 'invalid' });
  });

  it('tells of the files that another window writes', async () => {
    const told: string[] = [];
    const stop = storage.watch((name) => told.push(name));
    try {
      await new FileStorage(path.join(folder, 'chat')).append('a.jsonl', 'x\n');
      await eventually(() => told.includes('a.jsonl'));
    } finally {
      stop();
    }
  });

  it('creates files that only the user can read', async function () {
    if (process.platform === 'win32') this.skip();
    await storage.append('a.jsonl', 'x\n');
    storage.note('a.tail', 'x\n', true);
    await storage.replace('a.draft.json', '{}');
    for (const name of ['a.jsonl', 'a.tail', 'a.draft.json'])
      assert.equal((await stat(path.join(folder, 'chat', name))).mode & 0o077, 0, name);
  });

  it('syncs each write to disk', async function () {
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
    const [draft, ...more] = await recordSyncs(() => storage.replace('a.draft.json', '{}'));
    assert.deepEqual([draft?.content, more], ['{}', []]);
    assert.match(
      draft?.path ?? '',
      /\/a\.draft\.json\.[^/]+$/,
      'what is there stays as long as the new one is not whole',
    );
  });

  it('never exposes a partial file, even with concurrent replacements', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `{"text":"${String(index).repeat(2000)}"}`);
    await Promise.all(texts.map((text) => storage.replace('a.draft.json', text)));
    assert.ok(texts.includes(await storage.read('a.draft.json')));
    assert.deepEqual(await readdir(path.join(folder, 'chat')), ['a.draft.json']);
  });

  it('closes every file, even after a failed write', async function () {
    if (process.platform !== 'linux') this.skip();
    const probe = await fs.promises.open(path.join(folder, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    const openFiles = (): string[] =>
      fs.readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return [fs.readlinkSync(`/proc/self/fd/${fd}`)].filter((file) => file.startsWith(folder));
        } catch {
          return [];
        }
      });
    await storage.append('a.jsonl', '1\n');
    await storage.replace('a.draft.json', '1');
    assert.deepEqual(openFiles(), []);
    const full = mock.method(prototype, 'datasync', () => Promise.reject(new Error('full')));
    try {
      await assert.rejects(storage.append('a.jsonl', '2\n'), /full/);
      await assert.rejects(storage.replace('a.draft.json', '2'), /full/);
    } finally {
      full.mock.restore();
    }
    assert.deepEqual([openFiles(), await storage.read('a.draft.json')], [[], '1']);
  });

  it('overwrites the previous note and then appends to it', async () => {
    await storage.list();
    storage.note('a.tail', 'old\nold\n', true);
    for (const [text, isFirst] of [
      ['1\n', true],
      ['2\n', false],
    ] as const)
      storage.note('a.tail', text, isFirst);
    assert.equal(await storage.read('a.tail'), '1\n2\n');
    storage.note('a.unread', '', true);
    assert.equal(await storage.read('a.unread'), '');
    assert.throws(() => storage.note('../a.tail', '', true), { kind: 'invalid' });
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
      'a.b.tail',
      'a.tail.deleted',
      'a.draft',
      '.unread',
    ]) {
      await assert.rejects(async () => storage.read(name), { kind: 'invalid' }, name);
      await assert.rejects(async () => storage.append(name, 'x'), { kind: 'invalid' }, name);
      await assert.rejects(async () => storage.rename('a.jsonl', name), { kind: 'invalid' }, name);
      await assert.rejects(async () => storage.remove(name), { kind: 'invalid' }, name);
    }
    assert.deepEqual(await readdir(folder), ['outside.jsonl']);
    await storage.list();
    await assert.rejects(async () => storage.rename('../outside.jsonl', 'a.jsonl'), { kind: 'invalid' });
    assert.equal(await readFile(path.join(folder, 'outside.jsonl'), 'utf8'), 'secret');
  });
});
