import type { DebugProgress, Runner, Runners, RunOutcome, RunRequest } from '../../../../src/service/runners/runner.ts';
import { AppError } from '../../../../src/shared/errors.ts';

/** A task that a test carries out by hand. */
interface FakeTask {
  readonly request: RunRequest;
  readonly signal: AbortSignal;
  started(): void;
  debugging(progress: DebugProgress): void;
  end(outcome: RunOutcome): void;
  succeed(): void;
  fail(error?: string): void;
  /** The task could not be carried out at all. */
  reject(reason: string | Error): void;
}

/** Runners whose tasks end when the test says so, or when they are aborted. */
export interface FakeRunners extends Runners {
  readonly tasks: FakeTask[];
  /** The last task that was handed over. */
  readonly last: FakeTask;
  /** Tasks start and succeed at once. */
  automatic: boolean;
}

export function createFakeRunners(): FakeRunners {
  const tasks: FakeTask[] = [];
  const runner: Runner = {
    run: (request, events, { signal }) =>
      new Promise<RunOutcome>((resolve, reject) => {
        const task: FakeTask = {
          request,
          signal,
          started: () => events.onStarted(),
          debugging: (progress) => events.onDebugging?.(progress),
          end: resolve,
          succeed() {
            resolve({ resultState: 'SUCCESS' });
          },
          fail(error = 'It failed.') {
            resolve({ resultState: 'FAILED', error });
          },
          reject: (reason) => reject(typeof reason === 'string' ? new AppError('unavailable', reason) : reason),
        };
        tasks.push(task);
        signal.addEventListener('abort', () => resolve({ resultState: 'CANCELED' }), { once: true });
        if (!fake.automatic) return;
        events.onStarted();
        task.succeed();
      }),
  };
  const fake: FakeRunners = {
    tasks,
    automatic: false,
    get last() {
      const task = tasks.at(-1);
      if (!task) throw new Error('No task was handed over.');
      return task;
    },
    forTask: () => runner,
    probe: async () => [{ name: 'fake', available: true }],
  };
  return fake;
}
