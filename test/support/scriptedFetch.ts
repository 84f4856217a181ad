import type { Fetch, HttpRequest, HttpResponse } from '../../src/api/client/index.ts';

export interface ScriptedRequest extends HttpRequest {
  readonly url: string;
}

/** What a scripted service does with one request: answers, or fails as a connection does. */
export type Reply = { status: number; body?: string; headers?: Record<string, string> } | Error | 'hang';

/** A fetch that answers from a function, without a network: for tests that own the time. */
export function scriptedFetch(reply: (request: ScriptedRequest, count: number) => Reply): {
  fetch: Fetch;
  requests: ScriptedRequest[];
} {
  const requests: ScriptedRequest[] = [];
  return {
    requests,
    fetch: (url, init) => {
      requests.push({ ...init, url });
      const answer = reply({ ...init, url }, requests.length);
      if (answer instanceof Error) return Promise.reject(answer);
      if (answer === 'hang')
        return new Promise((_, reject) =>
          init.signal.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')), {
            once: true,
          }),
        );
      return Promise.resolve(responseOf(answer.status, answer.body ?? '{}', answer.headers));
    },
  };
}

export function responseOf(status: number, body: string, headers: Record<string, string> = {}): HttpResponse {
  const all = new Headers({ 'content-type': 'application/json', ...headers });
  return { status, headers: all, body: piecesOf(new TextEncoder().encode(body)) };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** The error that fetch throws for a broken connection. */
export function connectionError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) });
}
