import type { AppError } from '../../shared/errors.ts';
import { inBackground, TooSlow } from '../background/inBackground.ts';
import type { BackgroundTask, AnyTask } from '../background/serveTasks.ts';
import { invalidModelParameter } from './modelErrors.ts';

/**
 * Runs a task of the models on a thread: a schema, a pattern or a text from outside may take any time.
 * @param refusal the error if it takes too long
 */
export async function inModelThread<Input, Output>(
  task: BackgroundTask<Input, Output>,
  input: Input,
  options: { signal?: AbortSignal; refusal: () => AppError },
): Promise<Output> {
  try {
    return await inBackground(task, input, { limitInMs: workLimitInMs, signal: options.signal });
  } catch (error) {
    throw error instanceof TooSlow ? options.refusal() : error;
  }
}

/** How long a built-in model may work on one request, and how long the check of an answer may take. This limit is ours. */
export const workLimitInMs = 5_000;

/** The thread tasks of the built-in endpoints. A schema or a text from outside can take arbitrarily long. */
export const guideTasks = {
  chat: { name: 'guideChat', crew: 'models', load: async () => (await import('./guide/chatDraft.ts')).draftChat },
  completion: {
    name: 'guideCompletion',
    crew: 'models',
    load: async () => (await import('./guide/completionDraft.ts')).draftCompletions,
  },
  embedding: {
    name: 'guideEmbedding',
    crew: 'models',
    load: async () => (await import('./guide/embedTexts.ts')).embedTexts,
  },
} satisfies Record<string, AnyTask>;

/** Creates the error for a request that exceeds the time limit. */
export function tooLong(): AppError {
  return invalidModelParameter(
    `The built-in endpoint did not finish within ${workLimitInMs / 1000} s, and was stopped.`,
    'Shorten the request, simplify its schema, or use a language model.',
  );
}

/** Tasks that parse and validate what servers send on a thread, because it can be anything. */
export const upstreamTasks = {
  checkJson: {
    name: 'checkJson',
    crew: 'models',
    load: async () => (await import('../../shared/jsonSchema/checkJsonText.ts')).checkJsonText,
  },
  readChat: {
    name: 'readChat',
    crew: 'models',
    load: async () => (await import('./upstream/readLargeChat.ts')).readLargeChat,
  },
  readVectors: {
    name: 'readVectors',
    crew: 'models',
    load: async () => (await import('./upstream/readVectors.ts')).readVectors,
  },
} satisfies Record<string, AnyTask>;
