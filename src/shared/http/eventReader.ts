import { createParser } from 'eventsource-parser';

export interface EventReader {
  /** Takes any slice of the stream, also one that cuts a character or a line end. */
  feed(bytes: Uint8Array): void;
  /** Ends the stream: an event that lacks only its closing blank line is given out too. */
  end(): void;
  /** Whether an event was longer than the limit; nothing more is read then. */
  readonly overflowed: boolean;
}

/** @param type the event's `event` field, if it has one */
export type OnEvent = (data: string, type: string | undefined) => void;

const lineFeed = 10;
/** What stands around an event that is as long as is kept. */
const blankLines = 16;

/**
 * Splits a stream of server-sent events (Inference API, Events). Every line end is made LF first, since the parser
 * reads a bare CR differently depending on where the chunk ends. Whole events of the usual form, one `data:` line and a
 * blank one, are split here; the parser gets everything else.
 * @param maxCharacters the longest event that is kept
 */
export function createEventReader(onEvent: OnEvent, maxCharacters: number): EventReader {
  const decoder = new TextDecoder();
  let endedWithReturn = false;
  let overflowed = false;
  /** Whether the parser holds nothing: the stream is between two events. It begins with the parser, which knows the BOM. */
  let between = false;
  let lastCode = 0;
  /** The pieces of a line whose end has not come; joined once, since joining them one by one would cost their square. */
  let pending: string[] = [];
  let pendingCharacters = 0;
  const parser = createParser({
    onEvent: ({ data, event }) => onEvent(data, event),
    maxBufferSize: maxCharacters,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflowed = true;
      // llama.cpp sends an error as a field of that name, which the standard has a reader pass over.
      else if (error.type === 'unknown-field' && error.field === 'error') onEvent(error.value ?? '', 'error');
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
    if (lines !== '') feedWholeLines(lines);
  }

  /** The parser forgets the beginning of a line that it does not know, so it gets only whole ones. */
  function feedWholeLines(lines: string): void {
    const end = lines.lastIndexOf('\n') + 1;
    if (end > 0) {
      const whole = end === lines.length ? lines : lines.slice(0, end);
      if (pending.length === 0) feedLines(whole);
      else {
        pending.push(whole);
        const joined = pending.join('');
        pending = [];
        pendingCharacters = 0;
        feedLines(joined);
      }
    }
    if (end === lines.length) return;
    pending.push(end === 0 ? lines : lines.slice(end));
    pendingCharacters += lines.length - end;
    if (pendingCharacters > maxCharacters) {
      overflowed = true;
      pending = [];
    }
  }

  function feedLines(lines: string): void {
    let at = 0;
    while (at < lines.length && !overflowed) {
      if (between) at = splitUsual(lines, at);
      if (at === lines.length) return;
      // The parser takes all up to the end of the event it is in.
      const end = lines.charCodeAt(at) === lineFeed && lastCode === lineFeed ? at : endOfEvent(lines, at);
      const upTo = end < 0 ? lines.length : end + 1;
      // The parser minds the length of what it keeps, and not of an event that comes as one.
      if (upTo - at > maxCharacters + blankLines) {
        overflowed = true;
        return;
      }
      parser.feed(at === 0 && upTo === lines.length ? lines : lines.slice(at, upTo));
      lastCode = lines.charCodeAt(upTo - 1);
      between = end >= 0;
      at = upTo;
    }
  }

  /** Gives out the events of the usual form from there on. @returns where the first of another form begins */
  function splitUsual(lines: string, from: number): number {
    let at = from;
    // `data: ` and what follows it up to a line end with a blank line after it.
    while (lines.startsWith('data: ', at)) {
      const end = lines.indexOf('\n', at);
      if (end < 0 || lines.charCodeAt(end + 1) !== lineFeed || end - at > maxCharacters) break;
      onEvent(lines.slice(at + 6, end), undefined);
      at = end + 2;
    }
    lastCode = 0;
    return at;
  }

  return {
    feed: (bytes) => feedText(decoder.decode(bytes, { stream: true })),
    end() {
      feedText(decoder.decode());
      if (overflowed) return;
      parser.feed(pending.join(''));
      parser.feed('\n\n');
    },
    get overflowed() {
      return overflowed;
    },
  };
}

/** Where the blank line that ends an event stands: its line feed; -1 if the text ends first. */
function endOfEvent(lines: string, from: number): number {
  const blank = lines.indexOf('\n\n', from);
  return blank < 0 ? -1 : blank + 1;
}
