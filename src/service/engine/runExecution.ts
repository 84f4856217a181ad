import { withParamMaps } from '../../api/schema/jobs/paramPairs.ts';
import { documentedMetric, foreignLibraryKinds } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { AppError, describeError, isAbort, isAppError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import type { Logger } from '../../shared/log.ts';
import { listed } from '../../shared/text.ts';
import { requestWithoutNulls } from '../base/requestWithoutNulls.ts';
import type {
  DebugProgress,
  RunnerClusterSpec,
  RunnerParameters,
  Runners,
  RunOutcome,
  RunRequest,
} from '../runners/runner.ts';
import { substitute } from '../runners/taskParameters.ts';
import { isDiskFull } from '../store/dataFolder.ts';
import { storedPart } from '../store/runParts.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun } from './activeRuns.ts';
import type { EngineSettings } from './engineSettings.ts';
import { referencesOf } from './references.ts';
import type { Journal } from './runJournal.ts';
import { runFolder, type RunStart } from './runStart.ts';
import { type RunEvent, withNote } from './transition.ts';

const debugNote = 'It is being debugged: it may wait at a breakpoint, has no time-out, and is not retried.';

export interface ExecutionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly runners: Runners;
  readonly logger: Logger;
  readonly journal: Journal;
  readonly dataFolder: string;
  /** Starts and awaits the runs of run-job tasks. */
  readonly children: ChildRunStarter;
  readonly onDebugging: (run: ActiveRun, progress: DebugProgress) => void;
  /** A task that ends because the service stops is marked by the engine. */
  readonly isClosing: () => boolean;
}

/** Executes the task of a dispatched run, and records its start and end. Never throws. */
export async function executeRun(run: ActiveRun, options: ExecutionOptions): Promise<void> {
  const { store, clock, logger, isClosing } = options;
  const { recordSoon } = options.journal;
  const onStarted = (): void =>
    recordSoon([
      {
        run,
        event: {
          type: 'started',
          at: clock.now(),
          sparkContextId: run.record.runId,
          note: withNote(run.debug ? debugNote : '', noteWithoutEffect(run.settings)) || undefined,
        },
      },
    ]);
  try {
    const { run_job_task: runJob, condition_task: condition } = run.settings;
    if (condition) onStarted();
    const outcome = condition
      ? evaluate(condition, referencesOf(run, store).values)
      : runJob
        ? await runJobTask(runJob, run, {
            engine: options.children,
            store,
            onStarted,
            signal: run.abort.signal,
            cancelMessage: () =>
              `The run was cancelled, because run ${run.record.runId}, which started it, ${run.record.stopping === 'TIMEDOUT' ? 'timed out' : 'was cancelled'}.`,
          })
        : await options.runners.forTask(run.settings).run(
            toRunRequest(run, options),
            {
              onStarted,
              onSpawned: (identity) => store.processes.insert(run.record.runId, identity),
              onDebugging: (progress) => options.onDebugging(run, progress),
            },
            { signal: run.abort.signal },
          );
    if (isClosing() && outcome.resultState === 'CANCELED' && !run.record.stopping) return;
    const message = withNote(outcome.stateMessage ?? outcome.error ?? '', outcome.note);
    const event: RunEvent = {
      type: 'finished',
      at: clock.now(),
      result: outcome.resultState,
      message,
      note: outcome.note,
    };
    recordSoon([{ run, event, outcome: storedPart(outcome) }]);
  } catch (error) {
    if (isClosing() && isAbort(error) && !run.record.stopping) return;
    const message = isDiskFull(error)
      ? 'The disk of the data folder is full, so the run could not be completed. Free some disk space, then run it again.'
      : describeError(error);
    if (!isAbort(error)) logger.warn(`Run ${run.record.runId} failed: ${message}`);
    // A wrong path, setting or library is the task's own failure. Something missing on this machine, or a defect, is the service's.
    const event: RunEvent = isMistake(error)
      ? { type: 'finished', at: clock.now(), result: 'FAILED', message }
      : { type: 'notCarriedOut', at: clock.now(), message };
    recordSoon([{ run, event, outcome: { error: message } }]);
  }
}

/** Returns whether the request itself is wrong, so that no machine could execute it and the user must correct it. */
function isMistake(error: unknown): boolean {
  return isAppError(error) && (error.kind === 'invalid' || error.kind === 'notFound' || error.kind === 'rejected');
}

