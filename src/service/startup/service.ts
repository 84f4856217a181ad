import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Clock, delay, systemClock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { userName } from '../../shared/node/userName.ts';
import { endBackground } from '../background/inBackground.ts';
import type { TravelClock } from '../base/travelClock.ts';
import { createUsageWatch } from '../base/usageWatch.ts';
import { createEngine } from '../engine/engine.ts';
import type { Engine } from '../engine/engineContract.ts';
import { createJobCatalog } from '../engine/jobCatalog.ts';
import { startRetention } from '../engine/retention.ts';
import { createScheduler } from '../engine/scheduler.ts';
import { createFaults } from '../http/faults.ts';
import { inEachVersion } from '../http/handler.ts';
import { clusterHandlers, jobHandlers } from '../http/jobHandlers.ts';
import { isOpenAiPath, modelHandlers } from '../http/modelHandlers.ts';
import { outputHandlers } from '../http/outputHandlers.ts';
import { pageHandlers } from '../http/pageHandlers.ts';
import { runHandlers } from '../http/runHandlers.ts';
import { type HttpServer, startServer } from '../http/server.ts';
import { debugHandlers, listHandlers, serviceHandlers } from '../http/serviceHandlers.ts';
import { testHandlers, testPrefix } from '../http/testHandlers.ts';
import { createModels } from '../models/models.ts';
import { createKeyVariables } from '../models/upstream/upstreams.ts';
import { createDelivery } from '../notify/delivery.ts';
import { createOutbox } from '../notify/outbox.ts';
import { createPageKeys } from '../page/runPage.ts';
import { createRunners } from '../runners/createRunners.ts';
import { killLeftovers } from '../runners/processTree.ts';
import { removeSetAsideEnvironments, setAsideEnvironments } from '../runners/pruneEnvironments.ts';
import type { Runners } from '../runners/runner.ts';
import { isDiskFull } from '../store/dataFolder.ts';
import { openStore, type Store } from '../store/store.ts';
import { secretsOf, type ServiceConfiguration } from './serviceConfiguration.ts';
import { removeServiceFile, writeServiceFile } from './serviceFile.ts';

export { preload } from './backgroundTasks.ts';

/** How long stopping waits for a notification that is being sent; otherwise the next start sends it. */
const closingDeliveryInMs = 200;

export interface ServiceOptions {
  /** Folder that workspace paths are relative to. */
  readonly root: string;
  /** Holds all data of the service. */
  readonly dataFolder: string;
  /** Default: the last port if it is free, otherwise any. */
  readonly port?: number;
  /** Default: a new one. */
  readonly token?: string;
  readonly logger: Logger;
  /** PEM texts. With them the service speaks HTTPS. */
  readonly tls?: { cert: string; key: string };
  readonly configuration?: ServiceConfiguration;
  readonly clock?: Clock;
  /** Enables the test controls, which move this clock. */
  readonly testClock?: TravelClock;
  /** Replaces this machine's engines, for tests. */
  readonly runners?: Runners;
  /** Whether the service ends with the command that started it; reported to others that find it by its data folder. */
  readonly isTransient?: boolean;
  /** How long without a request until the service exits. Default: it keeps running. */
  readonly idleInMs?: number;
  /** Called when the service was asked to stop or is no longer needed. */
  readonly onStop?: () => void;
}

export interface Service {
  readonly url: string;
  readonly token: string;
  readonly store: Store;
  readonly engine: Engine;
  /** Ends every run's processes, marks the runs, and closes the data folder. */
  close(): Promise<void>;
}

/**
 * Builds and starts the local service, and takes over what an earlier one left.
 * @throws AppError if the data folder is in use or cannot be opened, or the port is taken
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const dataFolder = resolve(options.dataFolder);
  const store = openStore(dataFolder, options.logger);
  const opened = new OpenedParts();
  opened.add(endBackground);
  opened.add(() => store.close());
  try {
    return await build({ ...options, dataFolder, root: resolve(options.root) }, store, opened);
  } catch (error) {
    await opened.close().catch((failure: unknown) => options.logger.error(describeError(failure)));
    throw error;
  }
}

async function build(options: ServiceOptions, store: Store, opened: OpenedParts): Promise<Service> {
  const { logger, dataFolder } = options;
  const token = options.token ?? randomBytes(32).toString('base64url');
  const address = { url: '' };
  const parts = createParts({ ...options, token }, store, opened, address);
  const { engine, scheduler, outbox, clock } = parts;
  await pruneEnvironments(dataFolder, logger);
  const server = await listen({ ...options, token }, parts);
  opened.add(() => Promise.all([engine.close(), server.close()]));
  address.url = server.url;
  tellAddress({ ...options, token }, server, store);
  opened.add(() => removeServiceFile(dataFolder));
  opened.add(() => scheduler.dispose());
  opened.add(() => outbox.dispose());
  engine.recover(() => endLeftovers(store, dataFolder, logger));
  scheduler.check();
  outbox.wake();
  const retention = startRetention({ store, clock, logger, dataFolder });
  opened.add(() => retention.dispose());
  return { url: server.url, token, store, engine, close: () => opened.close() };
}

type Parts = ReturnType<typeof createParts>;

/** Creates the parts of the service without starting them. @param address the service's address, once known */
function createParts(
  options: ServiceOptions & { token: string },
  store: Store,
  opened: OpenedParts,
  address: { readonly url: string },
) {
  const { logger, root, dataFolder, configuration = {}, testClock } = options;
  const clock = testClock ?? options.clock ?? systemClock;
  const keys = createPageKeys(store.facts);
  const pageUrl = (runId: string): string => address.url + keys.pathOf(runId);
  const outbox = createOutbox({
    store,
    clock,
    logger,
    deliver: createDelivery({ dataFolder, configuration, pageUrl }),
  });
  opened.add(() => Promise.race([outbox.idle(), delay(closingDeliveryInMs)]));
  const runners =
    options.runners ??
    createRunners({
      root,
      dataFolder,
      clock,
      python: configuration.python,
      notebookEngine: configuration.notebookEngine,
      spark: configuration.spark,
      secrets: [options.token, ...secretsOf(configuration)],
      environmentNames: configuration.environment,
      privateVariables: createKeyVariables(dataFolder, configuration.upstreams),
    });
  const models = createModels({
    dataFolder,
    upstreams: configuration.upstreams,
    modelKeys: configuration.modelKeys,
    discover: configuration.discoverModels,
    clock,
    logger,
  });
  const creator = userName();
  const engine = createEngine({
    store,
    clock,
    runners,
    notifier: outbox,
    logger,
    dataFolder,
    creator,
    places: configuration.maxParallelRuns ?? Math.max(4, availableParallelism()),
  });
  opened.add(() => engine.dispose());
  const scheduler = createScheduler({ store, clock, engine: () => engine, logger });
  const catalog = createJobCatalog({ store, engine, scheduler, notifier: outbox, clock, creator });
  const usage = createUsageWatch({
    clock,
    idleInMs: options.idleInMs,
    onIdle: () => options.onStop?.(),
    isGone: () => store.database.isGone(),
    isBusy: () => engine.activeCount > 0 || store.jobs.hasSchedules() || store.runs.earliestRetry() !== undefined,
  });
  opened.add(() => usage.dispose());
  const testing = testClock && { clock: testClock, faults: createFaults(testPrefix) };
  return { store, clock, keys, pageUrl, outbox, runners, models, engine, scheduler, catalog, usage, testing };
}

