import assert from 'node:assert/strict';
import type { Job, Run } from '../../../src/api/schema/jobs/schemas.ts';
import { connectToRun, resolveJob, resolveRun, runName } from '../../../src/commands/resolve.ts';
import type { PickItem } from '../../../src/commands/ui.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, staging } from './commandSetup.ts';

const run = (id: string, more: object = {}): Run =>
  ({ run_id: id, job_id: '5', number_in_job: id, run_type: 'JOB_RUN', ...more }) as Run;
const running = { state: { life_cycle_state: 'RUNNING' } };
const failed = { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } };

/** A bench whose questions, messages and requests are noted whole. */
function noted(answer: (items: readonly PickItem<unknown>[]) => unknown = () => undefined) {
  const bench = new Bench();
  const told: unknown[] = [];
  const requests: unknown[][] = [];
  const { connect } = bench.services.connections;
  const abort = new AbortController();
  Object.assign(bench.services.ui, {
    pick: async (title: string, placeholder: string, items: readonly PickItem<unknown>[]) => {
      told.push([title, placeholder, ...items.map(({ label, description, detail }) => [label, description, detail])]);
      return answer(items);
    },
    progress: (title: string, task: (signal: AbortSignal) => Promise<unknown>) => {
      told.push(title);
      return task(abort.signal);
    },
  });
  Object.assign(bench.services.connections, {
    connect: async () => {
      const connection = await connect();
      const { jobs } = connection.client;
      for (const name of ['get', 'getRun', 'list', 'listRuns'] as const) {
        const ask = jobs[name] as (...args: unknown[]) => Promise<unknown>;
        Object.assign(jobs, {
          [name]: (...args: unknown[]) => (requests.push([name, ...args]), ask(...args)),
        });
      }
      return connection;
    },
  });
  return { bench, told, requests, signal: abort.signal, connected: () => bench.services.connections.connect() };
}

describe('the job of a command', () => {
  holdTrail(import.meta.url);
  it('is the one that is named: as it is known, else as the service has it, which can be given up', async () => {
    const { bench, told, requests, signal, connected } = noted();
    bench.remote.set('5', { name: 'remote' });
    const connection = await connected();
    const { services } = bench;
    assert.equal((await resolveJob(services, connection, { jobId: '5' }, 'Do'))?.settings?.name, 'remote');
    assert.deepEqual([told, requests], [['Loading job 5'], [['get', '5', { signal }]]]);
    bench.store.setJobs([{ job_id: '5', settings: { name: 'known' } }], 1);
    assert.equal((await resolveJob(services, connection, { jobId: '5' }, 'Do'))?.settings?.name, 'known');
    assert.equal(requests.length, 1);
    // The same id is another job on another profile than the one that is shown.
    bench.profile = staging;
    assert.equal((await resolveJob(services, connection, { jobId: '5' }, 'Do'))?.settings?.name, 'remote');
  });

  it('is not read on where that was given up', async () => {
    const { bench, connected } = noted();
    const connection = await connected();
    const reason = new AppError('aborted', 'Stopped.');
    const never = (_id: string, { signal }: { signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(reason)));
    Object.assign(connection.client.jobs, { get: never, getRun: never });
    const abort = new AbortController();
    bench.services.ui.progress = (_title, task) => task(abort.signal);
    const job = resolveJob(bench.services, connection, { jobId: '5' }, 'Do');
    const one = resolveRun(bench.services, connection, { runId: '7' }, 'Do', () => true);
    abort.abort();
    for (const each of [job, one]) await assert.rejects(each, reason);
  });

  it('is asked for by names in their order, with ids, where none is named', async () => {
    const { bench, told, requests, signal, connected } = noted((items) => items[1]?.value);
    for (const [id, name] of [
      ['1', 'b'],
      ['2', 'a'],
    ] as const)
      bench.remote.set(id, { name });
    const found = await resolveJob(bench.services, await connected(), {}, 'Do it');
    assert.deepEqual(told, [
      'Loading the jobs of Local',
      ['Do it', 'A job of Local', ['a', '2', undefined], ['b', '1', undefined]],
    ]);
    assert.deepEqual([found?.job_id, requests], ['1', [['list', { signal }]]]);
  });

  it('is none where there is none, or the question was given up', async () => {
    const { bench, told, connected } = noted();
    assert.equal(await resolveJob(bench.services, await connected(), {}, 'Do'), undefined);
    assert.deepEqual([told.length, bench.trail], [1, ['info: Local has no jobs yet. Deploy a job file first.']]);
    bench.remote.set('1', { name: 'a' });
    assert.equal(await resolveJob(bench.services, await connected(), {}, 'Do'), undefined);
    assert.equal(bench.trail.length, 1);
  });
});

