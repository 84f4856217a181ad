import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inferenceRoutes } from '../../api/schema/inference/routes.ts';
import { localServiceRoutes } from '../../api/schema/localServiceRoutes.ts';
import { stringifyJson } from '../../shared/json.ts';
import { findExcess } from '../../shared/jsonExtent.ts';
import { ApiError, errorBody, toApiError } from '../base/apiError.ts';
import type { ModelAnswer, Models, OpenAiRoute } from '../models/models.ts';
import { type HttpCall, routeHandler, type RouteHandler } from './handler.ts';
import { RawJson } from './reply.ts';
import { parseBody } from './validateRequest.ts';

const openAiRoutes: readonly OpenAiRoute[] = ['chat/completions', 'completions', 'embeddings'];

/** Paths of the two documents: below these, clients read `error` as a text. */
const ownPaths = [/^\/api\//, /^\/serving-endpoints\/[^/]+\/invocations\/?$/];

/**
 * Returns whether errors of a path use the chat-completion format: on the OpenAI-style routes, and on those that their clients may request
 * by mistake, such as `/serving-endpoints/responses` or, with a wrong base address, `/v1/chat/completions`.
 */
export function isOpenAiPath(pathname: string): boolean {
  return !ownPaths.some((own) => own.test(pathname));
}

/** Handlers of the Inference API's endpoints, and of the routes by which existing clients reach the same models. */
export function modelHandlers(models: Models, streamCut: () => number | undefined): RouteHandler[] {
  const { listEndpoints, createEndpoint, deleteEndpoint, chat } = inferenceRoutes;
  const answer = async (call: HttpCall, given: Promise<ModelAnswer>) => {
    const result = await given;
    if (result.kind === 'json') return result.body;
    if (result.kind === 'text') return new RawJson(result.text);
    await sendEventStream(call.response, result.chunks, { cutAfter: streamCut() });
    return undefined;
  };
  return [
    {
      method: 'GET',
      path: listEndpoints.path,
      handle: async () => ({ endpoints: await models.list() }),
    },
    {
      method: 'POST',
      path: createEndpoint.path,
      handle: ({ text }) => models.create(bodyOf(text)),
    },
    {
      method: 'GET',
      path: `${listEndpoints.path}/{name}`,
      handle: ({ path: { name = '' } }) => models.get(name),
    },
    {
      method: deleteEndpoint.method,
      path: deleteEndpoint.path,
      async handle({ path: { name = '' } }) {
        await models.delete(name);
        return {};
      },
    },
    {
      method: 'POST',
      path: chat.path,
      handle: (call) => {
        const { name = '' } = call.path;
        return answer(call, models.invoke(name, bodyOf(call.text), { signal: call.signal }));
      },
    },
    routeHandler(localServiceRoutes.checkModel, ({ upstream, api_key: key }) => models.check(upstream, key)),
    routeHandler(localServiceRoutes.addModel, async ({ upstream, api_key: key }) => ({
      endpoints: await models.add(upstream, key),
    })),
    routeHandler(localServiceRoutes.modelServer, async ({ endpoint }) => ({
      upstream: await models.serverOf(endpoint),
    })),
    ...openAiRoutes.map((route): RouteHandler => ({
      method: 'POST',
      path: `/serving-endpoints/${route}`,
      handle: (call) => answer(call, models.openAi(route, bodyOf(call.text), { signal: call.signal })),
    })),
  ];
}

/** Far beyond any conversation and any schema, and small enough to validate at once. */
const bodyLimits = { maxValues: 10_000, maxDepth: 100 };

function bodyOf(text: string): unknown {
  const excess = findExcess(text, bodyLimits);
  if (excess !== undefined)
    throw new ApiError(
      400,
      'INVALID_PARAMETER_VALUE',
      `The request has ${excess}, more than a request to a model may have. Nothing was done. Send less at once.`,
    );
  return parseBody(text);
}

/** How long chunks are sent before other requests get a turn. */
const sliceInMs = 10;

/**
 * Sends chunk objects as server-sent events, then `[DONE]` (Inference API, Events). A failure before the first chunk is thrown, so that it
 * can still become a status. A later failure is sent as an event and breaks the connection, because a stream that ends normally would look
 * complete.
 *
 * @param options.cutAfter breaks the connection after so many events, for tests
 */
export async function sendEventStream(
  response: ServerResponse,
  chunks: AsyncIterable<object>,
  options: { cutAfter?: number } = {},
): Promise<void> {
  let sliceStart = performance.now();
  const iterator = chunks[Symbol.asyncIterator]();
  let next = await iterator.next();
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
  });
  try {
    for (let sent = 0; next.done !== true; sent += 1, next = await iterator.next()) {
      if (response.destroyed || sent === options.cutAfter) {
        response.destroy();
        await iterator.return?.();
        return;
      }
      if (performance.now() - sliceStart > sliceInMs) {
        // Buffered chunks arrive without a pause, and other requests need a turn.
        await nextTurn();
        sliceStart = performance.now();
      }
      if (!response.write(`data: ${stringifyJson(next.value)}\n\n`)) await drained(response);
    }
    response.end('data: [DONE]\n\n');
  } catch (error) {
    if (!response.destroyed) response.write(`data: ${errorEvent(error)}\n\n`, () => response.destroy());
    throw error;
  }
}

/** Returns an error event in our own form and in the form that clients of the OpenAI-style routes expect. */
function errorEvent(error: unknown): string {
  return stringifyJson(errorBody(toApiError(error), true));
}

/** Resolves when a slow reader has caught up or disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
    if (response.destroyed) done();
  });
}
