import assert from 'node:assert/strict';
import type { CallOptions, JobsClient, ListStamps, LocalServiceClient } from '../../../../src/api/client/client.ts';
import type { Job, ListRunsRequest, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { type PollIntervals, RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { noting, told } from '../../../support/trail.ts';

export const intervals: PollIntervals = {
  activeInMs: 1000,
  idleInMs: 30_000,
  jobListInMs: 60_000,
  maxBackOffInMs: 60_000,
};

/** A service in memory that counts what it is asked. */
class FakeService {
  jobs: Job[] = [];
  runs: Run[] = [];
  requests: string[] = [];
  failure: AppError | undefined;
  newestPage = 25;
  hasMore = false;
  /** What is told of entries that could not be read. */
  skipped: { jobs?: string; runs?: string } = {};
  /** What getRun answers with, for runs that cannot be read. */
  refusal: AppError | undefined;
  /** Holds the answers back. */
  gate: Promise<void> | undefined;

  readonly client = told('client', {
    list: async (options?: CallOptions) => {
      const jobs = [...this.jobs];
      if (this.skipped.jobs !== undefined) options?.onSkipped?.(this.skipped.jobs);
      await this.gate;
      return this.#answer('list', jobs);
    },
    listRuns: async (request: ListRunsRequest = {}, options?: CallOptions) => {
      await this.gate;
      if (this.skipped.runs !== undefined) options?.onSkipped?.(this.skipped.runs);
      if (request.job_id !== undefined) return this.#ofJob(request.job_id, request.limit ?? 20);
      if (!request.active_only)
        return this.#answer('newest', {
          runs: this.runs.slice(0, this.newestPage).map((run) => ({ ...run })),
          has_more: this.hasMore || this.runs.length > this.newestPage,
        });
      const active = this.runs.filter((run) =>
        ['PENDING', 'RUNNING', 'TERMINATING'].includes(run.state?.life_cycle_state ?? ''),
      );
      const from = request.offset ?? 0;
      const to = from + (request.limit ?? 20);
      return this.#answer('active', {
        runs: active.slice(from, to).map((run) => ({ ...run })),
        has_more: active.length > to,
      });
    },
    getRun: async (runId: string) => {
      if (this.refusal) throw this.refusal;
      const run = this.runs.find((candidate) => candidate.run_id === runId);
      if (!run)
        throw new AppError('notFound', `Run ${runId} does not exist.`, { errorCode: 'RESOURCE_DOES_NOT_EXIST' });
      return this.#answer('get', { ...run });
    },
  }) as unknown as JobsClient;

  /** How many questions for the runs of one job were under way at the same time, at most. */
  mostAtOnce = 0;
  #atOnce = 0;
  /** What the question for the runs of a job is refused with. */
  jobRefusal: AppError | undefined;

  async #ofJob(jobId: string, limit: number): Promise<{ runs: Run[]; has_more: boolean }> {
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    this.#atOnce -= 1;
    noting('requests', this.requests)(`job ${jobId}`);
    if (this.jobRefusal) throw this.jobRefusal;
    const found = this.runs.filter((run) => run.job_id === jobId);
    return { runs: found.slice(0, limit), has_more: found.length > limit };
  }

  /** The local service's own answers; every change of `stamps` is to be told with `change`. */
  stamps: ListStamps = { jobs: '1', runs: '1' };
  #waiting: (() => void)[] = [];

  change(stamps: Partial<ListStamps>): void {
    this.stamps = { ...this.stamps, ...stamps };
    for (const tell of this.#waiting.splice(0)) tell();
  }

  localService(clock: FakeClock): LocalServiceClient {
    return {
      changes: async (known, { signal } = {}) => {
        noting('requests', this.requests)(known ? 'wait' : 'stamps');
        if (this.failure) throw this.failure;
        if (known && known.jobs === this.stamps.jobs && known.runs === this.stamps.runs) {
          await new Promise<void>((resolve, reject) => {
            const cancel = clock.schedule(50_000, resolve);
            this.#waiting.push(() => {
              cancel();
              resolve();
            });
            signal?.addEventListener('abort', () => {
              cancel();
              reject(new AppError('aborted', 'Stopped.'));
            });
          });
        }
        return this.stamps;
      },
      lastRuns: async () => {
        noting('requests', this.requests)('last runs');
        const runs = this.jobs
          .map(({ job_id: id }) => this.runs.find((run) => run.job_id === id))
          .filter((run) => run !== undefined);
        return { runs };
      },
      runOutput: () => Promise.reject(new Error('the poller reads no outputs')),
      debugSubmit: () => Promise.reject(new Error('the poller starts nothing')),
    };
  }

  #answer<T>(request: string, value: T): T {
    noting('requests', this.requests)(request);
    if (this.failure) throw this.failure;
    return value;
  }
}

export function run(id: string, life: string, more: Partial<Run> = {}): Run {
  return { run_id: id, job_id: '1', run_type: 'JOB_RUN', state: { life_cycle_state: life }, ...more };
}

interface Polling {
  clock: FakeClock;
  service: FakeService;
  store: RunStore;
  poller: RunPoller;
}

/** A poller that begins once somebody pays attention, and a service with one job. */
export function startPolling(): Polling {
  const clock = new FakeClock();
  const service = new FakeService();
  service.jobs = [{ job_id: '1', settings: { name: 'a' } }];
  const store = new RunStore();
  const connect = async () => ({ client: { jobs: service.client }, intervals });
  return { clock, service, store, poller: new RunPoller({ store, clock, connect }) };
}

/** Ends the poller and checks that it leaves no timer. */
export async function stopPolling({ clock, store, poller }: Omit<Polling, 'service'>): Promise<void> {
  poller.dispose();
  store.dispose();
  await settle();
  assert.equal(clock.pending, 0, 'a timer was left behind');
}
