import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { sendJson } from './reply.ts';

/** A way in which a request fails on purpose. */
export const fault = z
  .looseObject({
    /** Prefix of the paths to affect. Default: every path except the test controls. */
    path: z.string().optional(),
    method: z.enum(['GET', 'POST', 'DELETE']).optional(),
    /** Number of requests to affect, 1 by default. 0 means all until the faults are cleared. */
    times: z.int().min(0).optional(),
    kind: z.enum(['status', 'drop', 'dropAfter', 'badJson', 'cutStream']),
    /** For `status`. */
    status: z.int().min(400).max(599).optional(),
    /** For `status`: the header's value. */
    retry_after: z.union([z.string(), z.number()]).optional(),
    /** Waits before anything else. With kind `slow`, this is the only fault. */
    delay_ms: z.int().min(0).max(600_000).optional(),
    /** For `cutStream`: number of events before the connection breaks. */
    events: z.int().min(0).optional(),
  })
  .or(
    z.looseObject({
      path: z.string().optional(),
      method: z.enum(['GET', 'POST', 'DELETE']).optional(),
      times: z.int().min(0).optional(),
      kind: z.literal('slow'),
      delay_ms: z.int().min(0).max(600_000),
    }),
  );
type Fault = z.output<typeof fault>;

/**
 * Faults for tests of clients: `status` returns 429 or 5xx and does nothing; `drop` breaks the connection before the request is handled,
 * `dropAfter` afterwards; `badJson` garbles the response; `cutStream` breaks a stream in the middle; `slow` waits.
 */
export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  interfere(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Returns after how many events the next stream breaks. */
  streamCut(): number | undefined;
}

export function createFaults(controlPrefix: string): Faults {
  let waiting: { fault: Fault; left: number }[] = [];

  function take(matches: (fault: Fault) => boolean): Fault | undefined {
    const found = waiting.find((entry) => matches(entry.fault));
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) waiting = waiting.filter((entry) => entry !== found);
    return found.fault;
  }

  return {
    add: (added) => void waiting.push({ fault: added, left: added.times === 0 ? Infinity : (added.times ?? 1) }),
    clear: () => void (waiting = []),
    streamCut() {
      const taken = take((each) => each.kind === 'cutStream');
      return taken && ((taken as { events?: number }).events ?? 1);
    },
    async interfere(request, response) {
      const path = request.url ?? '/';
      if (path.startsWith(controlPrefix)) return false;
      const taken = take(
        (each) =>
          each.kind !== 'cutStream' &&
          path.startsWith(each.path ?? '/') &&
          (each.method ?? request.method) === request.method,
      );
      if (!taken) return false;
      const delayInMs = taken.delay_ms ?? 0;
      if (delayInMs > 0) await new Promise((resolve) => setTimeout(resolve, delayInMs).unref());
      switch (taken.kind) {
        case 'slow':
          return false;
        case 'drop':
          request.socket.destroy();
          return true;
        case 'dropAfter':
        case 'badJson':
          spoil(response, taken.kind);
          return false;
        default:
          answerStatus(request, response, taken as { status?: number; retry_after?: string | number });
          return true;
      }
    },
  };
}

function answerStatus(
  request: IncomingMessage,
  response: ServerResponse,
  taken: { status?: number; retry_after?: string | number },
): void {
  const status = taken.status ?? 503;
  const code =
    status === 429 ? 'REQUEST_LIMIT_EXCEEDED' : status >= 500 ? 'TEMPORARILY_UNAVAILABLE' : 'INVALID_PARAMETER_VALUE';
  const headers: Record<string, string> =
    taken.retry_after === undefined ? {} : { 'retry-after': String(taken.retry_after) };
  request.resume();
  sendJson(response, status, { error_code: code, message: 'A fault that a test asked for.' }, headers);
}

/** Lets the request be handled, and keeps its response from arriving whole. */
function spoil(response: ServerResponse, kind: 'dropAfter' | 'badJson'): void {
  const { write, end } = response;
  if (kind === 'badJson') {
    // Keeps the announced number of bytes, whether they come as text or bytes, at once or in pieces.
    const garbled = (chunk: unknown): Buffer =>
      Buffer.alloc(
        typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk instanceof Uint8Array ? chunk.length : 0,
        '{',
      );
    response.write = ((chunk: unknown, ...rest: unknown[]) =>
      Reflect.apply(write, response, [garbled(chunk), ...rest]) as boolean) as typeof response.write;
    response.end = ((chunk?: unknown, ...rest: unknown[]) =>
      Reflect.apply(end, response, [garbled(chunk), ...rest]) as ServerResponse) as typeof response.end;
    return;
  }
  const drop = (): void => void response.destroy();
  Object.assign(response, { writeHead: () => response, write: drop, end: drop });
}
