import { parseTracebacks, textLines } from '../../shared/pythonTraceback.ts';
import { inputOf, placesIn } from './places.ts';

/** A step of a traceback. */
export interface TraceStep {
  readonly file: string;
  readonly line: number;
  /** The function or method, if the trace names it. */
  readonly name?: string;
}

/** What a failure's trace says: what was raised, and the steps to it, the innermost first. */
export interface Trace {
  readonly error?: string;
  readonly steps: readonly TraceStep[];
}

/** So much of a trace is looked at: a recursion prints thousands of steps that are all alike. */
const maxLines = 2000;

/** The trace that ended a task, of Python, a notebook, Java and Scala, or R. Undefined if the text names no place. */
export function readTrace(text: string): Trace | undefined {
  const python = parseTracebacks(text);
  const ending =
    python.findLast((each) => !each.isAside && each.error !== undefined) ?? python.findLast((each) => !each.isAside);
  if (ending) {
    const all = textLines(text);
    const before = python[python.indexOf(ending) - 1];
    // An error that leads on to itself was raised in another process, and again here.
    const causes = before?.leadsOn && before.error === ending.error ? [before, ending] : [ending];
    const steps = causes.flatMap(({ start, end, error, frames }) => {
      // What the error says may quote places.
      const found = stepsOf(all.slice(start, error === undefined ? end : end - 1).slice(-maxLines)).reverse();
      // IPython of earlier versions marks the line below its file.
      if (found.length > 0) return found;
      const marked = frames.filter(({ line }) => line > 0).reverse();
      return marked.map(({ file, line }) => ({ file: inputOf(file), line }));
    });
    if (steps.length > 0) return { steps, ...(ending.error === undefined ? {} : { error: ending.error }) };
  }
  const lines = textLines(text).slice(-maxLines);
  const java = lines.findLastIndex((line) =>
    /^(?:Exception in thread |Caused by: |\S+(?:Exception|Error)(?::|$))/.test(line),
  );
  if (java !== -1) {
    const steps = stepsOf(lines.slice(java + 1));
    if (steps.length > 0)
      return { steps, error: lines[java]?.replace(/^(?:Exception in thread "[^"]*" |Caused by: )/, '') };
  }
  const steps = stepsOf(lines);
  if (steps.length === 0) return undefined;
  const error = lines.findLast((line) => /^Error\b/.test(line));
  return { steps, ...(error === undefined ? {} : { error }) };
}

function stepsOf(lines: readonly string[]): TraceStep[] {
  return lines.flatMap((line) => {
    const [place] = placesIn(line);
    if (!place) return [];
    const name = /, in ([^\s(]+)/.exec(line)?.[1] ?? javaMethod(line);
    return [{ file: place.file, line: place.line, ...(name === undefined || name === '<module>' ? {} : { name }) }];
  });
}

/** `Class.method` of a line such as `at com.example.Class.method(Class.java:5)`. */
function javaMethod(line: string): string | undefined {
  const parts = /\bat ([\w$.<>]+)\(/.exec(line)?.[1]?.split('.') ?? [];
  return parts.length < 2 ? undefined : parts.slice(-2).join('.');
}
