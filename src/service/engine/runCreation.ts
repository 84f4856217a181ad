import { listedTaskKinds, runParameterKinds } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { rawMembers } from '../store/rawJson.ts';
import { isTerminal, multiTaskDetail, type NewRun, type RunPlan } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import { type ActiveRun, type DebuggedRun, isGraph, type Notifier } from './activeRuns.ts';
import type { Admission } from './admission.ts';
import { type EngineSettings, isDebuggable, parseSettings } from './engineSettings.ts';
import type { RunStart, TaskPlace } from './runStart.ts';
import { plansOfTasks } from './taskPlans.ts';
import { transition, waitingMessage } from './transition.ts';

export interface RunCreationOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly notifier: Notifier;
  /** Name of the user who creates the runs. */
  readonly creator: string;
  readonly admission: Pick<Admission, 'skipReason'>;
}

/** Stores a new run, PENDING or SKIPPED, with its token. Call it within a transaction. The caller owns the run once it is stored. */
export function createRun(start: RunStart, options: RunCreationOptions): ActiveRun {
  const { store, clock, notifier } = options;
  const { task } = start;
  const settings = start.parsed ?? parseSettings(start.settings);
  const plan: RunPlan = { settings: start.settings, parameters: start.parameters ?? '{}' };
  const now = clock.now();
  const fresh: NewRun = {
    jobId: start.jobId,
    ...(task ? placeOf(task) : ownPlace(start, store)),
    originalRunId: start.originalRunId,
    attemptNumber: start.attemptNumber ?? 0,
    runType: start.jobId === undefined ? 'SUBMIT_RUN' : 'JOB_RUN',
    trigger: start.trigger,
    runName: task?.parent.runName ?? settings.run_name ?? settings.name ?? 'Untitled',
    creator: options.creator,
    detail: runDetail(settings, plan, { withSchedule: start.trigger === 'PERIODIC' }),
    // A retried task has waited for those before it already.
    ...(task && start.trigger !== 'RETRY'
      ? { lifeCycle: 'BLOCKED', message: 'Waiting for other tasks' }
      : { lifeCycle: 'PENDING', message: waitingMessage }),
    createdAt: now,
  };
  const reason = task ? undefined : options.admission.skipReason(start, settings.max_concurrent_runs);
  const run =
    reason === undefined
      ? fresh
      : { ...fresh, ...transition(fresh, { type: 'skipped', at: now, message: reason }).run };
  const record = store.runs.insert(run, isTerminal(run) ? undefined : plan);
  if (start.idempotencyToken !== undefined) store.tokens.insert(start.idempotencyToken, record.runId);
  if (isTerminal(record)) notifier.over(record, settings, false);
  const canBeDebugged = !isGraph({ settings }) && (!task || isDebuggable(settings));
  const debug: DebuggedRun | undefined =
    start.debug === true && canBeDebugged ? { progress: { phase: 'waiting' } } : undefined;
  return { record, plan, settings, abort: new AbortController(), debug };
}

/** Like `createRun`, with the runs of its tasks. @returns the run first */
export function createRunWithTasks(start: RunStart, options: RunCreationOptions): [ActiveRun, ...ActiveRun[]] {
  const run = createRun(start, options);
  if (isTerminal(run.record) || !isGraph(run)) return [run];
  const { record, plan } = run;
  return [
    run,
    ...plansOfTasks(plan).map(({ key, ...own }) =>
      createRun(
        { ...own, jobId: start.jobId, trigger: start.trigger, debug: start.debug, task: { key, parent: record } },
        options,
      ),
    ),
  ];
}

type Place = Pick<NewRun, 'oneTimeJobId' | 'numberInJob' | 'parentRunId' | 'taskKey' | 'repairId'>;

function placeOf({ key, parent, repairId }: TaskPlace): Place {
  const { oneTimeJobId, numberInJob, runId } = parent;
  return { oneTimeJobId, numberInJob, parentRunId: runId, taskKey: key, repairId };
}

function ownPlace({ jobId, parentRunId }: RunStart, store: Store): Place {
  return {
    oneTimeJobId: jobId === undefined ? store.jobs.takeId() : undefined,
    numberInJob: jobId === undefined ? 1 : store.jobs.nextNumber(jobId),
    parentRunId,
  };
}

const clusterFields = ['existing_cluster_id', 'new_cluster', 'libraries'] as const;

/**
 * Returns the members of a run that are fixed at its creation, as JSON text without braces: the schedule, the task and the snapshot of the
 * cluster specification as the client wrote them (Jobs API 2.0, Run).
 */
export function runDetail(settings: EngineSettings, plan: RunPlan, options: { withSchedule: boolean }): string {
  const members = rawMembers(plan.settings);
  const parameters = rawMembers(plan.parameters);
  const hasOwnTasks = (settings.tasks ?? []).length > 0;
  const schedule = members.get('schedule');
  const overriding = pick(parameters, overridingKinds);
  return [
    hasOwnTasks ? multiTaskDetail : '',
    options.withSchedule && schedule ? `"schedule":${schedule}` : '',
    // The tasks of a run are runs of their own.
    hasOwnTasks ? '' : `"task":${pick(members, listedTaskKinds)},"cluster_spec":${pick(members, clusterFields)}`,
    overriding === '{}' ? '' : `"overriding_parameters":${overriding}`,
    hasOwnTasks ? jobParameters(settings, parameters) : '',
  ]
    .filter(Boolean)
    .join(',');
}

const overridingKinds = [...runParameterKinds, 'python_named_params'] as const;

/** Returns the parameters of the job with their values in the run (Jobs API 2.1, RunParameter). */
function jobParameters(settings: EngineSettings, parameters: Map<string, string>): string {
  const given = new Map(Object.entries(JSON.parse(parameters.get('job_parameters') ?? '{}') as Record<string, string>));
  const declared = new Map((settings.parameters ?? []).map((each) => [each.name, each.default]));
  const names = [...new Set([...declared.keys(), ...given.keys()])];
  if (names.length === 0) return '';
  return `"job_parameters":${JSON.stringify(
    names.map((name) => ({ name, default: declared.get(name), value: given.get(name) ?? declared.get(name) })),
  )}`;
}

function pick(members: Map<string, string>, names: readonly string[]): string {
  const found = names.flatMap((name) => {
    const value = members.get(name);
    return value === undefined || value === 'null' ? [] : [`"${name}":${value}`];
  });
  return `{${found.join(',')}}`;
}
