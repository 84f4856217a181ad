import assert from 'node:assert/strict';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';
import { makeDatabase } from '../../../../src/service/store/database.ts';
import { migrate } from '../../../../src/service/store/migrations.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { assertApproved } from '../../../support/approved.ts';

describe('a new database', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-new-'));
    path = join(folder, 'db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const tablesOf = (connection: DatabaseSync): unknown[] =>
    connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
      .all()
      .map((row) => row['name']);

  it('is whole from the first moment, and nothing but it is left', () => {
    // A file that is open could not be removed everywhere.
    const closed = mock.method(DatabaseSync.prototype, 'close');
    makeDatabase(path);
    assert.equal(closed.mock.callCount(), 1);
    closed.mock.restore();
    assert.deepEqual(readdirSync(folder), ['db']);
    const connection = new DatabaseSync(path);
    assert.deepEqual(tablesOf(connection), [
      ...['creations', 'facts', 'jobs', 'outbox', 'outputs', 'plans', 'processes', 'runs', 'tokens'],
    ]);
    connection.close();
  });

  it('never takes the place of what is there', () => {
    writeFileSync(path, 'of another service');
    makeDatabase(path);
    assert.equal(readFileSync(path, 'utf8'), 'of another service');
  });

  for (const [what, meanwhile, length] of [
    ['is whole where the file system knows no links', () => undefined, undefined],
    ['never takes the place of what is made meanwhile', () => writeFileSync(path, 'of another service'), 18],
  ] as const)
    it(what, () => {
      const link = mock.method(fs, 'linkSync', () => {
        meanwhile();
        throw new Error('EPERM: operation not permitted, link');
      });
      syncBuiltinESMExports();
      try {
        makeDatabase(path);
      } finally {
        link.mock.restore();
        syncBuiltinESMExports();
      }
      assert.deepEqual(readdirSync(folder), ['db']);
      if (length !== undefined) return assert.equal(readFileSync(path).length, length);
      const connection = new DatabaseSync(path);
      assert.equal(tablesOf(connection).length, 9);
      connection.close();
    });

  it('removes the drafts of services that are gone, and no other file', () => {
    const kept = [`db.new-${process.ppid}`, 'db.new-x', 'db.old-4194304', 'other.new-4194304'];
    for (const name of [...kept, 'db.new-4194304', 'db.new-4194304-journal']) writeFileSync(join(folder, name), '');
    makeDatabase(path);
    assert.deepEqual(readdirSync(folder).toSorted(), ['db', ...kept].toSorted());
  });

  it('is made by the next start where a draft of its own process is damaged', () => {
    writeFileSync(`${path}.new-${process.pid}`, 'no database, '.repeat(1000));
    assert.throws(() => makeDatabase(path), /not a database/);
    assert.deepEqual(readdirSync(folder), []);
    makeDatabase(path);
    assert.deepEqual(readdirSync(folder), ['db']);
  });

  it('leaves nothing behind where it cannot be made', () => {
    assert.throws(() => makeDatabase(join(folder, 'none', 'db')));
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('the versions of a database', () => {
  const versionOf = (connection: DatabaseSync): unknown =>
    connection.prepare('PRAGMA user_version').get()?.['user_version'];

  it('are gone through one by one, each once', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection);
    assert.equal(versionOf(connection), 2);
    migrate(connection);
    assert.equal(versionOf(connection), 2);
    // As the first version left it.
    connection.exec(
      'DROP INDEX runs_of_one_time_job; ALTER TABLE runs DROP COLUMN one_time_job_id; PRAGMA user_version = 1',
    );
    migrate(connection);
    assert.equal(versionOf(connection), 2);
    assert.equal(connection.prepare('SELECT one_time_job_id FROM runs').get(), undefined);
    connection.close();
  });

  it('lead to the tables that all databases of users have', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection);
    const rows = connection.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all();
    connection.close();
    assertApproved('store-tables', `${rows.map((row) => String(row['sql'])).join('\n')}\n`);
  });

  it('are refused where they are later than this program', () => {
    const connection = new DatabaseSync(':memory:');
    connection.exec('PRAGMA user_version = 3');
    assert.throws(
      () => migrate(connection),
      (error) => {
        assert.ok(isAppError(error));
        assert.deepEqual(
          [error.kind, error.message, error.remedy],
          [
            'unavailable',
            'The data folder was written by a later version of Millrace (3); it was not opened.',
            'Update Millrace, or give another folder with --data.',
          ],
        );
        return true;
      },
    );
    connection.close();
  });
});
