import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { delay, systemClock, type Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { endBackground } from '../background/inBackground.ts';
import { createClients } from '../base/idleExit.ts';
import type { TravelClock } from '../base/travelClock.ts';
import { createEngine } from '../engine/engine.ts';
import type { Engine } from '../engine/engineContract.ts';
import { createJobCatalog } from '../engine/jobCatalog.ts';
import { startRetention } from '../engine/retention.ts';
import { createScheduler } from '../engine/scheduler.ts';
import { clusterHandlers } from '../http/clusterHandlers.ts';
import { debugHandlers } from '../http/debugHandlers.ts';
import { createFaults } from '../http/faults.ts';
import { jobHandlers } from '../http/jobHandlers.ts';
import { listHandlers } from '../http/listHandlers.ts';
import { isOpenAiPath, modelHandlers } from '../http/modelHandlers.ts';
import { outputHandlers } from '../http/outputHandlers.ts';
import { pageHandlers } from '../http/pageHandlers.ts';
import { runHandlers } from '../http/runHandlers.ts';
import { startServer, type HttpServer } from '../http/server.ts';
import { serviceHandlers } from '../http/serviceHandlers.ts';
import { testHandlers, testPrefix } from '../http/testHandlers.ts';
import { createModels } from '../models/models.ts';
import { createKeyVariables } from '../models/upstream/keyVariables.ts';
import { createDelivery } from '../notify/delivery.ts';
import { createOutbox } from '../notify/outbox.ts';
import { createPageKeys } from '../page/runPage.ts';
import { createRunners } from '../runners/createRunners.ts';
import { killLeftovers } from '../runners/processTree.ts';
import { removeSetAsideEnvironments, setAsideEnvironments } from '../runners/pruneEnvironments.ts';
import type { Runners } from '../runners/runner.ts';
import { isDiskFull } from '../store/diskFull.ts';
import { openStore, type Store } from '../store/store.ts';
import { secretsOf, type ServiceConfiguration } from './serviceConfiguration.ts';
import { removeServiceFile, writeServiceFile } from './serviceFile.ts';

export { preload } from './preload.ts';

/** How long stopping waits for a notification that is being sent; it is sent after the next start otherwise. */
const closingDeliveryInMs = 200;

export interface ServiceOptions {
  /** The folder that paths of the workspace are taken from. */
  root: string;
  /** Holds everything the service keeps. */
  dataFolder: string;
  /** Default: the port of the last time if it is free, else any. */
  port?: number;
  /** Default: a new one. */
  token?: string;
  logger: Logger;
  /** PEM texts; with them the service speaks HTTPS. */
  tls?: { cert: string; key: string };
  configuration?: ServiceConfiguration;
  clock?: Clock;
  /** Serves the test controls, which move this clock. */
  testClock?: TravelClock;
  /** In place of this machine's engines, for tests. */
  runners?: Runners;
  /** Told to whoever finds it by its data folder: it ends with the command that started it. */
  isTransient?: boolean;
  /** Leave after so long without a request. Default: stay. */
  idleInMs?: number;
  /** Called when the service was asked to stop or is not needed any more. */
  onStop?: () => void;
}

export interface Service {
  readonly url: string;
  readonly token: string;
  readonly store: Store;
  readonly engine: Engine;
  /** Ends every run's processes, marks them, and closes the data folder. */
  close(): Promise<void>;
}

/**
 * Builds and starts the local service. What an earlier one left is taken up.
 * @throws AppError if the data folder is in use or cannot be opened, or the port is taken
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { logger, configuration = {} } = options;
  const clock = options.testClock ?? options.clock ?? systemClock;
  const [root, dataFolder] = [resolve(options.root), resolve(options.dataFolder)];
  const token = options.token ?? randomBytes(32).toString('base64url');
  const store = openStore(dataFolder, logger);
  const opened: (() => void | Promise<void>)[] = [() => store.close()];
  try {
    return await build();
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }

  async function build(): Promise<Service> {
    const keys = createPageKeys(store.facts);
    let baseUrl = '';
    const pageUrl = (runId: string): string => baseUrl + keys.pathOf(runId);
    const outbox = createOutbox({
      store,
      clock,
      logger,
      deliver: createDelivery({ dataFolder, configuration, pageUrl }),
    });
    const runners =
      options.runners ??
      createRunners({
        root,
        dataFolder,
        clock,
        python: configuration.python,
        notebookEngine: configuration.notebookEngine,
        spark: configuration.spark,
        secrets: [token, ...secretsOf(configuration)],
        environmentNames: configuration.environment,
        privateVariables: createKeyVariables(dataFolder, configuration.upstreams),
      });
    const models = createModels({
      dataFolder,
      upstreams: configuration.upstreams,
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
    const scheduler = createScheduler({ store, clock, engine: () => engine, logger });
    const catalog = createJobCatalog({ store, engine, scheduler, notifier: outbox, clock, creator });
    const clients = createClients({
      clock,
      idleInMs: options.idleInMs,
      onIdle: () => options.onStop?.(),
      isGone: () => !existsSync(dataFolder),
      isBusy: () => engine.activeCount > 0 || store.jobs.hasSchedules() || store.runs.earliestRetry() !== undefined,
    });
    const faults = options.testClock && createFaults(testPrefix);
    const handlers = [
      ...jobHandlers(catalog),
      ...runHandlers({ store, engine, catalog, dataFolder, pageUrl }),
      ...listHandlers({ store, engine, clock, pageUrl }),
      ...outputHandlers({ store, engine, clock, dataFolder }),
      ...debugHandlers({ engine, catalog }),
      ...clusterHandlers(),
      ...modelHandlers(models, () => faults?.streamCut()),
      ...pageHandlers({ store, engine, keys, dataFolder }),
      ...serviceHandlers({
        clients,
        describe: () => ({
          service: 'millrace',
          pid: process.pid,
          script: process.argv[1],
          root,
          data: dataFolder,
          active_runs: engine.activeCount,
          windows: clients.windowCount,
        }),
        probe: () => runners.probe(),
        stop: () => options.onStop?.(),
      }),
      ...(faults && options.testClock ? testHandlers({ store, catalog, clock: options.testClock, faults }) : []),
    ];
    await pruneEnvironments(dataFolder, logger);
    const server = await listen(handlers);
    opened.push(() => server.close());
    baseUrl = server.url;
    // A full disk keeps nobody from reading what is there.
    whereDiskAllows(logger, () => store.facts.set('port', String(server.port)));
    whereDiskAllows(logger, () => {
      const { isTransient } = options;
      writeServiceFile(dataFolder, {
        url: server.url,
        token,
        pid: process.pid,
        ...(isTransient ? { isTransient } : {}),
      });
    });
    opened.push(() => removeServiceFile(dataFolder));
    opened.push(() => engine.dispose());
    engine.recover(async () => {
      const { left } = await killLeftovers(dataFolder, store.processes.all());
      if (left.length > 0)
        logger.warn(
          `Processes of earlier runs could not be ended: ${left.map(({ pid }) => pid).join(', ')}. End them by hand.`,
        );
    });
    scheduler.check();
    outbox.wake();
    const retention = startRetention({ store, clock, logger, dataFolder });
    let closing: Promise<void> | undefined;

    async function close(): Promise<void> {
      removeServiceFile(dataFolder);
      clients.dispose();
      scheduler.dispose();
      retention.dispose();
      outbox.dispose();
      await Promise.all([engine.close(), server.close()]);
      await Promise.race([outbox.idle(), delay(closingDeliveryInMs)]);
      store.close();
      endBackground();
    }

    async function listen(all: typeof handlers): Promise<HttpServer> {
      const start = (port: number): Promise<HttpServer> =>
        startServer({
          port,
          token,
          isOpenAi: isOpenAiPath,
          handlers: all,
          logger,
          tls: options.tls,
          onRequest: () => clients.seen(),
          interfere: faults?.interfere,
        });
      if (options.port !== undefined) return start(options.port);
      const last = Number(store.facts.get('port') ?? 0);
      // A run's page keeps its address over a restart if that is possible.
      return last === 0
        ? start(0)
        : start(last).catch((error: unknown) => {
            logger.debug(describeError(error));
            return start(0);
          });
    }

    return { url: server.url, token, store, engine, close: () => (closing ??= close()) };
  }
}

/** What is only useful is left out if the disk is full. @throws whatever else is wrong */
function whereDiskAllows(logger: Logger, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    logger.warn(`The disk of the data folder is full, so nothing can be changed: ${describeError(error)}`);
  }
}

async function pruneEnvironments(dataFolder: string, logger: Logger): Promise<void> {
  const warn = (error: unknown): void =>
    logger.warn(`Old library environments could not be removed: ${describeError(error)}`);
  try {
    const count = await setAsideEnvironments(dataFolder, Date.now());
    if (count > 0) logger.info(`${count} library environments were not used for 30 days and are removed.`);
  } catch (error) {
    warn(error);
  }
  removeSetAsideEnvironments(dataFolder).catch(warn);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
}
