import type { CompletionRequest } from '../../../api/schema/inference/schemas.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ModelCall, CompletionBackend } from '../modelTypes.ts';
import { estimateTokens } from '../tokenizer.ts';
import { newId, usageOf, type WireCompletion, type WireUsage } from '../wire.ts';
import { completionPieces, type CompletionPiece, type PromptRoute } from './completionSource.ts';
import { addUsage } from './received.ts';
import { mapLimited, primed } from './streams.ts';
import type { UpstreamTarget } from './upstreamChat.ts';

/** Number of prompts of a batch requested at once. */
const maxAtOnce = 4;

/** A completion to request: a prompt of the request, one of its n times. */
interface Task {
  /** Index of the prompt in the request, and thus of its choices. */
  readonly index: number;
  readonly prompt: string;
  /** Whether it is the prompt's first completion, which counts the prompt's tokens. */
  readonly first: boolean;
}

/**
 * Creates the completion backend of a model server. Lists of prompts, `n`, `echo`, `suffix` and `error_behavior` are handled here, the same
 * for every server.
 * @param templated whether the model is instruction-tuned, so that its prompts go through its template
 */
export function createUpstreamCompletion(target: UpstreamTarget, templated: boolean): CompletionBackend {
  return {
    task: 'completion',
    model: target.model,
    answer: async (request, call) => {
      const route: PromptRoute = templated && request.use_raw_prompt !== true ? 'template' : 'raw';
      const prompts = typeof request.prompt === 'string' ? [request.prompt] : request.prompt;
      const tasks = prompts.flatMap((prompt, index) =>
        Array.from({ length: request.n ?? 1 }, (_unused, copy): Task => ({ index, prompt, first: copy === 0 })),
      );
      const head = {
        id: newId('cmpl'),
        object: 'text_completion' as const,
        created: Math.floor(target.clock.now() / 1000),
        model: target.model,
      };
      const asked = { target, route, request, head, call };
      if (request.stream === true) return { kind: 'stream', chunks: await primed(streamTasks(asked, tasks)) };
      return { kind: 'json', body: await wholeTasks(asked, tasks) };
    },
  };
}

type Head = Omit<WireCompletion, 'choices' | 'usage'>;

/** A request, and how its prompts are sent to the server. */
interface AskedCompletion {
  readonly target: UpstreamTarget;
  readonly route: PromptRoute;
  readonly request: CompletionRequest;
  /** First fields of every chunk of the answer. */
  readonly head: Head;
  readonly call: ModelCall;
}

async function wholeTasks(asked: AskedCompletion, tasks: readonly Task[]): Promise<WireCompletion> {
  const { request, head } = asked;
  const answers = await mapLimited(tasks, maxAtOnce, async (task) => {
    let text = '';
    let last: CompletionPiece | undefined;
    for await (const piece of lenientPieces(asked, task)) {
      text += piece.text;
      last = { ...piece, finishReason: piece.finishReason ?? last?.finishReason, usage: piece.usage ?? last?.usage };
    }
    return { task, text, finishReason: last?.finishReason ?? 'stop', usage: countedUsage(task, text, last?.usage) };
  });
  const choices = answers.map(({ task, text, finishReason }) => ({
    index: task.index,
    text: (request.echo === true ? task.prompt : '') + text + (request.suffix ?? ''),
    finish_reason: finishReason,
  }));
  return {
    ...head,
    choices,
    usage: answers.map((answer) => answer.usage).reduce((sum, part) => addUsage(sum, part, false) ?? part),
  };
}

/** Several choices of one prompt count its tokens once. */
function countedUsage(task: Task, text: string, usage: Required<WireUsage> | undefined): WireUsage {
  const counted = usage ?? usageOf(estimateTokens(task.prompt), estimateTokens(text));
  return task.first ? counted : usageOf(0, counted.completion_tokens ?? 0);
}

async function* streamTasks(asked: AskedCompletion, tasks: readonly Task[]): AsyncGenerator<WireCompletion> {
  const { request, head } = asked;
  let usage: WireUsage | undefined;
  const chunk = (task: Task, text: string, finishReason: string | null): WireCompletion => ({
    ...head,
    choices: [{ index: task.index, text, finish_reason: finishReason }],
  });
  for (const [position, task] of tasks.entries()) {
    let finishReason: string | undefined;
    let reported: Required<WireUsage> | undefined;
    let text = '';
    if (request.echo === true && task.prompt !== '') yield chunk(task, task.prompt, null);
    for await (const piece of lenientPieces(asked, task)) {
      text += piece.text;
      finishReason = piece.finishReason ?? finishReason;
      reported = piece.usage ?? reported;
      if (piece.text !== '') yield chunk(task, piece.text, null);
    }
    usage = addUsage(usage, countedUsage(task, text, reported), false);
    const last = chunk(task, request.suffix ?? '', finishReason ?? 'stop');
    yield position === tasks.length - 1 && usage ? { ...last, usage } : last;
  }
}

/**
 * Handles errors by Inference API, Errors rule 1: with `truncate`, a time-out or a full context ends the completion with the text so far,
 * possibly none; with `error` it is an error.
 */
async function* lenientPieces(
  { target, route, request, call }: AskedCompletion,
  task: Task,
): AsyncGenerator<CompletionPiece> {
  let started = false;
  try {
    for await (const piece of completionPieces(target, route, task.prompt, request, call)) {
      started = true;
      yield piece;
    }
    return;
  } catch (error) {
    if (request.error_behavior !== 'truncate' || !isLimit(error)) throw error;
    if (
      started ||
      !(error instanceof AppError && error.kind === 'tooLarge') ||
      typeof request.max_tokens !== 'number'
    ) {
      yield { text: '', finishReason: 'length' };
      return;
    }
  }
  // Prompt and max_tokens together were too long; without the limit the server generates as far as the context allows.
  try {
    yield* completionPieces(target, route, task.prompt, { ...request, max_tokens: undefined }, call);
  } catch (error) {
    if (!isLimit(error)) throw error;
    yield { text: '', finishReason: 'length' };
  }
}

function isLimit(error: unknown): boolean {
  return error instanceof AppError && (error.kind === 'tooLarge' || error.kind === 'timeout');
}
