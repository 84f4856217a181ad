import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { targetOf } from '../../../src/commands/target.ts';
import { plainArrangement } from '../../../src/runs/tree/arrangement.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench } from './commandSetup.ts';

describe('arranging the view of jobs', () => {
  holdTrail(import.meta.url);
  holdApproved('arrange');

  it('filters by all that was chosen, shows what was chosen before, and takes the longest time', async () => {
    const bench = new Bench();
    bench.picks = ['Failed', 'Active', 'Schedule', 'Notebook', 'Last hour', 'Last 7 days'];
    await handlers['millrace.jobs.filter'](bench.services, {});
    assert.deepEqual(bench.services.arrangement.current, {
      ...plainArrangement,
      states: ['active', 'failed'],
      triggers: ['PERIODIC'],
      types: ['notebook_task'],
      withinHours: 168,
    });
    bench.picks = [];
    await handlers['millrace.jobs.filter'](bench.services, {});
    assert.deepEqual(bench.picked, ['Active', 'Failed', 'Schedule', 'Notebook', 'Last 7 days']);
    assert.deepEqual(bench.services.arrangement.current, plainArrangement);
  });

  it('changes nothing where the user gives up', async () => {
    const bench = new Bench();
    await bench.services.arrangement.change({ states: ['failed'], text: 'a' });
    bench.giveUpInput = true;
    await handlers['millrace.jobs.filter'](bench.services, {});
    await handlers['millrace.jobs.filterByText'](bench.services, {});
    assert.deepEqual(bench.services.arrangement.current, { ...plainArrangement, states: ['failed'], text: 'a' });
  });

  it('filters by text, and clears all of the filter but not the order', async () => {
    const bench = new Bench();
    bench.inputs = [' etl '];
    await handlers['millrace.jobs.filterByText'](bench.services, {});
    assert.equal(bench.services.arrangement.current.text, 'etl');
    bench.picks = ['By Next Run'];
    await handlers['millrace.jobs.sort'](bench.services, {});
    bench.picks = ['Active First'];
    await handlers['millrace.jobs.sort'](bench.services, {});
    await handlers['millrace.jobs.showByTime'](bench.services, {});
    await handlers['millrace.jobs.clearFilter'](bench.services, {});
    assert.deepEqual(bench.services.arrangement.current, {
      ...plainArrangement,
      by: 'time',
      sort: 'nextRun',
      activeFirst: true,
    });
    await handlers['millrace.jobs.showByJob'](bench.services, {});
    bench.picks = ['Active Jobs in the Same Order'];
    await handlers['millrace.jobs.sort'](bench.services, {});
    assert.deepEqual(bench.services.arrangement.current, { ...plainArrangement, sort: 'nextRun' });
  });

  it('makes favourites of all jobs that are selected, and of no runs', async () => {
    const bench = new Bench();
    const row = (jobId: string, runId?: string) => ({ node: { jobId, runId, profileId: 'local' } });
    await handlers['millrace.job.pin'](bench.services, targetOf(row('1'), [row('1'), row('2'), row('1', '5')]));
    await handlers['millrace.job.unpin'](bench.services, targetOf(row('1'), [row('1')]));
    await handlers['millrace.job.pin'](bench.services, {});
    assert.deepEqual(bench.trail, ['pin local 1 2', 'unpin local 1']);
    await assert.rejects(
      async () => handlers['millrace.job.pin'](bench.services, { jobId: '1', profileId: 'staging' }),
      /Staging/,
    );
  });
});
