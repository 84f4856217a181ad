import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalServiceLauncher } from '../../connection/connection.ts';
import { abortable } from '../../shared/abortable.ts';
import { delay } from '../../shared/clock.ts';
import { AppError, describeError } from '../../shared/errors.ts';
import { Emitter, type Event } from '../../shared/event.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { localControlRoutes } from '../../shared/localControlRoutes.ts';
import { isProcessAlive } from '../../shared/node/isProcessAlive.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';
import { readServiceFile, type ServiceFile } from '../startup/serviceFile.ts';
import { databaseFileName } from '../store/dataFolder.ts';
import { lastLogLine, type LocalServiceOptions, rotatedLog, serviceEnvironment } from './localServiceOptions.ts';
import { readGoingRuns, callLoopback, type GoingRuns } from './loopback.ts';
import { StopMark } from './stopMark.ts';

const startLimitInMs = 30_000;
const stopLimitInMs = 20_000;
const lookEveryInMs = 5000;
/** Exit code of the process if another one serves the folder. */
const folderInUseExitCode = 3;

const serviceLogName = 'service.log';

/** A running service, as this window knows it. */
interface Running extends ServiceFile {
  /** Absent if another window started it. */
  readonly child?: ChildProcess;
}

/** Status that the service reports. */
interface Health {
  readonly service: string;
  readonly script: string;
  readonly active_runs: number;
  readonly windows: number;
}

/**
 * Starts the local service of one data folder on first use, or attaches to the one that another window started. It keeps running when the
 * window closes during a run, and exits when nobody needs it.
 */
export class LocalService implements LocalServiceLauncher, Disposable {
  readonly #options: LocalServiceOptions;
  readonly #exit = new Emitter<string>();
  readonly #change = new Emitter<void>();
  #running: Running | undefined;
  #starting: Promise<Running> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  /** A stop or reset in progress. */
  #ending: Promise<void> | undefined;
  #isResetting = false;
  readonly #createdAt = Date.now();

  readonly #stopMark: StopMark;

  constructor(options: LocalServiceOptions) {
    this.#options = options;
    this.#stopMark = new StopMark(options.dataFolder, options.log);
  }

  readonly onDidExit: Event<string> = this.#exit.event;
  /** Fires when the service has started, was found or is gone; `url` tells which. */
  readonly onDidChange: Event<void> = this.#change.event;

  /** Address of the running service. Does not start one. */
  get url(): string | undefined {
    return this.#running?.url;
  }

  get dataFolder(): string {
    return this.#options.dataFolder;
  }

