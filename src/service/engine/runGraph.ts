import type { Clock } from '../../shared/clock.ts';
import { AppError, describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { listed } from '../../shared/text.ts';
import { substitute } from '../runners/taskParameters.ts';
import { rawElements } from '../store/rawJson.ts';
import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { TaskState } from '../store/runTable.ts';
import type { Store } from '../store/store.ts';
import { isGraph, type ActiveRun, type ActiveRuns } from './activeRuns.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type GraphNode, type GraphResult, type NodeState, type OmittedResult, stepGraph } from './graph.ts';
import { referencesOf } from './references.ts';
import { createRun, type RunCreationOptions } from './runCreation.ts';
import { type Happening, type Journal, toEach } from './runJournal.ts';
import { plansOfInputs } from './taskPlans.ts';

/** Runs that consist of the runs of tasks. What happens next follows from the stored runs, so that it continues after a restart. */
export interface RunGraphs {
  /** Starts a run that has got its turn. */
  begin(run: ActiveRun): void;
  /** Does what follows from the states of the run's tasks. Call it whenever one has changed, or the run itself. */
  advance(runId: string): void;
  /** Continues the runs that an earlier service left. */
  takeUp(): void;
}

export interface RunGraphsOptions extends RunCreationOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly active: ActiveRuns;
  readonly journal: Journal;
  readonly dispatcher: Dispatcher;
  readonly dropRetry: (failed: RunRecord) => void;
  readonly isClosing: () => boolean;
}

/** Maximum number of inputs of a for-each task. This limit is ours. */
const maxInputs = 1000;

const omissions: Readonly<Record<OmittedResult, string>> = {
  EXCLUDED: 'The tasks before it did not end as its conditions ask.',
  UPSTREAM_FAILED: 'A task before it failed.',
  UPSTREAM_CANCELED: 'A task before it was cancelled.',
};

