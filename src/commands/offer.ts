import { describeError, isAbort } from '../shared/errors.ts';
import type { Ui } from './ui.ts';

/**
 * Reports a finished task and offers next steps. The command does not wait for the message to be closed; an error in the next step gets a
 * message of its own.
 */
export function offer(
  ui: Pick<Ui, 'info' | 'warn'>,
  message: string,
  action: string,
  next: () => Promise<unknown>,
  ...others: readonly (readonly [action: string, next: () => Promise<unknown>])[]
): void {
  void follow(ui, message, [[action, next], ...others]);
}

async function follow(
  ui: Pick<Ui, 'info' | 'warn'>,
  message: string,
  steps: readonly (readonly [action: string, next: () => Promise<unknown>])[],
): Promise<void> {
  try {
    const answer = await ui.info(message, ...steps.map(([action]) => action));
    await steps.find(([action]) => action === answer)?.[1]();
  } catch (error) {
    if (!isAbort(error)) await ui.warn(describeError(error));
  }
}
