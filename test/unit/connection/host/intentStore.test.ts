import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Intent } from '../../../../src/api/client/index.ts';
import { FileIntentStore } from '../../../../src/connection/host/intentStore.ts';
import type { Clock } from '../../../../src/shared/clock.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { recordSyncs } from '../../../support/diskWrites.ts';

describe('FileIntentStore', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-intents-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const intent = (token: string, createdAt: number): Intent => ({
    token,
    operation: 'jobs/run-now',
    body: `{"job_id":9007199254740993,"idempotency_token":${JSON.stringify(token)}}`,
    profile: 'p',
    createdAt,
  });

  it('gives back what was saved, oldest first, under any token', async () => {
    const store = new FileIntentStore(path.join(folder, 'deep', 'er'));
    assert.deepEqual(await store.list(), []);
    for (const [index, token] of ['../../up', 'a/b', 'ü"\n', ''].entries()) await store.save(intent(token, 10 - index));
    assert.deepEqual(
      (await store.list()).map((one) => one.token),
      ['', 'ü"\n', 'a/b', '../../up'],
    );
    await store.settle('a/b');
    await store.settle('a/b');
    assert.equal((await store.list()).length, 3);
    assert.deepEqual(await readdir(folder), ['deep']);
  });

  it('is readable by its owner only, and leaves no draft', async () => {
    const own = path.join(folder, 'own');
    const store = new FileIntentStore(own);
    await store.save(intent('t', 1));
    const [name = ''] = await readdir(own);
    assert.match(name, /^[0-9a-f]{32}\.json$/);
    if (process.platform === 'win32') return;
    assert.equal((await stat(own)).mode & 0o777, 0o700);
    assert.equal((await stat(path.join(own, name))).mode & 0o777, 0o600);
  });

  it('is on the disk before it is done: the record under its passing name, then the folder that names it', async function () {
    if (process.platform !== 'linux') this.skip();
    const store = new FileIntentStore(folder);
    const [record, place, ...more] = await recordSyncs(() => store.save(intent('t', 1)));
    assert.match(record?.path ?? '', /\.draft$/);
    assert.equal((JSON.parse(record?.content ?? '') as Intent).token, 't');
    assert.deepEqual([place, ...more], [{ path: folder }]);
  });

  describe('of several windows', () => {
    let alive: Set<number>;
    let looks: number;
    const clock: Clock = {
      now: () => 1_000_000_000_000_000,
      schedule(_delayInMs, callback) {
        looks += 1;
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    };
    const window = (processId: number, isShared = true): FileIntentStore =>
      new FileIntentStore(folder, undefined, {
        processId,
        clock,
        ...(isShared ? { isAlive: (id: number) => alive.has(id) } : {}),
      });
    const recent = clock.now();
    const tokens = async (store: FileIntentStore): Promise<string[]> => (await store.list()).map(({ token }) => token);
    beforeEach(() => {
      alive = new Set([1, 2]);
      looks = 0;
    });

    it('leaves alone what another one is carrying out, and finishes what one has left', async () => {
      await window(1).save(intent('of 1', recent));
      await window(2).save(intent('of 2', recent + 1));
      assert.deepEqual(await tokens(window(2)), ['of 2']);
      alive.delete(1);
      assert.deepEqual(await tokens(window(2)), ['of 1', 'of 2']);
    });

    it('waits for a window that is about to end, and for no other long', async () => {
      await window(1).save(intent('of 1', recent));
      const listed = tokens(window(2));
      setImmediate(() => alive.delete(1));
      assert.deepEqual(await listed, ['of 1']);
      alive.add(1);
      looks = 0;
      assert.deepEqual(await tokens(window(2)), []);
      assert.ok(looks > 5 && looks < 30, `${looks}`);
      await window(1).settle('of 1');
      looks = 0;
      assert.deepEqual(await tokens(window(2)), []);
      assert.equal(looks, 0);
    });

    it("takes a process of after the machine's start for another one", async () => {
      await window(1).save(intent('of 1', recent - 10 * 365 * 86_400_000));
      assert.deepEqual(await tokens(window(2)), ['of 1']);
    });

    it("does not ask in a folder of one window's own", async () => {
      await window(1).save(intent('of 1', recent));
      assert.deepEqual(await tokens(window(2, false)), ['of 1']);
      assert.equal(looks, 0);
    });

    it('finishes what was stored without a process', async () => {
      await writeFile(path.join(folder, 'a.json'), JSON.stringify(intent('old', recent)));
      assert.deepEqual(await tokens(window(2)), ['old']);
    });
  });

  it('passes over what is no intent', async () => {
    const store = new FileIntentStore(folder);
    await store.save(intent('t', 1));
    for (const [name, text] of [
      ['a.json', '{"token":'],
      ['b.json', '[]'],
      ['c.json', 'null'],
      ['d.json', '{"token":"x","operation":"jobs/delete","body":"{}","profile":"p","createdAt":1}'],
      ['e.draft', '{}'],
      // What is still being written, or was when its program ended.
      ['f.draft', JSON.stringify(intent('half', 1))],
    ] as const)
      await writeFile(path.join(folder, name), text);
    assert.deepEqual(
      (await store.list()).map((one) => one.token),
      ['t'],
    );
  });

  it('gives back all of an intent, with its exact digits, and says of a record that it cannot be read', async () => {
    const warned: string[] = [];
    const store = new FileIntentStore(folder, { ...silentLogger, warn: (text) => void warned.push(text) });
    const submitted: Intent = { ...intent('s', 2), operation: 'jobs/runs/submit', profile: 'other' };
    for (const one of [intent('t', 1), submitted]) await store.save(one);
    assert.deepEqual(await store.list(), [intent('t', 1), submitted]);
    await store.save({ ...submitted, createdAt: 0 });
    assert.deepEqual(
      (await store.list()).map(({ token, createdAt }) => [token, createdAt]),
      [
        ['s', 0],
        ['t', 1],
      ],
    );
    assert.equal(warned.length, 0);
    for (const [name, missing] of Object.entries({
      a: 'token',
      b: 'body',
      c: 'profile',
      d: 'createdAt',
      e: 'operation',
    }))
      await writeFile(path.join(folder, `${name}.json`), JSON.stringify({ ...submitted, [missing]: undefined }));
    assert.equal((await store.list()).length, 2);
    assert.deepEqual(
      warned.toSorted((left, right) => left.localeCompare(right)),
      ['a', 'b', 'c', 'd', 'e'].map(
        (name) => `The record ${name}.json of an interrupted run could not be read and is left alone.`,
      ),
    );
  });

  it('says nothing of a record that went meanwhile, as its outcome is known, but of one that cannot be opened', async function () {
    if (process.platform === 'win32') this.skip();
    const warned: string[] = [];
    const store = new FileIntentStore(folder, { ...silentLogger, warn: (text) => void warned.push(text) });
    await store.save(intent('t', 1));
    // Listed, and not there.
    await symlink(path.join(folder, 'nowhere'), path.join(folder, 'a.json'));
    assert.deepEqual([(await store.list()).map(({ token }) => token), warned], [['t'], []]);
    await mkdir(path.join(folder, 'b.json'));
    assert.deepEqual(
      [(await store.list()).map(({ token }) => token), warned.map((text) => /record (\S+)/.exec(text)?.[1])],
      [['t'], ['b.json']],
    );
  });

  it('fails where its folder cannot be read, rather than to forget what is there', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await assert.rejects(new FileIntentStore(file).list(), /ENOTDIR/);
  });
});
