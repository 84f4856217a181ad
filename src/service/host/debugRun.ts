import { delay } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { type DebugState, localControlRoutes } from '../../shared/localControlRoutes.ts';
import type { DebugAddress } from '../runners/debugDoor.ts';
import { callLoopback } from './loopback.ts';

/** A service of this machine, and the token that opens it. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

/** A run that was started to be debugged. */
export interface DebugRun {
  readonly runId: string;
  /**
   * Resolves when the run's program waits for the editor.
   * @param options.onInstalling the debugger is fetched first
   * @throws AppError `unavailable` if the run ended before; `aborted`
   */
  ready(options: { signal: AbortSignal; onInstalling: () => void }): Promise<DebugAddress>;
  /** Cancels the run, and resolves when it is over. */
  cancel(): Promise<void>;
}

/** The service answers at once; a machine that is busy takes longer. */
const answerInMs = 15_000;
const lookEveryInMs = 50;
/** A run that was cancelled is over within a second; whoever waits does not wait for ever. */
const cancelLimitInMs = 10_000;

/**
 * What is debugged: a run of a job or a one-time run (jobs/runs/submit), which is started for it, or one that was started already and
 * waits for the editor.
 */
export type DebugTarget = { jobId: string; parameters: object } | { submit: object } | { runId: string };

/**
 * What a session debugs. A run can be debugged once, so that a restart of its session needs another run of the same.
 * @param entered ids of the runs that were debugged already; the chosen one is added
 * @returns undefined if the configuration names nothing
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
