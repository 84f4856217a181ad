import assert from 'node:assert/strict';
import {
  createRun,
  skipReason,
  type RunCreationOptions,
  type RunStart,
} from '../../../../src/service/engine/runCreation.ts';
import type { NewRun } from '../../../../src/service/engine/runRecord.ts';

describe('a run that is created', () => {
  let stored: [run: NewRun, plan: unknown][];
  let calls: unknown[][];
  let active: number;
  let activeOfJob: number;
  beforeEach(() => {
    [stored, calls, active, activeOfJob] = [[], [], 0, 0];
  });
  const options = {
    store: {
      jobs: { takeId: () => '70', nextNumber: (jobId: string) => Number(jobId) * 10 },
      runs: {
        insert(run: NewRun, plan: unknown) {
          stored.push([run, plan]);
          return { ...run, runId: '5' };
        },
      },
      tokens: { insert: (...given: unknown[]) => void calls.push(['token', ...given]) },
    },
    clock: { now: () => 1000 },
    notifier: {
      over: (run: NewRun, _settings: unknown, willRetry: boolean) =>
        void calls.push(['over', run.lifeCycle, willRetry]),
    },
    creator: 'me',
    activeCount: () => active,
    activeCountOf: () => activeOfJob,
  } as unknown as RunCreationOptions;
  const create = (start: Partial<RunStart>): NewRun => {
    createRun({ settings: '{}', trigger: 'ONE_TIME', ...start }, options);
    return stored.at(-1)![0];
  };

  it('is of its job, with a number, or a one-time run with an id of its own', () => {
    const ofJob = create({ jobId: '3' });
    assert.deepEqual(
      [ofJob.jobId, ofJob.oneTimeJobId, ofJob.numberInJob, ofJob.runType, ofJob.createdAt, ofJob.creator],
      ['3', undefined, 30, 'JOB_RUN', 1000, 'me'],
    );
    const once = create({});
    assert.deepEqual(
      [once.jobId, once.oneTimeJobId, once.numberInJob, once.runType],
      [undefined, '70', 1, 'SUBMIT_RUN'],
    );
    const retry = create({ jobId: '3', trigger: 'RETRY', originalRunId: '1', attemptNumber: 2, parentRunId: '9' });
    assert.deepEqual(
      [retry.trigger, retry.originalRunId, retry.attemptNumber, retry.parentRunId, ofJob.attemptNumber],
      ['RETRY', '1', 2, '9', 0],
    );
    assert.deepEqual(stored[0]?.[1], { settings: '{}', parameters: '{}' });
  });

  for (const [settings, name] of [
    [{ run_name: 'r', name: 'n' }, 'r'],
    [{ name: 'n' }, 'n'],
    [{}, 'Untitled'],
  ] as const)
    it(`is named ${name}`, () => assert.equal(create({ settings: JSON.stringify(settings) }).runName, name));

  it('shows the schedule where that has started it, and what was given in place of its parameters', () => {
    const settings = JSON.stringify({ schedule: { timezone_id: 'UTC' } });
    assert.match(create({ jobId: '3', settings, trigger: 'PERIODIC' }).detail, /^"schedule":/);
    const { detail } = create({ jobId: '3', settings, parameters: '{"jar_params":["a"]}' });
    assert.equal(detail, '"task":{},"cluster_spec":{},"overriding_parameters":{"jar_params":["a"]}');
  });

  it('keeps its token, and a skipped one is over at once, without a plan', () => {
    create({ idempotencyToken: 't', jobId: '3' });
    assert.deepEqual(calls, [['token', 't', '5']]);
    activeOfJob = 1;
    const skipped = create({ jobId: '3', debug: true });
    assert.deepEqual(
      [skipped.lifeCycle, stored.at(-1)?.[1], calls.at(-1)],
      ['SKIPPED', undefined, ['over', 'SKIPPED', false]],
    );
    assert.deepEqual(
      [skipped.endedAt, skipped.message],
      [1000, 'The job has 1 active run already, and its max_concurrent_runs is 1.'],
    );
  });

  it('is debugged from its beginning where that is asked for', () => {
    for (const debug of [true, false, undefined])
      assert.deepEqual(
        createRun({ settings: '{}', trigger: 'ONE_TIME', debug }, options).debug,
        debug === true ? { progress: { phase: 'waiting' } } : undefined,
      );
  });

  for (const [what, start, counts, max, reason] of [
    ['of a job with room', { jobId: '3' }, [5, 1], 2, undefined],
    [
      'of a job with its one run',
      { jobId: '3' },
      [5, 1],
      1,
      'The job has 1 active run already, and its max_concurrent_runs is 1.',
    ],
    [
      'of a job with more than it may have',
      { jobId: '3' },
      [5, 3],
      2,
      'The job has 3 active runs already, and its max_concurrent_runs is 2.',
    ],
    ['of a job that may have none', { jobId: '3' }, [0, 0], 0, 'max_concurrent_runs of the job is 0.'],
    ['that is submitted, whatever goes', {}, [1000, 1000], 1, undefined],
    ['of a schedule, below its limit', { jobId: '3', trigger: 'PERIODIC' }, [899, 0], 1, undefined],
    [
      'of a schedule, at its limit',
      { jobId: '3', trigger: 'PERIODIC' },
      [900, 0],
      1,
      '900 runs are active in this workspace, as many as schedules may start.',
    ],
    ['of a user, where schedules may not', { jobId: '3' }, [999, 0], 1, undefined],
    [
      'of a user, at the limit',
      { jobId: '3' },
      [1000, 0],
      1,
      '1000 runs are active in this workspace, as many as it can hold.',
    ],
  ] as const)
    it(`${what}: ${reason ?? 'starts'}`, () => {
      [active, activeOfJob] = counts;
      assert.equal(skipReason({ settings: '{}', trigger: 'ONE_TIME', ...start }, max, options), reason);
    });
});
