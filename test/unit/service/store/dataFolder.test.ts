import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from '../../../../src/service/store/database.ts';
import { databaseFileName } from '../../../../src/service/store/folderInUse.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';

describe('the data folder', () => {
  let folder: string;
  let warnings: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-data-'));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const prepare = (path: string): void =>
    prepareDataFolder(path, { ...silentLogger, warn: (text) => void warnings.push(text) });

  it('is made with those above it, and readable by its owner only', () => {
    prepare(join(folder, 'a', 'b'));
    if (process.platform !== 'win32') assert.equal(statSync(join(folder, 'a', 'b')).mode & 0o7777, 0o700);
    assert.deepEqual(warnings, []);
  });

  for (const [what, mode, names, after] of [
    ['that is closed stays as it is', 0o700, [], 0o700],
    ['that its owner alone may enter stays as it is', 0o500, ['x'], 0o500],
    ['that is empty is closed', 0o755, [], 0o700],
    ['that a group may write is closed', 0o720, [], 0o700],
    ['that others may enter is closed', 0o701, [], 0o700],
    ['with a database is closed, whatever else is there', 0o755, [databaseFileName, 'x'], 0o700],
    ['with other files stays open', 0o755, ['x'], 0o755],
    ['of many users stays open', 0o1777, [databaseFileName], 0o1777],
  ] as const)
    it(`${what} (${mode.toString(8)})`, function () {
      if (process.platform === 'win32') this.skip();
      const path = join(folder, 'data');
      mkdirSync(path);
      for (const name of names) writeFileSync(join(path, name), '');
      chmodSync(path, mode);
      prepare(path);
      assert.equal(statSync(path).mode & 0o7777, after);
      const was = `The data folder ${path} could be read by other users of this machine (mode ${mode.toString(8)})`;
      const expected =
        (mode & 0o077) === 0
          ? []
          : after === 0o700
            ? [`${was}. It is now readable by you only (mode 700).`]
            : [
                `${was} and is shared or holds other files, so its mode was left. ` +
                  `New files of the service are readable by you only; a folder of its own is better.`,
              ];
      assert.deepEqual(warnings, expected);
      chmodSync(path, 0o700);
    });

  it('that cannot be made is told, with what to do', () => {
    writeFileSync(join(folder, 'file'), '');
    const path = join(folder, 'file', 'data');
    assert.throws(
      () => prepare(path),
      (error) => {
        assert.ok(isAppError(error));
        assert.equal(error.kind, 'unavailable');
        assert.match(error.message, /^The data folder .*data cannot be made: ENOTDIR.*\. Nothing was started\.$/);
        assert.equal(error.remedy, 'Give a folder that can be written, on a disk with room, with --data.');
        return true;
      },
    );
  });
});
