import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDamage } from '../../../../src/service/store/damage.ts';
import { databaseFileName, isDiskFull } from '../../../../src/service/store/dataFolder.ts';
import { migrate } from '../../../../src/service/store/migrations.ts';
import { openStore } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';

describe('Database', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));

  const job = (name: string) => ({ settings: JSON.stringify({ name }), creator: 'x', createdAt: 1 });

  it('stores all of a transaction or none of it, nested ones too', () => {
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

  it('is synced to disk before anything is answered', () => {
    const store = openStore(join(folder, 'data'));
    const ask = (name: string): unknown =>
      Object.values(store.database.connection.prepare(`PRAGMA ${name}`).get() as object)[0];
    assert.deepEqual([ask('synchronous'), ask('journal_mode'), ask('locking_mode')], [2, 'wal', 'exclusive']);
    store.close();
  });

  it('gets its name only once it is complete', () => {
    fs.writeFileSync(join(folder, `${databaseFileName}.new-999999999`), 'of a service that was killed');
    const store = openStore(folder);
    assert.deepEqual(
      fs.readdirSync(folder).filter((name) => name.includes('.new-')),
      [],
    );
    store.close();
  });

  it('continues after a failed transaction', () => {
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

  it('is brought to the newest version step by step, each step once', () => {
    const connection = new DatabaseSync(':memory:');
    const version = (): unknown => connection.prepare('PRAGMA user_version').get()?.['user_version'];
    migrate(connection);
    const newest = version();
    // As the first version left it.
    connection.exec(
      'DROP TABLE repairs; DROP INDEX runs_of_parent; ALTER TABLE runs DROP COLUMN task_key; ' +
        'ALTER TABLE runs DROP COLUMN repair_id; ' +
        'DROP INDEX runs_of_one_time_job; ALTER TABLE runs DROP COLUMN one_time_job_id; PRAGMA user_version = 1',
    );
    for (let time = 0; time < 2; time += 1) migrate(connection);
    assert.equal(version(), newest);
    assert.equal(connection.prepare('SELECT one_time_job_id FROM runs').get(), undefined);
    connection.close();
  });

  it('is left alone if it is of a later version', () => {
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

  it('is set aside when damaged or empty, and the next start gets a new one', () => {
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
            /was renamed to .*\.damaged-.* nothing was started\..*Start again for an empty workspace.*recover/,
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

  it('is set aside when its columns are damaged', () => {
    openStore(folder).close();
    const path = join(folder, databaseFileName);
    const text = fs.readFileSync(path, 'latin1');
    assert.ok(text.includes('running_at'));
    fs.writeFileSync(path, text.replaceAll('running_at', 'runnimg_at'), 'latin1');
    assert.throws(() => openStore(folder), /is damaged \(no column \w+\.running_at\)\. It was renamed/);
    openStore(folder).close();
  });

  it('takes out a job with damaged settings and keeps its text', () => {
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
        `The settings of job ${broken} are damaged, so the job was removed\\. .*correct it and create the job again`,
      ),
    );
    again.close();
  });
});

describe('Disk failures', () => {
  it('are told apart: full, damaged and others', () => {
    const withCode = (code: object): Error => Object.assign(new Error('x'), code);
    for (const full of [{ code: 'ENOSPC' }, { code: 'EDQUOT' }, { errcode: 13 }, { errcode: 13 + 256 }]) {
      assert.equal(isDiskFull(withCode(full)), true);
      assert.equal(isDiskFull(new Error('outer', { cause: withCode(full) })), true);
    }
    for (const other of [{ code: 'EIO' }, { errcode: 11 }, {}]) assert.equal(isDiskFull(withCode(other)), false);
    assert.equal(isDiskFull(undefined), false);
    assert.deepEqual(
      [11, 26, 11 + 256, 13, 1].map((errcode) => isDamage(withCode({ errcode }))),
      [true, true, true, false, false],
    );
    assert.equal(isDamage(withCode({ errcode: '11' })), false);
  });
});
