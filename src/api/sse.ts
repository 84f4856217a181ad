import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface EventReader {
  /** Takes any slice of the stream, also one that cuts a character or a line end. */
  feed(bytes: Uint8Array): void;
  /** Ends the stream: an event that lacks only its closing blank line is given out too. */
  end(): void;
  /** Whether an event was longer than the limit; nothing more is read then. */
  readonly overflowed: boolean;
}

/**
 * Splits a stream of server-sent events (Inference API, Events). Every line end is made LF first, since the parser
 * reads a bare CR differently depending on where the chunk ends.
 * @param mostCharacters the longest event that is kept
 */
export function createEventReader(onEvent: (event: EventSourceMessage) => void, mostCharacters: number): EventReader {
  const decoder = new TextDecoder();
  let endedWithReturn = false;
  let overflowed = false;
  const parser = createParser({
    onEvent,
    maxBufferSize: mostCharacters,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflowed = true;
    },
  });

  function feedText(text: string): void {
    if (text === '' || overflowed) return;
    let lines = text;
    if (endedWithReturn) {
      endedWithReturn = false;
      if (lines.startsWith('\n')) lines = lines.slice(1);
    }
    if (lines.includes('\r')) {
      endedWithReturn = lines.endsWith('\r');
      lines = lines.replace(/\r\n?/g, '\n');
    }
    parser.feed(lines);
  }

  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true })),
    end() {
      feedText(decoder.decode());
      if (!overflowed) parser.feed('\n\n');
    },
    get overflowed() {
      return overflowed;
    },
  };
}
