import { dirname } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { parseTracebacks, type PythonTraceback, textLines } from '../../shared/pythonTraceback.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { Debugging } from './debugging.ts';
import type { LocalCluster } from './localCluster.ts';
import type { ProcessEnd } from './managedProcess.ts';
import type { PythonFinder } from './python.ts';
import type { Runner, RunOutcome } from './runner.ts';
import { positionalParameters } from './taskParameters.ts';

export interface PythonFileRunnerOptions {
  readonly files: FileMap;
  readonly python: PythonFinder;
  readonly cluster: LocalCluster;
  readonly debugging: Debugging;
}

/**
 * Creates the runner of Python files on this machine's Python (Jobs API 2.0, SparkPythonTask): the parameters are its command line, the
 * file's folder is the working directory.
 */
export function createPythonFileRunner(options: PythonFileRunnerOptions): Runner {
  const { files, python, cluster, debugging } = options;
  return {
    async run(request, events, { signal }) {
      const task = request.task.spark_python_task;
      if (!task) throw new AppError('internal', 'The Python runner was given another task.');
      const path = await files.existingFile(task.python_file, 'Python file');
      const parameters = positionalParameters(task.parameters, request.parameters.python_params, request.dynamicValues);
      return cluster.use({ request, events, signal, findPython: python.find }, async (prepared) =>
        debugging.use(request, prepared, events, signal, async (launch) =>
          outcomeOf(
            await prepared.run(
              {
                command: prepared.python.command,
                parameters: [...launch.options, ...launch.through, path, ...parameters],
                cwd: dirname(path),
              },
              events,
              launch,
            ),
          ),
        ),
      );
    },
  };
}

/** Returns what the end of a process means for its run. `errorText` is searched for a traceback. */
export function outcomeOf(end: ProcessEnd, errorText = end.errorTail): RunOutcome {
  const note = leftNote(end);
  return note === undefined ? resultOf(end, errorText) : { ...resultOf(end, errorText), note };
}

function resultOf(end: ProcessEnd, errorText: string): RunOutcome {
  if (end.wasStopped) return { resultState: 'CANCELED', stateMessage: 'The run was cancelled.' };
  if (end.isKeeperLost) {
    const message = 'The process that monitors the task was killed, so the result of the task is unknown.';
    return { resultState: 'FAILED', stateMessage: message, error: message };
  }
  if (end.exitCode === 0) return { resultState: 'SUCCESS' };
  const how =
    end.signalName === undefined
      ? `exited with code ${end.exitCode}`
      : `was ended by ${end.signalName}${end.signalName === 'SIGKILL' ? ', as the system does when memory runs out' : ''}`;
  const words = lastWords(end.errorTail) ?? lastWords(errorText);
  const found = lastTraceback(errorText) ?? lastJavaException(end.errorTail);
  const error = found?.line ?? (end.signalName === undefined ? words?.line : undefined) ?? `The process ${how}.`;
  return {
    resultState: 'FAILED',
    stateMessage: `The process ${how}.`,
    error,
    errorTrace: found?.trace ?? words?.trace,
  };
}

/** Returns a note about processes that are known to survive the run. */
function leftNote({ left, isOutputHeld }: ProcessEnd): string | undefined {
  if (left.length > 0) {
    const pids = left
      .slice(0, 5)
      .map(({ pid }) => pid)
      .join(', ');
    const which =
      left.length === 1
        ? `The process ${pids}, which it started, was`
        : `${left.length} processes that it started (${pids}${left.length > 5 ? ', …' : ''}) were`;
    return `${which} not ended, because the system does not allow it. End it manually.`;
  }
  return isOutputHeld
    ? 'An unknown process kept the output open; it was closed after a second. Look for that process on this machine.'
    : undefined;
}

/**
 * Returns the last traceback that a Python process printed, and its last line, which says what happened, or `undefined` if there is none.
 */
export function lastTraceback(text: string): { line: string; trace: string } | undefined {
  const all = parseTracebacks(text).filter(
    (each): each is PythonTraceback & { error: string } => each.error !== undefined,
  );
  const index = all.findLastIndex((each) => !each.isAside);
  const found = all[index];
  if (!found) return undefined;
  // An exception raised while another was handled prints both; together they are the trace.
  let first = index;
  while (all[first - 1]?.leadsOn) first -= 1;
  const lines = textLines(text.trimEnd());
  return {
    line: found.error,
    trace: lines.slice(all[first]?.start, endOfMessage(lines, found, all[index + 1])).join('\n'),
  };
}

/** Returns the end of a message, which may have several lines, without what is logged or printed after it. */
function endOfMessage(lines: readonly string[], { end }: PythonTraceback, next: PythonTraceback | undefined): number {
  const limit = next === undefined ? lines.length : next.start - 1;
  const logged = lines.slice(end, limit).findIndex((line) => logLine.test(line));
  return logged < 0 ? Math.max(end, limit) : end + logged;
}

// What Spark logs while it shuts down after a failure.
const logLine = /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d |^\{"ts":/;

/** Like `lastTraceback`, for the exception that ended a Java program's main thread. */
export function lastJavaException(text: string): { line: string; trace: string } | undefined {
  const start = text.lastIndexOf(javaHeader);
  if (start < 0) return undefined;
  const lines = text.slice(start).trimEnd().split('\n');
  const logged = lines.findIndex((each) => logLine.test(each));
  const own = logged < 0 ? lines : lines.slice(0, logged);
  // A message may have lines of its own before the first stack frame.
  const end = own.findLastIndex((each) => /^\s+at |^Caused by: |^\s*\.\.\. \d+ more/.test(each));
  return {
    line: (lines[0] ?? '').slice(javaHeader.length).trimEnd(),
    trace: own.slice(0, Math.max(end, 0) + 1).join('\n'),
  };
}

const javaHeader = 'Exception in thread "main" ';

/** Lines that the JVM and Spark add to a program's output: logs below errors, notes at the start, places in the code. */
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
 * Returns the line that says why a process failed if it printed no exception: SparkSubmit's error, which a usage page may follow, or the
 * last line that is neither a log nor a note of the JVM.
 *
 * @returns the line and the lines around it, or `undefined` if nothing is left
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
