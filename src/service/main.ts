import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { text } from 'node:stream/consumers';
import { AppError, describeError } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { keepFilesPrivate } from './runners/taskUmask.ts';
import { scrubFromProcess } from './startup/scrubMemory.ts';
import { checkToken, serveHelp, parseServeOptions, type ServeOptions } from './startup/serveOptions.ts';
import type { Service } from './startup/service.ts';
import { secretsOf, type ServiceConfiguration } from './startup/serviceConfiguration.ts';
import { createStderrLogger } from './startup/stderrLogger.ts';
import { isFolderInUse } from './store/dataFolder.ts';

/** A launcher tells them apart: `folderInUse` means that another process serves the data folder, which it can attach to. */
const exitCodes = { failed: 1, usage: 2, folderInUse: 3 } as const;

/** The service usually stops in less than a second. A slow disk, for example, must not block it forever. */
const closeLimitInMs = 5000;
/** The same for a start. */
const startLimitInMs = 25_000;
/** How long writing the reason of a failure to standard error may take. */
const lastWordsInMs = 500;

/** The first requests take precedence over preloading. */
const preloadAfterInMs = 1000;

async function main(): Promise<void> {
  const line = parseServeOptions(process.argv.slice(2), process.env);
  if (!line) {
    process.stdout.write(serveHelp);
    return;
  }
  const given = await readOptions(line);
  // Processes that start later must not find it in the environment.
  delete process.env['MILLRACE_TOKEN'];
  if (line.token !== undefined) scrubFromProcess(line.token);
  const token = checkToken(line.token ?? given.token ?? randomBytes(32).toString('base64url'));
  const configuration = given.configuration ?? {};
  const logger = createStderrLogger(line.logLevel, [token, ...secretsOf(configuration)]);
  // The warning that node:sqlite is experimental does not help users.
  process.removeAllListeners('warning').on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') logger.warn(`${warning.name}: ${warning.message}`);
  });
  requireFolder(line.root);
  const startLimit = limitStart();
  keepFilesPrivate();
  process.on('unhandledRejection', (error) => logger.error(`Not handled: ${describeError(error)}`));
  requireSqlite();
  const { startService, preload } = await import('./startup/service.ts');
  const service = await startService({
    root: line.root,
    dataFolder: line.data,
    port: line.port,
    token,
    configuration,
    logger,
    testClock: line.testControls ? new (await import('./base/travelClock.ts')).TravelClock() : undefined,
    tls: line.tls && { cert: await readFile(line.tls.cert, 'utf8'), key: await readFile(line.tls.key, 'utf8') },
    idleInMs: line.idleInSeconds === undefined ? undefined : line.idleInSeconds * 1000,
    onStop: () => void stop('It is not needed any more'),
  });
  clearTimeout(startLimit);
  const stop = stopOnSignals(service, logger);
  const { user, system } = process.cpuUsage();
  logger.info(
    `Serving ${line.root} at ${service.url}, data in ${line.data}. Ready ` +
      `${Math.round(performance.now())} ms after the process began, ${Math.round((user + system) / 1000)} ` +
      'ms of them processor time.',
  );
  process.stdout.write(`${JSON.stringify({ url: service.url, token: service.token })}\n`);
  setTimeout(() => {
    preload().catch((error: unknown) =>
      logger.error(
        `A part of the program could not be loaded: ${describeError(error)} Stop the service and start it again.`,
      ),
    );
  }, preloadAfterInMs).unref();
}

/** @throws AppError `invalid` if the folder does not exist */
function requireFolder(root: string): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new AppError('invalid', `There is no folder ${root}; nothing was started.`, {
    remedy: 'Give the folder that workspace paths are taken from with --root.',
  });
}

/** @throws AppError `unavailable` if this Node has no SQLite */
function requireSqlite(): void {
  if (isBuiltin('node:sqlite')) return;
  throw new AppError(
    'unavailable',
    `The local service needs Node 22.13 or newer, and this is ${process.versions.node}; nothing was started.`,
    { remedy: 'Start it with a newer Node.' },
  );
}

/** Aborts a start that takes too long. */
function limitStart(): NodeJS.Timeout {
  return setTimeout(
    () =>
      fail(
        new AppError('timeout', `The local service was not ready within ${startLimitInMs / 1000} s and was ended.`, {
          remedy: 'Look whether the disk of the data folder and of --root answers, then start it again.',
        }),
      ),
    startLimitInMs,
  );
}

/** Stops the service at a signal or after a defect. @returns a function that stops it for a reason */
function stopOnSignals(service: Service, logger: Logger): (reason: string) => Promise<void> {
  let isStopping = false;

  async function stop(reason: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    logger.info(`${reason}: ending.`);
    const limit = setTimeout(() => process.exit(exitCodes.failed), closeLimitInMs);
    try {
      await service.close();
      process.exitCode = 0;
    } catch (error) {
      logger.error(`The service did not end cleanly: ${describeError(error)}`);
      process.exitCode = exitCodes.failed;
    } finally {
      clearTimeout(limit);
      process.exit();
    }
  }

  process.on('uncaughtException', (error) => {
    logger.error(`A defect of the service: ${error.stack ?? error.message}`);
    void stop('It cannot go on after a defect');
  });
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  // The terminal was closed.
  process.on('SIGHUP', () => void stop('SIGHUP'));
  return stop;
}

async function readOptions(line: ServeOptions): Promise<{ token?: string; configuration?: ServiceConfiguration }> {
  if (line.options === undefined) return {};
  const name = line.options === '-' ? 'Standard input' : line.options;
  try {
    const content = line.options === '-' ? await text(process.stdin) : await readFile(line.options, 'utf8');
    const options = JSON.parse(content) as { token?: string; configuration?: ServiceConfiguration };
    const names: unknown = options.configuration?.environment ?? [];
    if (!Array.isArray(names) || names.some((each) => typeof each !== 'string'))
      throw new Error('environment is not a list of names');
    return options;
  } catch (error) {
    throw new AppError(
      'invalid',
      `${name} could not be read as options: ${(error as Error).message}. Nothing was started.`,
      { cause: error, remedy: 'Give JSON such as {"token": "…", "configuration": {}}.' },
    );
  }
}

/** Reports the reason, and stops whatever was started. */
function fail(error: unknown): void {
  const isUsage = error instanceof AppError && error.kind === 'invalid';
  const code = isFolderInUse(error) ? exitCodes.folderInUse : isUsage ? exitCodes.usage : exitCodes.failed;
  setTimeout(() => process.exit(code), lastWordsInMs);
  process.stderr.write(`${describeError(error)}\n`, () => process.exit(code));
}

// A closed output stream is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
main().catch(fail);
