import { AppError } from '../../shared/errors.ts';
import { lazy } from '../../shared/lazy.ts';
import { probeCommand } from './commandProbe.ts';
import { pythonFile } from './programs.ts';
import type { EngineStatus } from './runner.ts';

/** A Python that was tested and works. */
export interface Python {
  /** Absolute path of the interpreter to spawn. */
  readonly command: string;
  readonly version: string;
  /** The interpreter behind a virtual environment; equals `command` if it is not one. */
  readonly baseCommand: string;
  /** Relative path of the packages in an environment made with it. */
  readonly packagesPath: string;
  /** Where packages are installed, if it is a virtual environment. */
  readonly parentPackages?: string;
  /** Whether the system's packages are visible. */
  readonly seesSystem: boolean;
  /** Whether nbclient and ipykernel can be imported. */
  readonly hasJupyter: boolean;
  readonly jupyterVersion?: string;
  /** Where packages are searched, in order. Absent if an earlier version of the service examined it. */
  readonly sitePackages?: readonly string[];
  /** Where pyspark is installed, if it is. */
  readonly pysparkHome?: string;
  readonly pysparkVersion?: string;
}

const oldestMinor = 8;
const remedy =
  "Install Python 3.8 or newer from your system's packages or python.org, or set the path of one in the settings of the local service.";

/** Output of examine_python.py. */
interface Answer {
  readonly command: string;
  readonly version: string;
  readonly baseCommand: string;
  readonly packagesPath: string;
  readonly parentPackages: string | null;
  readonly seesSystem: boolean;
  readonly nbclient: string | null;
  readonly sitePackages: string[];
  readonly pysparkHome: string | null;
  readonly pysparkVersion: string | null;
}

/** Finds a Python once and remembers it. A failure is not remembered, so that installing one is enough. */
export interface PythonFinder {
  /** @throws AppError `unavailable` with what was tried and the remedy */
  find(): Promise<Python>;
  probe(): Promise<EngineStatus[]>;
}

export function createPythonFinder(
  options: { configured?: string; environment?: NodeJS.ProcessEnv } = {},
): PythonFinder {
  const candidates: [string, string[]][] = options.configured
    ? [[options.configured, []]]
    : [
        ['python3', []],
        ['python', []],
        ...(process.platform === 'win32' ? [['py', ['-3']] as [string, string[]]] : []),
      ];

  const find = lazy(async (): Promise<Python> => {
    const tried: string[] = [];
    for (const [command, parameters] of candidates) {
      const python = await examinePython(command, parameters, options.environment);
      if (typeof python === 'object') return python;
      tried.push(`${command}: ${python}`);
    }
    throw new AppError('unavailable', `No usable Python was found (${tried.join('; ')}), so the run was not started.`, {
      remedy,
    });
  });

  return {
    find,
    async probe() {
      const python = await find().catch(() => undefined);
      if (!python)
        return [
          { name: 'python', available: false, remedy },
          { name: 'jupyter', available: false, remedy },
        ];
      return [
        { name: 'python', available: true, version: python.version },
        python.hasJupyter
          ? { name: 'jupyter', available: true, version: python.jupyterVersion }
          : {
              name: 'jupyter',
              available: false,
              remedy: `Notebooks run in the built-in runner. For Jupyter: ${python.command} -m pip install nbclient ipykernel`,
            },
      ];
    },
  };
}

/** Returns what a Python can do, or why it cannot be used. */
export async function examinePython(
  command: string,
  parameters: readonly string[] = [],
  environment?: NodeJS.ProcessEnv,
): Promise<Python | string> {
  const { ok, text } = await probeCommand(command, [...parameters, pythonFile('examine_python.py')], { environment });
  const line = text.split('\n').find((each) => each.startsWith('@{'));
  if (!ok || !line)
    return text.trim().split('\n').at(-1)?.slice(0, 200) || (ok ? 'it does not respond like Python' : 'not found');
  const answer = JSON.parse(line.slice(1)) as Answer;
  const [major = 0, minor = 0] = answer.version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < oldestMinor)) return `version ${answer.version} is too old`;
  return {
    command: answer.command || command,
    version: answer.version,
    baseCommand: answer.baseCommand || answer.command || command,
    packagesPath: answer.packagesPath,
    parentPackages: answer.parentPackages ?? undefined,
    seesSystem: answer.seesSystem,
    hasJupyter: answer.nbclient !== null,
    jupyterVersion: answer.nbclient ?? undefined,
    sitePackages: answer.sitePackages,
    pysparkHome: answer.pysparkHome ?? undefined,
    pysparkVersion: answer.pysparkVersion ?? undefined,
  };
}
