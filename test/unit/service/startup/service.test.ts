import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { type Service, type ServiceOptions, startService } from '../../../../src/service/startup/service.ts';
import { readServiceFile, serviceFilePath } from '../../../../src/service/startup/serviceFile.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';
import { createFakeRunners, type FakeRunners } from '../support/fakeRunners.ts';
import { pythonTask, startTestService, type TestService, until } from '../support/testService.ts';

describe('Service', () => {
  let folder: string;
  let runners: FakeRunners;
  const running = new Set<Service>();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-process-'));
    runners = createFakeRunners();
  });
  afterEach(async () => {
    for (const service of running) await service.close();
    running.clear();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(more: Partial<ServiceOptions> = {}): Promise<Service> {
    const configuration = { discoverModels: false };
    const service = await startService({
      root: folder,
      dataFolder: folder,
      logger: silentLogger,
      runners,
      configuration,
      ...more,
    });
    running.add(service);
    return service;
  }
  const call = (service: Service, path: string, body?: object): Promise<Response> =>
    fetch(service.url + path, {
      method: body ? 'POST' : 'GET',
      body: body && JSON.stringify(body),
      headers: { authorization: `Bearer ${service.token}`, connection: 'close' },
    });
  const portOf = (service: Service): number => Number(new URL(service.url).port);

  it('makes a new random token at each start', async () => {
    const first = await start();
    await first.close();
    const second = await start();
    assert.match(first.token, /^[\w-]{43}$/);
    assert.notEqual(first.token, second.token);
    assert.equal((await call(second, '/api/2.0/jobs/list')).status, 200);
    const response = await fetch(`${second.url}/api/2.0/jobs/list`, { headers: { connection: 'close' } });
    assert.equal(response.status, 401);
  });

  it('tells where it is only while it runs', async () => {
    const service = await start();
    assert.deepEqual(readServiceFile(folder), { url: service.url, token: service.token, pid: process.pid });
    const closing = service.close();
    assert.equal(readServiceFile(folder), undefined, 'before its last run has ended');
    await Promise.all([closing, service.close()]);
    await assert.rejects(call(service, '/api/2.0/jobs/list'));
  });

  it('reuses its last port if free, else another', async () => {
    const first = await start();
    await first.close();
    const again = await start();
    assert.equal(again.url, first.url);
    await again.close();
    const taken = createServer().listen(portOf(first), '127.0.0.1');
    await once(taken, 'listening');
    const other = await start();
    assert.notEqual(portOf(other), portOf(first));
    await other.close();
    const asked = await start({ port: 0 });
    assert.notEqual(portOf(asked), portOf(first));
    await asked.close();
    await assert.rejects(start({ port: portOf(first) }), /cannot be used \(EADDRINUSE\)/);
    taken.close();
    await once(taken, 'close');
    const sure = await start({ port: portOf(first) });
    assert.equal(sure.url, first.url, 'a start that failed holds nothing');
  });

  it('describes itself and stops on request', async () => {
    let stops = 0;
    const [root, dataFolder] = [relative(process.cwd(), folder), relative(process.cwd(), folder)];
    const service = await start({ root, dataFolder, onStop: () => void (stops += 1) });
    const told = (await (await call(service, '/api/millrace/health')).json()) as Record<string, unknown>;
    const { service: name, pid, script, root: at, data, active_runs: active, windows } = told;
    assert.deepEqual(
      { name, pid, script, at, data, active, windows },
      {
        name: 'millrace',
        pid: process.pid,
        script: process.argv[1],
        at: resolve(folder),
        data: resolve(folder),
        active: 0,
        windows: 0,
      },
    );
    const attached = await call(service, '/api/millrace/attach', { pid: process.pid });
    assert.equal(((await attached.json()) as Record<string, unknown>)['windows'], 1);
    await call(service, '/api/2.0/jobs/runs/submit', { run_name: 'r', ...pythonTask });
    await until(async () => runners.tasks.length === 1, 'the task');
    const busy = (await (await call(service, '/api/millrace/health')).json()) as Record<string, unknown>;
    assert.equal(busy['active_runs'], 1);
    assert.equal((await call(service, '/api/millrace/stop', {})).status, 200);
    assert.equal(stops, 1);
  });

  it('does not leave while a retry is pending', async () => {
    const clock = new TravelClock();
    let stops = 0;
    const service = await start({ testClock: clock, idleInMs: 60_000, onStop: () => void (stops += 1) });
    const retries = { max_retries: 1, min_retry_interval_millis: 3_600_000 };
    const created = await call(service, '/api/2.0/jobs/create', { name: 'j', ...pythonTask, ...retries });
    await call(service, '/api/2.0/jobs/run-now', (await created.json()) as object);
    await until(async () => runners.tasks.length === 1, 'the task');
    runners.last.fail();
    await until(async () => service.engine.activeCount === 0, 'the end of the run');
    await clock.advance(600_000);
    assert.deepEqual([stops, runners.tasks.length], [0, 1]);
    await clock.advance(3_600_000);
    assert.equal(runners.tasks.length, 2);
  });

  it('leaves when idle, but not during a run or with a schedule', async () => {
    const clock = new TravelClock();
    let stops = 0;
    const service = await start({ testClock: clock, idleInMs: 60_000, onStop: () => void (stops += 1) });
    const submitted = await call(service, '/api/2.0/jobs/runs/submit', { run_name: 'r', ...pythonTask });
    assert.equal(submitted.status, 200);
    await until(async () => runners.tasks.length === 1, 'the task');
    await clock.advance(600_000);
    assert.equal(stops, 0, 'a run goes on');
    runners.last.succeed();
    await until(async () => service.engine.activeCount === 0, 'the end of the run');
    const schedule = { quartz_cron_expression: '0 0 8 1 1 ? 2099', timezone_id: 'UTC' };
    const job = (await (
      await call(service, '/api/2.0/jobs/create', { name: 'j', ...pythonTask, schedule })
    ).json()) as object;
    await clock.advance(600_000);
    assert.equal(stops, 0, 'a schedule waits');
    assert.equal((await call(service, '/api/2.0/jobs/delete', job)).status, 200);
    await clock.advance(50_000);
    assert.equal(stops, 0, 'a request was seen');
    await clock.advance(20_000);
    assert.equal(stops, 1);
  });

  it('leaves when its data folder was removed', async () => {
    const clock = new TravelClock();
    let stops = 0;
    const dataFolder = join(folder, 'data');
    await start({ dataFolder, testClock: clock, idleInMs: 600_000, onStop: () => void (stops += 1) });
    await clock.advance(10_000);
    assert.equal(stops, 0);
    rmSync(dataFolder, { recursive: true });
    await clock.advance(10_000);
    assert.equal(stops, 1);
  });
});