/** Fields of a new cluster that describe cloud machines. There is one machine here. */
const cloudFields = [
  'node_type_id',
  'driver_node_type_id',
  'instance_pool_id',
  'driver_instance_pool_id',
  'cloud_attributes',
  'ssh_public_keys',
  'custom_tags',
  'enable_elastic_disk',
] as const;
/** Fields of object storage that concern cloud buckets. Here it is a folder. */
const storageFields = ['enable_encryption', 'encryption_type', 'kms_key', 'canned_acl'] as const;

/** Returns a note for the start of the run's message: the settings that are stored but have no effect on this machine. */
function noteWithoutEffect(settings: EngineSettings): string | undefined {
  const cluster = (settings.new_cluster ?? {}) as Readonly<Record<string, unknown>>;
  const logs = cluster['cluster_log_conf'] as { objstore?: Readonly<Record<string, unknown>> } | undefined;
  const names = [
    ...cloudFields.filter((name) => cluster[name] !== undefined),
    ...storageFields.filter((name) => logs?.objstore?.[name] !== undefined),
    ...foreignLibraryKinds.filter((kind) => settings.libraries?.some((library) => Object.hasOwn(library, kind))),
    ...new Set(
      (settings.health?.rules ?? []).map(({ metric }) => metric).filter((metric) => metric !== documentedMetric),
    ),
  ];
  return names.length === 0
    ? undefined
    : `On this machine ${listed(names)} ${names.length === 1 ? 'has' : 'have'} no effect.`;
}

/** Builds the request that a runner gets for this run. */
export function toRunRequest(
  run: ActiveRun,
  { store, dataFolder }: Pick<ExecutionOptions, 'store' | 'dataFolder'>,
): RunRequest {
  const { record, settings, plan } = run;
  const { values, taskValues, jobParameters } = referencesOf(run, store);
  const parameters = withParamMaps(
    requestWithoutNulls(parseJson(plan.parameters)) as Record<string, unknown>,
  ) as RunnerParameters;
  return {
    runId: record.runId,
    jobId: record.jobId,
    runName: record.runName,
    attemptNumber: record.attemptNumber,
    task: withParamMaps({ ...settings }),
    clusterSpec: clusterSpecOf(settings),
    clusterId: record.clusterId ?? '',
    parameters:
      Object.keys(jobParameters).length === 0 ? parameters : withJobParameters(run, parameters, jobParameters),
    dynamicValues: values,
    taskValues: record.taskKey === undefined ? undefined : taskValues,
    folder: runFolder(dataFolder, record.runId),
    debug: run.debug !== undefined,
  };
}

/** Tasks that read parameters by name get those of the job too, which take precedence over their own. */
function withJobParameters(
  { settings }: ActiveRun,
  parameters: RunnerParameters,
  ofJob: Record<string, string>,
): RunnerParameters {
  const readsNames = settings.python_wheel_task?.named_parameters !== undefined;
  return {
    ...parameters,
    notebook_params: { ...ofJob, ...parameters.notebook_params },
    ...(readsNames ? { python_named_params: { ...ofJob, ...parameters.python_named_params } } : {}),
  };
}

/** Spark reads every setting as text, but clients write numbers and booleans too. */
function clusterSpecOf(settings: EngineSettings): RunnerClusterSpec {
  const cluster = settings.new_cluster;
  const conf = cluster?.spark_conf;
  return {
    existing_cluster_id: settings.existing_cluster_id,
    new_cluster:
      cluster && conf
        ? {
            ...cluster,
            spark_conf: Object.fromEntries(Object.entries(conf).map(([name, value]) => [name, String(value)])),
          }
        : cluster,
    libraries: settings.libraries,
  };
}

/** Compares the operands of a condition task (Jobs API 2.1, ConditionTask). @throws AppError if an operand must be a number but is not */
function evaluate(
  { op, left, right }: NonNullable<EngineSettings['condition_task']>,
  values: Record<string, string>,
): RunOutcome {
  const [one, other] = [substitute(left, values), substitute(right, values)];
  const holds = compare(op, one, other);
  return {
    resultState: 'SUCCESS',
    stateMessage: `${one} ${op} ${other} is ${holds}.`,
    conditionOutcome: holds ? 'true' : 'false',
  };
}

