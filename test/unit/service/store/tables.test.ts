import assert from 'node:assert/strict';
import type { NewRun, RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { eachWithStore, listedJobs } from '../support/storeBench.ts';

describe('Stored jobs', () => {
  let store: Store;
  eachWithStore((one) => (store = one));

  const add = (settings = '{"name":"a"}', nextFireAt?: number): string =>
    store.jobs.insert({ settings, creator: 'it\'s "me"', createdAt: 5 }, nextFireAt);

  it('come back as written, the most recent first', () => {
    const [first, second] = [add('{"name":"ä", "big":9007199254740993}'), add()];
    assert.deepEqual(
      { ...store.jobs.get(first) },
      { jobId: first, settings: '{"name":"ä", "big":9007199254740993}', creator: 'it\'s "me"', createdAt: 5 },
    );
    assert.equal(
      Buffer.concat([...store.jobs.list()]).toString(),
      `{"job_id":${second},"creator_user_name":"it's \\"me\\"","run_as":"it's \\"me\\"","settings":{"name":"a"},"created_time":5},` +
        `{"job_id":${first},"creator_user_name":"it's \\"me\\"","run_as":"it's \\"me\\"","settings":{"name":"ä", "big":9007199254740993},"created_time":5}`,
    );
    store.jobs.replaceSettings(second, '{"name":"b"}', undefined);
    assert.equal(store.jobs.get(second)?.settings, '{"name":"b"}');
    store.jobs.delete(first);
    assert.deepEqual(
      [store.jobs.count(), store.jobs.get(first), store.jobs.get(second)?.jobId],
      [1, undefined, second],
    );
  });

  it('are listed in pieces, each once', () => {
    assert.deepEqual([...store.jobs.list()], []);
    const large = JSON.stringify({ name: 'x'.repeat(100_000) });
    const ids = Array.from({ length: 7 }, () => add(large));
    const pieces = [...store.jobs.list()].map((piece) => Buffer.from(piece).toString());
    assert.deepEqual(
      pieces.map((piece) => [piece[0], [...piece.matchAll(/"job_id":/g)].length]),
      [
        ['{', 3],
        [',', 3],
        [',', 1],
      ],
    );
    assert.deepEqual(
      listedJobs(store).map(({ job_id: id }) => String(id)),
      ids.toReversed(),
    );
  });

  it('have ids that are never reused', () => {
    const taken = store.jobs.takeId();
    const jobId = add();
    assert.deepEqual([Number(jobId) - Number(taken), Number(store.jobs.takeId()) - Number(jobId)], [1, 1]);
    assert.deepEqual(
      [
        store.jobs.nextNumber(jobId),
        store.jobs.nextNumber(jobId),
        store.jobs.nextNumber(add()),
        store.jobs.nextNumber('999'),
      ],
      [1, 2, 1, 1],
    );
  });

  it('fire in the order of their schedules', () => {
    assert.deepEqual([store.jobs.earliestFire(), store.jobs.hasSchedules()], [undefined, false]);
    const [late, soon, never] = [add('{}', 300), add('{}', 200), add()];
    assert.deepEqual([store.jobs.earliestFire(), store.jobs.hasSchedules()], [200, true]);
    assert.deepEqual(
      [199, 200, 300].map((now) => store.jobs.dueJobs(now, 9).map(({ jobId }) => jobId)),
      [[], [soon], [soon, late]],
    );
    assert.deepEqual(
      store.jobs.dueJobs(300, 1).map((due) => ({ ...due })),
      [{ jobId: soon, fireAt: 200 }],
    );
    store.jobs.setNextFire(soon, undefined);
    store.jobs.replaceSettings(late, '{}', 400);
    store.jobs.setNextFire(never, 500);
    assert.deepEqual(
      store.jobs.dueJobs(1000, 9).map(({ fireAt }) => fireAt),
      [400, 500],
    );
  });
});

describe('Stored runs', () => {
  const fresh: NewRun = {
    numberInJob: 3,
    attemptNumber: 1,
    runType: 'JOB_RUN',
    trigger: 'RETRY',
    runName: 'r',
    creator: 'c',
    detail: '"task":{}',
    lifeCycle: 'PENDING',
    message: 'm',
    createdAt: 100,
  };
  const plan = { settings: '{"a":1}', parameters: '{"b":2}' };

  let store: Store;
  let jobId: string;
  eachWithStore((one) => {
    store = one;
    jobId = addJob();
  });

  const addJob = (): string => store.jobs.insert({ settings: '{}', creator: 'c', createdAt: 1 }, undefined);
  const add = (more: Partial<NewRun> = {}): RunRecord => store.runs.insert({ ...fresh, jobId, ...more }, plan);
  const end = (run: RunRecord, more: Partial<RunRecord> = {}): RunRecord => {
    const ended: RunRecord = { ...run, lifeCycle: 'TERMINATED', result: 'SUCCESS', endedAt: 200, ...more };
    store.runs.update(ended);
    return ended;
  };
  /** SQLite's rows have no prototype. */
  const planOf = (run: RunRecord): object | undefined => plain(store.runParts.plan(run.runId));
  const plain = <T extends object>(row: T | undefined): T | undefined => row && { ...row };
  const ids = (runs: readonly RunRecord[]): string[] => runs.map(({ runId }) => runId);

  it('have ids that are never reused', () => {
    const [first, second] = [add(), add()];
    store.runs.delete(second.runId);
    store.runs.delete(first.runId);
    const third = add();
    assert.deepEqual(ids([first, second, third]), ['1', '2', '3']);
  });

  it('come back as stored, with every time', () => {
    const run = add({ originalRunId: '1', parentRunId: '2' });
    assert.deepEqual(plain(store.runs.get(run.runId)), {
      ...fresh,
      jobId,
      originalRunId: '1',
      parentRunId: '2',
      runId: run.runId,
      hidden: false,
    });
    const after: RunRecord = {
      ...run,
      lifeCycle: 'TERMINATING',
      result: 'TIMEDOUT',
      message: 'n',
      stopping: 'TIMEDOUT',
      dispatchedAt: 101,
      runningAt: 102,
      terminatingAt: 103,
      endedAt: 104,
      clusterId: 'local',
      sparkContextId: 'x',
      retryAt: 105,
    };
    store.runs.update(after);
    assert.deepEqual(plain(store.runs.get(run.runId)), after);
    const once = add({ jobId: undefined, oneTimeJobId: '9', runType: 'SUBMIT_RUN' });
    assert.deepEqual([store.runs.get(once.runId)?.oneTimeJobId, store.runs.get(once.runId)?.jobId], ['9', undefined]);
    assert.equal(store.runs.get('999'), undefined);
  });

  it('are listed from the most recent, by filter', () => {
    const runs = [
      add(),
      add(),
      add({ jobId: addJob() }),
      add({ jobId: undefined, oneTimeJobId: '77', runType: 'SUBMIT_RUN' }),
    ];
    end(runs[0]!);
    const [first, second, third, fourth] = ids(runs);
    assert.deepEqual(store.runs.list({}, 0, 10), [fourth, third, second, first]);
    assert.deepEqual(store.runs.list({}, 1, 2), [third, second]);
    assert.deepEqual(store.runs.list({ jobId }, 0, 10), [second, first]);
    assert.deepEqual(store.runs.list({ oneTimeJobId: '77' }, 0, 10), [fourth]);
    assert.deepEqual(store.runs.list({ active: true, jobId }, 0, 10), [second]);
    assert.deepEqual(store.runs.list({ active: false }, 0, 10), [first]);
    assert.deepEqual(store.runs.list({ runType: 'SUBMIT_RUN' }, 0, 10), [fourth]);
    assert.deepEqual(ids(store.runs.active()), [second, third, fourth]);
  });

  it('lose processes at their end and the plan after the last attempt', () => {
    const run = add();
    store.processes.insert(run.runId, { pid: 4, startTime: 's' });
    assert.deepEqual([planOf(run), store.processes.all().map(plain)], [plan, [{ pid: 4, startTime: 's' }]]);
    store.runs.update({ ...run, lifeCycle: 'RUNNING' });
    assert.deepEqual([planOf(run), store.processes.all().length], [plan, 1]);
    end(run, { retryAt: 300 });
    assert.deepEqual([planOf(run), store.processes.all()], [plan, []]);
    store.runParts.setPlanSettings(run.runId, '{}');
    assert.deepEqual(planOf(run), { ...plan, settings: '{}' });
    end(run);
    assert.equal(store.runParts.plan(run.runId), undefined);
  });

  it('are deleted with all that they left', () => {
    const [run, other] = [add(), add()];
    for (const each of [run, other]) {
      store.runParts.setOutcome(each.runId, { error: 'first' });
      store.runParts.setOutcome(each.runId, { error: 'e' });
      store.processes.insert(each.runId, { pid: 4, startTime: 's' });
    }
    store.runs.delete(run.runId);
    assert.deepEqual(
      [
        store.runs.get(run.runId),
        store.runParts.plan(run.runId),
        store.runParts.outcome(run.runId),
        store.processes.all().length,
      ],
      [undefined, undefined, undefined, 1],
    );
    assert.deepEqual(
      [store.runs.get(other.runId)?.runId, planOf(other), store.runParts.outcome(other.runId)],
      [other.runId, plan, { error: 'e' }],
    );
    store.processes.clear();
    assert.deepEqual(store.processes.all(), []);
  });

  it('of a deleted job are deleted if over, else hidden', () => {
    const [over, going, other] = [add(), add(), end(add({ jobId: addJob() }))];
    end(over);
    assert.deepEqual(store.runs.deleteOfJob(jobId), [over.runId]);
    assert.deepEqual(
      [store.runs.get(over.runId), store.runs.get(going.runId)?.hidden, store.runs.get(other.runId)?.hidden],
      [undefined, true, false],
    );
    assert.deepEqual(store.runs.list({}, 0, 10), [other.runId]);
    assert.deepEqual(ids(store.runs.active()), [going.runId]);
  });

  it('wait for their retries, the earliest first', () => {
    assert.equal(store.runs.earliestRetry(), undefined);
    const [late, soon] = [end(add(), { retryAt: 500 }), end(add({ jobId: addJob() }), { retryAt: 400 })];
    assert.equal(store.runs.earliestRetry(), 400);
    assert.deepEqual(
      [399, 400, 500].map((now) => ids(store.runs.dueRetries(now, 10))),
      [[], [soon.runId], [soon.runId, late.runId]],
    );
    assert.deepEqual(ids(store.runs.dueRetries(500, 1)), [soon.runId]);
    assert.deepEqual(ids(store.runs.waitingRetries(jobId)), [late.runId]);
    end(soon, { retryAt: undefined });
    assert.equal(store.runs.earliestRetry(), 500);
  });

  it('give the last of each job and the last that was not skipped', () => {
    const skip = (count: number, ofJob = jobId): string[] =>
      Array.from({ length: count }, () => add({ jobId: ofJob, lifeCycle: 'SKIPPED', endedAt: 100 }).runId);
    const lastOf = (limits = { maxRuns: 10, maxJobs: 10 }): object => ({ ...store.runs.lastOfJobs('0', limits) });
    const begun = [add(), add()].map(({ runId }) => runId).at(-1);
    const [first] = skip(1);
    assert.deepEqual(lastOf(), { runIds: [first, begun] });
    const other = addJob();
    const [lonely] = skip(1, other);
    assert.deepEqual(lastOf(), { runIds: [first, begun, lonely] }, 'a job whose every run was skipped');
    assert.deepEqual(lastOf({ maxRuns: 1, maxJobs: 10 }), { runIds: [first, begun], nextAfterJobId: jobId });
    const near = skip(98).at(-1);
    assert.deepEqual(lastOf(), { runIds: [near, begun, lonely] });
    const far = skip(1)[0];
    assert.deepEqual(lastOf(), { runIds: [far, lonely] });
    end(store.runs.get(add().runId)!);
    store.runs.deleteOfJob(jobId);
    assert.deepEqual(lastOf(), { runIds: [lonely] });
  });
});
