import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { FileOfJob } from '../../../../src/runs/page/jobFileView.ts';
import { JobPageSession } from '../../../../src/runs/page/jobPageSession.ts';
import type { JobView, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const job = { job_id: '1', settings: { name: 'etl', spark_python_task: { python_file: '/a.py' } } } as Job;
const run = (id: number, life: string, result?: string): Run =>
  ({
    run_id: String(id),
    job_id: '1',
    number_in_job: String(id),
    run_type: 'JOB_RUN',
    start_time: id * 1000,
    end_time: life === 'RUNNING' ? 0 : id * 1000 + 500,
    state: { life_cycle_state: life, ...(result ? { result_state: result } : {}) },
  }) as Run;
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
/** A store, a page and an editor in one. */
class Bench {
  readonly clock = new FakeClock();
  readonly store = new RunStore();
  profile: Profile | undefined = localProfile;
  isCurrent = true;
  attending = 0;
  asked: string[] = [];
  posted: JobView[] = [];
  titles: string[] = [];
  served: Run[] = [];
  hasMore = false;
  failure: unknown;
  /** Whether the service is gone without an error: requests return nothing. */
  isNobodyThere = false;
  found: Job | undefined;
  files: FileOfJob[] = [];
  /** The workspace files that the session read. */
  read: string[] = [];
  readonly session: JobPageSession = new JobPageSession('1', {
    clock: this.clock,
    profile: () => this.profile,
    isCurrent: () => this.isCurrent,
    store: this.store,
    attend: () => {
      this.attending += 1;
      return { dispose: () => (this.attending -= 1) };
    },
    readJob: async () => {
      this.asked.push('job');
      return this.found;
    },
    loadRuns: async (jobId, limit) => {
      this.asked.push(`runs ${jobId} ${limit}`);
      if (this.asked.length > 100) throw new Error('It is asked for without an end.');
      if (this.failure !== undefined) throw this.failure as Error;
      if (this.isNobodyThere) return;
      this.store.setRunsOf(jobId, this.served, this.hasMore, this.clock.now());
    },
    post: (message: ToPage) => {
      if (message.type === 'job') void this.posted.push(message.view);
    },
    setTitle: (title) => void this.titles.push(title),
    files: async () => {
      this.read.push('files');
      return this.files;
    },
    taskPlace: async (file) => {
      this.read.push(file);
      return { file, line: 1 };
    },
  });
  get view(): JobView {
    const last = this.posted.at(-1);
    if (!last) throw new Error('No view was posted.');
    return last;
  }
  async open(): Promise<void> {
    this.session.restart();
    await settle();
  }
  list(...jobs: Job[]): Promise<void> {
    this.store.setJobs(jobs, this.clock.now());
    return settle();
  }
}

describe('JobPageSession', () => {
  it('loads the last runs once and then follows the poller', async () => {
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

  it('loads more runs than the tree has, but not if the service has no more', async () => {
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

  it('reports a deleted job once the service confirms it', async () => {
    const bench = new Bench();
    bench.found = job;
    await bench.list();
    await bench.open();
    assert.deepEqual([bench.asked[0], bench.view.title, bench.view.notice], ['job', 'etl', undefined]);
    bench.found = undefined;
    await bench.list();
    assert.equal(bench.view.notice?.text, 'Local no longer has this job.');
    assert.deepEqual(bench.view.actions, []);
    await bench.list(job);
    assert.equal(bench.view.notice, undefined);
  });

  it('shows the failure if the service does not answer', async () => {
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

  it('keeps its view while another profile is current', async () => {
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
});

describe('a paused JobPageSession', () => {
  it('ignores a reply that arrives after the pause', async () => {
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