describe('Delivery at shutdown', () => {
  let test: TestService;
  let waiting: ServerResponse[];
  const receiver = createServer((_request, response) => void waiting.push(response));
  before(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  after(() => receiver.close());
  beforeEach(async () => {
    waiting = [];
    const { port } = receiver.address() as AddressInfo;
    const destinations = { hook: { url: `http://127.0.0.1:${port}/` } };
    test = await startTestService({ configuration: { discoverModels: false, destinations } });
  });
  afterEach(() => test.close());

  it('is waited for briefly, so that a message is sent once', async () => {
    const jobId = await test.createJob({ webhook_notifications: { on_success: [{ id: 'hook' }] } });
    const runId = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.succeed();
    await test.untilState(runId, 'TERMINATED');
    await until(async () => waiting.length === 1, 'the message');
    const restarted = test.restart();
    waiting[0]?.end();
    await restarted;
    assert.equal(test.service.store.outbox.earliest(), undefined);
    assert.equal(waiting.length, 1);
  });
});

describe('Service file', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));

  it('is ignored when missing, damaged or incomplete', () => {
    assert.equal(readServiceFile(folder), undefined);
    const whole = { url: 'u', token: 't', pid: 7 };
    for (const part of [undefined, 'url', 'token', 'pid'] as const) {
      writeFileSync(serviceFilePath(folder), JSON.stringify(part === undefined ? whole : { ...whole, [part]: null }));
      assert.deepEqual(readServiceFile(folder), part === undefined ? whole : undefined, part);
    }
    writeFileSync(serviceFilePath(folder), '{"url');
    assert.equal(readServiceFile(folder), undefined);
  });
});
