import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { damageOf, isDamage, isEmptied, lackOf, setAside, setAsideJobs } from '../../../../src/service/store/damage.ts';
import { migrate } from '../../../../src/service/store/migrations.ts';
import { silentLogger } from '../../../../src/shared/log.ts';

describe('a database that is damaged', () => {
  it('is one without a byte, unless all that it had is still in its log', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-damage-'));
    try {
      const path = join(folder, 'db');
      writeFileSync(path, '');
      assert.equal(isEmptied(path), true);
      writeFileSync(`${path}-wal`, 'x');
      assert.equal(isEmptied(path), false);
      rmSync(`${path}-wal`);
      writeFileSync(path, 'x');
      assert.equal(isEmptied(path), false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is set aside with its log, told in plain words whatever SQLite quotes of it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-damage-'));
    try {
      const path = join(folder, 'db');
      writeFileSync(path, 'x');
      writeFileSync(`${path}-wal`, 'y');
      const { kind, message, remedy } = setAside(path, 'malformed schema (a\u0000\u001b[2J\n\ufffd\u200eb)');
      const names = readdirSync(folder).toSorted();
      assert.equal(names.length, 2);
      assert.match(names[0] ?? '', /^db\.damaged-\d{4}-\d\d-\d\dT[\d-]+Z$/);
      assert.equal(names[1], `${names[0]}-wal`);
      assert.equal(
        message,
        `The database ${path} is damaged (malformed schema (a [2J b)). It was set aside as ${names[0]}; nothing else was changed, and nothing was started.`,
      );
      assert.deepEqual([kind, remedy?.includes(`"sqlite3 ${names[0]} .recover"`)], ['unavailable', true]);
      assert.match(setAside(join(folder, 'none', '\0'), 'why').message, /is damaged \(why\)/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is one of which SQLite says so, in whatever detail, and none that is busy or full', () =>
    assert.deepEqual(
      [11, 26, 11 | (1 << 8), 5, 13, '11', undefined].map((errcode) => isDamage({ errcode })),
      [true, true, true, false, false, false, false],
    ));
});

describe('what is found in a database', () => {
  let folder: string;
  let connection: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-found-'));
    connection = new DatabaseSync(':memory:');
    migrate(connection);
  });
  afterEach(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });
  const insert = (settings: string): void =>
    void connection.prepare("INSERT INTO jobs (settings, creator, created_at) VALUES (?, 'me', 1)").run(settings);

  it('is nothing where it is whole, and the first column that is missing', () => {
    assert.deepEqual([damageOf(connection), lackOf(connection)], [undefined, undefined]);
    connection.exec('ALTER TABLE runs ADD COLUMN more TEXT');
    assert.equal(lackOf(connection), undefined, 'one too many is no lack');
    connection.exec('ALTER TABLE outbox RENAME COLUMN target TO targat');
    assert.equal(lackOf(connection), 'no column outbox.target');
  });

  /** What a database of this size and these tables is asked, where the answer to one question is another than ok. */
  function ask(pages: number, tables: readonly string[], badly?: string): [string | undefined, string[]] {
    const asked: string[] = [];
    const answers: Record<string, object> = {
      'PRAGMA page_count': { page_count: pages },
      'PRAGMA page_size': { page_size: 4096 },
    };
    const found = damageOf({
      prepare: (sql: string) => ({
        all: () => tables.map((name) => ({ name })),
        get() {
          if (sql.includes('quick_check')) asked.push(sql);
          return answers[sql] ?? { quick_check: sql === badly ? 'rows are missing' : 'ok' };
        },
      }),
    } as unknown as DatabaseSync);
    return [found, asked];
  }

  it('is looked for in all of it up to 64 MB, and beyond in the small tables that are there', () => {
    const whole = 'PRAGMA quick_check(1)';
    assert.deepEqual(ask(16_384, ['jobs']), [undefined, [whole]]);
    assert.deepEqual(ask(1, ['jobs'], whole), ['rows are missing', [whole]]);
    const checks = (...names: string[]): string[] => names.map((name) => `PRAGMA quick_check('${name}')`);
    assert.deepEqual(ask(16_385, ['jobs', 'runs', 'tokens']), [undefined, checks('sqlite_schema', 'jobs', 'tokens')]);
    const all = ['jobs', 'facts', 'plans', 'processes', 'outbox', 'tokens'];
    assert.deepEqual(ask(16_385, all.toReversed()), [undefined, checks('sqlite_schema', ...all)]);
    assert.deepEqual(ask(16_385, all, "PRAGMA quick_check('facts')"), [
      'rows are missing',
      checks('sqlite_schema', 'jobs', 'facts'),
    ]);
  });

  it('is taken out where it is a job without settings, for its owner alone to read', () => {
    for (const settings of ['{"name":"good"}', '{"name":', '[1]', '"text"', 'null']) insert(settings);
    const errors: string[] = [];
    setAsideJobs(connection, folder, { ...silentLogger, error: (text) => void errors.push(text) });
    assert.deepEqual(
      connection
        .prepare('SELECT settings FROM jobs')
        .all()
        .map((row) => row['settings']),
      ['{"name":"good"}'],
    );
    const files = readdirSync(folder).toSorted();
    assert.deepEqual(
      files.map((name) => [name, readFileSync(join(folder, name), 'utf8'), statSync(join(folder, name)).mode & 0o777]),
      [
        ['damaged-job-2.txt', '{"name":', 0o600],
        ['damaged-job-3.txt', '[1]', 0o600],
        ['damaged-job-4.txt', '"text"', 0o600],
        ['damaged-job-5.txt', 'null', 0o600],
      ],
    );
    assert.deepEqual(
      errors,
      files.map(
        (name, index) =>
          `The settings of job ${index + 2} are damaged, so the job was taken out. ` +
          `Its text is in ${join(folder, name)}: correct it and create the job again.`,
      ),
    );
  });

  it('keeps a job whose text cannot be written', () => {
    insert('[1]');
    mkdirSync(join(folder, 'damaged-job-1.txt'));
    assert.throws(() => setAsideJobs(connection, folder, silentLogger), /EISDIR/);
    assert.equal(connection.prepare('SELECT count(*) AS count FROM jobs').get()?.['count'], 1);
  });
});
