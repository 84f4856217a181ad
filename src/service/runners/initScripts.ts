import { basename, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { LogDelivery } from './logDelivery.ts';
import type { ProcessEnd } from './managedProcess.ts';
import { destinationOf, type RunnerStorage } from './runner.ts';

/** A program that is run before the task. */
export interface SetUpProgram {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment: Record<string, string>;
  /** The name of its log, in the run's folder. */
  readonly log: string;
}

interface InitScripts {
  /** In the order in which they are run (Jobs API 2.0, NewCluster). */
  readonly scripts: readonly RunnerStorage[];
  readonly environment: Record<string, string>;
  /** The run's own. */
  readonly folder: string;
  readonly files: FileMap;
  readonly logs: LogDelivery;
  readonly signal: AbortSignal;
  run(program: SetUpProgram): Promise<ProcessEnd>;
}

/** @throws AppError if a script is not found or fails; those after it are not run */
export async function runInitScripts(plan: InitScripts): Promise<void> {
  const { environment, files } = plan;
  for (const [index, script] of plan.scripts.entries()) {
    const uri = destinationOf(script);
    if (!uri)
      throw new AppError('invalid', `Init script ${index + 1} names no file; the run was not started.`, {
        remedy: 'Give it a destination.',
      });
    const path = await files.existingFile(uri, 'Init script');
    const log = `init_${String(index + 1).padStart(2, '0')}_${basename(path)}.log`;
    const command = process.platform === 'win32' ? 'bash.exe' : 'bash';
    const end = await plan.run({ command, parameters: [path], environment, log });
    plan.signal.throwIfAborted();
    await plan.logs.deliver('init_scripts', [log]);
    if (end.exitCode !== 0) {
      throw new AppError(
        'rejected',
        `Init script ${uri} ended with ${end.signalName ?? `code ${end.exitCode}`}; the run was not started. ${end.errorTail.trim().slice(-500)}`,
        {
          remedy: `Correct the script; what it printed is in ${join(plan.folder, log)}.`,
        },
      );
    }
  }
}
