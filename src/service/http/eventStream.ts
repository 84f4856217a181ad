import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringifyJson } from '../../shared/json.ts';
import { errorBody, toApiError } from '../base/apiError.ts';

/** How long chunks are sent before others have their turn. */
const sliceInMs = 10;

/**
 * Sends chunk objects as server-sent events, then `[DONE]` (Inference API, Events). What fails before the first chunk is
 * thrown, so that it can still be answered with a status; a later failure is told in an event, and the connection breaks,
 * since a stream that ends normally would pass for complete.
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
        // Chunks that are there already come without a pause, and other requests want their turn.
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

/** In our own form and in the one that clients of the OpenAI-style routes look for. */
function errorEvent(error: unknown): string {
  return stringifyJson(errorBody(toApiError(error), true));
}

/** Resolves when a slow reader has caught up, or has gone. */
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
