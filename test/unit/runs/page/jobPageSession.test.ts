import assert from 'node:assert/strict';
import type { Job } from '../../../../src/api/schema/jobs/schemas.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Bench, job, run, settle } from './jobPageBench.ts';

describe('what is behind the page of a job', () => {
  it('asks for the last runs once, and follows what the poller sees from then on', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'TERMINATED', 'FAILED'), run(1, 'TERMINATED', 'SUCCESS')];
    await bench.open();
    assert.deepEqual([bench.asked, bench.attending, bench.view.title], [[], 1, 'Job 1']);
    await bench.list(job);
    assert.deepEqual(bench.asked, ['runs 1 50']);
    assert.deepEqual([bench.view.title, bench.view.state.tone, bench.view.strip?.bars.length], ['etl', 'bad', 2]);
    assert.deepEqual(bench.view.facts[0]?.values[0]?.place, { file: '/a.py', line: 1 });
    assert.equal(bench.titles.at(-1), 'etl');
    assert.deepEqual([bench.session.runLabel('1'), bench.session.runLabel('7')], ['etl #1', undefined]);
    bench.store.mergeRuns([run(3, 'RUNNING')], bench.clock.now());
    assert.deepEqual([bench.view.strip?.bars.length, bench.view.state.spins], [3, true]);
    const offersCancel = (): boolean => bench.view.actions.some(({ id }) => id === 'cancelAll');
    bench.store.mergeRuns([run(4, 'TERMINATED', 'SUCCESS')], bench.clock.now());
    assert.equal(offersCancel(), true, 'one before the last goes on');
    bench.store.mergeRuns([run(3, 'TERMINATED', 'SUCCESS')], bench.clock.now());
    assert.equal(offersCancel(), false);
    assert.deepEqual([bench.view.state.tone, bench.view.strip?.figures[0]?.figure], ['good', '75 %']);
    await bench.list(job);
    assert.deepEqual(bench.asked, ['runs 1 50']);
  });

  it('asks for more where the tree has loaded fewer, and not again where the service has no more to give', async () => {
    const bench = new Bench();
    bench.served = Array.from({ length: 30 }, (_, index) => run(40 - index, 'TERMINATED', 'SUCCESS'));
    bench.hasMore = true;
    await bench.list(job);
    bench.store.setRunsOf('1', bench.served.slice(0, 20), true, 1);
    await bench.open();
    assert.deepEqual([bench.asked, bench.view.strip?.bars.length], [['runs 1 50'], 30]);
    bench.store.mergeRuns([run(40, 'TERMINATED', 'SUCCESS')], bench.clock.now());
    await settle();
    assert.equal(bench.asked.length, 1);
    bench.store.forgetPages();
    assert.equal(bench.view.strip?.bars.length, 30, 'what was seen stands until it comes anew');
    await settle();
    assert.equal(bench.asked.length, 2);
  });

  it('says that the job is gone once the service says so, and not because a list is older than the job', async () => {
    const bench = new Bench();
    bench.found = job;
    await bench.list();
    await bench.open();
    assert.deepEqual([bench.asked[0], bench.view.title, bench.view.notice], ['job', 'etl', undefined]);
    bench.found = undefined;
    await bench.list();
    assert.equal(bench.view.notice?.text, 'Local has no such job any more.');
    assert.deepEqual(bench.view.actions, []);
    await bench.list(job);
    assert.equal(bench.view.notice, undefined);
  });

  it('stands still and says why where the service does not answer', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'RUNNING')];
    await bench.list(job);
    await bench.open();
    bench.store.markStale(new AppError('network', 'Nothing answers.', { remedy: 'Start it.' }));
    assert.deepEqual([bench.view.notice?.text, bench.view.notice?.detail], ['Nothing answers.', 'Start it.']);
    assert.deepEqual([bench.view.state.spins, bench.view.actions], [false, []]);
    bench.store.confirm(bench.clock.now());
    assert.deepEqual([bench.view.notice, bench.view.state.spins], [undefined, true]);
  });

  it('keeps what was seen while another profile is shown, and takes nothing of that one', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'RUNNING')];
    await bench.list(job);
    await bench.open();
    bench.isCurrent = false;
    bench.store.clear();
    await bench.list({ ...job, settings: { name: 'of another' } } as Job);
    assert.deepEqual([bench.view.title, bench.view.state.spins, bench.view.actions], ['etl', false, []]);
    assert.equal(bench.view.notice?.actions[0]?.id, 'chooseProfile');
    bench.profile = undefined;
    bench.store.confirm(1);
    await bench.list({ ...job, settings: { name: 'third' } } as Job);
    assert.equal(bench.view.notice?.text, 'The profile of this job is no longer there.');
  });
});

describe('the state behind the page of a job', () => {
  it('does not take a job for gone by an answer that came after it was left', async () => {
    const bench = new Bench();
    await bench.open();
    void bench.list();
    bench.session.pause();
    await settle();
    const { length } = bench.posted;
    bench.found = job;
    bench.session.resume();
    assert.deepEqual(
      bench.posted.slice(length).map(({ notice }) => notice),
      [],
    );
  });
});
