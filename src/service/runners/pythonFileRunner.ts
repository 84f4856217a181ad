import { dirname } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { Debugging } from './debugging.ts';
import type { LocalCluster } from './localCluster.ts';
import type { ProcessEnd } from './managedProcess.ts';
import type { PythonFinder } from './python.ts';
import { lastJavaException, lastTraceback, lastWords } from './pythonError.ts';
import type { RunOutcome, Runner } from './runner.ts';
import { positionalParameters } from './taskParameters.ts';

export interface PythonFileRunnerOptions {
  readonly files: FileMap;
  readonly python: PythonFinder;
  readonly cluster: LocalCluster;
  readonly debugging: Debugging;
}

/**
 * Runs a Python file with this machine's Python (Jobs API 2.0, SparkPythonTask): its parameters are the command line's,
 * its folder is the working directory.
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

/** What the end of a process means for its run. `errorText` is where a traceback is looked for. */
export function outcomeOf(end: ProcessEnd, errorText = end.errorTail): RunOutcome {
  const note = leftNote(end);
  return note === undefined ? resultOf(end, errorText) : { ...resultOf(end, errorText), note };
}

function resultOf(end: ProcessEnd, errorText: string): RunOutcome {
  if (end.wasStopped) return { resultState: 'CANCELED', stateMessage: 'The run was cancelled.' };
  if (end.isKeeperLost) {
    const message = 'The process that watches over the task was killed, so how the task ended is not known.';
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

/** What is known to go on after the end of the run. */
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
    return `${which} not ended, since the system does not allow it. End what is left by hand.`;
  }
  return isOutputHeld
    ? 'A process that could not be found still held the output, which was closed after a second. Look for it among the processes of this machine.'
    : undefined;
}
