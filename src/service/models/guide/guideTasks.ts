import type { AnyTask } from '../../background/serveTasks.ts';

/** The thread tasks of the built-in endpoints. A schema or a text from outside can take arbitrarily long. */
export const guideTasks = {
  chat: { name: 'guideChat', crew: 'models', load: async () => (await import('./chatDraft.ts')).draftChat },
  completion: {
    name: 'guideCompletion',
    crew: 'models',
    load: async () => (await import('./completionDraft.ts')).draftCompletions,
  },
  embedding: { name: 'guideEmbedding', crew: 'models', load: async () => (await import('./embedTexts.ts')).embedTexts },
} satisfies Record<string, AnyTask>;
