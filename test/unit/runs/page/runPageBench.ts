import type { Client, OutputPiece } from '../../../../src/api/client/client.ts';
import type { Job, Run, RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { TraceStep } from '../../../../src/runs/output/failingPlace.ts';
import type { RunView, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunPageSession } from '../../../../src/runs/page/runPageSession.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { noting } from '../../../support/trail.ts';

export const state = (life: string, result?: string): Run['state'] =>
  ({ life_cycle_state: life, ...(result ? { result_state: result } : {}) }) as Run['state'];

/** A service, a page and an editor in one. */
export class Bench {
  readonly clock = new FakeClock();
  run: Run = {
    run_id: '7',
    job_id: '1',
    number_in_job: '3',
    run_type: 'JOB_RUN',
    start_time: 1,
    state: state('RUNNING'),
  };
  job: Job = { job_id: '1', settings: { name: 'etl', max_retries: 2 } };
  /** What its job has beside it. */
  others: Run[] = [{ run_id: '6', original_attempt_run_id: '6', start_time: 1, attempt_number: 0 } as Run];
  profile: Profile = localProfile;
  failure: Error | undefined;
  pieces: OutputPiece[] = [];
  output: RunOutput = {};
  asked: string[] = [];
  /** With what it was asked. */
  requests: unknown[][] = [];
  posted: ToPage[] = [];
  titles: string[] = [];
  ended: unknown[][] = [];
  steps: readonly TraceStep[] = [];
  usualMs: number | undefined;
  takesAtOnce = true;
  #piece: (() => void) | undefined;
  readonly session = new RunPageSession('7', {
    clock: this.clock,
    profile: () => this.profile,
    connect: async ({ byUser }) => {
      this.asked.push(byUser ? 'connect by user' : 'connect');
      return { profile: this.profile, client: this.#client() };
    },
    post: (message) => {
      noting('posts', this.posted)(message);
      if (message.type === 'output' && this.takesAtOnce) this.session.taken();
    },
    setTitle: (title) => noting('title', this.titles)(title),
    usualMs: () => this.usualMs,
    locate: async (steps) => {
      this.steps = steps;
      return undefined;
    },
    ended: (...all) => noting('ended', this.ended)(all),
  });

  give(piece: Partial<OutputPiece> & { text: string }): void {
    this.pieces.push({ nextOffset: 0, size: 0, isEnd: false, ...piece });
    this.#piece?.();
  }

  /** By what is asked. */
  failures: Record<string, AppError | undefined> = {};

  get view(): RunView {
    const last = this.posted.findLast((message) => message.type === 'run');
    if (!last) throw new Error('No view was posted.');
    return last.view;
  }

  get outputs(): [text: string, reset: boolean, isEnd: boolean][] {
    return this.posted.flatMap((message) =>
      message.type === 'output' ? [[message.text, message.reset, message.isEnd] as const] : [],
    ) as [string, boolean, boolean][];
  }

  #client(): Client {
    const answer = <T>(name: string, value: T, request: unknown[]): T => {
      this.asked.push(name);
      noting(`asks for ${name}`, this.requests)(request);
      const failure = this.failure ?? this.failures[name];
      if (failure) throw failure;
      return value;
    };
    return {
      jobs: {
        getRun: async (...request: unknown[]) => answer('run', this.run, request),
        get: async (...request: unknown[]) => answer('job', this.job, request),
        listRuns: async (...request: unknown[]) =>
          answer('runs', { runs: [this.run, ...this.others], has_more: false }, request),
        getRunOutput: async (...request: unknown[]) => answer('output', this.output, request),
      },
      localService: {
        runOutput: async (request: { offset: number }, options: { signal: AbortSignal }) => {
          answer(`piece ${request.offset}`, undefined, [request, options]);
          const { signal } = options;
          while (this.pieces.length === 0) {
            await new Promise<void>((resolve, reject) => {
              this.#piece = resolve;
              signal.addEventListener('abort', () => reject(new AppError('aborted', 'Stopped.')), { once: true });
            });
          }
          return this.pieces.shift();
        },
      },
    } as unknown as Client;
  }
}

/** Lets everything that is ready happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
