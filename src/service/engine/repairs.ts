import { graphOf, tasksAfter } from '../../api/schema/jobs/schemas.ts';
import { parseJson } from '../../shared/json.ts';
import { listed } from '../../shared/text.ts';
import { ApiError, invalidParameter } from '../base/apiError.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import { hasTasks, isTerminal, type RunPlan, type RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun, ActiveRuns } from './activeRuns.ts';
import type { Admission } from './admission.ts';
import { parseSettings } from './engineSettings.ts';
import { createRun, runDetail, type RunCreationOptions } from './runCreation.ts';
import { lastAttempts, type RunGraphs } from './runGraph.ts';
import type { Journal } from './runJournal.ts';
import type { RunTimers } from './runTimers.ts';
import { historyItem } from './runWire.ts';
import { plansOfTasks, writtenTasks } from './taskPlans.ts';

/** Which tasks of a run to run again (Jobs API 2.1, runs/repair). */
export interface Repair {
  readonly tasks?: readonly string[];
  readonly allFailed?: boolean;
  /** Also the tasks after `tasks`. */
  readonly dependents?: boolean;
  /** The latest repair that the caller knows of. */
  readonly latestId?: string;
  /** New values as JSON texts: `job_parameters` and parameters of task kinds. */
  readonly parameters: Map<string, string>;
}

export interface RepairOptions extends RunCreationOptions {
  readonly store: Store;
  readonly active: ActiveRuns;
  readonly admission: Admission;
  readonly journal: Journal;
  readonly graphs: RunGraphs;
  readonly timers: RunTimers;
}

/**
 * Runs tasks of an ended run again, within that run.
 * @returns the ID of the repair
 * @throws ApiError 400 if the run cannot be repaired, or another repair was made in the meantime
 */
export function repairRun(record: RunRecord, repair: Repair, options: RepairOptions): string {
  const { store, clock, active, admission, journal, graphs, timers } = options;
  const { runId, jobId, trigger } = record;
  admission.check({ trigger: 'ONE_TIME', settings: '' });
  const before = planOf(record, repair, store);
  const plan = withParameters(currentPlan(record, before, store), repair.parameters);
  const last = new Map(lastAttempts(store.runs.tasksOf(runId)).map((task) => [task.taskKey ?? '', task]));
  const keys = keysOf(repair, plan, last);
  requireUpstream(keys, plan, new Set([...last.keys(), ...graphOfPlan(before).map(({ key }) => key)]));
  const settings = parseSettings(plan.settings);
  const detail = runDetail(settings, plan, { withSchedule: trigger === 'PERIODIC' });
  const run: ActiveRun = { record: { ...record, detail }, plan, settings, abort: new AbortController() };
  const { repairId, tasks } = store.transaction(() => {
    const id = store.repairs.insert(runId, clock.now(), historyItem(record, store));
    store.runParts.setPlan(runId, plan);
    const created = plansOfTasks(plan)
      .filter(({ key }) => keys.has(key))
      .map(({ key, ...own }) =>
        createRun(
          {
            ...own,
            jobId,
            trigger,
            attemptNumber: (last.get(key)?.attemptNumber ?? -1) + 1,
            task: { key, parent: record, repairId: id },
          },
          options,
        ),
      );
    journal.record([{ run, event: { type: 'repaired', at: clock.now() } }]);
    return { repairId: id, tasks: created };
  });
  for (const each of [run, ...tasks]) active.adopt(each);
  timers.arm(run);
  graphs.advance(runId);
  return repairId;
}

