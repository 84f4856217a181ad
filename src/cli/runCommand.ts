import { AppError, describeError, isAbort } from '../shared/errors.ts';
import { fill, l10n } from '../shared/l10n.ts';
import {
  type Command,
  type CommandName,
  exitCodes,
  helpText,
  isUsageError,
  type commandNames as names,
  usageError,
} from './commandLine.ts';
import { flushed, output } from './print.ts';

const commands: Readonly<Record<Exclude<CommandName, 'serve'>, () => Promise<Command>>> = {
  check: async () => (await import('./check.ts')).check,
  deploy: async () => (await import('./deployCommand.ts')).deployCommand,
  pull: async () => (await import('./pullCommand.ts')).pullCommand,
  run: async () => (await import('./runFile.ts')).runFile,
  runs: async () => (await import('./runsAndLogs.ts')).printRuns,
  logs: async () => (await import('./runsAndLogs.ts')).showLogs,
  schema: async () => (await import('./check.ts')).schema,
  mcp: async () => (await import('./mcp/mcpCommand.ts')).mcpCommand,
};

/** Exit code after a second Ctrl+C, which stops all waiting. */
export const interruptedExitCode = 130;
/** Exit code that shells use for a program whose output pipe was closed. */
export const unreadExitCode = 141;

/** Runs one command and exits the process with its exit code. */
export async function runCommand(line: readonly string[], known: typeof names): Promise<void> {
  // The warning that node:sqlite is experimental does not help users.
  process.removeAllListeners('warning');
  useCommandLineWords();
  const end = new AbortController();
  let endCode = interruptedExitCode;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') {
        if (stream === process.stdout) output.say(`The output could not be written: ${error.message}.`);
        process.exit(exitCodes.failed);
      }
      // A closed pipe, as from `head`, is not a failure; for `run`, however, the result is then unknown.
      if (line[0] !== 'run') process.exit(exitCodes.ok);
      endCode = unreadExitCode;
      end.abort(new AppError('aborted', 'Nobody reads the output.'));
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (end.signal.aborted) process.exit(endCode);
      end.abort(new AppError('aborted', 'Interrupted.'));
    });
  }
  process.exitCode = await codeOf(line, known, end.signal).catch((error: unknown) => {
    if (end.signal.aborted && (isAbort(error) || error === end.signal.reason)) return endCode;
    output.say(describeError(error));
    return isUsageError(error) ? exitCodes.usage : exitCodes.failed;
  });
  await flushed();
  // Exit even if keep-alive connections are open.
  process.exit();
}

async function codeOf(line: readonly string[], known: typeof names, signal: AbortSignal): Promise<number> {
  const token = await takeToken();
  const [name = 'help', ...parameters] = line;
  const isHelp = parameters.some((one) => one === '--help' || one === '-h');
  if (isHelp || ['help', '--help', '-h'].includes(name)) {
    output.write(helpText);
    return exitCodes.ok;
  }
  if (!isCommand(name)) throw usageError(`"${name}" is not a command; there are ${Object.keys(known).join(', ')}`);
  const command = await commands[name]();
  return command({ parameters, token, signal });
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name);
}

/** Removes the token from the environment, so that programs started later cannot read it. */
async function takeToken(): Promise<string | undefined> {
  const token = process.env['MILLRACE_TOKEN'];
  delete process.env['MILLRACE_TOKEN'];
  if (token === undefined || token === '') return undefined;
  const { scrubFromProcess } = await import('../service/startup/scrubMemory.ts');
  scrubFromProcess(token);
  return token;
}

/** Phrases that the editor words by the profile; here the setting is an option or an environment variable. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^The profile's base URL/, 'The address in --url'],
  [/the (?:profile's )?base URL(?: of the profile)?/, 'the address in --url'],
  [/host and port of the address in --url are right/, 'host and port are right'],
  [/enter it as the address in --url/, 'name it with --url'],
  [/The profile has no \{0\}/, 'MILLRACE_TOKEN contains no {0}'],
  [/\{0\} of the profile/, '{0} in MILLRACE_TOKEN'],
  [/the profile's token/, 'the token in MILLRACE_TOKEN'],
  [/use a profile whose user/, 'use the token of a user who'],
  [/the profile's user/, 'the user of this token'],
];

/** Replaces editor wording in shared messages by that of the command line. */
export function useCommandLineWords(): void {
  l10n.use((message, ...values) =>
    fill(
      words.reduce((text, [word, own]) => text.replace(word, own), message),
      ...values,
    ),
  );
}
