/**
 * What a thread of its own does, by name. Each is loaded by the thread that does it. Inputs and outputs are copied between
 * threads, so they are plain data; the bytes of a Uint8Array are handed over.
 */
export const tasks = {
  exportRun: async () => (await import('../export/exportRun.ts')).exportRunJson,
} satisfies Record<string, () => Promise<(input: never) => unknown>>;

export type TaskName = keyof typeof tasks;
type Task<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]>>;
export type TaskInput<N extends TaskName> = Parameters<Task<N>>[0];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<Task<N>>>;

/** Does the task in this thread. */
export async function doTask<N extends TaskName>(name: N, input: TaskInput<N>): Promise<TaskOutput<N>> {
  const task = await tasks[name]() as (input: TaskInput<N>) => TaskOutput<N> | Promise<TaskOutput<N>>;
  return task(input);
}
