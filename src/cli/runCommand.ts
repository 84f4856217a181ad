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
};

/** After the second Ctrl+C nothing is waited for. */
const interruptedExitCode = 130;
/** As a shell tells of a program whose reader has gone. */
const unreadExitCode = 141;

/** Runs one command and ends the process with its exit code. */
export async function runCommand(line: readonly string[], known: typeof names): Promise<void> {
  // That node:sqlite is marked experimental tells a user nothing.
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
      // A reader that closes, as `head` does after its lines, is not a failure; but how the run ends is not known then.
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
  // A connection that is kept alive is not a reason to stay.
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

/** Takes the token out of the environment, so that no program that is started later finds it there. */
async function takeToken(): Promise<string | undefined> {
  const token = process.env['MILLRACE_TOKEN'];
  delete process.env['MILLRACE_TOKEN'];
  if (token === undefined || token === '') return undefined;
  const { scrubFromProcess } = await import('../service/startup/scrubMemory.ts');
  scrubFromProcess(token);
  return token;
}

/** What the editor calls by the profile stands in an option or in the environment here. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^The base URL of the profile/, 'The address in --url'],
  [/the base URL(?: of the profile)?/, 'the address in --url'],
  [/host and port of the address in --url are right/, 'host and port are right'],
  [/enter it as the address in --url/, 'name it with --url'],
  [/The profile has no \{0\}/, 'MILLRACE_TOKEN holds no {0}'],
  [/(the (?:token|\{0\})) of the profile/i, '$1 in MILLRACE_TOKEN'],
  [/use a profile whose user/, 'use the token of a user who'],
  [/the user of this profile/, 'the user of this token'],
];

/** The same texts as in the editor, in words of the command line. */
export function useCommandLineWords(): void {
  l10n.use((message, ...values) =>
    fill(
      words.reduce((text, [word, own]) => text.replace(word, own), message),
      ...values,
    ),
  );
}
