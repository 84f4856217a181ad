/** A place in code that a traceback names. */
interface TracebackFrame {
  /** The file as written: a path, `<cell 3>` of a notebook run here, `Cell In[3]` of Jupyter. */
  readonly file: string;
  /** Counted from 1. */
  line: number;
}

export interface PythonTraceback {
  /** Outermost first. */
  readonly frames: TracebackFrame[];
  /** The line with the exception, such as `ValueError: no`; `undefined` if the text ends before it. */
  readonly error?: string;
  /** Indices of its first line and of the line after its exception. */
  readonly start: number;
  readonly end: number;
  /** Whether it is the cause or context of the next traceback. */
  readonly leadsOn: boolean;
  /** Whether the text before it says that the program continued, as for an exception in a `__del__` or while logging. */
  readonly isAside: boolean;
}

const header = 'Traceback (most recent call last)';
const lead =
  /^(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):/;
const aside = new RegExp(
  `^(?:${[
    'Exception ignored (?:in|on)',
    '--- Logging error ---',
    'Error in atexit',
    'Exception in thread ',
    'Task exception was never retrieved',
    'Exception in callback ',
    'exception calling callback ',
  ].join('|')})`,
);
const frame = /^ {1,4}File "([^"]+)", line (\d+)/;
// IPython writes its frames in three ways; in the oldest, an arrow marks the line.
const cellFrame = /^(?:Cell )?In\s?\[(\d+)\], line (\d+)/;
const colonFrame = /^File ([^\s:,][^:,]*):(\d+)(?:, in |$)/;
const plainFrame = /^(?:Input (In \[\d+\]), in |File ([^,]+), line (\d+)|(<[\w-]+>|[~/.][^\s]*\.py) in )/;
const arrow = /^-{2,}> (\d+)\b/;
const exception = /^[A-Za-z_][\w.]*(?::|$)/;
const syntaxError = /^(?:SyntaxError|IndentationError|TabError)\b/;

/** Parses the tracebacks of a text in order. Text that an exception's message quotes is not taken for frames. */
export function parseTracebacks(text: string): PythonTraceback[] {
  const lines = textLines(text);
  const found: PythonTraceback[] = [];
  let index = 0;
  while (index < lines.length) {
    const traceback = readAt(lines, index);
    if (traceback) found.push(traceback);
    index = traceback?.end ?? index + 1;
  }
  return found;
}

/** Returns a text's lines as a terminal shows them, without colors. */
export function textLines(text: string): string[] {
  return text
    .replace(/\x1b\[[0-9;]*m/g, '')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function readAt(lines: readonly string[], index: number): PythonTraceback | undefined {
  const line = lines[index] ?? '';
  const at = line.indexOf(header);
  if (at >= 0) {
    const before = line.slice(0, at);
    return /^\w[\w.]*\s{2,}$/.test(before)
      ? readIpython(lines, index)
      : readStandard(lines, index, marginOf(before, lines[index + 1] ?? ''));
  }
  return frame.test(line) ? readSyntaxError(lines, index) : undefined;
}

/** Removes the prefix that every line of a traceback has. */
type Margin = (line: string) => string;

const noMargin: Margin = (line) => line;

/** Returns the margin of a traceback that is quoted, belongs to an exception group, or was logged line by line. */
function marginOf(before: string, nextLine: string): Margin {
  const quote = before.replace(/Exception Group $/, '').replace('+', '|');
  if (/^[\s|>#]*$/.test(quote)) return (line) => (line.startsWith(quote) ? line.slice(quote.length) : line);
  const logged: Margin = (line) => afterPrefix(line, before) ?? line;
  return frame.test(logged(nextLine)) ? logged : noMargin;
}

/** Returns the text after a prefix whose numbers, such as those of a time, may differ. */
function afterPrefix(line: string, prefix: string): string | undefined {
  let at = 0;
  for (const part of prefix.split(/(\d+)/)) {
    const isNumber = /^\d/.test(part);
    if (isNumber ? !isDigit(line, at) : !line.startsWith(part, at)) return undefined;
    if (!isNumber) at += part.length;
    else while (isDigit(line, at)) at += 1;
  }
  return line.slice(at);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function readStandard(lines: readonly string[], start: number, margin: Margin): PythonTraceback {
  const frames: TracebackFrame[] = [];
  for (let index = start + 1; index < lines.length; index += 1) {
    const line = margin(lines[index] ?? '');
    const match = frame.exec(line);
    if (match) frames.push(frameOf(match));
    else if (exception.test(line)) return made(lines, start, index, frames, line, margin);
    // Anything else at the margin does not belong to it.
    else if (line !== '' && !/^\s/.test(line)) return made(lines, start, index - 1, frames, undefined, margin);
  }
  return made(lines, start, lines.length - 1, frames, undefined, margin);
}

/** Python prints no header above a syntax error's place. */
function readSyntaxError(lines: readonly string[], start: number): PythonTraceback | undefined {
  const match = frame.exec(lines[start] ?? '');
  const after = lines.slice(start + 1, start + 6).findIndex((line) => !/^\s/.test(line));
  const error = lines[start + 1 + after] ?? '';
  if (!match || after < 0 || !syntaxError.test(error)) return undefined;
  return made(lines, start, start + 1 + after, [frameOf(match)], error, noMargin);
}

function readIpython(lines: readonly string[], start: number): PythonTraceback {
  const frames: TracebackFrame[] = [];
  const [name = ''] = (lines[start] ?? '').split(/\s/, 1);
  for (let index = start + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const cell = cellFrame.exec(line);
    const colon = colonFrame.exec(line);
    const plain = plainFrame.exec(line);
    const marked = arrow.exec(line);
    const last = frames.at(-1);
    if (cell) frames.push({ file: `Cell In[${cell[1]}]`, line: Number(cell[2]) });
    else if (colon) frames.push(frameOf(colon));
    else if (plain) frames.push({ file: plain[1] ?? plain[2] ?? plain[4] ?? '', line: Number(plain[3] ?? 0) });
    else if (marked && last) last.line = Number(marked[1]);
    else if (line.startsWith(name) && /^[\w.]+(?::|$)/.test(line))
      return made(lines, start, index, frames, line, noMargin);
    else if (line.includes(header)) return made(lines, start, index - 1, frames, undefined, noMargin);
  }
  return made(lines, start, lines.length - 1, frames, undefined, noMargin);
}

/** Builds a frame from a match of file and line. */
function frameOf([, file = '', line]: readonly string[]): TracebackFrame {
  return { file, line: Number(line) };
}

function made(
  lines: readonly string[],
  start: number,
  last: number,
  frames: TracebackFrame[],
  error: string | undefined,
  margin: Margin,
): PythonTraceback {
  const end = last + 1;
  const isNear = (from: number, count: number, pattern: RegExp): boolean =>
    lines.slice(Math.max(from, 0), Math.max(from + count, 0)).some((line) => pattern.test(margin(line)));
  const following = nextHeader(lines, end);
  return {
    frames,
    error,
    start,
    end,
    leadsOn: following >= 0 && isNear(following - 3, 3, lead),
    isAside: isNear(start - 3, 3, aside),
  };
}

/** Returns where the next traceback begins, searching no further than a message is long. */
function nextHeader(lines: readonly string[], from: number): number {
  const count = lines.slice(from, from + 200).findIndex((line) => line.includes(header));
  return count < 0 ? -1 : from + count;
}
