import type { AnyTask } from '../../background/backgroundTask.ts';

/** The guide thinks in a thread: a question, or the patterns in it, may take any time. */
export const guideTasks = {
  chat: { name: 'guideChat', crew: 'models', load: async () => (await import('./chatDraft.ts')).draftChat },
  completion: {
    name: 'guideCompletion',
    crew: 'models',
    load: async () => (await import('./completionDraft.ts')).draftCompletions,
  },
  embedding: { name: 'guideEmbedding', crew: 'models', load: async () => (await import('./embedTexts.ts')).embedTexts },
} satisfies Record<string, AnyTask>;
