import { appendFile, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import { destinationOf, type RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';

/** Jobs API 2.0, Limits: logs are delivered every 5 minutes. */
const deliveryInMs = 5 * 60 * 1000;

/** Copies the logs of one run to the `cluster_log_conf` of its cluster, if it has one (Jobs API 2.0, ClusterLogConf). */
export class LogDelivery {
  readonly #request: RunRequest;
  readonly #files: FileMap;
  readonly #clock: Clock;
  #cancelTimer = (): void => undefined;
  #delivering = Promise.resolve();

  constructor(request: RunRequest, files: FileMap, clock: Clock) {
    this.#request = request;
    this.#files = files;
    this.#clock = clock;
  }

  /** From now on the driver's logs are delivered every five minutes, until `stop` or `finish`. */
  start(): void {
    if (!this.#request.clusterSpec.new_cluster?.cluster_log_conf) return;
    this.#cancelTimer = this.#clock.schedule(deliveryInMs, () => {
      void this.#deliverDriverLogs();
      this.start();
    });
  }

  stop(): void {
    this.#cancelTimer();
  }

  /** Delivers the driver's logs for the last time. */
  async finish(): Promise<void> {
    this.stop();
    await this.#deliverDriverLogs();
  }

  /** Copies files of the run's folder. Logs that cannot be delivered do not change what the run did; they stay in its own folder. */
  async deliver(kind: 'driver' | 'init_scripts', names: readonly string[]): Promise<void> {
    const { clusterSpec, clusterId, folder } = this.#request;
    const target = clusterSpec.new_cluster?.cluster_log_conf;
    const uri = target && destinationOf(target);
    if (!uri) return;
    try {
      const into = await this.#files.outputFolder(`${uri.replace(/(?<!\/)\/+$/, '')}/${clusterId}/${kind}`);
      for (const name of names)
        await copyFile(join(folder, name), join(into, name.replace(/^(stdout|stderr)\.log$/, '$1')));
    } catch (error) {
      await appendFile(
        join(folder, runFiles.setup),
        `The logs were not delivered to ${uri}: ${describeError(error)}\n`,
      ).catch(() => undefined);
    }
  }

  /** One after the other: two copies to the same file at once could leave the older one. */
  #deliverDriverLogs(): Promise<void> {
    this.#delivering = this.#delivering.then(() =>
      this.deliver('driver', [runFiles.standardOutput, runFiles.standardError]),
    );
    return this.#delivering;
  }
}
