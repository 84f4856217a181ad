import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { constants as file, closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { getSystemErrorName } from 'node:util';
import { AppError } from '../../shared/errors.ts';
import { lazy } from '../../shared/lazy.ts';
import { keeperMarkName } from './childEnvironment.ts';
import { findOnPath, probeCommand } from './commandProbe.ts';
import { scriptFile } from './programs.ts';
import { withTaskUmask } from './taskUmask.ts';

/** How the started process ended; its descendants may still be running. */
export interface TaskEnd {
  /** `undefined` if a signal ended it. */
  readonly exitCode?: number;
  readonly signalName?: string;
  /** Whether the keeper was killed, so that the task's own end is unknown. */
  readonly isKeeperLost?: boolean;
}

/** A running task, alone or below a keeper. */
export interface TaskProcess {
  /** Pid of the keeper, or else of the task. */
  readonly pid: number;
  readonly output: Readable;
  readonly errors: Readable;
  readonly ended: Promise<TaskEnd>;
  /** Tells the keeper to kill whatever is still below it. Resolves when the keeper has ended, within some seconds in any case. */
  release(): Promise<void>;
}

export interface TaskCommand {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly cwd: string;
  readonly environment: Record<string, string>;
}

/** The keeper kills for 3 s, by its own clock of whole seconds. */
const releaseLimitInMs = 5000;

/** The keeper checks its own keeper at the same interval. */
const wakeEveryMs = 1000;

/** Number of the system call prctl, by processor. */
const prctlNumbers: Partial<Record<NodeJS.Architecture, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  loong64: 167,
  arm: 172,
  ia32: 172,
  s390x: 172,
  ppc64: 171,
};

/** Variables that Perl or the loader would apply to itself instead of to the task. */
const keptName = /^(?:PERL|LD_)/;

/** Finds the Perl that can run the keeper on this machine; `undefined` except on Linux, or if there is none. */
export const findKeeper = lazy(async (): Promise<string | undefined> => {
  const number = prctlNumbers[process.arch];
  if (process.platform !== 'linux' || number === undefined) return undefined;
  const path = (await findOnPath('perl')) ?? (await findOnPath('perl', { PATH: '/usr/bin:/bin:/usr/local/bin' }));
  if (path === undefined) return undefined;
  const { ok } = await probeCommand(path, [scriptFile('can_keep.pl'), String(number)], {
    environment: { PERL_BADLANG: '0' },
  });
  return ok ? path : undefined;
});

/**
 * Starts a command in its own process group, below a keeper if one is given (`findKeeper`).
 * @throws AppError `unavailable` if it cannot be started
 */
export async function startTask(task: TaskCommand, keeper: string | undefined): Promise<TaskProcess> {
  return keeper === undefined ? startAlone(task) : startKept(task, keeper);
}

