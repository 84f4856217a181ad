import assert from 'node:assert/strict';
import { createRun, type RunCreationOptions } from '../../../../src/service/engine/runCreation.ts';
import type { RunStart } from '../../../../src/service/engine/runStart.ts';
import type { NewRun } from '../../../../src/service/store/runRecord.ts';

describe('a run that is created', () => {
  let stored: [run: NewRun, plan: unknown][];
  let calls: unknown[][];
  let reason: string | undefined;
  beforeEach(() => {
    [stored, calls, reason] = [[], [], undefined];
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
    admission: {
      skipReason({ jobId }: RunStart, max?: number) {
        calls.push(['may', jobId, max]);
        return reason;
      },
    },
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
    const token = { idempotencyToken: 't', jobId: '3' };
    assert.equal(create({ ...token, settings: '{"max_concurrent_runs":4}' }).lifeCycle, 'PENDING');
    assert.deepEqual(calls.splice(0), [
      ['may', '3', 4],
      ['token', 't', '5'],
    ]);
    reason = 'There are enough.';
    const skipped = create({ ...token, debug: true });
    assert.deepEqual(calls, [
      ['may', '3', undefined],
      ['token', 't', '5'],
      ['over', 'SKIPPED', false],
    ]);
    assert.deepEqual(
      [skipped.lifeCycle, skipped.endedAt, skipped.message, stored.at(-1)?.[1]],
      ['SKIPPED', 1000, 'There are enough.', undefined],
    );
  });

  it('is in care with all that its life needs', () => {
    const settings = '{"name":"n","timeout_seconds":4}';
    const run = createRun({ settings, trigger: 'ONE_TIME', parameters: '{"jar_params":[]}' }, options);
    assert.deepEqual(
      [run.record.runId, run.settings, run.plan, run.abort.signal.aborted, run.execution],
      ['5', { name: 'n', timeout_seconds: 4 }, { settings, parameters: '{"jar_params":[]}' }, false, undefined],
    );
    const parsed = { name: 'read already' };
    assert.equal(createRun({ settings, parsed, trigger: 'ONE_TIME' }, options).settings, parsed);
  });

  it('is debugged from its beginning where that is asked for', () => {
    for (const debug of [true, false, undefined])
      assert.deepEqual(
        createRun({ settings: '{}', trigger: 'ONE_TIME', debug }, options).debug,
        debug === true ? { progress: { phase: 'waiting' } } : undefined,
      );
  });
});
