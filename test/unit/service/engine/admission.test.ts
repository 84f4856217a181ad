import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { createAdmission, limits } from '../../../../src/service/engine/admission.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('whether a run may start', () => {
  function setUp(count: number, ofJob: number, isClosing = false) {
    const asked: string[] = [];
    const admission = createAdmission({
      active: {
        count,
        ofJob(jobId) {
          asked.push(jobId);
          return Array.from({ length: ofJob }, () => undefined as never);
        },
      },
      clock: new FakeClock(),
      logger: silentLogger,
      isClosing: () => isClosing,
    });
    return { admission, asked };
  }
  const start = { settings: '{}', trigger: 'ONE_TIME' } as const;
  const scheduled = { settings: '{}', trigger: 'PERIODIC', jobId: '3' } as const;

  it('is refused while the service ends, whoever starts it', () => {
    const { admission } = setUp(0, 0, true);
    for (const each of [start, scheduled])
      assert.throws(
        () => admission.check(each),
        (error) =>
          error instanceof ApiError &&
          error.status === 503 &&
          error.message === 'The local service is stopping; no run was started. Start it again.',
      );
  });

  it('is refused where the workspace is full, but for one of a schedule, which nobody could repeat', () => {
    const [room, full] = [setUp(999, 0).admission, setUp(1000, 0).admission];
    assert.deepEqual([room.isFull(), full.isFull()], [false, true]);
    room.check(start);
    full.check(scheduled);
    assert.throws(
      () => full.check(start),
      (error) =>
        error instanceof ApiError &&
        error.status === 429 &&
        error.retryAfterInSeconds === 5 &&
        error.message.startsWith('1000 runs are active in this workspace, as many as it can hold; no run was started.'),
    );
  });

  it('is asked of the job alone whose run it is', () => {
    const { admission, asked } = setUp(5, 0);
    admission.skipReason({ ...start, jobId: '12' }, 1);
    assert.deepEqual(asked, ['12']);
  });

  it('is no matter of how many were skipped where it starts, and else is stored for so many of an hour', () => {
    const [free, taken] = [setUp(1, 1).admission, setUp(1, 2).admission];
    const twice = { ...scheduled, settings: '{"max_concurrent_runs":2}' };
    for (let count = 0; count <= limits.skippedPerHour; count += 1) assert.equal(free.mayStore(twice), true);
    for (let count = 0; count < limits.skippedPerHour; count += 1) assert.equal(taken.mayStore(twice), true);
    assert.equal(taken.mayStore(twice), false);
    const once = setUp(1, 1).admission;
    for (let count = 0; count < limits.skippedPerHour; count += 1) once.mayStore(scheduled);
    assert.equal(once.mayStore(scheduled), false, 'a job may have one run where its settings say nothing');
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
    [
      'of a job without a limit of its own, which is one',
      { jobId: '3' },
      [1, 1],
      undefined,
      'The job has 1 active run already, and its max_concurrent_runs is 1.',
    ],
    ['of a job without one that has none', { jobId: '3' }, [0, 0], undefined, undefined],
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
      const { admission } = setUp(counts[0], counts[1]);
      assert.equal(admission.skipReason({ settings: '{}', trigger: 'ONE_TIME', ...start }, max), reason);
    });
});
