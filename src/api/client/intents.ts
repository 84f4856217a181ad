import type { Clock } from '../../shared/clock.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Logger } from '../../shared/log.ts';

/** A run that was asked for: enough to ask again after a restart, with the same effect (Jobs API 2.0, Endpoints rule 4). */
export interface Intent {
  /** The idempotency token; at most 64 characters. */
  readonly token: string;
  readonly operation: 'jobs/run-now' | 'jobs/runs/submit';
  /** The request as JSON text, with the token and exact digits. */
  readonly body: string;
  /** Id of the profile that it belongs to. */
  readonly profile: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Keeps intents where the end of the process does not reach them. */
export interface IntentStore {
  /** Resolves when the intent is durably stored. */
  save(intent: Intent): Promise<void>;
  /** The outcome is known: the intent is not needed any more. */
  settle(token: string): Promise<void>;
  list(): Promise<readonly Intent[]>;
}

/** What became of an intent that was found at a start. */
export type ResumedIntent =
  | { readonly intent: Intent; readonly runId: string }
  | { readonly intent: Intent; readonly error: AppError };

/** Abort with this reason when the process ends: what is under way is finished at the next start. */
export const shutdownReason = new AppError('aborted', 'The editor is closing.');

/** An intent older than this is given up: a run that starts days later surprises more than it helps. */
export const maxIntentAgeInMs = 24 * 3_600_000;

/**
 * Carries out one intent: stores it, sends it, forgets it when the outcome is known. It stays stored only if the
 * process ends in between.
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

/** A record that stays costs one more question to the server at the next start, and cannot start a second run. */
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
 * Finishes what an earlier process left: each intent is sent again with its token, so that its run is started once.
 * @param send carries out the stored body
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
