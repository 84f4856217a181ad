/**
 * The last traceback that a Python process printed, and its last line, which says what happened. Undefined where the
 * text holds none.
 */
export function lastTraceback(text: string): { line: string; trace: string } | undefined {
  const plain = text.replace(/\x1b\[[0-9;]*m/g, '').replace(/\r\n/g, '\n');
  // An exception that was raised while handling another prints both; together they are the trace.
  const start = startOfChain(plain);
  if (start < 0) {
    const syntaxStart = plain.search(/^  File ".*", line \d+\n(?:.*\n){1,3}\w*(?:Error|Exception)\b/m);
    return syntaxStart < 0 ? undefined : split(plain.slice(syntaxStart));
  }
  return split(plain.slice(start));
}

const header = /^Traceback \(most recent call last\):$/gm;
const link = /(?:During handling of the above exception|The above exception was the direct cause)[^\n]*\n\n$/;

function startOfChain(text: string): number {
  const starts = [...text.matchAll(header)].map((match) => match.index);
  let start = starts.pop() ?? -1;
  while (starts.length > 0 && link.test(text.slice(0, start))) start = starts.pop()!;
  return start;
}

function split(text: string): { line: string; trace: string } | undefined {
  const lines = text.trimEnd().split('\n');
  // The message may have lines of its own, so the first line that is not indented after the last frame counts.
  const lastFrame = lines.findLastIndex((each) => /^\s+File "/.test(each));
  const index = lines.findIndex((each, position) => position > lastFrame && /^[\w.]+(?::|$)/.test(each));
  if (index < 0) return undefined;
  const end = lines.findIndex((each, position) => position > index && logLine.test(each));
  return { line: lines[index]!, trace: lines.slice(0, end < 0 ? undefined : end).join('\n') };
}

// What Spark logs while it shuts down after a failure.
const logLine = /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d |^\{"ts":/;

/** As `lastTraceback`, for what a Java program's main thread died of. */
export function lastJavaException(text: string): { line: string; trace: string } | undefined {
  const start = text.lastIndexOf('Exception in thread "main" ');
  if (start < 0) return undefined;
  const lines = text.slice(start).split('\n');
  const end = lines.findIndex((each, position) => position > 0 && !/^(\s|Caused by:|Suppressed:)/.test(each));
  return { line: lines[0]!.slice('Exception in thread "main" '.length), trace: lines.slice(0, end < 0 ? undefined : end).join('\n') };
}
