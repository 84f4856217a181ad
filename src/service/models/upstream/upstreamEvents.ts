import { createParser } from 'eventsource-parser';
import { upstreamFailure } from '../modelErrors.ts';

/** A single event beyond this is not an answer of a model. */
const largestEvent = 16 * 1024 * 1024;

/** The `data` of each server-sent event of a body. Ends with the body; leaving the loop cancels it. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const ready: string[] = [];
  let failure: Error | undefined;
  const parser = createParser({
    maxBufferSize: largestEvent,
    onEvent: (event) => ready.push(event.data),
    onError: (error) => {
      // Lines that are no field are ignored, as the standard says; only the limit ends the stream.
      if (error.type === 'max-buffer-size-exceeded') failure = error;
    },
  });
  for await (const text of readText(body)) {
    parser.feed(text);
    yield* ready.splice(0);
    if (failure)
      throw upstreamFailure(
        'protocol',
        `The model server sent an event larger than ${largestEvent / 1024 / 1024} MB.`,
        { cause: failure },
      );
  }
  parser.reset({ consume: true });
  yield* ready.splice(0);
}

/** The lines of a body of JSON lines. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of readText(body)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > largestEvent)
      throw upstreamFailure('protocol', `The model server sent a line larger than ${largestEvent / 1024 / 1024} MB.`);
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
  const last = decoder.decode();
  if (last !== '') yield last;
}
