import { createParser, type EventSourceParser } from 'eventsource-parser';

/** @param type the event's `event` field, if it has one */
export type OnEvent = (data: string, type: string | undefined) => void;

const lineFeed = 10;
/** What stands around an event that is as long as is kept. */
const blankLines = 16;

/**
 * Splits a stream of server-sent events (Inference API, Events). Every line end is made LF first, since the parser
 * reads a bare CR differently depending on where the chunk ends. Whole events of the usual form, one `data:` line and a
 * blank one, are split here; the parser gets everything else.
 */
export class EventReader {
  readonly #onEvent: OnEvent;
  readonly #maxCharacters: number;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  /** Whether the last text ended with a CR, which is half a line end if an LF follows. */
  #endedWithReturn = false;
  #overflowed = false;
  /** Whether the parser holds nothing: the stream is between two events. It begins with the parser, which knows the BOM. */
  #isBetween = false;
  /** The last character that the parser was given. */
  #lastCode = 0;
  /** The pieces of a line whose end has not come; joined once, since joining them one by one would cost their square. */
  #pending: string[] = [];
  #pendingCharacters = 0;

  /** @param maxCharacters the longest event that is kept */
  constructor(onEvent: OnEvent, maxCharacters: number) {
    this.#onEvent = onEvent;
    this.#maxCharacters = maxCharacters;
    this.#parser = createParser({
      onEvent: ({ data, event }) => onEvent(data, event),
      maxBufferSize: maxCharacters,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#overflowed = true;
        // llama.cpp sends an error as a field of that name, which the standard has a reader pass over.
        else if (error.type === 'unknown-field' && error.field === 'error') onEvent(error.value ?? '', 'error');
      },
    });
  }

  /** Whether an event was longer than the limit; nothing more is read then. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Takes any slice of the stream, also one that cuts a character or a line end. */
  feed(bytes: Uint8Array): void {
    this.#feedText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the stream: an event that lacks only its closing blank line is given out too. */
  end(): void {
    this.#feedText(this.#decoder.decode());
    if (this.#overflowed) return;
    this.#parser.feed(this.#takePending());
    this.#parser.feed('\n\n');
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
    if (lines !== '') this.#feedWholeLines(lines);
  }

  /** The parser forgets the beginning of a line that it does not know, so it gets only whole ones. */
  #feedWholeLines(lines: string): void {
    const end = lines.lastIndexOf('\n') + 1;
    if (end > 0) this.#feedLines(this.#takePending() + (end === lines.length ? lines : lines.slice(0, end)));
    if (end === lines.length) return;
    this.#pending.push(end === 0 ? lines : lines.slice(end));
    this.#pendingCharacters += lines.length - end;
    if (this.#pendingCharacters > this.#maxCharacters) {
      this.#overflowed = true;
      this.#pending = [];
    }
  }

  /** The beginning of the line whose end has come. */
  #takePending(): string {
    const beginning = this.#pending.join('');
    this.#pending = [];
    this.#pendingCharacters = 0;
    return beginning;
  }

  #feedLines(lines: string): void {
    let at = 0;
    while (at < lines.length && !this.#overflowed) {
      if (this.#isBetween) at = this.#splitUsual(lines, at);
      if (at === lines.length) return;
      // The parser takes all up to the end of the event it is in.
      const end = lines.charCodeAt(at) === lineFeed && this.#lastCode === lineFeed ? at : endOfEvent(lines, at);
      const upTo = end < 0 ? lines.length : end + 1;
      // The parser minds the length of what it keeps, and not of an event that comes as one.
      if (upTo - at > this.#maxCharacters + blankLines) {
        this.#overflowed = true;
        return;
      }
      this.#parser.feed(at === 0 && upTo === lines.length ? lines : lines.slice(at, upTo));
      this.#lastCode = lines.charCodeAt(upTo - 1);
      this.#isBetween = end >= 0;
      at = upTo;
    }
  }

  /** Gives out the events of the usual form from there on. @returns where the first of another form begins */
  #splitUsual(lines: string, from: number): number {
    let at = from;
    // `data: ` and what follows it up to a line end with a blank line after it.
    while (lines.startsWith('data: ', at)) {
      const end = lines.indexOf('\n', at);
      if (end < 0 || lines.charCodeAt(end + 1) !== lineFeed || end - at > this.#maxCharacters) break;
      this.#onEvent(lines.slice(at + 6, end), undefined);
      at = end + 2;
    }
    this.#lastCode = 0;
    return at;
  }
}

/** Where the blank line that ends an event stands: its line feed; -1 if the text ends first. */
function endOfEvent(lines: string, from: number): number {
  const blank = lines.indexOf('\n\n', from);
  return blank < 0 ? -1 : blank + 1;
}
