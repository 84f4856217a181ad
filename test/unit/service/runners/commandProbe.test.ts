import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findOnPath, isExecutable, probeCommand } from '../../../../src/service/runners/commandProbe.ts';

describe('what commands this machine has', () => {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-probe-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const program = (path: string, mode = 0o755): string => {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, mode);
    return file;
  };

  it('is the first on the PATH that can be run', async () => {
    program('a/tool', 0o644);
    const [second, third] = [program('b/tool'), program('c/tool')];
    const on = (...folders: string[]): string => folders.map((name) => name && join(folder, name)).join(delimiter);
    assert.equal(await findOnPath('tool', { PATH: on('none', 'a', '', 'b', 'c') }), second);
    assert.equal(await findOnPath('tool', { Path: on('c', 'b') }), third, 'as Windows writes it');
    const before = process.cwd();
    // An empty entry is not the folder in which the program stands.
    process.chdir(join(folder, 'b'));
    try {
      for (const environment of [{ PATH: on('none', 'a') }, { PATH: on('', 'a', '') }, { PATH: '' }, {}])
        assert.equal(await findOnPath('tool', environment), undefined);
    } finally {
      process.chdir(before);
    }
    assert.deepEqual(
      [
        await isExecutable(second),
        await isExecutable(join(folder, 'a/tool')),
        await isExecutable(join(folder, 'gone')),
      ],
      [true, false, false],
    );
  });

  it('is told with all that a command prints, and whether it went well', async () => {
    const script = (text: string): string[] => ['-e', text];
    const said = await probeCommand(process.execPath, script("console.log('out'); console.error('err')"));
    assert.deepEqual([said.ok, [...said.text.matchAll(/out|err/g)].flat()], [true, ['out', 'err']]);
    const failed = await probeCommand(process.execPath, script("console.log('out'); process.exit(3)"));
    assert.deepEqual([failed.ok, failed.text], [false, 'out\n']);
    const own = await probeCommand(process.execPath, script('console.log(process.env.OWN, process.env.HOME)'), {
      environment: { OWN: '1' },
    });
    assert.equal(own.text, '1 undefined\n');
  });

  it('is nothing where a command is not there, takes too long, or nobody waits for it any more', async () => {
    assert.equal((await probeCommand(join(folder, 'gone'), [])).ok, false);
    const endless = ['-e', 'setInterval(() => undefined, 1000)'];
    assert.equal((await probeCommand(process.execPath, endless, { timeoutInMs: 50 })).ok, false);
    const stubborn = ["process.on('SIGTERM', () => undefined); setTimeout(() => undefined, 20_000)"];
    const startAt = performance.now();
    assert.equal((await probeCommand(process.execPath, ['-e', ...stubborn], { timeoutInMs: 1500 })).ok, false);
    assert.ok(performance.now() - startAt < 15_000, 'it is killed, whatever it does with a friendlier signal');
    const stop = new AbortController();
    const probing = probeCommand(process.execPath, endless, { signal: stop.signal });
    stop.abort();
    assert.equal((await probing).ok, false);
  });
});
