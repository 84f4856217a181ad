/** What a command is given: what stands behind its name, the token for `--url`, and the end of it all. */
export interface Invocation {
  readonly parameters: readonly string[];
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** @returns the exit code */
export type Command = (invocation: Invocation) => Promise<number>;
