import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../../src/shared/log.ts';
import { databaseFileName } from '../../../../src/service/store/databaseFileName.ts';
import { openStore } from '../../../../src/service/store/store.ts';

describe('the database of the service', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const job = (name: string) => ({ settings: JSON.stringify({ name }), creator: 'x', createdAt: 1 });

  it('stores all of a transaction or none of it, also of one within another', () => {
    const data = join(folder, 'data');
    const store = openStore(data);
    assert.throws(() => store.transaction(() => {
      store.jobs.insert(job('lost'), undefined);
      store.transaction(() => store.facts.set('port', '1'));
      throw new Error('in the middle');
    }), /in the middle/);
    assert.deepEqual([store.jobs.count(), store.facts.get('port')], [0, undefined]);
    store.transaction(() => store.jobs.insert(job('kept'), undefined));
    store.close();
    const again = openStore(data);
    assert.deepEqual([again.jobs.count(), again.facts.get('port')], [1, undefined]);
    again.close();
  });

  it('is on the disk before anything is answered: write-ahead log, full sync', () => {
    const store = openStore(join(folder, 'data'));
    const ask = (name: string): unknown => Object.values(store.database.connection.prepare(`PRAGMA ${name}`).get() as object)[0];
    assert.deepEqual([ask('synchronous'), ask('journal_mode'), ask('locking_mode')], [2, 'wal', 'exclusive']);
    store.close();
  });

  it('lies in a folder that only its owner can read', function () {
    if (process.platform === 'win32') this.skip();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const mode = (path: string): number => statSync(path).mode & 0o777;
    const fresh = join(folder, 'fresh');
    openStore(fresh, logger).close();
    assert.deepEqual([mode(fresh), warnings], [0o700, []]);
    chmodSync(fresh, 0o755);
    openStore(fresh, logger).close();
    assert.equal(mode(fresh), 0o700);
    assert.match(warnings.join(), /could be read by other users of this machine \(mode 755\)\. It is now readable by you only/);
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    writeFileSync(join(shared, 'of-somebody-else'), '');
    openStore(shared, logger).close();
    assert.equal(mode(shared), 0o777);
    assert.match(warnings.at(-1) ?? '', /is shared or holds other files, so its mode was left/);
    const sticky = join(folder, 'sticky');
    mkdirSync(sticky);
    chmodSync(sticky, 0o1777);
    openStore(sticky, logger).close();
    assert.equal(statSync(sticky).mode & 0o7777, 0o1777);
  });

  it('has its name only once it is whole, and leaves no draft', () => {
    writeFileSync(join(folder, `${databaseFileName}.new-999999999`), 'of a service that was killed');
    const store = openStore(folder);
    assert.deepEqual(readdirSync(folder).filter((name) => name.includes('.new-')), []);
    store.close();
  });
});
