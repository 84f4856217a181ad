import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { parseTracebacks, textLines } from '../../shared/pythonTraceback.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { Debugging } from './debugging.ts';
import type { LocalCluster } from './localCluster.ts';
import type { ProcessEnd } from './managedProcess.ts';
import { installPrograms } from './programs.ts';
import type { PythonFinder } from './python.ts';
import type { Runner, RunOutcome, RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';
import { positionalParameters, substitute } from './taskParameters.ts';

export interface PythonFileRunnerOptions {
  readonly dataFolder: string;
  readonly files: FileMap;
  readonly python: PythonFinder;
  readonly cluster: LocalCluster;
  readonly debugging: Debugging;
}

/**
 * Creates the runner of Python files on this machine's Python (Jobs API 2.0, SparkPythonTask): the parameters are its command line, the
 * file's folder is the working directory. It also calls entry points of packages (2.1, PythonWheelTask), in the folder of the run.
 */
export function createPythonFileRunner(options: PythonFileRunnerOptions): Runner {
  const { python, cluster, debugging } = options;
  return {
    async run(request, events, { signal }) {
      const { path, cwd, parameters } = await programOf(request, options);
      return cluster.use({ request, events, signal, findPython: python.find }, async (prepared) =>
        debugging.use(request, prepared, events, signal, async (launch) =>
          outcomeOf(
            await prepared.run(
              {
                command: prepared.python.command,
                parameters: [...launch.options, ...launch.through, path, ...parameters],
                cwd,
              },
              events,
              launch,
            ),
            await takeCause(request.folder),
          ),
        ),
      );
    },
  };
}

async function programOf(
  { task, parameters, dynamicValues, folder }: RunRequest,
  { files, dataFolder }: PythonFileRunnerOptions,
): Promise<{ path: string; cwd: string; parameters: string[] }> {
  const { spark_python_task: file, python_wheel_task: wheel } = task;
  if (file) {
    const path = await files.existingFile(file.python_file, 'Python file');
    return {
      path,
      cwd: dirname(path),
      parameters: positionalParameters(file.parameters, parameters.python_params, dynamicValues),
    };
  }
  if (!wheel) throw new AppError('internal', 'The Python runner was given another task.');
  // Named ones are given as options; those of the run take the place of the task's own.
  const named = Object.entries({
    ...wheel.named_parameters,
    ...(wheel.parameters ? {} : parameters.python_named_params),
  });
  return {
    path: (await installPrograms(dataFolder)).wheel,
    cwd: folder,
    parameters: [
      wheel.package_name,
      wheel.entry_point,
      ...positionalParameters(wheel.parameters, parameters.python_params, dynamicValues),
      ...named.map(([name, value]) => `--${name}=${substitute(value, dynamicValues)}`),
    ],
  };
}

/** What ended a program: its exception, or the text that it exited with. Empty if it exited with a code. */
export type ProgramCause = Pick<RunOutcome, 'error' | 'errorTrace'>;

/** Reads and removes what `run_program.py` wrote. Returns `undefined` if the program ended in another way, such as `os._exit`. */
export async function takeCause(folder: string): Promise<ProgramCause | undefined> {
  const path = join(folder, runFiles.cause);
  const written = await readFile(path, 'utf8').catch(() => undefined);
  if (written === undefined) return undefined;
  await rm(path, { force: true });
  const [kind, ...lines] = textLines(written.trimEnd());
  if (kind === 'error') return { error: lines[0], errorTrace: lines.slice(1).join('\n') || undefined };
  return { error: lines.join('\n').slice(0, 2000) || undefined };
}

/**
 * Returns what the end of a process means for its run.
 * @param cause for a Python program; a Java program prints it
 */
export function outcomeOf(end: ProcessEnd, cause?: ProgramCause): RunOutcome {
  const note = leftNote(end);
  return note === undefined ? resultOf(end, cause) : { ...resultOf(end, cause), note };
}

function resultOf(end: ProcessEnd, cause: ProgramCause | undefined): RunOutcome {
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
  const stateMessage = `The process ${how}.`;
  // The virtual machine ends with this code after an exception.
  const found = cause ?? (end.exitCode === 1 ? lastJavaException(end.errorTail) : undefined);
  if (found?.error !== undefined) return { resultState: 'FAILED', stateMessage, ...found };
  const words = end.signalName === undefined ? lastWords(end.errorTail) : undefined;
  const error = words === undefined ? stateMessage : `${stateMessage} Last line on standard error: ${words}`;
  return { resultState: 'FAILED', stateMessage, error };
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

// What Spark logs while it shuts down after a failure.
const logLine = /^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d |^\{"ts":/;

/** Returns the exception that ended a Java program's main thread. */
export function lastJavaException(text: string): ProgramCause | undefined {
  const start = `\n${text}`.lastIndexOf(`\n${javaHeader}`);
  if (start < 0) return undefined;
  const lines = text.slice(start).trimEnd().split('\n');
  const logged = lines.findIndex((each) => logLine.test(each));
  const own = logged < 0 ? lines : lines.slice(0, logged);
  // A message may have lines of its own before the first stack frame.
  const end = own.findLastIndex((each) => /^\s+at |^Caused by: |^\s*\.\.\. \d+ more/.test(each));
  return {
    error: (lines[0] ?? '').slice(javaHeader.length).trimEnd(),
    errorTrace: own.slice(0, Math.max(end, 0) + 1).join('\n'),
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

/** A warning of Python, with the line of code below it. */
const warning = /^.*:\d+: \w*Warning: .*\n?(?:^ {2}.*\n?)?/gm;

/**
 * Returns the last line that a failed program printed and that may say why: SparkSubmit's error, which a usage page may follow, or the last
 * line that is neither a log, a note of the JVM nor a warning. The program has handled what it printed as a traceback.
 */
export function lastWords(text: string): string | undefined {
  const usage = /^Usage: spark-submit /m.exec(text);
  const lines = textLines((usage ? text.slice(0, usage.index) : text).replace(warning, ''))
    .map((each) => each.trimEnd())
    .filter((each) => each !== '' && !beside.test(each));
  const line = (usage && lines.findLast((each) => each.startsWith('Error: '))) ?? lines.at(-1);
  const isHandled = parseTracebacks(text).some(({ error }) => error?.trimEnd() === line);
  return isHandled ? undefined : line?.slice(0, 2000);
}