function handlersOf({ root, dataFolder, onStop }: ServiceOptions, parts: Parts) {
  const { store, clock, keys, pageUrl, runners, models, engine, catalog, usage, testing } = parts;
  return [
    ...inEachVersion([...jobHandlers(catalog), ...runHandlers({ store, engine, catalog, dataFolder, pageUrl })]),
    ...listHandlers({ store, engine, clock, pageUrl }),
    ...outputHandlers({ store, engine, clock, dataFolder }),
    ...debugHandlers({ engine, catalog }),
    ...clusterHandlers(),
    ...modelHandlers(models, () => testing?.faults.streamCut()),
    ...pageHandlers({ store, engine, keys, dataFolder }),
    ...serviceHandlers({
      usage,
      describe: () => ({
        service: 'millrace',
        pid: process.pid,
        script: process.argv[1],
        root,
        data: dataFolder,
        active_runs: engine.activeCount,
        windows: usage.windowCount,
      }),
      probe: () => runners.probe(),
      stop: () => onStop?.(),
    }),
    ...(testing ? testHandlers({ store, catalog, ...testing }) : []),
  ];
}

/** Listens on the requested port, or else on the last one, so that a run's page keeps its address, or else on any. */
async function listen(options: ServiceOptions & { token: string }, parts: Parts): Promise<HttpServer> {
  const { token, logger, tls } = options;
  const handlers = handlersOf(options, parts);
  const start = (port: number): Promise<HttpServer> =>
    startServer({
      port,
      token,
      isOpenAi: isOpenAiPath,
      handlers,
      logger,
      tls,
      onRequest: () => parts.usage.seen(),
      interfere: parts.testing?.faults.interfere,
    });
  if (options.port !== undefined) return start(options.port);
  const last = Number(parts.store.facts.get('port') ?? 0);
  return last === 0
    ? start(0)
    : start(last).catch((error: unknown) => {
        logger.debug(describeError(error));
        return start(0);
      });
}

/** Writes the service's address to its file. A full disk must not prevent reading. */
function tellAddress(options: ServiceOptions & { token: string }, { url, port }: HttpServer, store: Store): void {
  const { token, dataFolder, isTransient, logger } = options;
  whereDiskAllows(logger, () => store.facts.set('port', String(port)));
  whereDiskAllows(logger, () =>
    writeServiceFile(dataFolder, { url, token, pid: process.pid, ...(isTransient ? { isTransient } : {}) }),
  );
}

async function endLeftovers(store: Store, dataFolder: string, logger: Logger): Promise<void> {
  const { left } = await killLeftovers(dataFolder, store.processes.all());
  if (left.length > 0)
    logger.warn(
      `Processes of earlier runs could not be ended: ${left.map(({ pid }) => pid).join(', ')}. End them manually.`,
    );
}

/** Skips an optional write if the disk is full. @throws any other error */
function whereDiskAllows(logger: Logger, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    logger.warn(`The disk of the data folder is full, so nothing can be saved: ${describeError(error)}`);
  }
}

async function pruneEnvironments(dataFolder: string, logger: Logger): Promise<void> {
  const warn = (error: unknown): void =>
    logger.warn(`Old library environments could not be removed: ${describeError(error)}`);
  try {
    const count = await setAsideEnvironments(dataFolder, Date.now());
    if (count > 0) logger.info(`${count} library environments were not used for 30 days and were removed.`);
  } catch (error) {
    warn(error);
  }
  removeSetAsideEnvironments(dataFolder).catch(warn);
}

/** Closes everything that was opened, once, in reverse order. */
class OpenedParts {
  readonly #closers: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** A failure to close one part does not keep the others open. @throws the first error, at the end */
  close(): Promise<void> {
    return (this.#closed ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        const closing = close();
        // Parts that close synchronously are closed when `close` returns.
        if (closing instanceof Promise) await closing;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
