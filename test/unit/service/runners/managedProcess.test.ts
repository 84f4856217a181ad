import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { markPrefix } from '../../../../src/service/runners/childEnvironment.ts';
import { runProcess, type ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { serviceStops, type RunnerEvents } from '../../../../src/service/runners/runner.ts';
import { runFiles } from '../../../../src/service/runners/runOutput.ts';
import { findKeeper } from '../../../../src/service/runners/taskProcess.ts';
import { ended, eachWithWorkbench, leftOf, until, type Workbench } from './workbench.ts';
import './hiding.part.ts';

describe('a process of a run', function () {
  this.timeout(60_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  function start(
    code: string,
    more: {
      log?: string;
      events?: Partial<RunnerEvents>;
      signal?: AbortSignal;
      findKeeper?: () => Promise<string | undefined>;
      graceInMs?: number;
      environment?: Record<string, string>;
    } = {},
  ): Promise<ProcessEnd> {
    const { log, events = {}, signal = new AbortController().signal, findKeeper: keeper } = more;
    const plan = {
      command: process.execPath,
      parameters: ['-e', code],
      cwd: bench.root,
      environment: more.environment ?? {},
      mark: `${markPrefix(bench.dataFolder)}1`,
      folder: bench.runFolder('1'),
      log,
      graceInMs: 'graceInMs' in more ? more.graceInMs : 500,
    };
    return runProcess(plan, events, { signal, findKeeper: keeper });
  }
  const read = (name: string): Promise<string> => readFile(join(bench.runFolder('1'), name), 'utf8');
  const never = 'setInterval(() => undefined, 1e6)';

  it('has its output in one log and in one for each stream, and its end with the last of both', async () => {
    const end = await start('process.stdout.write("out\\n"); process.stderr.write("err\\n"); process.exitCode = 3');
    assert.deepEqual(end, ended({ exitCode: 3, outputTail: 'out\n', errorTail: 'err\n' }));
    assert.deepEqual([await read(runFiles.standardOutput), await read(runFiles.standardError)], ['out\n', 'err\n']);
    assert.deepEqual((await read(runFiles.output)).trim().split('\n').toSorted(), ['err', 'out']);
    await start('process.stdout.write("all"); process.stderr.write("+")', { log: 'own.log' });
    assert.match(await read('own.log'), /^(?:all\+|\+all)$/);
  });

  it('is not started for who has given up, and ended where that was while it started', async () => {
    await assert.rejects(start(never, { signal: AbortSignal.abort(new Error('before')) }), /before/);
    const controller = new AbortController();
    let spawned = false;
    const end = await start(never, {
      signal: controller.signal,
      events: { onSpawned: () => (spawned = true) },
      // Between the look at the signal and the process.
      findKeeper() {
        controller.abort();
        return findKeeper();
      },
    });
    assert.deepEqual([spawned, end.wasStopped, end.left], [true, true, []]);
    assert.equal(await leftOf(bench), 0);
  });

  it('is told of before it is counted as started, and ended where it cannot be recorded', async () => {
    const told: string[] = [];
    await start('', { events: { onSpawned: () => told.push('spawned'), onStarted: () => told.push('started') } });
    assert.deepEqual(told, ['spawned', 'started']);
    const onSpawned = (): void => {
      throw new Error('the disk is full');
    };
    await assert.rejects(start(never, { events: { onSpawned } }), /the disk is full/);
    assert.equal(await leftOf(bench), 0);
  });

  it('is in its folder with the environment that it was given, and marked', async () => {
    const code = `const { MILLRACE_RUN, A, HOME } = process.env; console.log(JSON.stringify([process.cwd(), MILLRACE_RUN, A, HOME]))`;
    const { outputTail } = await start(code, { environment: { A: '1', MILLRACE_RUN: 'of another' } });
    assert.deepEqual(JSON.parse(outputTail), [bench.root, `${markPrefix(bench.dataFolder)}1`, '1', null]);
  });

  /** Ends so long after it is asked to. */
  const slow = (delayInMs: number): string =>
    `process.on('SIGTERM', () => setTimeout(() => process.exit(7), ${delayInMs})); console.log('ready'); ${never}`;

  it('has the time to end by itself that it was given, three seconds else, and little where the service stops', async () => {
    for (const [graceInMs, delayInMs, reason, end] of [
      [undefined, 50, undefined, [7, undefined]],
      [0, 30_000, undefined, [undefined, 'SIGKILL']],
      [120_000, 90_000, serviceStops, [undefined, 'SIGKILL']],
    ] as const) {
      const controller = new AbortController();
      // A keeper that is let go while the service stops ends all at once.
      const findNone = reason && (async () => undefined);
      const running = start(slow(delayInMs), { graceInMs, signal: controller.signal, findKeeper: findNone });
      await until(() => read(runFiles.standardOutput).then(Boolean, () => false));
      controller.abort(reason);
      const { exitCode, signalName, wasStopped, left, outputTail } = await running;
      assert.deepEqual([exitCode, signalName, wasStopped, left, outputTail], [...end, true, [], 'ready\n']);
      await rm(bench.runFolder('1'), { recursive: true });
    }
    assert.equal(await leftOf(bench), 0);
  });

  it('leaves nothing behind, with a keeper and without: no process, and nobody who listens to its signal', async () => {
    for (const findNone of [undefined, async () => undefined]) {
      const { signal } = new AbortController();
      const child = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(never)}], { stdio: 'inherit' }).unref()`;
      const end = await start(`${child}; setTimeout(() => process.exit(4), 100)`, { signal, findKeeper: findNone });
      assert.deepEqual([end.exitCode, end.wasStopped, end.left, end.isOutputHeld], [4, false, [], false]);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      assert.equal(await leftOf(bench), 0);
    }
  });

  it('has all that it prints, faster than the disk writes, and its last 64 KB with its end', async () => {
    const end = await start(`process.stdout.write('x'.repeat(1e6) + 'end'); process.stderr.write('y'.repeat(1e5))`);
    assert.equal(await read(runFiles.standardOutput), `${'x'.repeat(1e6)}end`);
    assert.equal((await read(runFiles.output)).length, 1.1e6 + 3);
    assert.deepEqual([end.outputTail, end.errorTail], [`${'x'.repeat(65_533)}end`, 'y'.repeat(65_536)]);
  });
});
