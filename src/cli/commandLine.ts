import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { AppError } from '../shared/errors.ts';

/** Commands of `millrace` with their arguments; `serve` has its own help. */
export const commandNames = {
  check: 'FILE… [--format text|json|sarif|github]',
  deploy: 'FILE… [--plan] [--yes] [--json]',
  pull: 'JOB [FILE] [--yes] [--json]',
  run: 'FILE [--job KEY] [--param NAME=VALUE]… [--no-wait] [--yes] [--json]',
  runs: '[FILE] [--limit N] [--json]',
  logs: 'RUN [--follow] [--json]',
  schema: '',
  mcp: '[--root DIR] [--data DIR]',
  serve: '--root DIR --data DIR [options]',
} as const;

export type CommandName = keyof typeof commandNames;

export const helpText = [
  'Usage: millrace COMMAND …',
  '',
  ...Object.entries(commandNames).map(([name, parameters]) => `  millrace ${name} ${parameters}`.trimEnd()),
  '',
  'check validates job files without a service. deploy creates the job of a file, or replaces the settings of the job; with',
  '--plan it only prints what it would change, and what somebody else changed since the last deploy from here. pull writes',
  'the settings of a job, given by id or name, into a file. Without FILE it creates a file with the name of the job. run',
  'deploys the file, starts a run, prints its output until it ends, and exits with its result. runs lists the newest runs.',
  'logs prints the output of a run. schema prints the JSON Schema of job files. mcp serves tools for agents over standard',
  'input and output; they reach the local service only. serve starts the local service; its options are listed by millrace',
  'serve --help.',
  '',
  'Service:',
  '  --url URL           a remote service. Its token is read from MILLRACE_TOKEN, never from the command line',
  '  --root DIR          without --url: the folder for paths such as /jobs/etl.py. Default: MILLRACE_ROOT, or else the',
  '                      nearest folder above the file in which its paths exist',
  '  --data DIR          without --url: the folder in which the local service stores jobs and runs. Default: MILLRACE_DATA,',
  '                      or else a user folder for each --root. If a service is running there, it is used. Otherwise one is',
  '                      started, and stopped at the end',
  '',
  '  --json              prints JSON on standard output; all other messages go to standard error',
  '  --yes               asks no questions, even if a deploy or a pull overwrites changes',
  '  --param NAME=VALUE  a parameter of the job or its notebook; for other tasks, each --param is one argument',
  '  --job KEY           the job to run, if FILE belongs to a bundle and has several; they run on the local service only',
  '  --no-wait           exits as soon as the run has started; by default, run waits until it ends',
  '',
  'Exit codes: 0 success, or nothing to change; 1 a file has an error or cannot be read, a run failed, or something else',
  'failed; 2 wrong usage; 3 deploy --plan found changes; 130 interrupted.',
  '',
].join('\n');

/** Code of errors that exit the program with the status for wrong usage. */
export const usageCode = 'USAGE';

export function usageError(message: string, cause?: unknown): AppError {
  return new AppError('invalid', `Nothing was done: ${message}.`, {
    cause,
    errorCode: usageCode,
    remedy: 'Run "millrace --help" for the usage.',
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

/** Returns a command of `millrace` on the same service, as the next step in a JSON result. */
export function nextCommand(
  words: readonly string[],
  { url, root, data }: { readonly url?: string; readonly root?: string; readonly data?: string } = {},
): string {
  const options = Object.entries({ url, root, data }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const quoted = (word: string): string =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return ['millrace', ...words, ...options].map(quoted).join(' ');
}

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
  if (positionals.length > 1) throw usageError(`${command} takes ${what}, not ${positionals.length}`);
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
