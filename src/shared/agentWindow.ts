/** Reads of the Jobs API that a window does for an agent, by the names of the client's methods. */
export const agentReads = ['list', 'get', 'listRuns', 'getRun', 'getRunOutput'] as const;
export type AgentRead = (typeof agentReads)[number];

/** A deploy that an agent asks for. */
interface AgentDeploy {
  /** Name of the profile. */
  readonly profile: string;
  /** Path of the job file in the workspace. */
  readonly path: string;
  /** SHA-256 of the text that the agent has planned, as hexadecimal digits. */
  readonly digest: string;
}

/**
 * What an editor window does for an agent, with its own profiles and credentials. Every method rejects with an AppError; `readOnly` if the
 * profile is production or read-only.
 */
export interface AgentWindow {
  /** Reads from the service of a profile. @returns the response of the operation */
  read(profile: string, operation: AgentRead, argument: unknown, signal: AbortSignal): Promise<unknown>;
  /** Returns the name and the address of a profile to which an agent may propose a deploy. */
  target(profile: string, signal: AbortSignal): Promise<{ name: string; baseUrl: string }>;
  /** Shows the deploy to the user, and deploys if they click. @returns the result in words */
  deploy(order: AgentDeploy, signal: AbortSignal): Promise<string>;
}
