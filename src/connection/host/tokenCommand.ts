import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { redact } from '../../shared/redact.ts';
import { splitWords } from '../../shared/splitWords.ts';

/** Some sign-in tools open a browser and wait for the user. */
const limitInMs = 60_000;
const maxOutputInBytes = 256 * 1024;

/**
 * Runs a profile's command, without a shell, and returns the token that it prints: the plain text, or the field `access_token` or `token`
 * of a JSON object.
 * @throws AppError `unavailable` or `timeout`, with the program's stderr but never its stdout
 */
export async function runTokenCommand(command: string, options: { signal?: AbortSignal } = {}): Promise<string> {
  const { program, args } = splitCommand(command);
  const { error, stdout, stderr } = await run(program, args, options.signal);
  if (error) throw commandFailure(program, error, stderr);
  const token = tokenOf(stdout);
  if (token === '') {
    throw new AppError('unavailable', l10n.t('The command {0} printed no token. Nothing was sent.', program), {
      remedy: l10n.t('Run it in a terminal. It must print only the token.'),
    });
  }
  return token;
}

interface Outcome {
  readonly error: (Error & { code?: string | number | null; killed?: boolean; signal?: string | null }) | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], signal: AbortSignal | undefined): Promise<Outcome> {
  return new Promise((resolve) => {
    try {
      // Not run in the workspace folder: no file there may replace a program or its settings.
      const child = execFile(
        program,
        args,
        {
          cwd: homedir(),
          env: tokenCommandEnvironment(),
          timeout: limitInMs,
          maxBuffer: maxOutputInBytes,
          windowsHide: true,
          shell: false,
          signal,
        },
        (error, stdout, stderr) => resolve({ error, stdout, stderr }),
      );
      child.stdin?.end();
    } catch (error) {
      resolve({ error: error as Error, stdout: '', stderr: '' });
    }
  });
}

/** Returns the user's environment without the variables that the editor and its Node set for themselves. */
function tokenCommandEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|NODE_PATH$|NODE_REPL|MILLRACE_)/i.test(name),
    ),
  );
}

function tokenOf(output: string): string {
  const text = output.trim();
  if (!text.startsWith('{')) return text;
  try {
    const fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const token = fields['access_token'] ?? fields['accessToken'] ?? fields['token'];
    return typeof token === 'string' ? token.trim() : '';
  } catch {
    // A token could start with a brace, however unlikely.
    return text;
  }
}

function commandFailure(program: string, error: NonNullable<Outcome['error']>, stderr: string): AppError {
  const said = redact(stderr.trim().split('\n').slice(-3).join(' ')).slice(0, 500);
  const detail = said === '' ? '' : ` ${l10n.t('It said: {0}', said)}`;
  if (error.name === 'AbortError') return new AppError('aborted', l10n.t('Stopped.'), { cause: error.name });
  if (error.code === 'ENOENT') {
    return new AppError(
      'unavailable',
      l10n.t('The command {0} of the profile was not found. Nothing was sent.', program),
      { remedy: l10n.t("Install it, or enter its full path in the profile's command.") },
    );
  }
  if (error.killed === true) {
    return new AppError(
      'timeout',
      l10n.t('The command {0} timed out after {1} s. Nothing was sent.', program, limitInMs / 1000) + detail,
      { remedy: l10n.t('Run it once in a terminal. It may be waiting for input.') },
    );
  }
  return new AppError(
    'unavailable',
    l10n.t(
      'The command {0} failed ({1}). Nothing was sent.',
      program,
      String(error.code ?? error.signal ?? error.name),
    ) + detail,
    { remedy: l10n.t('Run it in a terminal and fix what it reports.') },
  );
}

/**
 * Splits a command line into program and arguments, so that no shell is needed. Blanks separate; single and double quotes keep blanks; `\"`
 * and `\\` are escapes only inside double quotes, so that Windows paths need no doubling.
 * @throws AppError `invalid` if it is empty or a quote is not closed
 */
export function splitCommand(text: string): { program: string; args: string[] } {
  const { words, openQuote } = splitWords(text, { escapes: 'quoted' });
  if (openQuote !== undefined)
    throw new AppError(
      'invalid',
      l10n.t('The command has an unclosed quotation mark ({0}), so it did not run.', openQuote),
      { remedy: l10n.t("Close it in the profile's command.") },
    );
  const [program, ...args] = words;
  if (program === undefined || program === '')
    throw new AppError('invalid', l10n.t('The command is empty, so nothing ran.'), {
      remedy: l10n.t('Enter the program that prints the token.'),
    });
  return { program, args };
}
