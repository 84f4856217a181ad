import assert from 'node:assert/strict';
import type { UpstreamFetch } from '../../../../../src/service/models/upstream/patientFetch.ts';
import type {
  UpstreamConnection,
  UpstreamConnectionOptions,
} from '../../../../../src/service/models/upstream/upstreamConnection.ts';
import type { AppError } from '../../../../../src/shared/errors.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

/** Requests to a model server that a test stands in for. */
export class ConnectionBench {
  readonly clock = new FakeClock();
  readonly sent: { url: string; method: string; redirect: string; headers: Record<string, string>; body: unknown }[] =
    [];
  /** That of the last request. */
  signal: AbortSignal | undefined;
  readonly #create: typeof UpstreamConnection;

  constructor(create: typeof UpstreamConnection) {
    this.#create = create;
  }

  to(answer: () => Response | Promise<Response>, more: Partial<UpstreamConnectionOptions> = {}): UpstreamConnection {
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const { method = '', redirect = '', headers, body } = init;
      this.sent.push({ url, method, redirect, headers: headers as Record<string, string>, body });
      this.signal = init.signal ?? undefined;
      return answer();
    };
    return new this.#create({
      label: 'Up',
      baseUrl: 'http://up.example/v1',
      fetch: fetch as unknown as UpstreamFetch,
      clock: this.clock,
      idleLimitInMs: 30_000,
      ...more,
    });
  }

  /** Of a server that says nothing until nobody wants to hear it. */
  silent(more: Partial<UpstreamConnectionOptions> = {}): UpstreamConnection {
    return this.to(
      () =>
        new Promise<never>((_resolve, reject) =>
          this.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
      more,
    );
  }
}

export const failureOf = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => assert.fail('it must fail'),
    (error: AppError) => error,
  );

/** A body that comes in these pieces; an error breaks it off then, `hang` leaves it open. */
export function bodyOf(pieces: readonly string[], end?: Error | 'hang'): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
      if (end === 'hang') return new Promise(() => undefined);
      return end ? controller.error(end) : controller.close();
    },
  });
}

export const events = (text: string, end?: Error | 'hang'): Response =>
  new Response(bodyOf([text], end), { headers: { 'content-type': 'text/event-stream' } });

export async function readStream(connection: UpstreamConnection, options = {}): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of connection.postStream('/chat', { stream: true }, options)) all.push(value);
  return all;
}
