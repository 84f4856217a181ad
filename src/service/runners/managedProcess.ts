import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '../../shared/errors.ts';
import { runMarkName } from './childEnvironment.ts';
import { openOutputLog, type OutputLog } from './outputLog.ts';
import { identify, killTree } from './processTree.ts';
import type { ProcessIdentity, RunnerEvents } from './runner.ts';
import { runFiles } from './runOutput.ts';

export interface ProcessPlan {
  command: string;
  parameters: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** Marks the process and all that comes from it. */
  mark: string;
  /** The run's folder, where the output goes. */
  folder: string;
  /** The name of the one log instead of output.log, stdout.log and stderr.log. */
  log?: string;
  graceInMs?: number;
}

export interface ProcessEnd {
  /** Undefined where a signal ended it. */
  exitCode?: number;
  signalName?: string;
  /** Whether the caller's signal ended it. */
  wasStopped: boolean;
  outputTail: string;
  errorTail: string;
}

/**
 * Runs a command in a process group of its own and resolves when neither it nor anything it started is left: after it
 * ended by itself, what it left behind is ended too.
 *
 * @throws AppError `unavailable` where it cannot be started
 */
export async function runProcess(plan: ProcessPlan, events: Partial<RunnerEvents>, options: { signal: AbortSignal }): Promise<ProcessEnd> {
  const { signal } = options;
  signal.throwIfAborted();
  await mkdir(plan.folder, { recursive: true });
  const child = spawn(plan.command, [...plan.parameters], {
    cwd: plan.cwd,
    env: { ...plan.environment, [runMarkName]: plan.mark },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  await started(child, plan.command);
  // Before anything is awaited: a short process may be over, and its output must not be lost.
  const logs = collect(child, plan);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const identity: ProcessIdentity = { pid: child.pid!, startTime: (await identify(child.pid!))?.startTime ?? '' };
  const kill = (): Promise<number> => killTree(identity.startTime === '' ? [] : [identity], { mark: plan.mark, graceInMs: plan.graceInMs });
  try {
    events.onSpawned?.(identity);
    events.onStarted?.();
  } catch (error) {
    // What cannot be noted down, on a full disk say, must not run on without anybody who knows of it.
    await kill();
    await logs.close();
    throw error;
  }
  let killing: Promise<number> | undefined;
  const onAbort = (): void => {
    killing ??= kill();
    // Awaited below; this only keeps a failure from being called unhandled before that.
    killing.catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const [exitCode, signalName] = await ended;
    await (killing ?? kill());
    const tails = await logs.close();
    return { exitCode: exitCode ?? undefined, signalName: signalName ?? undefined, wasStopped: signal.aborted, ...tails };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function started(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (error) => {
      reject(new AppError('unavailable', `${command} could not be started: ${error.message}`, {
        cause: error,
        remedy: 'Check that it is installed and that it may be executed.',
      }));
    });
  });
}

function collect(child: ChildProcess, plan: ProcessPlan): { close(): Promise<{ outputTail: string; errorTail: string }> } {
  const at = (name: string): OutputLog => openOutputLog(join(plan.folder, name));
  const all = at(plan.log ?? runFiles.output);
  const out = plan.log ? all : at(runFiles.standardOutput);
  const error = plan.log ? all : at(runFiles.standardError);
  const closed = [pour(child.stdout!, [...new Set([all, out])]), pour(child.stderr!, [...new Set([all, error])])];
  return {
    async close() {
      await Promise.all(closed);
      await Promise.all([...new Set([all, out, error])].map((log) => log.close()));
      return { outputTail: out.tail(), errorTail: error.tail() };
    },
  };
}

async function pour(stream: Readable, logs: readonly OutputLog[]): Promise<void> {
  try {
    for await (const chunk of stream) {
      for (const log of logs) log.write(chunk as Buffer);
      // A task that prints faster than the disk writes waits for it, as it would at a terminal.
      for (const log of logs) await log.drained();
    }
  } catch {
    // The pipe broke with the process; what came is kept.
  }
}
