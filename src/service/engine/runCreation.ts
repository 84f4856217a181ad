import { taskKinds } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { rawMembers } from '../store/rawJson.ts';
import { isTerminal, type NewRun, type RunPlan } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun, DebuggedRun, Notifier } from './activeRun.ts';
import type { Admission } from './admission.ts';
import { parseSettings } from './engineSettings.ts';
import type { RunStart } from './runStart.ts';
import { transition } from './transition.ts';

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
  const settings = start.parsed ?? parseSettings(start.settings);
  const plan: RunPlan = { settings: start.settings, parameters: start.parameters ?? '{}' };
  const now = clock.now();
  const fresh: NewRun = {
    jobId: start.jobId,
    oneTimeJobId: start.jobId === undefined ? store.jobs.takeId() : undefined,
    numberInJob: start.jobId === undefined ? 1 : store.jobs.nextNumber(start.jobId),
    originalRunId: start.originalRunId,
    parentRunId: start.parentRunId,
    attemptNumber: start.attemptNumber ?? 0,
    runType: start.jobId === undefined ? 'SUBMIT_RUN' : 'JOB_RUN',
    trigger: start.trigger,
    runName: settings.run_name ?? settings.name ?? 'Untitled',
    creator: options.creator,
    detail: runDetail(plan.settings, plan.parameters, { withSchedule: start.trigger === 'PERIODIC' }),
    lifeCycle: 'PENDING',
    message: 'Waiting for a place on this machine',
    createdAt: now,
  };
  const reason = options.admission.skipReason(start, settings.max_concurrent_runs);
  const run =
    reason === undefined
      ? fresh
      : { ...fresh, ...transition(fresh, { type: 'skipped', at: now, message: reason }).run };
  const record = store.runs.insert(run, isTerminal(run) ? undefined : plan);
  if (start.idempotencyToken !== undefined) store.tokens.insert(start.idempotencyToken, record.runId);
  if (isTerminal(record)) notifier.over(record, settings, false);
  const debug: DebuggedRun | undefined = start.debug === true ? { progress: { phase: 'waiting' } } : undefined;
  return { record, plan, settings, abort: new AbortController(), debug };
}

const taskFields = [...taskKinds, 'tasks'] as const;
const clusterFields = ['existing_cluster_id', 'new_cluster', 'libraries'] as const;

/**
 * Returns the members of a run that are fixed at its creation, as JSON text without braces: the schedule, the task and the snapshot of the
 * cluster specification as the client wrote them (Jobs API 2.0, Run).
 */
function runDetail(settings: string, parameters: string, options: { withSchedule: boolean }): string {
  const members = rawMembers(settings);
  const parts: string[] = [];
  const schedule = members.get('schedule');
  if (options.withSchedule && schedule) parts.push(`"schedule":${schedule}`);
  parts.push(`"task":${pick(members, taskFields)}`, `"cluster_spec":${pick(members, clusterFields)}`);
  if (parameters !== '{}') parts.push(`"overriding_parameters":${parameters}`);
  return parts.join(',');
}

function pick(members: Map<string, string>, names: readonly string[]): string {
  const found = names.flatMap((name) => {
    const value = members.get(name);
    return value === undefined || value === 'null' ? [] : [`"${name}":${value}`];
  });
  return `{${found.join(',')}}`;
}