describe('the run of a command', () => {
  holdTrail(import.meta.url, '-2');
  it('is the one that is named: as it is known, else as the service has it, whatever its state', async () => {
    const { bench, told, requests, signal, connected } = noted();
    bench.runs = [run('7', running)];
    const connection = await connected();
    const find = (): Promise<Run | undefined> =>
      resolveRun(bench.services, connection, { runId: '7' }, 'Do', () => false);
    assert.equal((await find())?.state?.life_cycle_state, 'RUNNING');
    assert.deepEqual([told, requests], [['Loading run 7'], [['getRun', '7', { signal }]]]);
    bench.store.mergeRuns([run('7', failed)], 1);
    assert.equal((await find())?.state?.result_state, 'FAILED');
    assert.equal(requests.length, 1);
  });

  it('is asked for among those that fit: of the job that is named, or of all', async () => {
    const { bench, told, requests, signal, connected } = noted((items) => items[0]?.value);
    bench.runs = [
      run('1', { ...running, start_time: 0 }),
      run('2', { ...failed, start_time: Date.UTC(2020, 0, 2, 3, 4) }),
      { ...run('3', failed), job_id: undefined, run_name: 'once' } as unknown as Run,
    ];
    bench.store.setJobs([{ job_id: '5', settings: { name: 'etl' } }], 1);
    const isFailed = ({ state }: Run): boolean => state?.result_state === 'FAILED';
    const connection = await connected();
    assert.equal((await resolveRun(bench.services, connection, {}, 'Fix', isFailed))?.run_id, '2');
    const [title, question] = told as [string, unknown[]];
    assert.deepEqual([title, question.slice(0, 2)], ['Loading the runs of Local', ['Fix', 'A run of Local']]);
    assert.deepEqual(
      (question.slice(2) as unknown[][]).map(([label, description, detail]) => [
        label,
        description,
        /2020/.test(String(detail)),
      ]),
      [
        ['etl #2', 'Failed', true],
        ['once', 'Failed', false],
      ],
    );
    await resolveRun(bench.services, connection, { jobId: '5' }, 'Fix', isFailed);
    assert.deepEqual(requests, [
      ['listRuns', { limit: 100 }, { signal }],
      ['listRuns', { limit: 100, job_id: '5' }, { signal }],
    ]);
  });

  it('is none where no run fits', async () => {
    const { bench, told, connected } = noted();
    bench.runs = [run('1', running)];
    assert.equal(await resolveRun(bench.services, await connected(), {}, 'Do', () => false), undefined);
    assert.deepEqual([told.length, bench.trail], [1, ['info: Local has no run that this can be done with.']]);
  });

  it('has the name of its job with its number, else its own', async () => {
    const { bench, connected } = noted();
    const connection = await connected();
    const job: Job = { job_id: '5', settings: { name: 'etl' } };
    const name = (of: Run): string => runName(bench.services, connection, of);
    assert.deepEqual([name(run('7')), name(run('7', { run_name: 'mine' }))], ['#7', 'mine']);
    bench.store.setJobs([job], 1);
    assert.equal(name(run('7', { run_name: 'mine' })), 'etl #7');
    bench.profile = staging;
    assert.equal(name(run('7', { run_name: 'mine' })), 'mine');
  });

  it('comes with its connection and name, and is every one unless a command wants fewer', async () => {
    const { bench } = noted((items) => items.at(-1)?.value);
    bench.runs = [run('1', running), run('2', failed)];
    const found = await connectToRun(bench.services, {}, 'Open');
    assert.deepEqual([found?.run.run_id, found?.name, found?.connection.profile.id], ['2', '#2', 'local']);
    const running1 = await connectToRun(bench.services, {}, 'Open', ({ state }) => state?.result_state === undefined);
    assert.equal(running1?.run.run_id, '1');
    const { bench: other } = noted();
    other.runs = [run('1')];
    assert.equal(await connectToRun(other.services, {}, 'Open'), undefined);
    await assert.rejects(connectToRun(bench.services, { runId: '1', profileId: 'staging' }, 'Open'), /belongs to/);
  });
});
