import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markPrefix } from '../../../../src/service/runners/childEnvironment.ts';
import { runProcess, type ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import type { RunnerEvents } from '../../../../src/service/runners/runner.ts';
import { runFiles } from '../../../../src/service/runners/runOutput.ts';
import { findKeeper } from '../../../../src/service/runners/taskProcess.ts';
import { eachWithWorkbench, leftOf, type Workbench } from './workbench.ts';

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
    } = {},
  ): Promise<ProcessEnd> {
    const { log, events = {}, signal = new AbortController().signal, findKeeper: keeper } = more;
    const plan = {
      command: process.execPath,
      parameters: ['-e', code],
      cwd: bench.root,
      environment: {},
      mark: `${markPrefix(bench.dataFolder)}1`,
      folder: bench.runFolder('1'),
      log,
      graceInMs: 500,
    };
    return runProcess(plan, events, { signal, findKeeper: keeper });
  }
  const read = (name: string): Promise<string> => readFile(join(bench.runFolder('1'), name), 'utf8');
  const never = 'setInterval(() => undefined, 1e6)';

  it('has its output in one log and in one for each stream, and its end with the last of both', async () => {
    const end = await start('process.stdout.write("out\\n"); process.stderr.write("err\\n"); process.exitCode = 3');
    assert.deepEqual(end, {
      exitCode: 3,
      wasStopped: false,
      left: [],
      isOutputHeld: false,
      outputTail: 'out\n',
      errorTail: 'err\n',
    });
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
});
