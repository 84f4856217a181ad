import { parseTracebacks, textLines } from '../../shared/pythonTraceback.ts';
import { inputOf, placesIn } from './places.ts';

/** A step in a traceback. */
export interface TraceStep {
  readonly file: string;
  readonly line: number;
  /** The function or method, if the trace names it. */
  readonly name?: string;
}

/** The trace of a failure: the error, and the steps to it, innermost first. */
export interface Trace {
  readonly error?: string;
  readonly steps: readonly TraceStep[];
}

/** Maximum lines of a trace that are read: a recursion prints thousands of similar steps. */
const maxLines = 2000;

/**
 * Returns the trace that ended a task, for Python, notebooks, pytest, Java and Scala, or R. Returns `undefined` if the text names no place.
 * @param runError the error of the run, which tells its trace from those that its message quotes
 */
export function readTrace(text: string, runError?: string): Trace | undefined {
  const all = textLines(text);
  const python = parseTracebacks(text);
  const named = runError?.split('\n', 1)[0];
  const ending =
    python.findLast((each) => named !== undefined && each.error === named) ??
    python.findLast((each) => !each.isAside && each.error !== undefined) ??
    python.findLast((each) => !each.isAside);
  const test = failedTest(all);
  // A pytest report contains whatever a test caught or logged; only a trace after the report ended the task.
  if (test && test.trace.steps.length > 0 && !(ending && ending.start >= test.end)) return test.trace;
  if (ending) {
    const before = python[python.indexOf(ending) - 1];
    // An error that is the direct cause of the same error was raised in another process and raised again here.
    const causes = before?.leadsOn && before.error === ending.error ? [before, ending] : [ending];
    const steps = causes.flatMap(({ start, end, error, frames }) => {
      // The error's message may quote places.
      const found = stepsOf(all.slice(start, error === undefined ? end : end - 1).slice(-maxLines)).reverse();
      // Earlier versions of IPython mark the line below its file.
      if (found.length > 0) return found;
      const marked = frames.filter(({ line }) => line > 0).reverse();
      return marked.map(({ file, line }) => ({ file: inputOf(file), line }));
    });
    if (steps.length > 0) return { steps, ...(ending.error === undefined ? {} : { error: ending.error }) };
  }
  const lines = all.slice(-maxLines);
  const java = javaTrace(lines);
  if (java) return java;
  const steps = stepsOf(lines);
  if (steps.length === 0) return undefined;
  const error = lines.findLast((line) => /^(?:Syntax)?Error\b/.test(line));
  return { steps, ...(error === undefined ? {} : { error }) };
}

const javaThrowable = /^(?:Exception in thread |Caused by: |\S+(?:Exception|Error)(?::|$))/;

/** Returns the last throwable and its causes. A cause omits the steps that it shares with the throwable that it caused. */
function javaTrace(lines: readonly string[]): Trace | undefined {
  let last: string | undefined;
  const steps: TraceStep[] = [];
  for (let end = lines.length, start = end - 1; start >= 0; start -= 1) {
    const line = lines[start] ?? '';
    if (!javaThrowable.test(line)) continue;
    last ??= line;
    steps.push(...stepsOf(lines.slice(start + 1, end)));
    end = start;
    if (!line.startsWith('Caused by: ')) break;
  }
  return steps.length === 0
    ? undefined
    : { steps, error: last?.replace(/^(?:Exception in thread "[^"]*" |Caused by: )/, '') };
}

/** Returns the first test that pytest reports as failed, and where its report ends. */
function failedTest(lines: readonly string[]): { trace: Trace; end: number } | undefined {
  const head = lines.findIndex((line) => /^={3,} (?:FAILURES|ERRORS) ={3,}$/.test(line));
  if (head === -1) return undefined;
  const endOf = (from: number, pattern: RegExp): number => {
    const count = lines.slice(from).findIndex((line) => pattern.test(line));
    return count === -1 ? lines.length : from + count;
  };
  const report = lines.slice(head + 2, endOf(head + 2, /^(?:_{3,}|-{3,}|={3,}) .* (?:_{3,}|-{3,}|={3,})$/));
  // Code is indented or marked, and error messages start with an E.
  const steps = stepsOf(report.filter((line) => !/^[E>]?\s/.test(line)).slice(-maxLines)).reverse();
  const error = report
    .find((line) => /^E\s/.test(line))
    ?.slice(1)
    .trim();
  return {
    trace: { steps, ...(error === undefined ? {} : { error }) },
    end: endOf(head + 1, /^={3,} .* ={3,}$/),
  };
}

function stepsOf(lines: readonly string[]): TraceStep[] {
  return lines.flatMap((line) => {
    const [place] = placesIn(line);
    if (!place) return [];
    const name = /[,:] in ([^\s(]+)/.exec(line)?.[1] ?? javaMethod(line);
    return [{ file: place.file, line: place.line, ...(name === undefined || name === '<module>' ? {} : { name }) }];
  });
}

/** Returns `Class.method` of a line such as `at com.example.Class.method(Class.java:5)`. */
function javaMethod(line: string): string | undefined {
  const parts = /\bat ([\w$.<>]+)\(/.exec(line)?.[1]?.split('.') ?? [];
  return parts.length < 2 ? undefined : parts.slice(-2).join('.');
}
