import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runInNewerNode } from '../../../src/cli/runInNewerNode.ts';
import { runSource } from './sourceProgram.ts';

describe('a Node that can hold the local service', function () {
  this.timeout(60_000);
  let folder: string;
  const { argv } = process;
  const { PATH } = process.env;
  /** What stands in for Node: it says its version, and notes what it is to run. */
  const put = (file: string, version: string, then: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    const noted = join(folder, 'noted.txt');
    writeFileSync(
      file,
      `#!/bin/sh\nif [ "$1" = "-p" ]; then echo ${version}; exit 0; fi\necho "$0 $*" > ${noted}\n${then}\n`,
    );
    chmodSync(file, 0o755);
  };
  const noted = (): string | undefined => {
    const file = join(folder, 'noted.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-node-'));
    process.argv = [process.execPath, join(folder, 'a', 'b', 'millrace.js')];
    process.env['PATH'] = [join(folder, 'bin'), '/bin', '/usr/bin'].join(delimiter);
  });
  afterEach(() => {
    process.argv = argv;
    process.env['PATH'] = PATH;
    process.exitCode = undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal);
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs the same line, and this process ends as it does', async () => {
    const node = join(folder, 'bin', 'node');
    put(node, '24.1.0', 'exit 7');
    assert.equal(await runInNewerNode(['deploy', 'a.job.yml', '--yes']), true);
    assert.equal(noted(), `${node} ${process.argv[1]} deploy a.job.yml --yes`);
    assert.equal(process.exitCode, 7);
  });

  it('is looked for in the folders around the program, the nearest first', async () => {
    const [near, far] = [
      join(folder, 'a', 'node_modules', '.bin', 'node'),
      join(folder, 'node_modules', '.bin', 'node'),
    ];
    put(join(folder, 'bin', 'node'), '20.0.0', 'exit 1');
    put(far, '24.1.0', 'exit 0');
    assert.equal(await runInNewerNode(['x']), true);
    assert.deepEqual([noted(), process.exitCode], [`${far} ${process.argv[1]} x`, 0]);
    put(near, '24.1.0', 'exit 0');
    assert.equal(await runInNewerNode(['x']), true);
    assert.equal(noted(), `${near} ${process.argv[1]} x`);
  });

  it('is not there: nothing is done', async () => {
    put(join(folder, 'bin', 'node'), '20.0.0', 'exit 1');
    assert.equal(await runInNewerNode(['x']), false);
    process.argv = [process.execPath];
    put(join(folder, 'bin', 'node'), '24.1.0', 'exit 1');
    assert.equal(await runInNewerNode(['x']), false);
    assert.deepEqual([noted(), process.exitCode], [undefined, undefined]);
  });

  for (const [signal, isPassed] of [
    ['SIGTERM', true],
    ['SIGHUP', true],
    ['SIGINT', false],
  ] as const)
    it(`${isPassed ? 'is sent' : 'has its own'} ${signal}`, async () => {
      const name = signal.slice(3);
      put(
        join(folder, 'bin', 'node'),
        '24.1.0',
        `trap 'exit 9' ${name}\nfor i in $(seq 40); do sleep 0.05; done\nexit 3`,
      );
      const listeners = process.listenerCount(signal);
      const running = runInNewerNode(['x']);
      while (noted() === undefined) await delay(10);
      assert.equal(process.listenerCount(signal), listeners + 1, 'it does not end this one');
      await delay(50);
      process.emit(signal, signal);
      await running;
      assert.equal(process.exitCode, isPassed ? 9 : 3);
    });

  it('that was ended by a signal is a failure', async () => {
    put(join(folder, 'bin', 'node'), '24.1.0', 'kill -9 $$');
    assert.equal(await runInNewerNode(['x']), true);
    assert.equal(process.exitCode, 1);
  });

  it('is asked for by commands that need the service, and by no other', async () => {
    put(join(folder, 'bin', 'node'), '24.1.0', 'exit 7');
    const flags = ['--no-experimental-sqlite'];
    for (const [line, isPassedOn] of [
      [['run', 'a.job.yml'], true],
      [['deploy', 'a.job.yml', '--plan'], true],
      [['pull', '7'], true],
      [['runs'], true],
      [['logs', '5', '--follow'], true],
      [['serve', '--root', '/'], true],
      [['runs', '--url', 'http://127.0.0.1:9'], false],
      [['runs', '--url=http://127.0.0.1:9'], false],
      [['run', '--help'], false],
      [['deploy', '-h'], false],
      [['check', 'a.job.yml'], false],
      [['schema'], false],
      [['nope'], false],
      [['toString'], false],
      [[], false],
    ] as const) {
      rmSync(join(folder, 'noted.txt'), { force: true });
      const { code } = await runSource(line, { folder, flags });
      assert.deepEqual([noted() !== undefined, code === 7], [isPassedOn, isPassedOn], line.join(' '));
    }
  });

  it('is not asked for where this one can', async () => {
    put(join(folder, 'bin', 'node'), '24.1.0', 'exit 7');
    const { code, out } = await runSource(['serve', '--help'], { folder });
    assert.deepEqual([noted(), code], [undefined, 0]);
    assert.match(out, /serve/);
  });
});
