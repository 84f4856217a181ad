import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { targetOf } from '../../../src/commands/target.ts';
import { localProfile } from '../../../src/connection/connection.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench } from './commandSetup.ts';

const row = (runId: string) => ({ node: { jobId: '5', runId, profileId: 'local' } });

function build(count: number): { bench: Bench; target: ReturnType<typeof targetOf> } {
  const bench = new Bench();
  const runs = Array.from({ length: count }, (_, index): Run => ({
    run_id: String(index + 1),
    job_id: '5',
    number_in_job: String(index + 1),
    run_type: 'JOB_RUN',
    state: index === 0 ? { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } : { life_cycle_state: 'RUNNING' },
  }));
  bench.store.setJobs([{ job_id: '5', settings: { name: 'etl' } }], 1);
  bench.store.mergeRuns(runs, 1);
  const rows = runs.map((run) => row(run.run_id));
  return { bench, target: targetOf(rows[0], [...rows, { node: { jobId: '5', profileId: 'local' } }]) };
}

describe('cancelling several runs', () => {
  holdTrail(import.meta.url);
  it('asks once, names those that go on, and cancels each', async () => {
    const { bench, target } = build(4);
    let detail = '';
    const { confirm } = bench.services.ui;
    bench.services.ui.confirm = async (message, text, action) => {
      detail = text;
      return confirm(message, text, action);
    };
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.deepEqual(
      bench.trail.filter((line) => /^(mutation|confirm)/.test(line)),
      ['mutation: Cancel 3 runs', 'confirm: Cancel 3 runs on Local?'],
    );
    assert.equal(detail, 'etl #2 (2)\netl #3 (3)\netl #4 (4)');
    assert.deepEqual(bench.trail.filter((line) => line.startsWith('cancel ')).toSorted(), [
      'cancel 2',
      'cancel 3',
      'cancel 4',
    ]);
    assert.equal(bench.trail.filter((line) => line.startsWith('watch local')).length, 3);
    assert.equal(bench.trail.at(-1), 'refresh');
  });

  it('is as with that row alone where only one goes on', async () => {
    const { bench, target } = build(2);
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.deepEqual(
      bench.trail.filter((line) => /^(mutation|confirm|cancel)/.test(line)),
      ['mutation: Cancel run etl #2 (2)', 'cancelling local 2', 'cancel 2'],
    );
  });

  it('asks once on production as well, by name, and counts what is too much to name', async () => {
    const { bench, target } = build(21);
    bench.profile = { ...localProfile, production: true };
    bench.mutationDeclined = true;
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.deepEqual(bench.trail, ['mutation: Cancel 20 runs']);
    assert.match(bench.details[0] ?? '', /^etl #2 \(2\)\n[^]*\netl #16 \(16\)\nand 5 more$/);
  });

  it('cancels nothing where the answer is no, or where nothing goes on', async () => {
    const { bench, target } = build(3);
    bench.declined = true;
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.ok(!bench.trail.some((line) => line.startsWith('cancel')));
    const { bench: other } = build(1);
    await handlers['millrace.run.cancel'](other.services, targetOf(row('1'), [row('1'), row('1')]));
    assert.match(other.trail[0] ?? '', /^info: None of the selected rows/);
  });

  it('cancels no more of them once that itself is cancelled', async () => {
    const { bench, target } = build(11);
    const abort = new AbortController();
    bench.services.ui.progress = (_title, task) => task(abort.signal);
    const { watch } = bench.services;
    bench.services.watch = (...given) => {
      abort.abort();
      watch(...given);
    };
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.equal(bench.trail.filter((line) => line.startsWith('cancel ')).length, 4, 'those that were under way');
    assert.equal(bench.trail.at(-1), 'refresh');
  });

  it('tells which were refused, and that they end is news again', async () => {
    const { bench, target } = build(3);
    bench.refusal = new AppError('forbidden', 'Not yours.');
    await assert.rejects(
      async () => handlers['millrace.run.cancel'](bench.services, target),
      /2 of 2 runs were not cancelled. The first: etl #2: .*Not yours/s,
    );
    assert.equal(bench.trail.filter((line) => line === 'not cancelled').length, 2);
    assert.ok(!bench.trail.some((line) => line.startsWith('watch')));
  });
});