function compare(op: string, left: string, right: string): boolean {
  if (op === 'EQUAL_TO') return left === right;
  if (op === 'NOT_EQUAL') return left !== right;
  for (const operand of [left, right]) {
    if (operand.trim() === '' || Number.isNaN(Number(operand)))
      throw new AppError('invalid', `${op} compares numbers, but ${JSON.stringify(operand)} is not a number.`, {
        remedy: 'Correct the condition_task.',
      });
  }
  // Beyond 2^53, numbers would be rounded.
  const areWhole = [left, right].every((operand) => /^\s*[+-]?\d{1,100}\s*$/.test(operand));
  const difference = areWhole ? Number(BigInt(left) - BigInt(right)) : Number(left) - Number(right);
  if (op === 'GREATER_THAN') return difference > 0;
  if (op === 'GREATER_THAN_OR_EQUAL') return difference >= 0;
  return op === 'LESS_THAN' ? difference < 0 : difference <= 0;
}

/** A job that runs itself, directly or through others, would never end. */
const deepestChain = 10;

/** What a run-job task needs from the engine. */
interface ChildRunStarter {
  start(start: RunStart): RunRecord;
  cancel(runId: string, message: string): void;
  get(runId: string): RunRecord | undefined;
  whenOver(runId: string): Promise<RunRecord | undefined>;
}

interface RunJobContext {
  readonly engine: ChildRunStarter;
  readonly store: Store;
  readonly onStarted: () => void;
  readonly signal: AbortSignal;
  /** Message of a run that is cancelled with this one. */
  readonly cancelMessage: () => string;
}

/**
 * Runs another job and adopts its result, including its retries (Jobs API 2.0, RunJobTask). Passes a cancellation on.
 * @throws AppError if the job does not exist or the chain is too long
 */
async function runJobTask(
  target: NonNullable<EngineSettings['run_job_task']>,
  started: ActiveRun,
  context: RunJobContext,
): Promise<RunOutcome> {
  const { engine, store, signal } = context;
  const run = started.record;
  const jobId = String(target.job_id);
  if (depthOf(run, engine) >= deepestChain) {
    throw new AppError(
      'invalid',
      `Jobs run each other more than ${deepestChain} levels deep; job ${jobId} was not run.`,
      { remedy: 'Remove the cycle from their run_job_task fields.' },
    );
  }
  const job = store.jobs.get(jobId);
  if (!job)
    throw new AppError('notFound', `Job ${jobId} does not exist; nothing was run.`, {
      remedy: 'Correct job_id in run_job_task.',
    });
  context.onStarted();
  const child = engine.start({
    jobId,
    settings: job.settings,
    trigger: 'ONE_TIME',
    parentRunId: run.runId,
    parameters: parametersOfChild(target, started, store),
  });
  // The latest attempt has the same parent, so that a cancellation finds it too.
  const onAbort = (): void => {
    const message = context.cancelMessage();
    for (const each of store.runs.active()) if (each.parentRunId === run.runId) engine.cancel(each.runId, message);
    if (engine.get(child.runId)) engine.cancel(child.runId, message);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    const end = await engine.whenOver(child.runId);
    if (signal.aborted) return { resultState: 'CANCELED' };
    if (!end) {
      const error = `Run ${child.runId} of job ${jobId} was deleted before it ended.`;
      return { resultState: 'FAILED', stateMessage: error, error };
    }
    const name = `Run ${end.runId} of job ${jobId}`;
    if (end.result === 'SUCCESS') return { resultState: 'SUCCESS', stateMessage: `${name} succeeded.` };
    const error = `${name} ended ${end.lifeCycle}${end.result ? ` ${end.result}` : ''}. ${end.message}`.trim();
    return { resultState: 'FAILED', stateMessage: error, error };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Returns the job parameters that the task gives, as JSON text, with their references resolved. */
function parametersOfChild(
  { job_parameters: given }: NonNullable<EngineSettings['run_job_task']>,
  run: ActiveRun,
  store: Store,
): string | undefined {
  if (!given) return undefined;
  const { values } = referencesOf(run, store);
  const resolved = Object.entries(given).map(([name, value]) => [name, substitute(value, values)]);
  return JSON.stringify({ job_parameters: Object.fromEntries(resolved) });
}

function depthOf(run: RunRecord, engine: Pick<ChildRunStarter, 'get'>): number {
  let depth = 0;
  for (
    let at: RunRecord | undefined = run;
    at?.parentRunId !== undefined && depth < deepestChain;
    at = engine.get(at.parentRunId)
  )
    // The run of a task is no deeper than the run that it belongs to.
    if (at.taskKey === undefined) depth += 1;
  return depth;
}
