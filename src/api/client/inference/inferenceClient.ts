import type * as z from 'zod';
import { countsOf, unexplainedEnd } from '../../schema/inference/answer.ts';
import { contentText } from '../../schema/inference/chat.ts';
import { inferenceRoutes } from '../../schema/inference/routes.ts';
import type { Route } from '../../schema/route.ts';
import type { Caller } from '../caller.ts';
import type { CallOptions, InferenceClient } from '../client.ts';
import { asChatChunk, asCompletionChunk, wholeAsChatChunk, wholeAsCompletionChunk } from './chunk.ts';
import { ChunkStream } from './stream.ts';
import type { StreamPlan } from './streamPlan.ts';

/** Creates the three task types and endpoint creation on top of one caller (Inference API, Endpoints). */
export function createInferenceClient(caller: Caller): InferenceClient {
  const stream = <Q extends z.ZodType, C extends { choices?: { index?: number; finish_reason?: string }[] }>(
    route: Route<Q>,
    endpoint: string,
    request: z.output<Q>,
    options: CallOptions,
    parts: Pick<StreamPlan<C>, 'choices' | 'asChunk' | 'wholeAsChunk' | 'textOf' | 'usageOf' | 'unexplainedEnd'>,
  ): ChunkStream<C> => {
    return new ChunkStream<C>({
      ...parts,
      operation: route.operation,
      eventCharacters: caller.limits.eventCharacters,
      wholeBytes: caller.limits.modelBytes,
      wholeValues: caller.limits.modelValues,
      onEvent: options.onEvent,
      open: async () => caller.openStream(caller.prepare(route, request, { path: { name: endpoint } }), options),
    });
  };

  // The document gives two defaults for `stream`, so it is always sent.
  return {
    chat: (endpoint, request, options) =>
      caller.call(inferenceRoutes.chat, { ...request, stream: false }, { ...options, path: { name: endpoint } }),
    streamChat: (endpoint, request, options = {}) =>
      stream(inferenceRoutes.chat, endpoint, { ...request, stream: true }, options, {
        choices: request.n ?? 1,
        asChunk: asChatChunk,
        wholeAsChunk: wholeAsChatChunk,
        textOf: (chunk) => {
          const content = firstChoice(chunk.choices)?.delta?.content;
          return typeof content === 'string' ? content : contentText(content);
        },
        usageOf: (chunk) => countsOf(chunk.usage),
        unexplainedEnd,
      }),
    complete: (endpoint, request, options) =>
      caller.call(inferenceRoutes.complete, { ...request, stream: false }, { ...options, path: { name: endpoint } }),
    streamCompletion: (endpoint, request, options = {}) =>
      stream(inferenceRoutes.complete, endpoint, { ...request, stream: true }, options, {
        choices: Array.isArray(request.prompt) && request.prompt.length > 1 ? request.prompt.length : (request.n ?? 1),
        asChunk: asCompletionChunk,
        wholeAsChunk: wholeAsCompletionChunk,
        textOf: (chunk) => firstChoice(chunk.choices)?.text ?? '',
        usageOf: (chunk) => countsOf(chunk.usage),
      }),
    embed: (endpoint, request, options) =>
      caller.call(inferenceRoutes.embed, request, { ...options, path: { name: endpoint } }),
    createEndpoint: (request, options) => caller.call(inferenceRoutes.createEndpoint, request, options),
    deleteEndpoint: async (name, options) => {
      await caller.call(inferenceRoutes.deleteEndpoint, {}, { ...options, path: { name } });
    },
    listEndpoints: async (options) => (await caller.call(inferenceRoutes.listEndpoints, {}, options)).endpoints ?? [],
  };
}

/** Returns the first choice in a chunk. */
function firstChoice<C extends { index?: number }>(choices: readonly C[] | undefined): C | undefined {
  const [only] = choices ?? [];
  return only === undefined || (only.index ?? 0) === 0 ? only : choices?.find((choice) => (choice.index ?? 0) === 0);
}
