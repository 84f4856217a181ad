import { parseTracebacks, textLines, type PythonTraceback } from '../../shared/pythonTraceback.ts';

/**
 * The last traceback that a Python process printed, and its last line, which says what happened. Undefined if the
 * text holds none.
 */
export function lastTraceback(text: string): { line: string; trace: string } | undefined {
  const all = parseTracebacks(text).filter(
    (each): each is PythonTraceback & { error: string } => each.error !== undefined,
  );
  const index = all.findLastIndex((each) => !each.isAside);
  const found = all[index];
  if (!found) return undefined;
  // An exception that was raised while handling another prints both; together they are the trace.
  let first = index;
  while (all[first - 1]?.leadsOn) first -= 1;
  const lines = textLines(text.trimEnd());
  return {
    line: found.error,
    trace: lines.slice(all[first]?.start, endOfMessage(lines, found, all[index + 1])).join('\n'),
  };
}

/** A message may have several lines; what is logged after it, or printed of another error, is not part of it. */
function endOfMessage(lines: readonly string[], { end }: PythonTraceback, next: PythonTraceback | undefined): number {
  const limit = next === undefined ? lines.length : next.start - 1;
  const logged = lines.slice(end, limit).findIndex((line) => logLine.test(line));
  return logged < 0 ? Math.max(end, limit) : end + logged;
}

// What Spark logs while it shuts down after a failure.
const logLine = /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d |^\{"ts":/;

/** As `lastTraceback`, for what a Java program's main thread died of. */
export function lastJavaException(text: string): { line: string; trace: string } | undefined {
  const start = text.lastIndexOf(javaHeader);
  if (start < 0) return undefined;
  const lines = text.slice(start).trimEnd().split('\n');
  const logged = lines.findIndex((each) => logLine.test(each));
  const own = logged < 0 ? lines : lines.slice(0, logged);
  // A message may have lines of its own before the first place in the code.
  const end = own.findLastIndex((each) => /^\s+at |^Caused by: |^\s*\.\.\. \d+ more/.test(each));
  return {
    line: (lines[0] ?? '').slice(javaHeader.length).trimEnd(),
    trace: own.slice(0, Math.max(end, 0) + 1).join('\n'),
  };
}

const javaHeader = 'Exception in thread "main" ';

/** What the JVM and Spark say beside what a program says: logs below errors, notes of the start, where in the code something was. */
const beside = new RegExp(
  [
    String.raw`^\d\d/\d\d/\d\d \d\d:\d\d:\d\d (?:TRACE|DEBUG|INFO|WARN) `,
    String.raw`^\{"ts":"[^"]*","level":"(?:TRACE|DEBUG|INFO|WARN)"`,
    '^WARNING: Using incubator modules: ',
    '^Picked up (?:JAVA_TOOL|_JAVA)_OPTIONS: ',
    '^SLF4J: ',
    "^Using Spark's default log4j profile: ",
    String.raw`^\s+at \S`,
    String.raw`^\s*\.\.\. \d+ more$`,
  ].join('|'),
);

/**
 * The line that says why a process failed, if it printed no exception: what SparkSubmit calls an error, which a page on its usage
 * may follow, else the last line that is neither a log's nor a note of the JVM's.
 *
 * @returns the line, and the lines around it; undefined if nothing is left
 */
export function lastWords(text: string): { line: string; trace: string } | undefined {
  const usage = /^Usage: spark-submit /m.exec(text);
  const lines = (usage ? text.slice(0, usage.index) : text)
    .split('\n')
    .map((each) => each.trimEnd())
    .filter((each) => each !== '' && !beside.test(each));
  const line = (usage && lines.findLast((each) => each.startsWith('Error: '))) ?? lines.at(-1);
  return line === undefined ? undefined : { line: line.slice(0, 2000), trace: lines.slice(-20).join('\n') };
}
