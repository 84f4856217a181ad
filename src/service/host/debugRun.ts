import { delay } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { type DebugState, localControlRoutes } from '../../shared/localControlRoutes.ts';
import type { DebugAddress } from '../runners/debugDoor.ts';
import { callLoopback } from './loopback.ts';

/** Address of a service on this machine, with its token. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

/** A run that was started for debugging. */
export interface DebugRun {
  readonly runId: string;
  /**
   * Resolves when the run's program waits for the editor.
   * @param options.onInstalling called if the debugger is downloaded first
   * @throws AppError `unavailable` if the run ended before; `aborted`
   */
  ready(options: { signal: AbortSignal; onInstalling: () => void }): Promise<DebugAddress>;
  /** Cancels the run and resolves when it has ended. */
  cancel(): Promise<void>;
}

/** How long an answer may take. The service answers at once unless the machine is busy. */
const answerInMs = 15_000;
const lookEveryInMs = 50;
/** How long to wait for a canceled run, which usually ends within a second. */
const cancelLimitInMs = 10_000;

/**
 * What to debug: a run of a job or a one-time run (jobs/runs/submit), which is started for it, or a run that already waits for the editor.
 */
export type DebugTarget = { jobId: string; parameters: object } | { submit: object } | { runId: string };

/**
 * Chooses what a session debugs. A run can be debugged once, so restarting its session needs another run.
 * @param entered IDs of the runs that were debugged already; the chosen one is added
 * @returns `undefined` if the configuration names nothing
 */
export function chooseTarget(
  configuration: { jobId?: string; parameters?: object; submit?: object; runId?: string },
  entered: Set<string>,
): DebugTarget | undefined {
  const { jobId, parameters = {}, submit, runId } = configuration;
  if (runId !== undefined && (submit === undefined || !entered.has(runId))) {
    entered.add(runId);
    return { runId };
  }
  if (submit !== undefined) return { submit };
  return jobId === undefined ? undefined : { jobId, parameters };
}

/**
 * Starts a run under the debugger, on the local service.
 * @throws AppError `rejected` with the service's reason
 */
export async function startDebugRun(service: ServiceAddress, target: DebugTarget): Promise<DebugRun> {
  const call = (route: Parameters<typeof callLoopback>[1], body?: object, signal?: AbortSignal): Promise<unknown> =>
    callLoopback(service, route, body, { timeoutInMs: answerInMs, signal });
  const start = async (route: Parameters<typeof call>[0], body: object): Promise<string> => {
    const started = (await call(route, body)) as { run_id: string };
    return started.run_id;
  };
  const runId =
    'runId' in target
      ? target.runId
      : 'submit' in target
        ? await start(localControlRoutes.debugSubmit, target.submit)
        : await start(localControlRoutes.debugRun, { ...target.parameters, job_id: target.jobId });
  const { method, path } = localControlRoutes.debugState;
  const stateRoute = { method, path: `${path}?run_id=${runId}` };
  const state = async (signal?: AbortSignal): Promise<DebugState> =>
    (await call(stateRoute, undefined, signal)) as DebugState;
  return {
    runId,
    async ready({ signal, onInstalling }) {
      for (;;) {
        const now = await state(signal);
        if (now.phase === 'ready') return { port: now.port, secret: now.secret };
        if (now.phase === 'over')
          throw new AppError('unavailable', l10n.t('The run ended before it could be debugged. {0}', now.message), {
            remedy: l10n.t('The output of the run {0} says more.', runId),
          });
        if (now.phase === 'installing') onInstalling();
        await delay(lookEveryInMs);
      }
    },
    async cancel() {
      await call({ method: 'POST', path: '/api/2.0/jobs/runs/cancel' }, { run_id: runId });
      const until = Date.now() + cancelLimitInMs;
      while (Date.now() < until && (await state()).phase !== 'over') await delay(lookEveryInMs);
    },
  };
}
