import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { localMemoryOf, memoryOf, stateFolder } from '../../../src/deployments/deployFolders.ts';
import { DeployMemory } from '../../../src/deployments/deployMemory.ts';
import { isAbort } from '../../../src/shared/errors.ts';
import { settle } from '../../support/fakeClock.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('where deploys are remembered', () => {
  const { platform } = process;
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  const on = (name: string): void => void Object.defineProperty(process, 'platform', { value: name });
  afterEach(() => {
    on(platform);
    for (const [name, value] of Object.entries({ XDG_STATE_HOME, LOCALAPPDATA }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  it('is where each system keeps such things of a user', () => {
    const home = os.homedir();
    process.env['XDG_STATE_HOME'] = '/state';
    process.env['LOCALAPPDATA'] = '/local';
    const folders = (): string[] =>
      ['linux', 'win32', 'darwin'].map((name) => {
        on(name);
        return stateFolder();
      });
    const mac = path.join(home, 'Library', 'Application Support', 'Millrace');
    assert.deepEqual(folders(), [path.join('/state', 'millrace'), path.join('/local', 'Millrace'), mac]);
    process.env['XDG_STATE_HOME'] = process.env['LOCALAPPDATA'] = '';
    const own = [path.join(home, '.local', 'state', 'millrace'), path.join(home, 'AppData', 'Local', 'Millrace'), mac];
    assert.deepEqual(folders(), own);
    delete process.env['XDG_STATE_HOME'];
    delete process.env['LOCALAPPDATA'];
    assert.deepEqual(folders(), own);
  });

  it('is a folder for each service, without its address in it, and below the data of the local one', () => {
    process.env['XDG_STATE_HOME'] = '/state';
    on('linux');
    assert.equal(
      memoryOf('https://a.example'),
      path.join('/state', 'millrace', 'deployments', digest('https://a.example').slice(0, 16)),
    );
    assert.equal(localMemoryOf('/data'), path.join('/data', 'deployments'));
  });
});

describe('deploys of files that are remembered', () => {
  let folder: string;
  let memory: DeployMemory;
  const deploy = { jobId: '7', sent: { a: 9007199254740993n }, settings: { a: 1 }, createdTime: 5 };
  const { signal } = new AbortController();
  beforeEach(() => {
    folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-kept-')));
    for (const name of ['a', 'b']) fs.writeFileSync(path.join(folder, `${name}.job.yml`), '');
    memory = new DeployMemory(path.join(folder, 'memory'));
  });
  afterEach(() => {
    mock.timers.reset();
    mock.reset();
    fs.rmSync(folder, { recursive: true });
  });
  const file = (name: string): string => path.join(folder, `${name}.job.yml`);
  const place = (name: string, ending = 'json'): string =>
    path.join(folder, 'memory', `${digest(file(name)).slice(0, 32)}.${ending}`);

  it('are a file each, of exact JSON, in a folder that is for its owner alone', () => {
    mock.timers.enable({ apis: ['Date'], now: 1000 });
    const kept = memory.remember(file('a'), deploy);
    assert.deepEqual(kept, { ...deploy, file: file('a'), at: 1000 });
    assert.deepEqual(fs.readdirSync(memory.folder), [path.basename(place('a'))]);
    assert.match(fs.readFileSync(place('a'), 'utf8'), /"sent":\{"a":9007199254740993\}/);
    if (process.platform !== 'win32') assert.equal(fs.statSync(memory.folder).mode & 0o777, 0o700);
    mock.timers.tick(10);
    assert.equal(memory.remember(file('a'), deploy).at, 1010);
    mock.timers.setTime(500);
    assert.equal(memory.remember(file('a'), deploy).at, 1011, 'a clock that was put back');
    assert.deepEqual(memory.recall(file('a')), { ...deploy, file: file('a'), at: 1011 });
    const { createdTime: _time, ...timeless } = deploy;
    memory.remember(file('a'), timeless);
    assert.equal('createdTime' in (memory.recall(file('a')) ?? {}), false);
  });

  it('are all that can be read, and nothing of what else is there', () => {
    assert.deepEqual(memory.all(), [], 'no folder yet');
    memory.remember(file('a'), deploy);
    memory.remember(file('b'), { ...deploy, jobId: '8' });
    fs.writeFileSync(path.join(memory.folder, 'draft.json.77'), fs.readFileSync(place('a')));
    fs.writeFileSync(path.join(memory.folder, 'broken.json'), '{');
    fs.writeFileSync(place('a', 'lock'), '1');
    assert.deepEqual(
      memory
        .all()
        .map(({ jobId }) => jobId)
        .sort(),
      ['7', '8'],
    );
  });

  it('are read again once another program has written them, and be it at the same moment', () => {
    memory.remember(file('a'), deploy);
    const first = memory.recall(file('a'));
    const { atimeMs, mtimeMs } = fs.statSync(place('a'));
    fs.writeFileSync(place('a'), JSON.stringify({ jobId: '12', sent: {}, settings: {} }));
    fs.utimesSync(place('a'), atimeMs / 1000, mtimeMs / 1000);
    assert.deepEqual(memory.recall(file('a')), { file: '', at: 0, jobId: '12', sent: {}, settings: {} });
    fs.rmSync(place('a'));
    assert.equal(memory.recall(file('a')), undefined);
    assert.notEqual(first, undefined);
  });

  it('keep their name where they were kept under another way to the file', () => {
    fs.symlinkSync(file('a'), path.join(folder, 'link.job.yml'));
    memory.remember(file('a'), deploy);
    assert.equal(memory.remember(path.join(folder, 'link.job.yml'), deploy).file, file('a'));
    assert.equal(memory.all().length, 1);
  });

  it('take turns: the lock is there meanwhile, given back whatever comes of it, and is of one file', async () => {
    const seen: unknown[] = [];
    await memory.inTurn(file('a'), assert.fail, signal, async () => {
      seen.push(fs.readdirSync(memory.folder), fs.readFileSync(place('a', 'lock'), 'utf8').split(' ')[0]);
      if (process.platform !== 'win32') seen.push(fs.statSync(place('a', 'lock')).mode & 0o777);
      assert.equal(await memory.inTurn(file('b'), assert.fail, signal, async () => 'other'), 'other');
    });
    assert.deepEqual(seen, [
      [path.basename(place('a', 'lock'))],
      String(process.pid),
      ...(process.platform === 'win32' ? [] : [0o600]),
    ]);
    await assert.rejects(
      memory.inTurn(file('a'), assert.fail, signal, () => Promise.reject(new Error('refused'))),
      /refused/,
    );
    assert.deepEqual(fs.readdirSync(memory.folder), []);
  });

  it('wait for their turn a tenth of a second at a time, say so once, and no longer than is wanted', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const first = Promise.withResolvers<string>();
    const long = memory.inTurn(file('a'), assert.fail, signal, () => first.promise);
    let waits = 0;
    const end = new AbortController();
    const begun: string[] = [];
    const wait = (name: string, until: AbortSignal): Promise<unknown> =>
      memory.inTurn(
        file('a'),
        () => (waits += 1),
        until,
        async () => void begun.push(name),
      );
    const second = wait('second', signal);
    const third = wait('third', end.signal);
    third.catch(() => undefined);
    for (let round = 0; round < 3; round += 1) {
      mock.timers.tick(100);
      await settle();
    }
    assert.deepEqual([waits, begun], [2, []]);
    end.abort();
    await assert.rejects(third, isAbort);
    first.resolve('done');
    assert.equal(await long, 'done');
    mock.timers.tick(99);
    await settle();
    assert.deepEqual(begun, []);
    mock.timers.tick(1);
    await second;
    assert.deepEqual([begun, waits, fs.readdirSync(memory.folder)], [['second'], 2, []]);
  });

  it('tell every two seconds that they go on', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const old = new Date(0);
    await memory.inTurn(file('a'), assert.fail, signal, async () => {
      const isTold = (): boolean => fs.statSync(place('a', 'lock')).mtimeMs > 0;
      for (let beat = 0; beat < 2; beat += 1) {
        fs.utimesSync(place('a', 'lock'), old, old);
        mock.timers.tick(1999);
        assert.equal(isTold(), false);
        mock.timers.tick(1);
        assert.equal(isTold(), true);
      }
      fs.rmSync(place('a', 'lock'));
      mock.timers.tick(2000);
    });
    fs.writeFileSync(place('a', 'lock'), `${process.pid} another`);
    fs.utimesSync(place('a', 'lock'), old, old);
    mock.timers.tick(10_000);
    assert.equal(fs.statSync(place('a', 'lock')).mtimeMs, 0, 'no more after the end');
  });

  it('give back a lock that somebody else has taken over at the same moment', async () => {
    fs.mkdirSync(memory.folder);
    fs.writeFileSync(place('a', 'lock'), `${spawnSync(process.execPath, ['-e', '']).pid} gone`);
    const rename = fs.renameSync;
    mock.method(fs, 'renameSync', (from: string, to: string) => {
      fs.writeFileSync(from, `${process.pid} another`);
      rename(from, to);
    });
    syncBuiltinESMExports();
    const end = new AbortController();
    const waiting = memory.inTurn(file('a'), () => undefined, end.signal, assert.fail);
    mock.reset();
    syncBuiltinESMExports();
    assert.equal(fs.readFileSync(place('a', 'lock'), 'utf8'), `${process.pid} another`);
    assert.deepEqual(fs.readdirSync(memory.folder), [path.basename(place('a', 'lock'))]);
    end.abort();
    await assert.rejects(waiting, isAbort);
  });

  it('wait for nobody where there can be no lock', async () => {
    fs.writeFileSync(path.join(folder, 'memory'), 'a file in its place');
    assert.equal(await memory.inTurn(file('a'), assert.fail, signal, async () => 'done'), 'done');
    assert.equal(fs.readFileSync(path.join(folder, 'memory'), 'utf8'), 'a file in its place');
  });
});
