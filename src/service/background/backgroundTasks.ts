/**
 * What a thread of its own does, by name. Each is loaded by the thread that does it. Inputs and outputs are copied between
 * threads, so they are plain data; the bytes of a Uint8Array are handed over. Tasks of one crew share its threads.
 */
export const tasks = {
  exportRun: { crew: 'runs', load: async () => (await import('../export/exportRun.ts')).exportRunJson },
  guideChat: { crew: 'models', load: async () => (await import('../models/guide/chatDraft.ts')).draftChat },
  guideCompletion: {
    crew: 'models',
    load: async () => (await import('../models/guide/completionDraft.ts')).draftCompletions,
  },
  guideEmbedding: { crew: 'models', load: async () => (await import('../models/guide/embedTexts.ts')).embedTexts },
  checkJson: {
    crew: 'models',
    load: async () => (await import('../../shared/jsonSchema/checkJsonText.ts')).checkJsonText,
  },
  readChat: { crew: 'models', load: async () => (await import('../models/upstream/readLargeChat.ts')).readLargeChat },
  readVectors: { crew: 'models', load: async () => (await import('../models/upstream/readVectors.ts')).readVectors },
} satisfies Record<string, { crew: CrewName; load: () => Promise<(input: never) => unknown> }>;

/** Crews do not wait for each other. */
export type CrewName = 'runs' | 'models';

export type TaskName = keyof typeof tasks;
type Task<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]['load']>>;
export type TaskInput<N extends TaskName> = Parameters<Task<N>>[0];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<Task<N>>>;

/** Does the task in this thread. @param onBegin called when all that it needs is loaded */
export async function doTask<N extends TaskName>(
  name: N,
  input: TaskInput<N>,
  onBegin?: () => void,
): Promise<TaskOutput<N>> {
  const task = (await tasks[name].load()) as (input: TaskInput<N>) => TaskOutput<N> | Promise<TaskOutput<N>>;
  onBegin?.();
  return task(input);
}
