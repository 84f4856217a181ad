import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { AppError } from '../shared/errors.ts';

/** Commands of `millrace` with their arguments; `serve` has its own help. */
export const commandNames = {
  check: 'FILE… [--format text|json|sarif|github]',
  deploy: 'FILE… [--plan] [--yes] [--json]',
  pull: 'JOB [FILE] [--yes] [--json]',
  run: 'FILE [--param NAME=VALUE]… [--no-wait] [--yes] [--json]',
  runs: '[FILE] [--limit N] [--json]',
  logs: 'RUN [--follow] [--json]',
  schema: '',
  serve: '--root DIR --data DIR [options]',
} as const;

export type CommandName = keyof typeof commandNames;

export const helpText = [
  'Usage: millrace COMMAND …',
  '',
  ...Object.entries(commandNames).map(([name, parameters]) => `  millrace ${name} ${parameters}`.trimEnd()),
  '',
  'check finds what is wrong with job files, without any service. deploy creates the job of a file or gives it the',
  'settings of the file; --plan says what that would change, and what somebody else changed since the last deploy from',
  'here. pull writes the settings of a job, by its id or name, into a file, or into a new one that is named after it. run',
  'deploys the file, starts it, prints its output to the end and exits by its result. runs lists the newest runs, logs',
  'prints what one wrote. schema prints the JSON Schema of job files. serve starts the local service: see millrace serve',
  '--help.',
  '',
  'Which service:',
  '  --url URL           a service; its token comes from MILLRACE_TOKEN and is never written on a command line',
  '  --root DIR          without --url: the folder that paths such as /jobs/etl.py are taken from. Default: MILLRACE_ROOT,',
  '                      else the folder above the file in which its paths are found',
  '  --data DIR          without --url: where the local service keeps jobs and runs. Default: MILLRACE_DATA, else a folder',
  '                      of the user for each --root. A service that runs there is used; otherwise one is started and ended',
  '',
  '  --json              answers for programs, on standard output; everything else goes to standard error',
  '  --yes               asks nothing, also where a deploy undoes what somebody else changed, or a pull what the file has',
  '  --param NAME=VALUE  a parameter of a notebook; for other tasks each --param is one word of their parameters',
  '  --no-wait           exits as soon as the run has started, without its result; by default run waits for its end',
  '',
  'Exit codes: 0 done, or nothing to change; 1 a file has an error or cannot be read, a run did not succeed, or something',
  'failed; 2 wrong usage; 3 deploy --plan found changes.',
  '',
].join('\n');

/** Code of errors that exit the program with the status for wrong usage. */
export const usageCode = 'USAGE';

export function usageError(message: string, cause?: unknown): AppError {
  return new AppError('invalid', `Nothing was done: ${message}.`, {
    cause,
    errorCode: usageCode,
    remedy: 'Run "millrace --help" to see what it takes.',
  });
}

export function isUsageError(error: unknown): boolean {
  return error instanceof AppError && error.errorCode === usageCode;
}

/** Options of the commands that need a service. */
export const serviceOptions = {
  url: { type: 'string' },
  root: { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

/**
 * Parses the options and positional arguments of a command.
 * @throws AppError if an option is unknown, or its value is missing or superfluous
 */
export function parseParameters<const Options extends ParseArgsOptionsConfig>(
  parameters: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...parameters], allowPositionals: true, strict: true, options });
  } catch (error) {
    throw usageError((error as Error).message.replace(/\.? To specify a positional[\s\S]*/, ''), error);
  }
}

/**
 * Returns the only positional argument.
 * @throws AppError if there is none, or more than one
 */
export function onlyOne(command: CommandName, what: string, positionals: readonly string[]): string {
  const [first] = positionals;
  if (first === undefined || first === '') throw usageError(`${command} needs ${what}`);
  if (positionals.length > 1) throw usageError(`${command} takes ${what}, and there are ${positionals.length}`);
  return first;
}

/** Input of a command: its arguments, the token for `--url`, and the signal that stops it. */
export interface Invocation {
  readonly parameters: readonly string[];
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a command.
 * @returns the exit code
 */
export type Command = (invocation: Invocation) => Promise<number>;

/** Exit codes of commands; `changes` if a plan contains any. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, changes: 3 } as const;