  get logPath(): string {
    return join(this.#options.dataFolder, serviceLogName);
  }

  async start(options: { signal?: AbortSignal } = {}): Promise<{ url: string; token: string }> {
    if (!this.#options.isTrusted()) {
      throw new AppError(
        'untrusted',
        l10n.t('This workspace is in Restricted Mode, where no programs run, so the local service was not started.'),
        { remedy: l10n.t('Trust the workspace, or choose a remote profile.') },
      );
    }
    // A service started in a folder during its removal loses its files, and one that is about to stop is useless.
    while (this.#ending)
      await abortable(
        this.#ending.catch(() => undefined),
        options.signal,
      );
    this.#stopMark.remove();
    if (this.#running) return { url: this.#running.url, token: this.#running.token };
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = undefined;
    });
    const { url, token } = await abortable(this.#starting, options.signal);
    return { url, token };
  }

  isUsed(): boolean {
    if (this.#isResetting) return false;
    return (
      this.#running !== undefined ||
      this.#starting !== undefined ||
      existsSync(join(this.#options.dataFolder, databaseFileName))
    );
  }

  isStopped(): boolean {
    return this.#stopMark.isSetSince(this.#createdAt);
  }

  /**
   * Returns the runs that would end with the service. Starts no service.
   * @throws AppError if the service runs and does not answer
   */
  async goingRuns(): Promise<GoingRuns> {
    const running = this.#running ?? (await this.#find());
    return running ? readGoingRuns(running) : { count: 0, names: [] };
  }

  /** Stops the service for all windows. None restarts it automatically. */
  async stop(): Promise<void> {
    await this.#alone(() => this.#stop());
  }

  /** Stops the service and removes its data. A start during the reset waits, and gets an empty service. */
  async reset(): Promise<void> {
    await this.#alone(() => this.#reset());
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    while (this.#ending) await this.#ending.catch(() => undefined);
    this.#ending = work().finally(() => {
      this.#ending = undefined;
    });
    await this.#ending;
  }

  async #stop(): Promise<void> {
    // Before the stop, which makes every window check whether it needs the service.
    this.#stopMark.set();
    try {
      // A service that is about to be ready would outlive the stop.
      await this.#starting?.catch(() => undefined);
      const running = this.#running ?? (await this.#find());
      if (!running) return;
      await this.#end(running);
      this.#gone(running, 'It was stopped.');
    } catch (error) {
      this.#stopMark.remove();
      throw error;
    }
  }

  async #end(running: Running): Promise<void> {
    await callLoopback(running, localControlRoutes.stop, {}).catch((error: unknown) =>
      this.#options.log.debug(describeError(error)),
    );
    for (let waitedInMs = 0; isProcessAlive(running.pid); waitedInMs += 50) {
      if (waitedInMs >= stopLimitInMs) {
        if (!running.child)
          throw new AppError('timeout', l10n.t('The local service (process {0}) did not stop in time.', running.pid), {
            remedy: l10n.t('End that process, then start the service again.'),
          });
        running.child.kill('SIGKILL');
      }
      await delay(50);
    }
  }

  async #reset(): Promise<void> {
    this.#isResetting = true;
    try {
      await this.#stop();
      await this.#removeAll();
    } finally {
      this.#isResetting = false;
      // Even if none was running: what is shown of it is gone.
      this.#change.fire();
    }
  }

  async #removeAll(): Promise<void> {
    const { dataFolder, root, log } = this.#options;
    // In one step, so that no other window finds half of the folder and starts a service there.
    const removed = `${dataFolder}.removed-${randomBytes(6).toString('hex')}`;
    const moved = await rename(dataFolder, removed).then(
      () => true,
      (error: unknown) => {
        log.debug(describeError(error));
        return false;
      },
    );
    try {
      await rm(moved ? removed : dataFolder, { recursive: true, force: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (moved)
        throw new AppError(
          'unavailable',
          l10n.t(
            'The local service is reset and starts empty, but its old data is still in {0}, which could not be deleted: {1}',
            removed,
            reason,
          ),
          { cause: error, remedy: l10n.t('Close all programs that use its files, then delete the folder manually.') },
        );
      throw new AppError(
        'unavailable',
        l10n.t(
          'The local service was stopped, but not reset: its folder {0} could not be deleted completely: {1}',
          dataFolder,
          reason,
        ),
        { cause: error, remedy: l10n.t('Close all programs that use its files, then reset again.') },
      );
    } finally {
      mkdirSync(root, { recursive: true });
    }
  }

  dispose(): void {
    clearInterval(this.#watch);
    const running = this.#running;
    this.#running = undefined;
    this.#exit.dispose();
    this.#change.dispose();
    // Best effort: the service itself checks whether this window's process is alive, too.
    if (running) callLoopback(running, localControlRoutes.leave, { pid: process.pid }).catch(() => undefined);
  }

  async #begin(): Promise<Running> {
    const running = (await this.#find()) ?? (await this.#spawnOrFind());
    await callLoopback(running, localControlRoutes.attach, { pid: process.pid });
    this.#running = running;
    this.#change.fire();
    clearInterval(this.#watch);
    this.#watch = setInterval(() => {
      if (!isProcessAlive(running.pid)) this.#gone(running, 'It ended.');
    }, lookEveryInMs);
    this.#watch.unref();
    return running;
  }

  /** Returns the service that another window started, if it answers with the token of its file. */
  async #find(): Promise<Running | undefined> {
    const file = readServiceFile(this.#options.dataFolder);
    if (!file || !isLoopback(file.url) || !isProcessAlive(file.pid)) return undefined;
    try {
      const health = (await callLoopback(file, localControlRoutes.health)) as Partial<Health>;
      if (health.service !== 'millrace') return undefined;
      if (health.script !== this.#options.script && health.windows === 0 && health.active_runs === 0) {
        // An earlier version of the extension left it, and its files may be removed at any time.
        await this.#end(file);
        return undefined;
      }
      this.#options.log.info(`Using the local service that runs at ${file.url}.`);
      return file;
    } catch (error) {
      this.#options.log.debug(`No service answers at ${file.url}: ${describeError(error)}`);
      return undefined;
    }
  }

  /**
   * Starts a service, or finds the one of a faster window. Two windows that open a new folder at the same time may block each other and
   * both give up, so they retry after a random time.
   */
  async #spawnOrFind(): Promise<Running> {
    const configuration = await this.#options.configuration();
    const beganAt = Date.now();
    for (let waitInMs = 500; ; waitInMs = Math.min(waitInMs * 2, 8000)) {
      const spawned = await this.#spawn(configuration);
      if (spawned) return spawned;
      const nextTryAt = Date.now() + waitInMs * (0.5 + Math.random());
      while (Date.now() < nextTryAt) {
        const running = await this.#find();
        if (running) return running;
        await delay(100);
      }
      if (Date.now() - beganAt >= startLimitInMs)
        throw this.#startProblem(l10n.t('another process uses {0} and does not respond', this.#options.dataFolder));
    }
  }

  /** @returns `undefined` if another process serves the folder */
  async #spawn(configuration: ServiceConfiguration): Promise<Running | undefined> {
    const { executable, script, root, dataFolder, log } = this.#options;
    const node = typeof executable === 'string' ? executable : await executable();
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const token = randomBytes(32).toString('base64url');
    const logFile = openSync(rotatedLog(this.logPath), 'a', 0o600);
    const child = spawn(
      node,
      [
        script,
        'serve',
        '--root',
        root,
        '--data',
        dataFolder,
        '--options',
        '-',
        '--idle-exit',
        String(this.#options.idleInSeconds ?? 600),
      ],
      {
        cwd: dataFolder,
        env: serviceEnvironment(this.#options.environment ?? process.env),
        // A process group of its own: closing the window's terminal does not end a run.
        detached: true,
        windowsHide: true,
        stdio: ['pipe', 'pipe', logFile],
      },
    );
    closeSync(logFile);
    // Through standard input, which neither a command line nor an environment reveals.
    child.stdin?.on('error', (error) => log.debug(describeError(error)));
    child.stdin?.end(JSON.stringify({ token, configuration }));
    const line = await this.#firstLine(child);
    const { pid } = child;
    if (line === undefined || pid === undefined) return undefined;
    const { url } = JSON.parse(line) as { url: string };
    log.info(`The local service was started at ${url}, data in ${dataFolder}.`);
    const running: Running = { url, token, pid, child };
    child.once('exit', (code, signal) => this.#gone(running, `${endWords(code, signal)}.`));
    child.stdout?.destroy();
    child.unref();
    return running;
  }

  /** @returns `undefined` if another process serves the folder */
  #firstLine(child: ChildProcess): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      let text = '';
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        settle(() => reject(this.#startProblem(l10n.t('it was not ready within {0} s', startLimitInMs / 1000))));
      }, startLimitInMs);
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        then();
      };
      child.stdout?.setEncoding('utf8');
      child.stdout?.on('data', (chunk: string) => {
        text += chunk;
        const end = text.indexOf('\n');
        if (end >= 0) settle(() => resolve(text.slice(0, end)));
      });
      child.once('error', (error) => settle(() => reject(this.#startProblem(error.message, error))));
      child.once('exit', (code, signal) =>
        settle(() => {
          if (code === folderInUseExitCode) resolve(undefined);
          else
            lastLogLine(this.logPath).then(
              (last) => reject(this.#startProblem(last || endWords(code, signal))),
              reject,
            );
        }),
      );
    });
  }

  #startProblem(reason: string, cause?: unknown): AppError {
    return new AppError('unavailable', l10n.t('Could not start the local service: {0}.', reason), {
      cause,
      remedy: l10n.t('Check its log {0}, then try again.', this.logPath),
    });
  }

  #gone(running: Running, reason: string): void {
    if (this.#running !== running) return;
    this.#running = undefined;
    clearInterval(this.#watch);
    this.#options.log.info(`The local service at ${running.url} is gone. ${reason}`);
    this.#exit.fire(reason);
    this.#change.fire();
  }
}

/** Returns how a process exited, as a phrase after a colon. */
function endWords(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? l10n.t('it exited with code {0}', code ?? '?') : l10n.t('it ended with {0}', signal);
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname === '127.0.0.1';
}
