import { createParser, type EventSourceParser } from 'eventsource-parser';

/** @param type the event's `event` field, if it has one */
export type OnEvent = (data: string, type: string | undefined) => void;

/**
 * Splits a stream of server-sent events (Inference API, Events) with eventsource-parser. The parser gets whole lines that end in LF: it
 * reads a bare CR differently depending on where a chunk ends, and forgets the beginning of a line with an unknown field.
 */
export class EventReader {
  readonly #maxCharacters: number;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  /** Whether the last text ended with a CR, which is half a line end if an LF follows. */
  #endedWithReturn = false;
  #overflowed = false;
  /** The pieces of an incomplete line, joined once: joining them one by one would take quadratic time. */
  #pending: string[] = [];
  #pendingCharacters = 0;

  /** @param maxCharacters maximum length of an event */
  constructor(onEvent: OnEvent, maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
    this.#parser = createParser({
      onEvent: ({ data, event }) => {
        if (data.length > maxCharacters) this.#overflowed = true;
        if (!this.#overflowed) onEvent(data, event);
      },
      maxBufferSize: maxCharacters,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#overflowed = true;
        // llama.cpp sends an error as a field of that name, which the standard tells readers to ignore.
        else if (error.type === 'unknown-field' && error.field === 'error') onEvent(error.value ?? '', 'error');
      },
    });
  }

  /** Whether an event was longer than the limit. The rest of the stream is not read then. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Takes any slice of the stream, even one that splits a character or a line end. */
  feed(bytes: Uint8Array): void {
    this.#feedText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the stream. An event that lacks only its closing blank line is reported too. */
  end(): void {
    this.#feedText(this.#decoder.decode());
    if (!this.#overflowed) this.#parser.feed(`${this.#takePending()}\n\n`);
  }

  #feedText(text: string): void {
    if (text === '' || this.#overflowed) return;
    let lines = text;
    if (this.#endedWithReturn) {
      this.#endedWithReturn = false;
      if (lines.startsWith('\n')) lines = lines.slice(1);
    }
    if (lines.includes('\r')) {
      this.#endedWithReturn = lines.endsWith('\r');
      lines = lines.replace(/\r\n?/g, '\n');
    }
    const end = lines.lastIndexOf('\n') + 1;
    if (end > 0) this.#parser.feed(this.#takePending() + lines.slice(0, end));
    if (end === lines.length) return;
    this.#pending.push(lines.slice(end));
    this.#pendingCharacters += lines.length - end;
    if (this.#pendingCharacters > this.#maxCharacters) {
      this.#overflowed = true;
      this.#pending = [];
    }
  }

  /** Returns the beginning of the line whose end has arrived. */
  #takePending(): string {
    const beginning = this.#pending.join('');
    this.#pending = [];
    this.#pendingCharacters = 0;
    return beginning;
  }
}
