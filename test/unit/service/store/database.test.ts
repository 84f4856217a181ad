import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName, isFolderInUse } from '../../../../src/service/store/folderInUse.ts';
import { openStore } from '../../../../src/service/store/store.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';

describe('the database of the service', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'millrace-store-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const job = (name: string) => ({ settings: JSON.stringify({ name }), creator: 'x', createdAt: 1 });

  it('stores all of a transaction or none of it, also of one within another', () => {
    const data = join(folder, 'data');
    const store = openStore(data);
    assert.throws(
      () =>
        store.transaction(() => {
          store.jobs.insert(job('lost'), undefined);
          store.transaction(() => store.facts.set('port', '1'));
          throw new Error('in the middle');
        }),
      /in the middle/,
    );
    assert.deepEqual([store.jobs.count(), store.facts.get('port')], [0, undefined]);
    store.transaction(() => store.jobs.insert(job('kept'), undefined));
    store.close();
    const again = openStore(data);
    assert.deepEqual([again.jobs.count(), again.facts.get('port')], [1, undefined]);
    again.close();
  });

  it('is on the disk before anything is answered: write-ahead log, full sync', () => {
    const store = openStore(join(folder, 'data'));
    const ask = (name: string): unknown =>
      Object.values(store.database.connection.prepare(`PRAGMA ${name}`).get() as object)[0];
    assert.deepEqual([ask('synchronous'), ask('journal_mode'), ask('locking_mode')], [2, 'wal', 'exclusive']);
    store.close();
  });

  it('lies in a folder that only its owner can read', function () {
    if (process.platform === 'win32') this.skip();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const mode = (path: string): number => fs.statSync(path).mode & 0o777;
    const fresh = join(folder, 'fresh');
    openStore(fresh, logger).close();
    assert.deepEqual([mode(fresh), warnings], [0o700, []]);
    fs.chmodSync(fresh, 0o755);
    openStore(fresh, logger).close();
    assert.equal(mode(fresh), 0o700);
    assert.match(
      warnings.join(),
      /could be read by other users of this machine \(mode 755\)\. It is now readable by you only/,
    );
    const shared = join(folder, 'shared');
    fs.mkdirSync(shared);
    fs.chmodSync(shared, 0o777);
    fs.writeFileSync(join(shared, 'of-somebody-else'), '');
    openStore(shared, logger).close();
    assert.equal(mode(shared), 0o777);
    assert.match(warnings.at(-1) ?? '', /is shared or holds other files, so its mode was left/);
    const sticky = join(folder, 'sticky');
    fs.mkdirSync(sticky);
    fs.chmodSync(sticky, 0o1777);
    openStore(sticky, logger).close();
    assert.equal(fs.statSync(sticky).mode & 0o7777, 0o1777);
  });

  it('has its name only once it is whole, and leaves no draft', () => {
    fs.writeFileSync(join(folder, `${databaseFileName}.new-999999999`), 'of a service that was killed');
    const store = openStore(folder);
    assert.deepEqual(
      fs.readdirSync(folder).filter((name) => name.includes('.new-')),
      [],
    );
    store.close();
  });

  it('belongs to one service, and the second is told what to do', () => {
    const store = openStore(folder);
    assert.throws(
      () => openStore(folder),
      (error: Error & { remedy?: string }) => {
        assert.equal(isFolderInUse(error), true);
        assert.match(
          `${error.message} ${error.remedy}`,
          /is in use by another local service; this one was not started\..*another folder with --data/,
        );
        return true;
      },
    );
    store.close();
    openStore(folder).close();
  });

  it('goes on with the next transaction after one that failed', () => {
    const store = openStore(folder);
    assert.equal(
      store.transaction(() => store.transaction(() => 'inner')),
      'inner',
    );
    assert.throws(
      () =>
        store.transaction(() => {
          store.database.connection.exec('ROLLBACK');
          throw new Error('SQLite ended it by itself');
        }),
      /by itself/,
    );
    store.transaction(() => store.facts.set('a', '1'));
    assert.equal(store.facts.get('a'), '1');
    store.close();
  });

  it('of a later version is left alone', () => {
    const store = openStore(folder);
    const version = (store.database.connection.prepare('PRAGMA user_version').get() as { user_version: number })
      .user_version;
    store.database.connection.exec(`PRAGMA user_version = ${version + 1}`);
    store.close();
    assert.throws(() => openStore(folder), /written by a later version of Millrace \(\d+\); it was not opened/);
    assert.deepEqual(
      fs.readdirSync(folder).filter((name) => name.includes('damaged')),
      [],
    );
  });

  it('that is damaged or empty is set aside, and the next start has a new one', () => {
    const path = join(folder, databaseFileName);
    for (const [content, words] of [
      ['', /the file has 0 bytes/],
      ['no database at all, but long enough to be read as one'.repeat(100), /not a database/],
    ] as const) {
      fs.writeFileSync(path, content);
      assert.throws(
        () => openStore(folder),
        (error: Error & { remedy?: string }) => {
          assert.match(error.message, words);
          assert.match(
            `${error.message} ${error.remedy}`,
            /was set aside as .*\.damaged-.* nothing was started\..*Start again for an empty workspace.*recover/,
          );
          return true;
        },
      );
      assert.equal(fs.existsSync(path), false);
      const kept = fs
        .readdirSync(folder)
        .filter((name) => name.includes('.damaged-'))
        .map((name) => fs.readFileSync(join(folder, name), 'utf8'));
      assert.ok(kept.includes(content));
      openStore(folder).close();
      fs.rmSync(path);
    }
  });

  it('whose columns have lost their names is set aside, though SQLite finds nothing wrong with it', () => {
    openStore(folder).close();
    const path = join(folder, databaseFileName);
    const text = fs.readFileSync(path, 'latin1');
    assert.ok(text.includes('running_at'));
    fs.writeFileSync(path, text.replaceAll('running_at', 'runnimg_at'), 'latin1');
    assert.throws(() => openStore(folder), /is damaged \(no column \w+\.running_at\)\. It was set aside/);
    openStore(folder).close();
  });

  it('takes out a job whose settings are damaged and keeps its text', () => {
    const store = openStore(folder);
    const [good, broken, list] = ['{"name":"good"}', '{"name":', '[1]'].map((settings) =>
      store.jobs.insert({ settings, creator: 'x', createdAt: 1 }, undefined),
    );
    store.close();
    const errors: string[] = [];
    const again = openStore(folder, { ...silentLogger, error: (text: string) => void errors.push(text) });
    assert.deepEqual([again.jobs.count(), again.jobs.get(good!)?.jobId], [1, good]);
    assert.deepEqual(
      [broken, list].map((jobId) => fs.readFileSync(join(folder, `damaged-job-${jobId}.txt`), 'utf8')),
      ['{"name":', '[1]'],
    );
    assert.match(
      errors.join(),
      new RegExp(
        `The settings of job ${broken} are damaged, so the job was taken out\\. .*correct it and create the job again`,
      ),
    );
    again.close();
  });

  it('that cannot be opened is told, and is not taken for one of another service', () => {
    fs.mkdirSync(join(folder, databaseFileName));
    assert.throws(
      () => openStore(folder),
      (error) => {
        assert.ok(isAppError(error));
        assert.equal(error.kind, 'unavailable');
        assert.match(error.message, /^The database .* cannot be opened: .*\. Nothing in it was changed\.$/);
        assert.match(error.remedy ?? '', /^Make the file and its folder writable/);
        assert.equal(isFolderInUse(error), false);
        return true;
      },
    );
    assert.deepEqual(fs.readdirSync(folder), [databaseFileName]);
  });

  it('stays open for nobody where it could not be taken up', function () {
    if (process.platform !== 'linux') this.skip();
    const isOpen = (): boolean =>
      fs.readdirSync('/proc/self/fd').some((name) => {
        try {
          return fs.readlinkSync(join('/proc/self/fd', name)).startsWith(folder);
        } catch {
          return false;
        }
      });
    const store = openStore(folder);
    assert.equal(isOpen(), true);
    store.database.connection.exec('PRAGMA user_version = 99');
    store.close();
    assert.throws(() => openStore(folder), /later version/);
    assert.equal(isOpen(), false);
    const path = join(folder, databaseFileName);
    fs.writeFileSync(path, fs.readFileSync(path, 'latin1').replaceAll('running_at', 'runnimg_at'), 'latin1');
    const later = new DatabaseSync(path);
    later.exec('PRAGMA user_version = 2');
    later.close();
    assert.throws(() => openStore(folder), /is damaged/);
    assert.equal(isOpen(), false);
  });

  it('says what to do where its folder cannot be made', () => {
    fs.writeFileSync(join(folder, 'file'), '');
    assert.throws(
      () => openStore(join(folder, 'file', 'data')),
      (error: Error & { remedy?: string }) =>
        /cannot be made: .* Nothing was started\./.test(error.message) && /--data/.test(error.remedy ?? ''),
    );
  });
});
