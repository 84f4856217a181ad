import type { AnyTask } from '../../background/serveTasks.ts';

/** Tasks that parse and validate what servers send on a thread, because it can be anything. */
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
