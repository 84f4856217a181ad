import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDamage, isEmptied } from '../../../../src/service/store/damage.ts';

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

  it('is one of which SQLite says so, in whatever detail, and none that is busy or full', () =>
    assert.deepEqual(
      [11, 26, 11 | (1 << 8), 5, 13, '11', undefined].map((errcode) => isDamage({ errcode })),
      [true, true, true, false, false, false, false],
    ));
});
