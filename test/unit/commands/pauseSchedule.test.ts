import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench } from './commandSetup.ts';

const schedule = { quartz_cron_expression: '0 0 8 * * ?', timezone_id: 'UTC' };

describe('the schedule of a job', () => {
  holdTrail(import.meta.url);
  holdApproved('pauseSchedule');

  it('is paused and resumed as the service has it now, after profile and job were named', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly', schedule });
    bench.store.setJobs(
      [{ job_id: '5', settings: { name: 'nightly', schedule: { ...schedule, timezone_id: 'old' } } }],
      1,
    );
    await handlers['millrace.job.pauseSchedule'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.remote.get('5')?.schedule, { ...schedule, pause_status: 'PAUSED' });
    assert.equal(bench.trail[0], 'mutation: Pause the schedule of job "nightly" (5)');
    assert.equal(bench.trail.at(-1), 'refresh');
    bench.trail = [];
    await handlers['millrace.job.pauseSchedule'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, ['info: The schedule of "nightly" on Local is already paused.', 'refresh']);
    bench.trail = [];
    await handlers['millrace.job.resumeSchedule'](bench.services, { jobId: '5' });
    assert.equal(bench.trail[0], 'mutation: Resume the schedule of job "nightly" (5)');
    assert.deepEqual(bench.remote.get('5')?.schedule, { ...schedule, pause_status: 'UNPAUSED' });
  });

  it('stays where the question is answered with no, and where there is none', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly', schedule });
    bench.remote.set('6', { name: 'by hand' });
    bench.mutationDeclined = true;
    await handlers['millrace.job.pauseSchedule'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.remote.get('5')?.schedule, schedule);
    await assert.rejects(
      async () => handlers['millrace.job.pauseSchedule'](bench.services, { jobId: '6' }),
      /has no schedule/,
    );
  });
});
