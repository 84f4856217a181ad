import type { Connection } from '../connection/connection.ts';
import type { CommandServices } from './services.ts';

export interface Loss {
  readonly question: string;
  readonly detail: string;
  readonly button: string;
  /** What is done, for the question that a production profile asks instead. */
  readonly mutation: string;
}

/**
 * Whether the user wants to lose something. It is asked once: a production profile asks by itself, and Enter changes nothing there.
 * @throws AppError before anything is asked if the profile is read-only
 */
export async function confirmLoss(
  { connections, ui }: CommandServices,
  connection: Connection,
  { question, detail, button, mutation }: Loss,
): Promise<boolean> {
  const isSure = await connections.confirmMutation(mutation, connection, detail);
  return isSure && (connection.profile.production || ui.confirm(question, detail, button));
}