function planOf(record: RunRecord, { latestId }: Repair, store: Store): RunPlan {
  const { runId, lifeCycle } = record;
  const plan = store.runParts.plan(runId);
  if (!hasTasks(record) || !plan)
    throw invalidParameter(`Run ${runId} has no list of tasks, so it cannot be repaired. Run its job again.`);
  if (!isTerminal(record))
    throw new ApiError(
      400,
      'INVALID_STATE',
      `Run ${runId} is ${lifeCycle}; it was not repaired. Repair it when it has ended.`,
    );
  const latest = store.repairs.ofRun(runId).at(-1)?.repairId;
  if (latest !== latestId)
    throw invalidParameter(
      latest === undefined
        ? `Run ${runId} has not been repaired yet; it was not repaired. Leave out latest_repair_id.`
        : `The latest repair of run ${runId} is ${latest}; it was not repaired. Give it as latest_repair_id.`,
    );
  return plan;
}

/** Returns the plan with the current settings of the job (Jobs API 2.1, runs/repair), so that a correction of the job takes effect. */
function currentPlan({ jobId }: RunRecord, plan: RunPlan, store: Store): RunPlan {
  const settings = jobId === undefined ? undefined : store.jobs.get(jobId)?.settings;
  return settings !== undefined && writtenTasks(settings).size > 0 ? { ...plan, settings } : plan;
}

/** @throws ApiError 400 if no task is to run, or one does not exist */
function keysOf(repair: Repair, plan: RunPlan, last: ReadonlyMap<string, RunRecord>): Set<string> {
  const { tasks = [], allFailed = false, dependents = false } = repair;
  if (tasks.length > 0 && allFailed)
    throw invalidParameter(
      'Both rerun_tasks and rerun_all_failed_tasks are given; the run was not repaired. Give one of them.',
    );
  const missing = tasks.find((key) => !last.has(key));
  if (missing !== undefined)
    throw invalidParameter(
      `The run has no task ${missing}; it was not repaired. Its tasks are ${listed([...last.keys()])}.`,
    );
  const graph = graphOfPlan(plan);
  const chosen = allFailed ? [...last].filter(([, task]) => hasFailed(task)).map(([key]) => key) : tasks;
  const after = dependents ? chosen.flatMap((key) => [...tasksAfter(graph, key)]) : [];
  const keys = new Set([...chosen, ...after].filter((key) => last.has(key)));
  const gone = [...keys].filter((key) => !graph.some((task) => task.key === key));
  if (gone.length > 0)
    throw invalidParameter(`The job no longer has the task ${listed(gone)}; the run was not repaired.`);
  if (keys.size > 0) return keys;
  throw invalidParameter(
    allFailed
      ? 'No task of the run has failed; it was not repaired.'
      : 'No task is named; the run was not repaired. Give rerun_tasks, or rerun_all_failed_tasks.',
  );
}

function graphOfPlan({ settings }: RunPlan): ReturnType<typeof graphOf> {
  return graphOf((parseJson(settings) as { tasks?: unknown }).tasks);
}

/**
 * @param known keys of the tasks that the run has, or left out when it started
 * @throws ApiError 400 if a task now depends on one that the run never had
 */
function requireUpstream(keys: ReadonlySet<string>, plan: RunPlan, known: ReadonlySet<string>): void {
  for (const { key, after } of graphOfPlan(plan)) {
    const added = keys.has(key) ? after.find((each) => !known.has(each)) : undefined;
    if (added !== undefined)
      throw invalidParameter(
        `The task ${key} of the job now depends on the task ${added}, which the run does not have; it was not repaired. Run the job again.`,
      );
  }
}

function hasFailed({ result }: RunRecord): boolean {
  return result !== 'SUCCESS' && result !== 'SUCCESS_WITH_FAILURES' && result !== 'EXCLUDED';
}

/** Returns the plan with new values. The first run may have been one of a few tasks, which a repair is not. */
function withParameters({ settings, parameters }: RunPlan, given: Map<string, string>): RunPlan {
  const members = rawMembers(parameters);
  members.delete('only');
  for (const [name, value] of given) {
    const before = name === 'job_parameters' ? members.get(name) : undefined;
    members.set(
      name,
      before === undefined ? value : joinMembers(new Map([...rawMembers(before), ...rawMembers(value)])),
    );
  }
  return { settings, parameters: joinMembers(members) };
}
