import type { AnyTask } from '../../background/serveTasks.ts';

/** What is read and checked of servers in a thread: nobody knows what they send. */
export const upstreamTasks = {
  checkJson: {
    name: 'checkJson',
    crew: 'models',
    load: async () => (await import('../../../shared/jsonSchema/checkJsonText.ts')).checkJsonText,
  },
  readChat: { name: 'readChat', crew: 'models', load: async () => (await import('./readLargeChat.ts')).readLargeChat },
  readVectors: {
    name: 'readVectors',
    crew: 'models',
    load: async () => (await import('./readVectors.ts')).readVectors,
  },
} satisfies Record<string, AnyTask>;