export function createRunGraphs(options: RunGraphsOptions): RunGraphs {
  const { store, clock, logger, active, journal, dispatcher, dropRetry, isClosing } = options;
  const due = new Set<string>();

  function advance(runId: string): void {
    // Tasks that end together are handled together.
    if (due.size === 0) clock.schedule(0, advanceDue);
    due.add(runId);
  }

  function advanceDue(): void {
    const runIds = [...due];
    due.clear();
    if (isClosing()) return;
    for (const runId of runIds) {
      try {
        const run = active.find(runId);
        if (run && !run.record.stopping) step(run);
        else stopTasks(runId, run);
      } catch (error) {
        logger.error(
          `The tasks of run ${runId} could not be continued, trying again in a second: ${describeError(error)}`,
        );
        clock.schedule(1000, () => advance(runId));
      }
    }
    dispatcher.check();
  }

  function step(run: ActiveRun): void {
    const { runId, lifeCycle } = run.record;
    if (lifeCycle !== 'RUNNING') return;
    const tasks = lastAttempts(store.runs.taskStatesOf(runId));
    const nodes = tasks.map((task) => nodeOf(task, run));
    const { start, omit, result } = stepGraph(nodes, run.settings.for_each_task ? concurrencyOf(run) : undefined);
    const at = clock.now();
    const find = (key: string): ActiveRun[] =>
      active.tasksOf(runId).filter(({ record }) => record.taskKey === key && record.lifeCycle === 'BLOCKED');
    const happenings: Happening[] = [
      ...start.flatMap((key) => toEach(find(key), { type: 'released', at })),
      ...omit.flatMap(({ key, result: why }) =>
        toEach(find(key), { type: 'omitted', at, result: why, message: omissions[why] }),
      ),
    ];
    if (result !== undefined)
      happenings.push({
        run,
        event: { type: 'finished', at, result, message: messageOf(result, lastAttempts(store.runs.tasksOf(runId))) },
      });
    journal.recordSoon(happenings);
  }

  function nodeOf(task: TaskState, { settings }: ActiveRun): GraphNode {
    const key = task.taskKey ?? '';
    const place = settings.tasks?.find((each) => each.task_key === key);
    return {
      key,
      dependsOn: (place?.depends_on ?? []).map((each) => ({ key: each.task_key, outcome: each.outcome })),
      runIf: place?.run_if ?? 'ALL_SUCCESS',
      state: stateOf(task, place?.condition_task !== undefined),
    };
  }

  function stateOf(task: TaskState, isCondition: boolean): NodeState {
    if (task.lifeCycle === 'BLOCKED') return { phase: 'blocked' };
    if (!isTerminal(task) || task.retryAt !== undefined) return { phase: 'active' };
    const outcome = isCondition ? store.runParts.outcome(task.runId)?.conditionOutcome : undefined;
    return { phase: 'over', result: task.result ?? 'FAILED', outcome };
  }

  /** Ends what still goes on of a run that is to end, or has ended. */
  function stopTasks(runId: string, run: ActiveRun | undefined): void {
    for (const task of store.runs.tasksOf(runId)) if (task.retryAt !== undefined) dropRetry(task);
    const going = active.tasksOf(runId);
    const at = clock.now();
    const how = run?.record.stopping === 'TIMEDOUT' ? 'timed out' : 'was cancelled';
    const message = `The task was cancelled, because the run of its job ${how}.`;
    journal.recordSoon(
      toEach(
        going.filter(({ record }) => !record.stopping),
        { type: 'cancelRequested', at, message },
      ),
    );
    if (run && active.tasksOf(runId).length === 0)
      journal.recordSoon([{ run, event: { type: 'finished', at, result: 'CANCELED', message: '' } }]);
  }

  function addInputs(run: ActiveRun): void {
    const { record, plan, settings } = run;
    if (!settings.for_each_task || store.runs.tasksOf(record.runId).length > 0) return;
    const inputs = inputsOf(substitute(settings.for_each_task.inputs, referencesOf(run, store).values));
    const tasks = store.transaction(() =>
      plansOfInputs(plan, inputs).map(({ key, ...own }) =>
        createRun(
          {
            ...own,
            jobId: record.jobId,
            trigger: 'ONE_TIME',
            task: { key, parent: record, repairId: record.repairId },
          },
          options,
        ),
      ),
    );
    for (const task of tasks) active.adopt(task);
  }

  function begin(run: ActiveRun): void {
    const at = clock.now();
    try {
      addInputs(run);
      journal.recordSoon([{ run, event: { type: 'started', at, sparkContextId: run.record.runId } }]);
      advance(run.record.runId);
    } catch (error) {
      const message = describeError(error);
      journal.recordSoon([
        { run, event: { type: 'finished', at, result: 'FAILED', message }, outcome: { error: message } },
      ]);
    }
  }

  return {
    advance,
    begin,
    takeUp() {
      for (const run of active.all) {
        const { runId, taskKey, parentRunId, lifeCycle, dispatchedAt } = run.record;
        if (taskKey !== undefined && parentRunId !== undefined) advance(parentRunId);
        if (!isGraph(run)) continue;
        if (lifeCycle === 'PENDING' && dispatchedAt !== undefined) begin(run);
        else advance(runId);
      }
    },
  };
}

/** Returns the last attempt of each task, in the order of the tasks. */
export function lastAttempts<T extends TaskState>(runs: readonly T[]): T[] {
  return [...new Map(runs.map((run) => [run.taskKey, run])).values()];
}

function concurrencyOf({ settings }: ActiveRun): number {
  return settings.for_each_task?.concurrency ?? 1;
}

/** Returns the inputs as JSON texts. @throws AppError if the text is no JSON array, or a long one */
function inputsOf(text: string): string[] {
  const remedy = 'Correct inputs of the for_each_task: a JSON array as text, such as ["a", "b"].';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', `The inputs are not JSON: ${describeError(error)}`, { remedy, cause: error });
  }
  if (!Array.isArray(value)) throw new AppError('invalid', 'The inputs are not a JSON array.', { remedy });
  if (value.length > maxInputs)
    throw new AppError('invalid', `The inputs have ${value.length} entries, but at most ${maxInputs} are allowed.`, {
      remedy: 'Split them over several tasks.',
    });
  return rawElements(text);
}

function messageOf(result: GraphResult, tasks: readonly RunRecord[]): string {
  const failed = tasks.filter(
    (task) => task.result === 'FAILED' || task.result === 'TIMEDOUT' || task.lifeCycle === 'INTERNAL_ERROR',
  );
  if (failed.length > 1) return `The tasks ${listed(failed.map(({ taskKey }) => taskKey ?? ''))} failed.`;
  const [only] = failed;
  if (only) return `The task ${only.taskKey} failed. ${only.message}`.trim();
  const cancelled = tasks.find((task) => task.result === 'CANCELED');
  if (cancelled && result !== 'SUCCESS') return `The task ${cancelled.taskKey} was cancelled.`;
  return result === 'CANCELED' ? 'A task was cancelled.' : '';
}
