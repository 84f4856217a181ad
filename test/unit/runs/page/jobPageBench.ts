import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { FileOfJob } from '../../../../src/runs/page/jobFileView.ts';
import { JobPageSession } from '../../../../src/runs/page/jobPageSession.ts';
import type { JobView, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { note, noting } from '../../../support/trail.ts';

export const job = { job_id: '1', settings: { name: 'etl', spark_python_task: { python_file: '/a.py' } } } as Job;
export const run = (id: number, life: string, result?: string): Run =>
  ({
    run_id: String(id),
    job_id: '1',
    number_in_job: String(id),
    run_type: 'JOB_RUN',
    start_time: id * 1000,
    end_time: life === 'RUNNING' ? 0 : id * 1000 + 500,
    state: { life_cycle_state: life, ...(result ? { result_state: result } : {}) },
  }) as Run;

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A store, a page and an editor in one. */
export class Bench {
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
  /** The service is not there any more: nothing comes, and nothing fails. */
  isNobodyThere = false;
  found: Job | undefined;
  files: FileOfJob[] = [];
  /** What of the workspace was read. */
  read: string[] = [];
  readonly session: JobPageSession = new JobPageSession('1', {
    clock: this.clock,
    profile: () => this.profile,
    isCurrent: () => this.isCurrent,
    store: this.store,
    attend: () => {
      this.attending += 1;
      note('attends');
      return { dispose: () => (note('attends no more'), (this.attending -= 1)) };
    },
    readJob: async () => {
      noting('asks for', this.asked)('job');
      return this.found;
    },
    loadRuns: async (jobId, limit) => {
      noting('asks for', this.asked)(`runs ${jobId} ${limit}`);
      if (this.asked.length > 100) throw new Error('It is asked for without an end.');
      if (this.failure !== undefined) throw this.failure as Error;
      if (this.isNobodyThere) return;
      this.store.setRunsOf(jobId, this.served, this.hasMore, this.clock.now());
    },
    post: (message: ToPage) => {
      if (message.type === 'job') noting('posts', this.posted)(message.view);
    },
    setTitle: (title) => noting('title', this.titles)(title),
    files: async () => {
      noting('reads', this.read)('files');
      return this.files;
    },
    taskPlace: async (file) => {
      noting('reads', this.read)(file);
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
