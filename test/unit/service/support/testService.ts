import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '../../../../src/api/client/index.ts';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { startService, type Service, type ServiceOptions } from '../../../../src/service/startup/service.ts';
import { parseJson, stringifyJson } from '../../../../src/shared/json.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { createFakeRunners, type FakeRunners } from './fakeRunners.ts';

export const testToken = 'token-of-a-test';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The answer's JSON. Integers beyond 2^53 are bigint. */
  json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- the tests look into it freely
}

/** A service in this process, on a folder of its own, with tasks that the test carries out. */
export interface TestService {
  readonly service: Service;
  readonly runners: FakeRunners;
  readonly clock: TravelClock;
  readonly folder: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Creates a job of one Python task. */
  createJob(more?: Record<string, unknown>): Promise<number>;
  runNow(jobId: number, more?: Record<string, unknown>): Promise<number>;
  getRun(runId: number): Promise<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  /** Waits until the run has the state. */
  untilState(runId: number, lifeCycle: string): Promise<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  /** Waits until so many tasks were handed over. */
  untilTasks(count: number): Promise<void>;
  /** Ends the service and starts another on the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const pythonTask = { existing_cluster_id: 'local', spark_python_task: { python_file: '/task.py' } };

export async function startTestService(
  options: Partial<ServiceOptions> & { startAt?: number } = {},
): Promise<TestService> {
  const folder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'millrace-test-')));
  const runners = createFakeRunners();
  const clock = new TravelClock(options.startAt);
  const start = (): Promise<Service> =>
    startService({
      root: folder,
      dataFolder: folder,
      token: testToken,
      logger: silentLogger,
      runners,
      clock,
      configuration: { discoverModels: false },
      ...options,
    });
  let service = await start();

  async function call(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(service.url + path, {
      method,
      body,
      headers: { authorization: `Bearer ${testToken}`, connection: 'close', ...headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? parseJson(text) : undefined,
    };
  }

  const test: TestService = {
    get service() {
      return service;
    },
    runners,
    clock,
    folder,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, typeof body === 'string' ? body : stringifyJson(body), headers),
    async createJob(more = {}) {
      const reply = await test.post('/api/2.0/jobs/create', { name: 'job', ...pythonTask, ...more });
      if (reply.status !== 200) throw new Error(reply.text);
      return reply.json.job_id as number;
    },
    async runNow(jobId, more = {}) {
      const reply = await test.post('/api/2.0/jobs/run-now', { job_id: jobId, ...more });
      if (reply.status !== 200) throw new Error(reply.text);
      return reply.json.run_id as number;
    },
    getRun: async (runId) => (await test.get(`/api/2.0/jobs/runs/get?run_id=${runId}`)).json,
    async untilState(runId, lifeCycle) {
      return until(
        async () => {
          const run = await test.getRun(runId);
          return run.state?.life_cycle_state === lifeCycle ? run : undefined;
        },
        () => `run ${runId} to be ${lifeCycle}`,
      );
    },
    async untilTasks(count) {
      await until(
        async () => runners.tasks.length >= count,
        () => `${count} tasks; there are ${runners.tasks.length}`,
      );
    },
    async restart() {
      await service.close();
      service = await start();
    },
    async close() {
      await service.close();
      if (options.dataFolder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
  return test;
}

/** Tries again until there is a value; `false` is none, like undefined. */
export async function until<T>(
  look: () => Promise<T | false | undefined>,
  what: string | (() => string),
  limitInMs = 60_000,
): Promise<T> {
  const end = Date.now() + limitInMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Waited in vain for ${typeof what === 'string' ? what : what()}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** For the tests of a suite: hands each a service of its own and a client of it; the service is closed after it. */
export function eachWithClient(take: (test: TestService, client: Client) => void): void {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService();
    take(test, createClient({ baseUrl: test.service.url, auth: { kind: 'bearer', token: testToken } }));
  });
  afterEach(() => test.close());
}
