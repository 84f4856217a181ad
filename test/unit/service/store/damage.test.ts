import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDamage, isEmptied, setAside } from '../../../../src/service/store/damage.ts';

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
