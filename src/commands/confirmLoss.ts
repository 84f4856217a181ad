import type { Connection } from '../connection/connection.ts';
import type { CommandServices } from './services.ts';

export interface Loss {
  question: string;
  detail: string;
  button: string;
  /** What is done, for the question that a profile of production asks. */
  mutation: string;
}

/** Whether the user wants to lose something: asked on every profile, and once more if the profile asks before each change. */
export async function confirmLoss(services: CommandServices, connection: Connection, loss: Loss): Promise<boolean> {
  const isSure = await services.ui.confirm(loss.question, loss.detail, loss.button);
  return isSure && (await services.connections.confirmMutation(loss.mutation, connection));
}
