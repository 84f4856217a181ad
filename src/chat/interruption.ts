import { AppError, isAbort } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';

interface ProfileName {
  readonly id: string;
  readonly name: string;
}

/**
 * The chunks of an answer; an abort that the signal did not ask for says its reason, so that it is not taken for the user's.
 * @param profile the profile that is chosen now
 */
export async function* tellInterruption(chunks: AsyncIterable<unknown>, signal: AbortSignal, profile: () => ProfileName): AsyncGenerator<unknown, void, void> {
  const before = profile();
  try {
    yield* chunks;
  } catch (error) {
    if (signal.aborted || !isAbort(error)) throw error;
    const { id, name } = profile();
    throw new AppError('cutOff', id === before.id ? l10n.t('The answer was stopped by the connection to {0}, not by you.', name) : l10n.t('The answer was stopped because the profile was changed to {0}.', name), {
      cause: error,
      remedy: l10n.t('What arrived was kept. Regenerate to ask again.'),
    });
  }
}

/** Why answers end when the window does. */
export function closed(): AppError {
  return new AppError('cutOff', l10n.t('The editor was closed while this answer was being written.'), { remedy: l10n.t('What had been saved was kept. Regenerate to ask again.') });
}