async function startAlone(task: TaskCommand): Promise<TaskProcess> {
  const child = spawnFor(task, task.command, task.parameters, {
    env: task.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await spawned(child, task.command);
  return { ...partsOf(child), ended: exitOf(child), release: async () => undefined };
}

async function startKept(task: TaskCommand, keeper: string): Promise<TaskProcess> {
  const parameters = [scriptFile('keeper.pl'), String(prctlNumbers[process.arch]), task.command, ...task.parameters];
  const child = spawnFor(task, keeper, parameters, {
    env: keeperEnvironment(task.environment),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const life = child.stdin as Writable;
  // A killed keeper no longer reads.
  life.on('error', () => undefined);
  const gone = exitOf(child);
  // A task may have stopped the keeper (SIGSTOP cannot be ignored), which would block the run forever.
  const wake = (): boolean => child.kill('SIGCONT');
  let pipes: Readable[] | undefined;
  const { first, ended } = followReport(child.stdio[3] as Readable, gone, (descriptors) => {
    pipes = openPipes(child.pid as number, descriptors);
    life.write(pipes ? 'y' : 'n');
  });
  await spawned(child, task.command);
  const waking = setInterval(wake, wakeEveryMs).unref();
  void gone.then(() => clearInterval(waking));
  const report = await first;
  if (report !== 'started') {
    for (const pipe of pipes ?? []) pipe.destroy();
    const code = /^failed (\d+)$/.exec(report ?? '')?.[1];
    if (code !== undefined)
      throw notStarted(task.command, `spawn ${task.command} ${getSystemErrorName(-Number(code))}`);
    throw new AppError(
      'unavailable',
      `${task.command} was not started: the process that monitors the task was killed at its start.`,
      { remedy: 'Run it again.' },
    );
  }
  const [output, errors] = pipes ?? [];
  return {
    ...partsOf(child),
    ...(output && errors ? { output, errors } : {}),
    ended,
    async release() {
      life.end();
      wake();
      await settlesWithin(gone, releaseLimitInMs);
    },
  };
}

/** Opens the keeper's ends of the task's pipes for this process; `undefined` if that is not possible. */
function openPipes(pid: number, descriptors: readonly string[]): Readable[] | undefined {
  const opened: number[] = [];
  try {
    for (const each of descriptors) opened.push(openSync(`/proc/${pid}/fd/${each}`, file.O_RDONLY | file.O_NONBLOCK));
    return opened.map((fd) => new Socket({ fd, readable: true, writable: false }));
  } catch {
    for (const fd of opened) closeSync(fd);
    return undefined;
  }
}

/** @throws AppError `invalid` if the system rejects the parameters */
function spawnFor(
  task: TaskCommand,
  program: string,
  parameters: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  try {
    return withTaskUmask(() =>
      spawn(program, [...parameters], {
        cwd: task.cwd,
        detached: process.platform !== 'win32',
        windowsHide: true,
        ...options,
      }),
    );
  } catch (error) {
    const reason = { E2BIG: 'are longer than this system allows', ERR_INVALID_ARG_VALUE: 'hold a NUL character' }[
      (error as NodeJS.ErrnoException).code ?? ''
    ];
    if (reason === undefined) throw notStarted(task.command, (error as Error).message, error);
    throw new AppError(
      'invalid',
      `${task.command} could not be started: its parameters or environment variables ${reason}.`,
      {
        cause: error,
        remedy: 'Pass such values through a file.',
      },
    );
  }
}

/** Passes to the task alone what would affect the keeper. */
function keeperEnvironment(environment: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    result[keptName.test(name) ? `MILLRACE_KEPT_${name}` : name] = value;
  return { ...result, PERL_BADLANG: '0', [keeperMarkName]: '1' };
}

function partsOf(child: ChildProcess): Pick<TaskProcess, 'pid' | 'output' | 'errors'> {
  return { pid: child.pid as number, output: child.stdout as Readable, errors: child.stderr as Readable };
}

/** Returns the keeper's first line, `undefined` if it ended without one, and the task's end. */
function followReport(
  report: Readable,
  gone: Promise<TaskEnd>,
  onPipes: (descriptors: readonly string[]) => void,
): { first: Promise<string | undefined>; ended: Promise<TaskEnd> } {
  const begun = Promise.withResolvers<string | undefined>();
  const over = Promise.withResolvers<TaskEnd>();
  report.on('error', () => undefined);
  const lines = createInterface({ input: report });
  lines.on('line', (line) => {
    const pipes = /^pipes (\d+) (\d+)$/.exec(line)?.slice(1);
    if (pipes) {
      onPipes(pipes);
      return;
    }
    begun.resolve(line);
    const status = /^ended (\d+)$/.exec(line)?.[1];
    if (status !== undefined) over.resolve(endOf(Number(status)));
  });
  lines.once('close', () => {
    begun.resolve(undefined);
    gone.then((end) => over.resolve({ ...end, isKeeperLost: true }), over.reject);
  });
  return { first: begun.promise, ended: over.promise };
}

/** Decodes the status of wait(2). */
function endOf(status: number): TaskEnd {
  const signal = status & 127;
  if (signal === 0) return { exitCode: (status >> 8) & 255 };
  return {
    signalName: Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`,
  };
}

function exitOf(child: ChildProcess): Promise<TaskEnd> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signalName) =>
      resolve({ exitCode: exitCode ?? undefined, signalName: signalName ?? undefined }),
    );
  });
}

/** Returns whether it settled in time. */
export function settlesWithin(work: Promise<unknown>, limitInMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), limitInMs);
    work.finally(() => clearTimeout(timer)).then(() => resolve(true), reject);
  });
}

function spawned(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (error) => reject(notStarted(command, error.message, error)));
  });
}

function notStarted(command: string, reason: string, cause?: unknown): AppError {
  return new AppError('unavailable', `${command} could not be started: ${reason}`, {
    cause,
    remedy: 'Check that it is installed and that it may be executed.',
  });
}
