import { localProfile, type Profile, type LocalServiceLauncher } from '../../../src/connection/connection.ts';
import { Connector, type ConnectorOptions } from '../../../src/connection/connector.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { Emitter } from '../../../src/shared/event.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { startServer, type TestServer, workspace } from './testServer.ts';

class FakeLauncher implements LocalServiceLauncher {
  readonly exits = new Emitter<unknown>();
  readonly onDidExit = this.exits.event;
  starts = 0;
  failing: unknown;
  url = 'http://127.0.0.1:9';
  /** Of one that goes on; left out: each start makes another one. */
  token: string | undefined;
  start(): Promise<{ url: string; token: string }> {
    this.starts++;
    return this.failing === undefined
      ? Promise.resolve({ url: this.url, token: this.token ?? `t${this.starts}` })
      : Promise.reject(this.failing as Error);
  }
  isUsed(): boolean {
    return this.starts > 0;
  }
  stopped = false;
  isStopped(): boolean {
    return this.stopped;
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

class FakeClock implements Clock {
  time = 1_000_000;
  now(): number {
    return this.time;
  }
  schedule(delayInMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delayInMs);
    return () => clearTimeout(timer);
  }
}

/** A connector and all that it stands on, new for each test. */
export interface ConnectorBench {
  readonly launcher: FakeLauncher;
  readonly clock: FakeClock;
  readonly connector: Connector;
  readonly server: TestServer;
  readonly secrets: Map<string, string>;
  /** The profiles whose sign-in was asked for, and those whose sign-in was taken. */
  readonly questions: string[];
  readonly answers: string[];
  trusted: boolean;
  commandRuns: number;
  /** The token that the server takes. */
  accepted: string;
  options(): ConnectorOptions;
  /** A profile of that server. */
  remote(changes?: Partial<Profile>): Profile;
}

/** To be called in a `describe`. */
export function connectorBench(): ConnectorBench {
  const parts = (): Omit<ConnectorBench, 'connector' | 'server' | 'options' | 'remote'> => ({
    launcher: new FakeLauncher(),
    clock: new FakeClock(),
    trusted: true,
    secrets: new Map([['r', 'right-token']]),
    questions: [],
    answers: [],
    commandRuns: 0,
    accepted: 'right-token',
  });
  const methods = {
    options: (): ConnectorOptions => ({
      log: silentLogger,
      launcher: () => Promise.resolve(bench.launcher),
      secretOf: (profile) => Promise.resolve(bench.secrets.get(profile.id)),
      runCommand: () => Promise.resolve(`printed-${++bench.commandRuns}`),
      isTrusted: () => bench.trusted,
      signInNeeded: (profile) => bench.questions.push(profile.id),
      signInAccepted: (profile) => bench.answers.push(profile.id),
      clientOptions: { retry: 'fail', fetch: nodeFetch },
      clock: bench.clock,
    }),
    remote: (changes: Partial<Profile> = {}): Profile => ({
      ...localProfile,
      id: 'r',
      name: 'Remote',
      kind: 'remote',
      baseUrl: bench.server.url,
      ...changes,
    }),
  };
  const bench = methods as ConnectorBench;

  beforeEach(async () => {
    Object.assign(bench, parts(), { server: await startServer(workspace(() => bench.accepted)) });
    Object.assign(bench, { connector: new Connector(bench.options()) });
  });

  afterEach(async () => {
    bench.connector.dispose();
    await bench.server.close();
  });
  return bench;
}
