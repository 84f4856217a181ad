import type { Clock } from '../../shared/clock.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Logger } from '../../shared/log.ts';

/** A requested run, with enough data to request it again after a restart with the same effect (Jobs API 2.0, Endpoints rule 4). */
export interface Intent {
  /** Idempotency token; at most 64 characters. */
  readonly token: string;
  readonly operation: 'jobs/run-now' | 'jobs/runs/submit';
  /** The request as JSON text, with its token and with exact digits. */
  readonly body: string;
  /** Id of the profile that the intent belongs to. */
  readonly profile: string;
  /** Creation time in epoch milliseconds. */
  readonly createdAt: number;
}

/** Stores intents so that they survive the end of the process. */
export interface IntentStore {
  /** Resolves when the intent is durably stored. */
  save(intent: Intent): Promise<void>;
  /** Removes the intent because its outcome is known. */
  settle(token: string): Promise<void>;
  list(): Promise<readonly Intent[]>;
}

/** Outcome of an intent that was found at a start. */
export type ResumedIntent =
  | { readonly intent: Intent; readonly runId: string }
  | { readonly intent: Intent; readonly error: AppError };

/** Abort reason when the process ends: pending requests are finished at the next start. */
export const shutdownReason = new AppError('aborted', 'The editor is closing.');

/** Maximum age of an intent. An older one is dropped, since a run that starts days later is more surprising than helpful. */
export const maxIntentAgeInMs = 24 * 3_600_000;

/**
 * Executes one intent: stores it, sends it, and deletes it when the outcome is known. It stays stored only if the process ends in between.
 */
export async function carryOut<T>(
  store: IntentStore | undefined,
  intent: Intent,
  options: { signal?: AbortSignal; logger: Logger },
  send: () => Promise<T>,
): Promise<T> {
  if (!store) return send();
  try {
    await store.save(intent);
  } catch (error) {
    throw new AppError(
      'unavailable',
      l10n.t(
        '{0} was not sent because its record could not be written ({1}). The run was not started.',
        intent.operation,
        error instanceof Error ? error.message : String(error),
      ),
      {
        operation: intent.operation,
        cause: error,
        remedy: l10n.t("Free some disk space, or check the permissions of the editor's storage folder, and try again."),
      },
    );
  }
  let result: T;
  try {
    result = await send();
  } catch (error) {
    if (toAppError(error).kind === 'aborted' && options.signal?.reason === shutdownReason)
      throw keepForLater(intent, error);
    await forget(store, intent, options.logger);
    throw error;
  }
  await forget(store, intent, options.logger);
  return result;
}

/** Deletes an intent. If that fails, the record costs one extra request at the next start but cannot start a second run. */
async function forget(store: IntentStore, intent: Intent, logger: Logger): Promise<void> {
  try {
    await store.settle(intent.token);
  } catch (error) {
    logger.warn(
      `The record of ${intent.operation} ${intent.token} could not be removed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/**
 * Finishes what an earlier process left: resends each intent with its token, so that its run starts only once.
 * @param send sends the stored body
 */
export async function resumeAll(
  store: IntentStore,
  options: { profile: string; clock: Clock; logger: Logger; signal?: AbortSignal },
  send: (intent: Intent) => Promise<{ run_id: string }>,
): Promise<ResumedIntent[]> {
  const resumed: ResumedIntent[] = [];
  for (const intent of await store.list()) {
    if (intent.profile !== options.profile) continue;
    if (options.clock.now() - intent.createdAt > maxIntentAgeInMs) {
      options.logger.warn(
        `${intent.operation} of ${new Date(intent.createdAt).toISOString()} was interrupted and is too old to be finished. The run may not have been started.`,
      );
      await forget(store, intent, options.logger);
      continue;
    }
    try {
      const { run_id: runId } = await send(intent);
      resumed.push({ intent, runId });
    } catch (error) {
      const appError = toAppError(error, intent.operation);
      if (appError.kind === 'aborted' && options.signal?.reason === shutdownReason) break;
      resumed.push({ intent, error: appError });
    }
    await forget(store, intent, options.logger);
  }
  return resumed;
}

function keepForLater(intent: Intent, cause: unknown): AppError {
  return new AppError('aborted', l10n.t('{0} was interrupted. It is finished at the next start.', intent.operation), {
    operation: intent.operation,
    cause,
  });
}
