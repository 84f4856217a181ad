import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Intent } from '../../../../src/api/client/index.ts';
import { FileIntentStore } from '../../../../src/connection/host/intentStore.ts';
import type { Clock } from '../../../../src/shared/clock.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';

describe('the intent store', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));

  const intent = (token: string, createdAt: number): Intent => ({
    token,
    operation: 'jobs/run-now',
    body: `{"job_id":9007199254740993,"idempotency_token":${JSON.stringify(token)}}`,
    profile: 'p',
    createdAt,
  });

  it('returns saved intents, oldest first', async () => {
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

  it('is readable by its owner only and leaves no draft', async () => {
    const own = path.join(folder, 'own');
    const store = new FileIntentStore(own);
    await store.save(intent('t', 1));
    const [name = ''] = await readdir(own);
    assert.match(name, /^[0-9a-f]{32}\.json$/);
    if (process.platform === 'win32') return;
    assert.equal((await stat(own)).mode & 0o777, 0o700);
    assert.equal((await stat(path.join(own, name))).mode & 0o777, 0o600);
  });

  describe('with several windows', () => {
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

    it('leaves the intents of live windows and takes over abandoned ones', async () => {
      await window(1).save(intent('of 1', recent));
      await window(2).save(intent('of 2', recent + 1));
      assert.deepEqual(await tokens(window(2)), ['of 2']);
      alive.delete(1);
      assert.deepEqual(await tokens(window(2)), ['of 1', 'of 2']);
    });

    it('waits briefly for a closing window', async () => {
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

    it('takes a process from before the last boot for a dead one', async () => {
      await window(1).save(intent('of 1', recent - 10 * 365 * 86_400_000));
      assert.deepEqual(await tokens(window(2)), ['of 1']);
    });
  });

  it('skips files that are not intents', async () => {
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

  it('keeps exact digits, and reports an unreadable record', async () => {
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

  it('fails when its folder cannot be read', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await assert.rejects(new FileIntentStore(file).list(), /ENOTDIR/);
  });
});
