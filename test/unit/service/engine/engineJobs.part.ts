import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import { serviceStops } from '../../../../src/service/runners/runner.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { settle } from '../../../support/fakeClock.ts';
import { openEngineBench, type EngineBench } from '../support/engineBench.ts';
import { createFakeRunners } from '../support/fakeRunners.ts';

describe('what an engine does with the runs of a job', () => {
  let bench: EngineBench;
  let warnings: string[];
  let wakes: number;
  beforeEach(() => {
    [warnings, wakes] = [[], 0];
    bench = openEngineBench(createEngine, {
      notifier: {
        started: () => undefined,
        over: () => undefined,
        lastsLong: () => undefined,
        jobDeleted: () => undefined,
        wake: () => void (wakes += 1),
      },
      logger: {
        ...silentLogger,
        warn: (text) => void warnings.push(text),
        error: (text) => void warnings.push(text),
      },
    });
  });
  afterEach(() => bench.close());
  const warning = { health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 30 }] } };
  const lifeCycle = (runId: string): string | undefined => bench.engine.get(runId)?.lifeCycle;

  it('gives them another time-out: those that are going, those that wait for a place and those that wait for a retry', async () => {
    const { engine, store, clock, runners } = bench;
    const other = bench.start({ timeout_seconds: 1000 });
    const { jobId, runId } = bench.start({ timeout_seconds: 1000, max_retries: 1, max_concurrent_runs: 5 });
    const settings = store.jobs.get(jobId!)!.settings;
    const waiting = engine.start({ jobId, settings, trigger: 'ONE_TIME' });
    await clock.advance(0);
    engine.timeoutChanged(jobId!, 50);
    const timeoutOf = (id: string): unknown =>
      (JSON.parse(store.runParts.plan(id)?.settings ?? '{}') as { timeout_seconds?: number }).timeout_seconds;
    assert.deepEqual(
      [other, { runId }, waiting].map((run) => timeoutOf(run.runId)),
      [1000, 50, 50],
    );
    await clock.advance(49_999);
    assert.equal(lifeCycle(runId), 'PENDING');
    await clock.advance(1);
    assert.deepEqual(
      [bench.engine.get(runId)?.result, bench.engine.get(runId)?.message],
      ['TIMEDOUT', 'The run was ended after its time-out of 50 s.'],
    );
    assert.equal(lifeCycle(other.runId), 'PENDING');
    const task = runners.tasks.find(({ request }) => request.runId === runId);
    assert.equal(task?.signal.aborted, true);
    const late = bench.start({ max_retries: 1, min_retry_interval_millis: 600_000 });
    runners.tasks.find(({ request }) => request.runId === other.runId)?.succeed();
    await clock.advance(0);
    runners.last.fail();
    await clock.advance(0);
    engine.timeoutChanged(late.jobId!, 7);
    assert.equal(timeoutOf(late.runId), 7);
    engine.timeoutChanged(late.jobId!, undefined);
    assert.equal(timeoutOf(late.runId), 0);
  });

  it('ends those of a job that was deleted, hides them at once and removes their folders', async () => {
    const { engine, clock, runners, store } = bench;
    const { jobId, runId } = bench.start();
    const over = bench.start();
    await clock.advance(0);
    runners.last.succeed();
    await clock.advance(0);
    const folders = runners.tasks.map(({ request }) => request.folder);
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const ends = [engine.whenOver(runId), engine.whenOver(over.runId)];
    engine.jobDeleted(jobId!, [over.runId]);
    assert.deepEqual([engine.get(runId), engine.activeCount], [undefined, 1]);
    assert.equal(runners.tasks[0]?.signal.aborted, true);
    assert.throws(() => engine.cancel(runId), /does not exist/);
    await clock.advance(0);
    await clock.advance(0);
    assert.deepEqual([engine.activeCount, store.runs.get(runId)], [0, undefined]);
    await eventually(() => assert.deepEqual(folders.map(existsSync), [false, false]));
    const [going, ended] = await Promise.all(ends);
    assert.deepEqual([going?.result, going?.message, ended?.runId], ['CANCELED', 'The job was deleted.', over.runId]);
  });

  it('tells who waits for a run that it was deleted', async () => {
    const { engine, clock, runners } = bench;
    const { runId, jobId } = bench.start({ max_retries: 1, min_retry_interval_millis: 60_000 });
    await clock.advance(0);
    runners.last.fail();
    await clock.advance(0);
    const over = engine.whenOver(runId);
    engine.jobDeleted(jobId!, [runId]);
    assert.equal(await over, undefined);
    const again = engine.whenOver(runId);
    engine.delete(runId);
    assert.equal(await again, undefined);
  });

  it('cancels those of that job alone', async () => {
    const { engine, clock } = bench;
    const [one, two] = [bench.start(), bench.start()];
    await clock.advance(0);
    engine.cancelAll(one.jobId!);
    engine.cancelAll('999');
    await clock.advance(0);
    assert.deepEqual([lifeCycle(one.runId), lifeCycle(two.runId)], ['TERMINATED', 'PENDING']);
    assert.equal(engine.get(one.runId)?.message, 'The run was cancelled by a user.');
  });

  it('cancels nothing that cannot be stored, and says so to who asked', async () => {
    let isFull = false;
    const { store } = bench;
    const full = openEngineBench(createEngine, {
      store: {
        ...store,
        transaction(body) {
          if (isFull) throw new Error('the disk is full');
          return store.transaction(body);
        },
      },
    });
    const { runId, jobId } = bench.start();
    bench.engine.dispose();
    full.engine.recover(() => assert.fail('there is nothing to end'));
    isFull = true;
    assert.throws(() => full.engine.cancel(runId), /disk is full/);
    assert.throws(() => full.engine.cancelAll(jobId!), /disk is full/);
    isFull = false;
    assert.equal(full.engine.get(runId)?.lifeCycle, 'PENDING');
    await full.close();
  });

  it('names the machine of a run: the cluster of its settings, or one of its own', async () => {
    const [named, own] = [bench.start({ existing_cluster_id: 'mine' }), bench.start()];
    await bench.clock.advance(0);
    assert.deepEqual(
      [named, own].map(({ runId }) => bench.engine.get(runId)?.clusterId),
      ['mine', `local-${own.runId}`],
    );
  });

  it('lets messages go out with the start and the end of each', async () => {
    bench.start();
    assert.equal(wakes, 1);
    await bench.clock.advance(0);
    bench.runners.last.started();
    assert.equal(wakes, 2);
    bench.runners.last.succeed();
    await bench.clock.advance(0);
    assert.equal(wakes, 3);
  });

  it('counts those alone that are of the job, for what it may have', async () => {
    const { engine, store } = bench;
    const { jobId } = bench.start({ max_concurrent_runs: 1 });
    assert.equal(bench.start().lifeCycle, 'PENDING');
    const { settings } = store.jobs.get(jobId!)!;
    const skipped = engine.start({ jobId, settings, trigger: 'ONE_TIME' });
    assert.equal(skipped.lifeCycle, 'SKIPPED');
    assert.equal((await engine.whenOver(skipped.runId))?.runId, skipped.runId);
    assert.equal(engine.activeCount, 2);
  });

  it('ends their tasks with the service, and says that it is the service', async () => {
    const { engine, clock, runners, store } = bench;
    const { runId } = bench.start();
    const waiting = [bench.start(), bench.start()];
    await clock.advance(0);
    const closing = engine.close();
    assert.deepEqual(
      runners.tasks.map(({ signal }) => signal.reason as unknown),
      [serviceStops, serviceStops],
    );
    await closing;
    await engine.close();
    assert.equal(store.runs.get(runId)?.message.startsWith('The local service ended while the run was going'), true);
    assert.deepEqual(
      waiting.map((run) => store.runs.get(run.runId)?.lifeCycle),
      ['INTERNAL_ERROR', 'PENDING'],
      'nothing is lost of one that only waits',
    );
  });

  it('waits for the end of their tasks when the service ends, though not for ever', async () => {
    let isOver = false;
    const ending = Promise.withResolvers<{ resultState: 'CANCELED' }>();
    const runners = Object.assign(createFakeRunners(), { forTask: () => ({ run: () => ending.promise }) });
    const slow = openEngineBench(createEngine, { runners });
    slow.start();
    await slow.clock.advance(0);
    const closing = slow.engine.close().then(() => (isOver = true));
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(isOver, false);
    ending.resolve({ resultState: 'CANCELED' });
    await closing;
    await slow.close();
  });

  it('retries what was to be retried when an earlier service ended, and nothing after its own end', async () => {
    const { runId } = bench.start({ max_retries: 1, min_retry_interval_millis: 5000 });
    await bench.clock.advance(0);
    bench.runners.last.fail();
    await bench.clock.advance(0);
    bench.start({ timeout_seconds: 60, ...warning });
    await bench.clock.advance(0);
    bench.engine.dispose();
    assert.equal(bench.clock.pending, 0);
    const later = openEngineBench(createEngine, { store: bench.store });
    later.engine.recover(async () => undefined);
    await later.clock.advance(60_000);
    assert.deepEqual(
      later.runners.tasks.map(({ request }) => [request.attemptNumber, request.runId === runId]),
      [[1, false]],
    );
    await later.close();
  });

  it('says in the log what of an earlier service could not be ended, and takes up the rest', async () => {
    bench.start();
    await bench.clock.advance(0);
    bench.engine.dispose();
    const said: string[] = [];
    const later = createEngine({
      store: {
        ...bench.store,
        processes: {
          ...bench.store.processes,
          clear: () => {
            throw new Error('full');
          },
        },
      },
      clock: bench.clock,
      runners: bench.runners,
      notifier: {
        started: () => undefined,
        over: () => undefined,
        lastsLong: () => undefined,
        jobDeleted: () => undefined,
        wake: () => undefined,
      },
      logger: { ...silentLogger, error: (text) => void said.push(text) },
      dataFolder: '/data',
      creator: 'me',
      places: 1,
    });
    later.recover(() => Promise.reject(new Error('not permitted')));
    await settle();
    assert.deepEqual(said, [
      'What an earlier service left running could not be ended: not permitted',
      'The list of processes could not be emptied: full',
    ]);
    assert.equal(later.activeCount, 0);
    later.dispose();
  });

  it('ends nothing where an earlier service left only runs that wait', async () => {
    const { runId } = bench.start();
    bench.engine.dispose();
    const later = openEngineBench(createEngine, { store: bench.store });
    later.engine.recover(() => assert.fail('there is nothing to end'));
    assert.equal(later.engine.get(runId)?.lifeCycle, 'PENDING');
    await later.clock.advance(0);
    assert.deepEqual(
      later.runners.tasks.map(({ request }) => request.runId),
      [runId],
    );
    await later.close();
  });
});
