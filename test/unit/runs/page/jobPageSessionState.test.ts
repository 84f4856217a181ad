import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { JobPageSession } from '../../../../src/runs/page/jobPageSession.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Bench, job, run, settle } from './jobPageBench.ts';

describe('the state behind the page of a job', () => {
  it('has nothing of a job that is not known yet, and no profile that is not there', async () => {
    const bench = new Bench();
    assert.ok(bench.session instanceof JobPageSession);
    assert.deepEqual([bench.session.runLabel('1'), bench.session.lastRunId], [undefined, undefined]);
    bench.profile = undefined;
    await bench.open();
    assert.deepEqual(bench.posted, [
      {
        kind: 'job',
        state: { icon: 'circle-large-outline', tone: 'none', spins: false },
        title: 'Job 1',
        subtitle: 'a profile that is no longer there',
        actions: [],
        notice: { text: 'The profile of this job is no longer there.', actions: [] },
        facts: [],
      },
    ]);
    assert.deepEqual(bench.titles, []);
    const known = new Bench();
    await known.open();
    assert.equal(known.view.subtitle, 'Local');
  });

  it('says whole what is in the way, and what can be done', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'TERMINATED', 'SUCCESS')];
    await bench.list(job);
    await bench.open();
    const actions = [{ id: 'retry', label: 'Retry Now', icon: 'refresh', primary: true }];
    bench.store.markStale(new AppError('network', 'Nothing answers.', { remedy: 'Start it.' }));
    assert.deepEqual(bench.view.notice, { text: 'Nothing answers.', detail: 'Start it.', actions });
    bench.store.markStale(new AppError('network', 'Nothing at all.'));
    assert.deepEqual(bench.view.notice, { text: 'Nothing at all.', actions });
    bench.isCurrent = false;
    bench.session.retry();
    assert.deepEqual(bench.view.notice, {
      text: 'This job belongs to "Local", which is not the profile of this window now.',
      detail: 'It is not followed until the profile is chosen again.',
      actions: [{ id: 'chooseProfile', label: 'Choose Local', primary: true }],
    });
    for (const remedy of [undefined, 'Ask for it.']) {
      const refused = new Bench();
      refused.failure = new AppError('forbidden', 'Not allowed.', { remedy });
      await refused.list(job);
      await refused.open();
      const detail = remedy === undefined ? {} : { detail: remedy };
      assert.deepEqual(refused.view.notice, { text: 'Not allowed.', ...detail, actions });
    }
  });

  it('says when it was seen last, which is when the service answered last', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'TERMINATED', 'SUCCESS')];
    await bench.list(job);
    await bench.open();
    const seen = bench.clock.now();
    await bench.clock.advance(24 * 60 * 60_000);
    bench.store.markStale(new AppError('network', 'Nothing answers.'));
    const told = new Intl.DateTimeFormat(undefined, {
      ...{ hour: 'numeric', minute: '2-digit' },
      ...{ month: 'short', day: 'numeric' },
    }).format(seen);
    assert.ok(bench.view.subtitle.includes(` · last seen ${told} · `), bench.view.subtitle);
  });

  it('keeps what it knows while the store is empty, and asks a service that does not answer for nothing', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'TERMINATED', 'SUCCESS')];
    await bench.list(job);
    await bench.open();
    bench.store.clear();
    await settle();
    assert.deepEqual([bench.session.lastRunId, bench.view.title, bench.view.strip?.bars.length], ['2', 'etl', 1]);
    const stale = new Bench();
    await stale.list(job);
    stale.store.markStale(new AppError('network', 'Nothing answers.'));
    await stale.open();
    assert.deepEqual([stale.view.title, stale.asked], ['etl', []]);
  });

  it('looks at the workspace once for a job, and for no file that its task has not', async () => {
    const bench = new Bench();
    await bench.list(job);
    await bench.open();
    await bench.list(job);
    assert.deepEqual(bench.read, ['files', '/a.py']);
    await bench.list({ job_id: '1', settings: { name: 'etl' } } as Job);
    assert.deepEqual(bench.read.slice(2), ['files']);
    assert.equal(
      bench.view.facts.some(({ values }) => values.some(({ place }) => place)),
      false,
    );
  });

  it('draws nothing again for other jobs, begins once, and does nothing on request while it rests', async () => {
    const bench = new Bench();
    bench.served = [run(2, 'TERMINATED', 'SUCCESS')];
    await bench.list(job);
    await bench.open();
    bench.session.resume();
    assert.equal(bench.attending, 1);
    const { length } = bench.titles;
    bench.store.mergeRuns([{ ...run(9, 'RUNNING'), job_id: '2' }], bench.clock.now());
    assert.equal(bench.titles.length, length);
    bench.session.pause();
    const posted = bench.posted.length;
    bench.session.retry();
    await settle();
    assert.deepEqual([bench.attending, bench.posted.length], [0, posted]);
  });

  it('asks for no more than fifty runs, and again for those whose answer was not waited for', async () => {
    const many = (count: number): Run[] =>
      Array.from({ length: count }, (_, index) => run(100 - index, 'TERMINATED', 'SUCCESS'));
    for (const [count, asked] of [
      [49, ['runs 1 50']],
      [50, []],
    ] as const) {
      const bench = new Bench();
      [bench.served, bench.hasMore] = [many(60), true];
      await bench.list(job);
      bench.store.setRunsOf('1', many(count), true, bench.clock.now());
      await bench.open();
      assert.deepEqual(bench.asked, asked, String(count));
    }
    const left = new Bench();
    left.failure = new AppError('aborted', 'Left.');
    await left.list(job);
    left.session.resume();
    left.session.pause();
    await settle();
    left.failure = undefined;
    await left.open();
    assert.deepEqual([left.view.notice, left.asked], [undefined, ['runs 1 50', 'runs 1 50']]);
  });

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
