import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { identify, killTree } from '../../src/service/runners/processTree.ts';

/** A standalone Spark on loopback, with ports that the system chose. */
export interface SparkCluster {
  master: string;
  /** Process ids of the workers. */
  workers: number[];
  stop(): Promise<void>;
}

export async function startSparkCluster(sparkHome: string, workerCount: number, folder: string): Promise<SparkCluster> {
  const started: ChildProcess[] = [];
  const start = (parameters: string[]): ChildProcess => {
    const child = spawn(join(sparkHome, 'bin', 'spark-class'), parameters, {
      env: {
        ...process.env,
        SPARK_HOME: sparkHome,
        SPARK_LOCAL_IP: '127.0.0.1',
        SPARK_WORKER_DIR: join(folder, 'workers'),
        SPARK_DAEMON_MEMORY: '256m',
      },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.push(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    const found = await Promise.all(started.map((child) => identify(child.pid!)));
    await killTree(
      found.filter((each) => each !== undefined),
      { graceInMs: 2000 },
    );
  };
  try {
    const master = await lineOf(
      start(['org.apache.spark.deploy.master.Master', '--host', '127.0.0.1', '--port', '0', '--webui-port', '0']),
      /Starting Spark master at (spark:\/\/\S+)/,
    );
    const workers: number[] = [];
    for (let index = 0; index < workerCount; index += 1) {
      const worker = start([
        'org.apache.spark.deploy.worker.Worker',
        '--host',
        '127.0.0.1',
        '--port',
        '0',
        '--webui-port',
        '0',
        '--cores',
        '1',
        '--memory',
        '700m',
        master,
      ]);
      await lineOf(worker, /(Successfully registered with master)/);
      workers.push(worker.pid!);
    }
    return { master, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const seen: string[] = [];
    const lines = createInterface({ input: child.stderr! });
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match) resolve(match[1]!);
      if (seen.length < 50) seen.push(line);
    });
    child.once('exit', (code) => reject(new Error(`Spark ended with ${code}: ${seen.join('\n')}`)));
  });
}
