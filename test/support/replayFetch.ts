import {
  createClient,
  type ClientOptions,
  type Fetch,
  type HttpResponse,
  type WorkspaceClient,
} from '../../src/api/client/index.ts';

export type Cut = 'whole' | 'bytes' | readonly number[];

/** The bytes in the pieces that the cut says; a list holds the offsets where a piece begins. */
export function piecesOf(bytes: Uint8Array, cut: Cut): Uint8Array[] {
  if (cut === 'whole') return [bytes];
  if (cut === 'bytes') return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  return [0, ...cut].map((from, index) => bytes.subarray(from, cut[index] ?? bytes.length));
}

/** A fetch that answers every request with these pieces. */
export function replayFetch(
  pieces: readonly Uint8Array[],
  contentType = 'text/event-stream',
  end: 'close' | 'hang' | 'break' = 'close',
): Fetch {
  return (_url, request) => {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) yield await Promise.resolve(piece);
      if (end === 'break') throw Object.assign(new Error('terminated'), { code: 'ECONNRESET' });
      if (end === 'hang')
        await new Promise((_, reject) =>
          request.signal.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')), {
            once: true,
          }),
        );
    }
    const response: HttpResponse = { status: 200, headers: new Headers({ 'content-type': contentType }), body: body() };
    return Promise.resolve(response);
  };
}

export function replayClient(
  pieces: readonly Uint8Array[],
  options: Partial<ClientOptions> = {},
  end: 'close' | 'hang' | 'break' = 'close',
): WorkspaceClient {
  return createClient({
    baseUrl: 'https://service.example',
    auth: { kind: 'none' },
    fetch: replayFetch(pieces, 'text/event-stream', end),
    ...options,
  });
}
