import { EventReader } from '../../../shared/http/eventReader.ts';
import { upstreamFailure } from '../modelErrors.ts';

/** Maximum size of an event of a model. */
const maxEvent = 16 * 1024 * 1024;

/** The content of a server-sent event or a line of a body. */
export interface Received {
  readonly text: string;
  /** Whether the server calls it an error: an event of that type, or llama.cpp's field of that name. */
  readonly isError: boolean;
}

/** Yields the server-sent events of a body. Leaving the loop cancels the body. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Received> {
  const ready: Received[] = [];
  const reader = new EventReader((text, type) => ready.push({ text, isError: type === 'error' }), maxEvent);
  for await (const bytes of body) {
    reader.feed(bytes);
    yield* ready.splice(0);
    if (reader.overflowed)
      throw upstreamFailure('protocol', `The model server sent an event larger than ${maxEvent / 1024 / 1024} MB.`);
  }
  reader.end();
  yield* ready.splice(0);
}

/** Yields the lines of a JSON lines body. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Received> {
  let rest = '';
  for await (const text of readText(body)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxEvent)
      throw upstreamFailure('protocol', `The model server sent a line larger than ${maxEvent / 1024 / 1024} MB.`);
    for (const line of lines) if (line.trim() !== '') yield { text: line, isError: false };
  }
  if (rest.trim() !== '') yield { text: rest, isError: false };
}

async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
  const last = decoder.decode();
  if (last !== '') yield last;
}
