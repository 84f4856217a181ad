import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, describeError, isAbort } from '../../shared/errors.ts';
import { openDebugDoor } from './debugDoor.ts';
import type { LibraryInstaller } from './libraries.ts';
import type { PreparedCluster } from './localCluster.ts';
import { installPrograms } from './programs.ts';
import type { PythonFinder } from './python.ts';
import type { RunnerEvents, RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';

/** The newest version for this Python: 1.8.5 is the first with the interface used here, and Python 3.8 has none that is newer. */
const debuggerPackage = 'debugpy>=1.8.5,<2';

/** What precedes a Python program when it is started, with or without the debugger. */
export interface PythonLaunch {
  /** Options of the interpreter. */
  readonly options: readonly string[];
  /** The program that runs the program and writes what ended it, with its parameters. */
  readonly through: readonly string[];
  /** For a program that connects to the debugger itself: the file that says where it waits. */
  readonly session?: string;
  /** Ends the run: its own signal, or no debugger connected. */
  readonly signal: AbortSignal;
}

/** Runs Python programs under the debugger if a run requests it. */
export interface Debugging {
  /**
   * Prepares the debugger, lets `body` run the program, and removes the debugger afterwards. Without `request.debug`, it only calls `body`.
   * @throws AppError `unavailable` if the debugger is not available, or no editor connected
   */
  use<T>(
    request: RunRequest,
    prepared: PreparedCluster,
    events: RunnerEvents,
    signal: AbortSignal,
    body: (launch: PythonLaunch) => Promise<T>,
  ): Promise<T>;
}

export interface DebuggingOptions {
  readonly dataFolder: string;
  readonly python: PythonFinder;
  readonly libraries: LibraryInstaller;
  /** How long a run waits for an editor, in milliseconds. */
  readonly patienceInMs?: number;
}

export function createDebugging(options: DebuggingOptions): Debugging {
  const { patienceInMs = 120_000 } = options;

  return {
    async use(request, prepared, events, signal, body) {
      const programs = await installPrograms(options.dataFolder);
      const cause = join(request.folder, runFiles.cause);
      if (request.debug !== true) return body({ options: [], through: [programs.program, cause], signal });
      const packages = await installDebugger(options, prepared, events, signal);
      let isOver = false;
      const door = await openDebugDoor((isHeld) => {
        if (!isOver) events.onDebugging?.({ phase: isHeld ? 'held' : 'going' });
      });
      const nobody = new AbortController();
      const timer = setTimeout(() => nobody.abort(), patienceInMs);
      const session = join(request.folder, 'debug.json');
      try {
        const { port, secret } = door.debuggee;
        // In a file of the user's own, because every user of the machine can see a command line.
        await writeFile(session, JSON.stringify({ debugpy: packages, port, secret }), { mode: 0o600 });
        void door.entered.then(() => clearTimeout(timer));
        void door.left.then(() => {
          if (!isOver) events.onDebugging?.({ phase: 'left' });
        });
        events.onDebugging?.({ phase: 'ready', address: door.editor });
        const result = await body({
          // Frozen modules have no lines to stop at.
          options: ['-Xfrozen_modules=off'],
          through: [programs.debugged, session, cause],
          session,
          signal: AbortSignal.any([signal, nobody.signal]),
        });
        if (nobody.signal.aborted && !signal.aborted)
          throw new AppError('unavailable', 'No editor connected to debug the run, so it was stopped.', {
            remedy: 'Debug the job again and leave its window open.',
          });
        return result;
      } finally {
        isOver = true;
        clearTimeout(timer);
        door.close();
        await rm(session, { force: true });
      }
    },
  };
}

/** Returns the folder with debugpy, which the first run that needs it installs from PyPI. It is not part of the run's own environment. */
async function installDebugger(
  { python: finder, libraries }: DebuggingOptions,
  prepared: PreparedCluster,
  events: RunnerEvents,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { python } = await libraries.install([{ pypi: { package: debuggerPackage } }], await finder.find(), {
      signal,
      run: (command, parameters, environment = {}) => {
        events.onDebugging?.({ phase: 'installing' });
        return prepared.run(
          { command, parameters, environment: { ...prepared.environment, ...environment }, log: runFiles.setup },
          { onSpawned: events.onSpawned },
          { signal },
        );
      },
    });
    if (python?.parentPackages !== undefined) return python.parentPackages;
    throw new AppError('internal', 'The environment of the debugger does not say where its packages are.');
  } catch (error) {
    if (signal.aborted || isAbort(error)) throw error;
    throw new AppError('unavailable', `The debugger could not be installed from PyPI: ${describeError(error)}`, {
      cause: error,
      remedy:
        'Check that pip can reach its index, then debug again. Without the debugger, the job runs without this package.',
    });
  }
}
