/** Crews do not wait for each other. */
export type CrewName = 'runs' | 'models';

/**
 * What a thread of its own does. The feature that has the code declares it, beside that code; the thread finds it by its name
 * (`startup/backgroundTasks.ts`). Inputs and outputs are copied between threads, so they are plain data; the bytes of a Uint8Array
 * are handed over. Tasks of one crew share its threads.
 */
export interface BackgroundTask<Input, Output> {
  readonly name: string;
  readonly crew: CrewName;
  /** Loads the code, which only those threads need that do the task. */
  load(): Promise<(input: Input) => Output | Promise<Output>>;
}

/** One whose input and output are known where it is declared. */
export type AnyTask = BackgroundTask<never, unknown>;
