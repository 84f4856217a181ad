import type { AppError } from '../../../shared/errors.ts';
import type { AnyTask } from '../../background/serveTasks.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { workLimitInMs } from '../modelThread.ts';

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

/** Creates the error for a request that exceeds the time limit. */
export function tooLong(): AppError {
  return invalidModelParameter(
    `The built-in endpoint did not finish within ${workLimitInMs / 1000} s, and was stopped.`,
    'Shorten the request, simplify its schema, or use a language model.',
  );
}
