import assert from 'node:assert/strict';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { settle } from '../../../support/fakeClock.ts';
import { openEngineBench, type EngineBench } from '../support/engineBench.ts';

describe('what an engine takes care of', () => {
  let bench: EngineBench;
  let warned: string[];
  let warn: () => void;
  beforeEach(() => {
    warned = [];
    warn = () => undefined;
    bench = openEngineBench(createEngine, {
      notifier: {
        started: () => undefined,
        over: () => undefined,
        lastsLong({ runId }) {
          warn();
          warned.push(runId);
        },
        jobDeleted: () => undefined,
        wake: () => undefined,
      },
    });
  });
  afterEach(() => bench.close());
  const message = (runId: string): string | undefined => bench.engine.get(runId)?.message;

  it('runs that are started at one moment, as many as there are places', async () => {
    for (let count = 0; count < 4; count += 1) bench.start();
    await bench.clock.advance(0);
    assert.equal(bench.runners.tasks.length, 2);
    bench.runners.tasks[0]?.succeed();
    await bench.clock.advance(0);
    assert.deepEqual([bench.runners.tasks.length, bench.engine.activeCount], [3, 3]);
  });

  it('runs that only wait for others, which take no place', async () => {
    const { jobId } = bench.start();
    for (let count = 0; count < 2; count += 1)
      bench.start({ spark_python_task: undefined, run_job_task: { job_id: jobId }, max_concurrent_runs: 1 });
    bench.start();
    await bench.clock.advance(0);
    assert.equal(bench.runners.tasks.length, 2);
  });

  it('a retry that is cancelled by its run: it does not come, and the run stays as it ended', async () => {
    const { runId } = bench.start({ max_retries: 1, min_retry_interval_millis: 5000 });
    await bench.clock.advance(0);
    bench.runners.last.fail();
    await bench.clock.advance(0);
    const over = bench.engine.whenOver(runId);
    bench.engine.cancel(runId);
    assert.deepEqual([(await over)?.result, bench.store.runs.earliestRetry()], ['FAILED', undefined]);
    bench.engine.cancel(runId);
    await bench.clock.advance(10_000);
    assert.equal(bench.runners.tasks.length, 1);
    assert.throws(() => bench.engine.cancel('77'), /77/);
  });

  it('a duration warning that cannot be stored: it is tried each second for as long as the run goes on', async () => {
    const health = { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 30 }] };
    const { runId } = bench.start({ health });
    await bench.clock.advance(0);
    bench.runners.last.started();
    let failures = 0;
    warn = () => {
      if (failures < 2) throw new Error(`full ${(failures += 1)}`);
    };
    await bench.clock.advance(30_100);
    assert.deepEqual([failures, warned], [1, []]);
    await bench.clock.advance(1000);
    assert.deepEqual([failures, warned], [2, []]);
    await bench.clock.advance(1000);
    assert.deepEqual(warned, [runId]);
    await bench.clock.advance(60_000);
    assert.deepEqual(warned, [runId]);

    bench.start({ health });
    failures = 0;
    await bench.clock.advance(30_100);
    bench.runners.last.succeed();
    await bench.clock.advance(5000);
    assert.deepEqual(warned, [runId], 'of a run that is over nobody is warned');
  });

  it('windows, which hear at once that a debugged run stands still, and that it goes on', async () => {
    const { runId } = bench.start({}, 'ONE_TIME', { debug: true });
    assert.deepEqual(bench.engine.debugProgress(runId), { phase: 'waiting' });
    await bench.clock.advance(0);
    bench.runners.last.started();
    await bench.clock.advance(0);
    const stamp = (): string => bench.store.changes.stamps.runs;
    const changed: boolean[] = [];
    for (const phase of ['installing', 'held', 'held', 'going', 'going', 'held', 'left'] as const) {
      const before = stamp();
      bench.runners.last.debugging({ phase });
      changed.push(stamp() !== before);
      assert.deepEqual(bench.engine.heldRuns, phase === 'held' ? [runId] : [], phase);
    }
    assert.deepEqual(changed, [false, true, false, true, false, true, true]);
  });

  it('a debugged run, whose time-out counts from when the debugger has left', async () => {
    const { runId } = bench.start({ timeout_seconds: 60 }, 'ONE_TIME', { debug: true });
    await bench.clock.advance(0);
    bench.runners.last.started();
    await bench.clock.advance(3_600_000);
    assert.equal(bench.engine.get(runId)?.lifeCycle, 'RUNNING');
    bench.runners.last.debugging({ phase: 'left' });
    await bench.clock.advance(59_000);
    assert.equal(bench.engine.get(runId)?.lifeCycle, 'RUNNING');
    await bench.clock.advance(2000);
    assert.match(message(runId) ?? '', /^The run was ended after its time-out of 60 s\./);
  });

  it('a run that waits for another as the service ends: both are lost, and none is cancelled', async () => {
    const settings = JSON.stringify({ name: 'below', spark_python_task: { python_file: '/a.py' } });
    const below = bench.store.jobs.insert({ settings, creator: 'me', createdAt: 0 }, undefined);
    const above = bench.start({ spark_python_task: undefined, run_job_task: { job_id: below } });
    await bench.clock.advance(0);
    const [child] = bench.store.runs.list({ jobId: below }, 0, 1);
    assert.ok(child !== undefined);
    await bench.clock.advance(0);
    bench.runners.last.started();
    const closing = bench.engine.close();
    await settle();
    await closing;
    for (const runId of [above.runId, child]) {
      const { lifeCycle, message: said } = bench.store.runs.get(runId) ?? {};
      assert.equal(lifeCycle, 'INTERNAL_ERROR', runId);
      assert.match(said ?? '', /^The local service ended while the run was going/, runId);
    }
  });

  it('the list of processes, which is empty once those of an earlier service were ended', async () => {
    bench.start();
    await bench.clock.advance(0);
    bench.runners.last.started();
    await bench.clock.advance(0);
    bench.engine.dispose();
    const { store } = bench;
    let cleared = 0;
    const later = openEngineBench(createEngine, {
      store: { ...store, processes: { ...store.processes, clear: () => void (cleared += 1) } },
      logger: silentLogger,
    });
    const ending = Promise.withResolvers<unknown>();
    later.engine.recover(() => ending.promise);
    await settle();
    assert.equal(cleared, 0, 'not before');
    ending.resolve(undefined);
    await settle();
    assert.equal(cleared, 1);
    await later.close();
  });
});
