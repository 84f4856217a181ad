import assert from 'node:assert/strict';
import type { Client, OutputPiece } from '../../../../src/api/client/client.ts';
import type { Job, Run, RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { TraceStep } from '../../../../src/runs/output/failingPlace.ts';
import type { RunView, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunPageSession } from '../../../../src/runs/page/runPageSession.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const state = (life: string, result?: string): Run['state'] =>
  ({ life_cycle_state: life, ...(result ? { result_state: result } : {}) }) as Run['state'];
/** A service, a page and an editor in one. */
class Bench {
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
  /** The other runs of the job. */
  others: Run[] = [{ run_id: '6', original_attempt_run_id: '6', start_time: 1, attempt_number: 0 } as Run];
  profile: Profile = localProfile;
  failure: Error | undefined;
  pieces: OutputPiece[] = [];
  output: RunOutput = {};
  /** Outputs of the run's tasks by their run IDs. */
  taskOutputs: Record<string, RunOutput> = {};
  version = '2.0';
  asked: string[] = [];
  /** The arguments of each request. */
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
      this.posted.push(message);
      if (message.type === 'output' && this.takesAtOnce) this.session.taken();
    },
    setTitle: (title) => void this.titles.push(title),
    usualMs: () => this.usualMs,
    locate: async (steps) => {
      this.steps = steps;
      return undefined;
    },
    ended: (...all) => void this.ended.push(all),
  });

  give(piece: Partial<OutputPiece> & { text: string }): void {
    this.pieces.push({ nextOffset: 0, size: 0, isEnd: false, ...piece });
    this.#piece?.();
  }

  /** Failures by request. */
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
      this.requests.push(request);
      const failure = this.failure ?? this.failures[name];
      if (failure) throw failure;
      return value;
    };
    return {
      jobs: {
        version: async () => this.version,
        getRun: async (...request: unknown[]) => answer('run', this.run, request),
        get: async (...request: unknown[]) => answer('job', this.job, request),
        listRuns: async (...request: unknown[]) =>
          answer('runs', { runs: [this.run, ...this.others], has_more: false }, request),
        getRunOutput: async (...request: unknown[]) =>
          answer('output', this.taskOutputs[String(request[0])] ?? this.output, request),
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
/** Waits until all pending work is done. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('RunPageSession', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());

  it('reports the run, its job and its attempts, then the output and the error', async () => {
    bench.session.resume();
    await settle();
    assert.deepEqual(bench.asked, ['connect', 'run', 'job', 'runs', 'piece 0']);
    assert.match(bench.view.title, /^Running for /);
    assert.equal(bench.titles.at(-1), 'etl #3');
    assert.deepEqual(bench.view.output, { note: 'as it comes', isGoing: true, end: '' });
    bench.give({ text: 'one\n', nextOffset: 4, size: 4 });
    await settle();
    await bench.clock.advance(40);
    await settle();
    bench.run = { ...bench.run, state: state('TERMINATED', 'FAILED'), end_time: 9, execution_duration: 8 };
    bench.give({
      text: 'two\n',
      nextOffset: 8,
      size: 8,
      isEnd: true,
      error: 'ValueError: no',
      errorTrace: 'Traceback (most recent call last):\n  File "/w/a.py", line 2, in f\nValueError: no',
    });
    await settle();
    assert.deepEqual(bench.outputs, [
      ['one\n', true, false],
      ['two\n', false, true],
    ]);
    assert.deepEqual(
      bench.asked.filter((each) => each.startsWith('piece')),
      ['piece 0', 'piece 4'],
    );
    assert.deepEqual(bench.steps, [{ file: '/w/a.py', line: 2, name: 'f' }]);
    assert.equal(bench.view.message, 'ValueError: no');
    assert.deepEqual(bench.view.output, { note: '', isGoing: false, end: 'End of output.' });
    assert.equal(bench.ended.length, 1);
    const { length } = bench.asked;
    await bench.clock.advance(60_000);
    await settle();
    assert.equal(bench.asked.length, length, 'a run that is over is not asked for again');
  });

  it('sends only a few pieces that the page has not taken, and reports the end after the last', async () => {
    bench.takesAtOnce = false;
    const pieces = ['one', 'two', 'three'];
    for (const [index, text] of pieces.entries())
      bench.give({ text, nextOffset: index + 1, size: 12, isEnd: index === 2 });
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS') };
    bench.session.resume();
    const texts = async (): Promise<string[]> => {
      await settle();
      return bench.outputs.map(([text]) => text);
    };
    assert.deepEqual(await texts(), pieces.slice(0, 2));
    bench.session.taken();
    assert.deepEqual(await texts(), pieces);
    for (let left = 2; left > 0; left -= 1) {
      assert.equal(bench.ended.length, 0, `${left} are not taken yet`);
      bench.session.taken();
      await settle();
    }
    assert.equal(bench.ended.length, 1);
  });

  it('resumes after a pause, even if pieces were never taken', async () => {
    bench.takesAtOnce = false;
    const pieces = ['one', 'two', 'three'];
    for (const [index, text] of pieces.entries()) bench.give({ text, nextOffset: index + 1, size: 12 });
    bench.session.resume();
    await settle();
    bench.session.pause();
    bench.session.resume();
    await settle();
    assert.deepEqual(
      bench.outputs.map(([text]) => text),
      pieces,
    );
  });

  it('sends only the new output of a remote service', async () => {
    bench.profile = staging;
    bench.output = { logs: 'one\n' } as RunOutput;
    bench.session.resume();
    await settle();
    assert.equal(bench.view.output.note, 'read every few seconds');
    bench.output = { logs: 'one\ntwo\n' } as RunOutput;
    await bench.clock.advance(4000);
    await settle();
    bench.output = { logs: 'other\n' } as RunOutput;
    await bench.clock.advance(4000);
    await settle();
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS') };
    bench.output = { metadata: bench.run, logs: 'other\n', logs_truncated: true } as RunOutput;
    await bench.clock.advance(4000);
    await settle();
    assert.deepEqual(bench.outputs, [
      ['one\n', true, false],
      ['two\n', false, false],
      ['other\n', true, false],
      ['', false, true],
    ]);
    assert.deepEqual(bench.view.output, {
      note: 'first 5 MB',
      isGoing: false,
      end: 'The service returns at most 5 MB.',
    });
  });

  it('keeps the last known view after a failure and retries with growing delays, or on request', async () => {
    bench.session.resume();
    await settle();
    bench.failure = new AppError('network', 'It cannot be reached.');
    await bench.clock.advance(1000);
    await settle();
    assert.deepEqual(
      [bench.view.notice?.text, bench.view.notice?.detail],
      ['The local service does not answer.', 'Retrying.'],
    );
    assert.match(bench.view.title, /^Running for .* when last seen$/);
    assert.equal(bench.view.state.spins, false);
    bench.asked = [];
    await bench.clock.advance(2000);
    await settle();
    await bench.clock.advance(3900);
    await settle();
    assert.equal(bench.asked.filter((each) => each === 'connect').length, 1);
    await bench.clock.advance(100);
    await settle();
    assert.equal(bench.asked.filter((each) => each === 'connect').length, 2);
    bench.failure = undefined;
    bench.session.retry();
    await settle();
    assert.equal(bench.asked.filter((each) => each === 'connect by user').length, 1);
    assert.equal(bench.view.notice, undefined);
    assert.match(bench.view.title, /^Running for /);
  });

  it('follows a run to its end if its output is refused', async () => {
    bench.profile = staging;
    bench.failures = { output: new AppError('rejected', 'A run with multiple tasks has no output.') };
    bench.session.resume();
    await settle();
    assert.match(bench.view.title, /^Running/);
    assert.match(bench.view.output.unread ?? '', /multiple tasks/);
    for (let minutes = 0; minutes < 5; minutes += 1) {
      await bench.clock.advance(60_000);
      await settle();
    }
    bench.run = { ...bench.run, state: state('TERMINATED', 'FAILED'), end_time: 9, execution_duration: 8 };
    await bench.clock.advance(10_000);
    await settle();
    assert.match(bench.view.title, /^Failed/);
    assert.match(bench.view.output.unread ?? '', /multiple tasks/);
    assert.deepEqual([bench.view.notice, bench.view.output.isGoing, bench.ended.length], [undefined, false, 1]);
  });

  describe('of a run with several tasks', () => {
    const task = (key: string, runId: string, result: string, upstream: string[] = []) => ({
      task_key: key,
      run_id: runId,
      state: state('TERMINATED', result),
      start_time: 1,
      end_time: 10 + Number(runId),
      depends_on: upstream.map((task_key) => ({ task_key })),
    });

    beforeEach(() => {
      bench.profile = staging;
      bench.run = {
        ...bench.run,
        state: state('INTERNAL_ERROR', 'FAILED'),
        end_time: 100,
        tasks: [
          task('report', '23', 'UPSTREAM_FAILED', ['clean']),
          task('clean', '22', 'FAILED', ['ingest']),
          task('ingest', '21', 'SUCCESS'),
        ],
      };
      bench.output = { error: 'Retrieving the output of runs with multiple tasks is not supported.' };
      bench.taskOutputs = {
        21: { logs: 'read 5 rows\n' },
        22: { logs: 'cleaning\n', error: 'ValueError: no rows' },
      };
    });

    it('shows the tasks in order, and the error and output of the one that failed', async () => {
      bench.session.resume();
      await settle();
      assert.deepEqual(
        bench.view.tasks?.map(({ key, depth, isShown }) => [key, depth, isShown]),
        [
          ['ingest', 0, false],
          ['clean', 1, true],
          ['report', 2, false],
        ],
      );
      assert.match(bench.view.title, /^Failed/);
      assert.equal(bench.view.message, 'ValueError: no rows');
      assert.deepEqual(bench.outputs.at(-1), ['cleaning\n', true, true]);
    });

    it('offers a repair if the service has it, and shows those of before', async () => {
      bench.version = '2.2';
      bench.run = {
        ...bench.run,
        repair_history: [
          { type: 'ORIGINAL', start_time: 1, end_time: 40, state: state('TERMINATED', 'FAILED') },
          { type: 'REPAIR', id: '3', start_time: 50, end_time: 100, state: state('TERMINATED', 'FAILED') },
        ],
      };
      bench.session.resume();
      await settle();
      assert.deepEqual(bench.requests.filter(([id]) => id === '7').at(-1)?.[1], {
        ...(bench.requests.filter(([id]) => id === '7').at(-1)?.[1] as object),
        withRepairs: true,
      });
      assert.ok([...bench.view.actions, ...(bench.view.more ?? [])].some(({ id }) => id === 'repair'));
      assert.deepEqual(
        bench.view.attempts.map(({ label, isThis }) => [label, isThis]),
        [
          ['Original run', false],
          ['Repair 1', true],
        ],
      );
    });

    it('offers no repair on a service without it', async () => {
      bench.session.resume();
      await settle();
      assert.ok(![...bench.view.actions, ...(bench.view.more ?? [])].some(({ id }) => id === 'repair'));
    });

    it('shows the output of the task that the user chooses', async () => {
      bench.session.resume();
      await settle();
      bench.session.showTask('ingest');
      await settle();
      assert.deepEqual(bench.outputs.at(-1), ['read 5 rows\n', true, true]);
      assert.equal(bench.view.tasks?.find(({ isShown }) => isShown)?.key, 'ingest');
    });

    it('follows the output of the next task of a local run as it comes', async () => {
      const running = { ...task('clean', '22', ''), state: state('RUNNING'), end_time: 0 };
      bench.profile = localProfile;
      bench.run = { ...bench.run, state: state('RUNNING'), end_time: 0 };
      bench.run.tasks = [
        { ...running, task_key: 'ingest', run_id: '21' },
        { ...running, state: state('BLOCKED') },
      ];
      bench.session.resume();
      await settle();
      bench.give({ text: 'read\n', nextOffset: 5, size: 5, isEnd: true });
      await settle();
      bench.run = { ...bench.run, tasks: [task('ingest', '21', 'SUCCESS'), running] };
      await bench.clock.advance(1000);
      await settle();
      bench.give({ text: 'cleaning\n', nextOffset: 9, size: 9 });
      await settle();
      assert.deepEqual(bench.outputs, [
        ['read\n', true, true],
        ['cleaning\n', true, false],
      ]);
    });

    it('reads the output again when a repair runs the task again', async () => {
      bench.session.resume();
      await settle();
      bench.session.pause();
      bench.run = {
        ...bench.run,
        state: state('TERMINATED', 'SUCCESS'),
        tasks: [task('clean', '22', 'FAILED'), { ...task('clean', '32', 'SUCCESS'), attempt_number: 1 }],
      };
      bench.taskOutputs['32'] = { logs: 'cleaned\n' };
      bench.session.resume();
      await settle();
      assert.deepEqual(bench.outputs.at(-1), ['cleaned\n', true, true]);
    });

    it('keeps following the run after one of its tasks ended', async () => {
      const ended = bench.run;
      bench.run = {
        ...ended,
        state: state('RUNNING'),
        end_time: 0,
        tasks: [task('ingest', '21', 'SUCCESS'), { ...task('clean', '22', 'FAILED'), state: state('RUNNING') }],
      };
      bench.session.resume();
      await settle();
      bench.run = ended;
      await bench.clock.advance(10_000);
      assert.match(bench.view.title, /^Failed/);
      assert.equal(bench.view.message, 'ValueError: no rows');
    });
  });

  it('says that the service reports no state', async () => {
    bench.run = { ...bench.run, state: undefined };
    bench.session.resume();
    await settle();
    assert.match(bench.view.notice?.text ?? '', /no state/);
  });

  it('follows a run whose output ends before its state', async () => {
    bench.give({ text: 'all\n', nextOffset: 4, size: 4, isEnd: true });
    bench.session.resume();
    await settle();
    assert.match(bench.view.title, /^Running/);
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS'), end_time: 9, execution_duration: 8 };
    await bench.clock.advance(1000);
    await settle();
    assert.match(bench.view.title, /^Succeeded/);
    assert.equal(bench.ended.length, 1);
  });

  it('stops requesting a run that the service refuses, and shows the reason', async () => {
    bench.failure = new AppError('notFound', 'There is no run 7.', { remedy: 'Look it up.' });
    bench.session.resume();
    await settle();
    assert.deepEqual(
      [bench.view.title, bench.view.notice?.text, bench.view.notice?.detail, bench.view.notice?.actions[0]?.id],
      ['Run 7', 'There is no run 7.', 'Look it up.', 'retry'],
    );
    const { length } = bench.asked;
    await bench.clock.advance(120_000);
    await settle();
    assert.equal(bench.asked.length, length);
  });
});

describe('RunPageSession for a finished run', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());

  it('locates no failure if the run succeeded', async () => {
    bench.profile = staging;
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS'), end_time: 9 };
    bench.output = { metadata: bench.run, logs: '', error: 'Traceback', error_trace: '  \n' } as RunOutput;
    bench.session.resume();
    await settle();
    assert.deepEqual([bench.steps, bench.ended.length, bench.ended[0]?.[2]], [[], 1, undefined]);
    assert.deepEqual(bench.ended[0]?.[1], { job_id: '1', settings: { name: 'etl', max_retries: 2 } });
  });
});

describe('RunPageSession after the end of the run', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());
  const resume = async (): Promise<void> => {
    bench.session.resume();
    await settle();
  };
  const advance = async (ms: number): Promise<void> => {
    await bench.clock.advance(ms);
    await settle();
  };
  const end = (result = 'SUCCESS'): void => {
    bench.run = {
      ...bench.run,
      state: state('TERMINATED', result),
      end_time: bench.clock.now(),
      execution_duration: 8,
    };
  };

  it('stops polling the run while its output is still arriving', async () => {
    await resume();
    end();
    await advance(1000);
    assert.deepEqual([bench.view.title.startsWith('Succeeded'), bench.view.output.isGoing], [true, false]);
    const { length } = bench.asked;
    await advance(10_000);
    assert.equal(bench.asked.length, length);
    assert.deepEqual(bench.ended, []);
  });
});
