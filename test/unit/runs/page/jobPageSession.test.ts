import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { JobPageSession } from '../../../../src/runs/page/jobPageSession.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { holdTrail } from '../../../support/trail.ts';
import { Bench, job, run, settle } from './jobPageBench.ts';

describe('what is behind the page of a job', () => {
  holdTrail(import.meta.url);
  it('leads to no file of the task that the job had before', async () => {
    const bench = new Bench();
    await bench.open();
    await bench.list(job);
    await bench.list({ ...job, settings: { name: 'etl', spark_python_task: { python_file: '/b.py' } } } as Job);
    const places = bench.posted.flatMap(({ facts }) => facts.flatMap(({ values }) => values));
    for (const { label, place } of places) if (place) assert.ok(label.includes(place.file), `${label} ${place.file}`);
    assert.deepEqual(bench.view.facts[0]?.values[0]?.place, { file: '/b.py', line: 1 });
  });

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

  it('asks once where nothing comes, and again once the service has answered', async () => {
    const bench = new Bench();
    bench.isNobodyThere = true;
    await bench.list(job);
    await bench.open();
    await settle();
    assert.deepEqual(bench.asked, ['runs 1 50']);
    bench.isNobodyThere = false;
    bench.served = [run(1, 'TERMINATED', 'SUCCESS')];
    await bench.list(job);
    assert.deepEqual([bench.asked.length, bench.view.strip?.bars.length], [2, 1]);
  });

  it('is drawn for its own job alone, and only where something is new', async () => {
    const bench = new Bench();
    await bench.list(job);
    await bench.open();
    const before = bench.posted.length;
    bench.store.mergeRuns([{ ...run(9, 'RUNNING'), job_id: '2' }], bench.clock.now());
    await bench.list(job);
    assert.equal(bench.posted.length, before);
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

  it('rests while nobody sees it, and looks again then', async () => {
    const bench = new Bench();
    await bench.list(job);
    await bench.open();
    bench.session.pause();
    const before = bench.posted.length;
    assert.equal(bench.attending, 0);
    bench.store.mergeRuns([run(3, 'RUNNING')], bench.clock.now());
    await bench.clock.advance(120_000);
    assert.equal(bench.posted.length, before);
    bench.session.resume();
    assert.deepEqual([bench.attending, bench.view.state.spins], [1, true]);
  });

  it('tells ages anew as time passes, and finds job files that came since', async () => {
    const bench = new Bench();
    bench.served = [{ ...run(2, 'TERMINATED', 'SUCCESS'), end_time: bench.clock.now() }];
    await bench.list(job);
    await bench.open();
    const before = bench.view.subtitle;
    bench.files = [{ name: 'etl.job.yml' }];
    await bench.clock.advance(300_000);
    await settle();
    assert.notEqual(bench.view.subtitle, before);
    assert.equal(bench.view.files?.[0]?.link.label, 'etl.job.yml');
    Object.defineProperty(bench, 'files', { get: () => assert.fail('it cannot be read') });
    bench.session.readFiles();
    await settle();
    assert.equal(bench.view.files?.[0]?.link.label, 'etl.job.yml', 'what was known stands');
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
    assert.equal(bench.view.notice?.text, 'The profile of this job no longer exists.');
  });

  it('tells what went wrong with its runs, and asks again when the user wants it', async () => {
    const bench = new Bench();
    bench.failure = new AppError('forbidden', 'Not allowed.');
    await bench.list(job);
    await bench.open();
    assert.deepEqual([bench.view.notice?.text, bench.asked.length], ['Not allowed.', 1]);
    await bench.list(job);
    assert.equal(bench.asked.length, 1);
    bench.failure = undefined;
    bench.served = [run(2, 'TERMINATED', 'SUCCESS')];
    bench.session.retry();
    await settle();
    assert.deepEqual([bench.view.notice, bench.view.strip?.bars.length, bench.session.lastRunId], [undefined, 1, '2']);
  });

  it('asks once at a time whether the job is there, and takes a job that comes back for one that is', async () => {
    const bench = new Bench();
    await bench.open();
    assert.deepEqual(bench.asked, [], 'nothing is known of the service yet');
    await bench.list();
    assert.deepEqual(
      [bench.asked, bench.view.title, bench.view.notice],
      [['job'], 'Job 1', { text: 'Local has no such job any more.', detail: undefined, actions: [] }],
    );
    bench.isCurrent = false;
    await bench.list();
    assert.equal(bench.asked.length, 1, 'nothing of it is asked of another profile');
    bench.isCurrent = true;
    bench.store.markStale(new AppError('network', 'Nothing answers.'));
    await settle();
    assert.equal(bench.asked.length, 1, 'nor of a service that does not answer');
    bench.found = job;
    const both = [bench.list(), bench.list()];
    assert.equal(bench.asked.filter((asked) => asked === 'job').length, 2);
    await Promise.all(both);
    assert.deepEqual([bench.view.title, bench.view.notice], ['etl', undefined]);
    bench.found = undefined;
    await bench.list();
    assert.equal(bench.view.notice?.detail, 'Below is the last known state.');
    assert.deepEqual([bench.view.title, bench.view.state.spins], ['etl', false]);
  });

  it('takes no answer for a page that rests by then', async () => {
    const bench = new Bench();
    await bench.open();
    void bench.list();
    bench.session.pause();
    const posted = bench.posted.length;
    await settle();
    assert.equal(bench.posted.length, posted);
    bench.found = job;
    bench.session.resume();
    await settle();
    assert.deepEqual([bench.view.title, bench.view.notice], ['etl', undefined]);
  });
});

describe('the state behind the page of a job', () => {
  holdTrail(import.meta.url, '-2');
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
        subtitle: 'a profile that no longer exists',
        actions: [],
        notice: { text: 'The profile of this job no longer exists.', actions: [] },
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
      detail: 'It is not followed until you choose the profile again.',
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
    const first = bench.posted.length;
    await bench.open();
    assert.ok(bench.posted.length > first, 'a page that is made anew has nothing yet');
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

describe('the page of a job that is looked at again', () => {
  holdTrail(import.meta.url, '-3');
  it('asks for its runs once more where nothing came before, and reads its files', async () => {
    const bench = new Bench();
    bench.isNobodyThere = true;
    await bench.list(job);
    await bench.open();
    assert.deepEqual(bench.asked, ['runs 1 50']);
    bench.session.pause();
    assert.equal(bench.attending, 0, 'the poller may rest');
    bench.read.length = 0;
    bench.session.resume();
    bench.session.resume();
    await settle();
    assert.deepEqual([bench.asked.length, bench.attending], [2, 1]);
    assert.deepEqual(bench.read, ['files', '/a.py']);
  });

  it('names its runs by their ids, and shows those that are being asked for anew', async () => {
    const bench = new Bench();
    bench.served = [{ ...run(9, 'TERMINATED', 'SUCCESS'), number_in_job: '7' }];
    await bench.open();
    await bench.list(job);
    assert.deepEqual([bench.session.runLabel('9'), bench.session.runLabel('7')], ['etl #7', undefined]);
    bench.failure = new AppError('network', 'away');
    bench.store.forgetPages();
    await settle();
    assert.equal(bench.view.strip?.bars.length, 1);
  });
});
