import { getEventListeners } from 'node:events';
import { UpstreamConnection } from '../../../../../src/service/models/upstream/upstreamConnection.ts';
import type { AppError } from '../../../../../src/shared/errors.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

type Ask = (connection: UpstreamConnection, signal: AbortSignal) => Promise<unknown>;

const limitInMs = 1000;
const chat = '{"choices":[{"message":{"content":"a"}}]}';

/** Each way of asking, with the type and the text of what is answered to it. */
const ways: Record<string, readonly [ask: Ask, type: string, text: string]> = {
  getJson: [(to, signal) => to.getJson('/a', { signal }), 'application/json', '{"a": "words"}'],
  postJson: [(to, signal) => to.postJson('/a', {}, { signal }), 'application/json', '{"a": "words"}'],
  postChat: [(to, signal) => to.postChat('/a', {}, { signal }), 'application/json', chat],
  postBytes: [async (to, signal) => (await to.postBytes('/a', {}, { signal })).length, 'text/plain', 'some bytes'],
  events: [
    (to, signal) => all(to.postStream('/a', {}, { signal })),
    'text/event-stream',
    'data: {"a":1}\n\ndata: {"a":2}\n\n',
  ],
  'the first event': [
    async (to, signal) => {
      for await (const event of to.postStream('/a', {}, { signal })) return event;
      return undefined;
    },
    'text/event-stream',
    'data: {"a":1}\n\ndata: {"a":2}\n\ndata: {"a":3}\n\n',
  ],
  lines: [
    (to, signal) => all(to.postStream('/a', {}, { signal, format: 'lines' })),
    'text/plain',
    '{"a":1}\n{"a":2}\n',
  ],
  'a stream that is none': [
    (to, signal) => all(to.postStream('/a', {}, { signal })),
    'application/json',
    '{"a": "words"}',
  ],
};

/** How the server answers: milliseconds up to its head and between the four pieces of its body, and what it does in the end. */
const manners: Record<
  string,
  { head?: number; gap?: number; pieces?: number; status?: number; breaks?: boolean; abortAt?: number }
> = {
  'slow, but within the limit': { head: 900, gap: 900 },
  'refused, slowly': { head: 900, gap: 900, status: 500 },
  'silent before its head': { head: 1100 },
  'silent after its head': { gap: 1100 },
  'silent in the middle': { pieces: 2 },
  'silent while it refuses': { pieces: 1, status: 404 },
  'broken off in the middle': { pieces: 2, breaks: true },
  'broken off before its head': { head: 10, pieces: -1, breaks: true },
  'not wanted from the beginning': { abortAt: -1 },
  'not wanted before its head': { head: 900, abortAt: 500 },
  'not wanted in the middle': { gap: 100, abortAt: 250 },
  'not wanted while it refuses': { gap: 100, abortAt: 250, status: 503 },
};

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a model server that takes its time', () => {
  it('is waited for, given up and left as approved, and nothing of it stays', async () => {
    const lines: string[] = [];
    for (const [manner, how] of Object.entries(manners))
      for (const [way, [ask, type, text]] of Object.entries(ways)) {
        const clock = new FakeClock(0);
        const caller = new AbortController();
        const notes: string[] = [];
        const connection = new UpstreamConnection({
          label: 'The server',
          baseUrl: 'http://up.example/v1',
          fetch: (_url, { signal }) => answer(clock, signal as AbortSignal, how, type, text, notes),
          clock,
          idleLimitInMs: limitInMs,
        });
        if (how.abortAt === -1) caller.abort();
        else if (how.abortAt !== undefined) clock.schedule(how.abortAt, () => caller.abort());
        const end = ask(connection, caller.signal).then(
          (value) => notes.push(`gave ${JSON.stringify(value)}`),
          ({ kind, message }: AppError) => notes.push(`${kind}: ${message}`),
        );
        const asked = end.then(() => notes.push(`at ${clock.now()} ms`));
        await clock.advance(limitInMs * 12);
        await asked;
        const listeners = getEventListeners(caller.signal, 'abort').length;
        lines.push(
          `${manner}, ${way}: ${notes.join(', ')}`,
          `  ${clock.pending} timers and ${listeners} listeners are left`,
        );
      }
    assertApproved('upstream-silence', `${lines.join('\n')}\n`);
  });
});

/** Answers as a server does, whose socket closes with the signal. */
async function answer(
  clock: FakeClock,
  signal: AbortSignal,
  { head = 0, gap = 0, pieces = 4, status = 200, breaks = false }: (typeof manners)[string],
  type: string,
  text: string,
  notes: string[],
): Promise<Response> {
  const stopped = (): Error => Object.assign(new Error('stopped'), { name: 'AbortError' });
  if (signal.aborted) throw stopped();
  signal.addEventListener('abort', () => notes.push(`closed at ${clock.now()} ms`), { once: true });
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = clock.schedule(ms, resolve);
      signal.addEventListener('abort', () => (cancel(), reject(stopped())), { once: true });
    });
  await wait(head);
  if (pieces < 0) throw new Error('fetch failed', { cause: { code: 'ECONNRESET' } });
  const size = Math.ceil(text.length / 4);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent === 4) return controller.close();
      if (sent === pieces && breaks)
        return controller.error(new Error('terminated', { cause: { code: 'UND_ERR_SOCKET' } }));
      await wait(sent >= pieces ? 1e9 : gap).then(
        () => controller.enqueue(new TextEncoder().encode(text.slice(sent * size, (sent += 1) * size) || ' ')),
        (error: unknown) => controller.error(error),
      );
    },
  });
  return new Response(body, { status, headers: { 'content-type': type } });
}
