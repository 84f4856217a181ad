import type { ProcessEnd } from './managedProcess.ts';
import type { Python } from './python.ts';
import type { RunnerLibrary } from './runner.ts';

/** What a set of libraries adds to a run. */
export interface InstalledLibraries {
  /** The Python to run with; undefined only where the machine has none and the task needs none. */
  python?: Python;
  /** Variables that make the libraries found. */
  environment: Record<string, string>;
  /** Absolute paths of JAR files. */
  jars: string[];
  /** Maven coordinates, for Spark to fetch. */
  packages: string[];
  repositories: string[];
  exclusions: string[];
}

export interface LibraryInstallation {
  signal: AbortSignal;
  /** Runs a command with the run's environment and log. */
  run(command: string, parameters: readonly string[], environment?: Record<string, string>): Promise<ProcessEnd>;
}

export interface LibraryInstaller {
  /** @throws AppError where a library cannot be had */
  install(libraries: readonly RunnerLibrary[], python: Python | undefined, installation: LibraryInstallation): Promise<InstalledLibraries>;
}

export function createLibraryInstaller(_options: { dataFolder: string; files: unknown }): LibraryInstaller {
  return {
    async install(_libraries, python) {
      return { python, environment: {}, jars: [], packages: [], repositories: [], exclusions: [] };
    },
  };
}
