import { parseArgs } from 'node:util';
import { AppError } from '../../shared/errors.ts';
import { isLogLevel, type LogLevel } from './stderrLogger.ts';

export interface ServeOptions {
  readonly root: string;
  readonly data: string;
  readonly port?: number;
  readonly token?: string;
  /** Path of a JSON file, or `-` for standard input: `{"token", "configuration"}`. */
  readonly options?: string;
  /** Paths of PEM files. */
  readonly tls?: { cert: string; key: string };
  readonly idleInSeconds?: number;
  readonly logLevel: LogLevel;
  readonly testControls: boolean;
}

export const serveHelp = `Usage: millrace serve --root DIR --data DIR [options]

Starts the local service on 127.0.0.1 (and ::1) and prints one line of JSON when it is ready: {"url", "token"}.
Every request carries "Authorization: Bearer <token>". Logs go to standard error. It stops on SIGTERM or Ctrl+C.

  --root DIR          the folder that workspace paths such as /jobs/etl.py are taken from
  --data DIR          where jobs, runs and their output are kept; one service at a time uses it
  --port N            the port; default: that of the last time, else any free one
  --token T           the token; default: a new one. Other users of the machine can read a command line:
                      set MILLRACE_TOKEN or use --options where that matters
  --options FILE      a JSON file {"token", "configuration"}; "-" reads it from standard input.
                      configuration: maxParallelRuns, python, notebookEngine, spark {master, sparkSubmit},
                      environment [names of variables that tasks get beside the usual ones],
                      smtp {host, port, secure, user, password, from}, destinations {id: {url, headers}},
                      upstreams, discoverModels
  --tls-cert FILE, --tls-key FILE
                      speak HTTPS with this certificate (PEM), for clients that speak nothing else
  --idle-exit SECONDS leave after so long without a request, while no run is active and no schedule waits
  --log-level LEVEL   trace, debug, info (default), warn or error
  --test-controls     time travel, fault injection and seeding under /api/millrace/test/; for tests only
  --help              this text

Clients that leave the port out of an address (databricks-cli) need --port 80, those that always speak
HTTPS (npm databricks-api) --tls-cert and --tls-key.

Example:
  millrace serve --root . --data ~/.millrace
  curl -H "Authorization: Bearer $TOKEN" $URL/api/2.0/jobs/list
`;

/** @returns `undefined` for a request for help. @throws AppError `invalid` */
export function parseServeOptions(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): ServeOptions | undefined {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        root: { type: 'string' },
        data: { type: 'string' },
        port: { type: 'string' },
        token: { type: 'string' },
        options: { type: 'string' },
        'idle-exit': { type: 'string' },
        'tls-cert': { type: 'string' },
        'tls-key': { type: 'string' },
        'log-level': { type: 'string', default: 'info' },
        'test-controls': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw wrong((error as Error).message, error);
  }
  const { values, positionals } = parsed;
  if (values.help || positionals[0] === 'help') return undefined;
  if (positionals[0] !== 'serve' || positionals.length > 1)
    throw wrong(`"${positionals.join(' ')}" is not a command; the only command is "serve"`);
  if (!values.root || !values.data) throw wrong('--root and --data are required');
  if (!isLogLevel(values['log-level']))
    throw wrong(`--log-level ${values['log-level']} is not one of trace, debug, info, warn, error`);
  const [cert, key] = [values['tls-cert'], values['tls-key']];
  if ((cert === undefined) !== (key === undefined)) throw wrong('--tls-cert and --tls-key must be used together');
  const token = values.token ?? (environment['MILLRACE_TOKEN'] || undefined);
  if (token !== undefined) checkToken(token);
  return {
    root: values.root,
    data: values.data,
    port: wholeNumber('--port', values.port, 65_535),
    token,
    options: values.options,
    tls: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    idleInSeconds: wholeNumber('--idle-exit', values['idle-exit'], 1_000_000_000),
    logLevel: values['log-level'],
    testControls: values['test-controls'],
  };
}

/** @throws AppError `invalid` if a header could not carry it or it is easy to guess */
export function checkToken(token: string): string {
  if (!/^[\x21-\x7e]{8,}$/.test(token))
    throw wrong('the token must have at least 8 visible ASCII characters and no space');
  return token;
}

function wholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value > max) throw wrong(`${name} ${text} is not a whole number up to ${max}`);
  return value;
}

function wrong(message: string, cause?: unknown): AppError {
  return new AppError('invalid', `Nothing was started: ${message}.`, {
    cause,
    remedy: 'Run "millrace serve --help" for the usage.',
  });
}
