import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { usualPorts } from '../../../../src/service/models/upstream/discoverUpstreams.ts';
import type { ServiceOptions } from '../../../../src/service/startup/service.ts';
import { readServiceFile } from '../../../../src/service/startup/serviceFile.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { pythonTask, startTestService, type TestService } from '../support/testService.ts';

const dayInMs = 24 * 60 * 60 * 1000;

describe('a service that starts', () => {
  let folder: string;
  const open: TestService[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-start-'));
  });
  afterEach(async () => {
    for (const test of open.splice(0)) await test.close();
    await rm(folder, { recursive: true, force: true });
  });
  async function start(options: Partial<ServiceOptions> & { startAt?: number } = {}): Promise<TestService> {
    const test = await startTestService({ dataFolder: folder, ...options });
    open.push(test);
    return test;
  }
  async function end(test: TestService): Promise<void> {
    open.splice(open.indexOf(test), 1);
    await test.close();
  }

  it('carries out the schedules that it finds, and what nobody asks for any more', async () => {
    const first = await start();
    const schedule = { quartz_cron_expression: '0 * * * * ?', timezone_id: 'UTC' };
    await first.createJob({ schedule });
    const { json } = await first.post('/api/2.0/jobs/runs/submit', { run_name: 'r', ...pythonTask });
    await first.untilTasks(1);
    first.runners.last.succeed();
    await first.untilState(json.run_id, 'TERMINATED');
    await end(first);

    const later = await start({ startAt: Date.now() + 61 * dayInMs });
    assert.equal((await later.get(`/api/2.0/jobs/runs/get?run_id=${json.run_id}`)).status, 200);
    await later.clock.advance(2 * 60_000);
    assert.equal(
      (await later.get(`/api/2.0/jobs/runs/get?run_id=${json.run_id}`)).status,
      400,
      '60 days after its end',
    );
    await later.untilTasks(1);
  });

  it('delivers the messages that it finds', async () => {
    const destinations = { hook: { url: 'http://127.0.0.1:9/' } };
    const first = await start({ configuration: { discoverModels: false, destinations } });
    const jobId = await first.createJob({ webhook_notifications: { on_success: [{ id: 'hook' }] } });
    await first.runNow(jobId);
    await first.untilTasks(1);
    first.runners.last.succeed();
    await eventually(() => assert.ok((first.service.store.outbox.earliest() ?? 0) > first.clock.now(), 'put off'));
    await end(first);

    // Without the destination a message to it becomes a file.
    await start({ startAt: Date.now() + dayInMs });
    await eventually(() => assert.equal(readdirSync(join(folder, 'webhooks')).length, 1));
  });

  it('removes the libraries that no run has asked for in 30 days, and says how many', async () => {
    const makeEnvironment = (name: string, daysAgo: number): string => {
      const path = join(folder, 'environments', name);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'ready.json'), '{}');
      const used = new Date(Date.now() - daysAgo * dayInMs);
      utimesSync(join(path, 'ready.json'), used, used);
      return path;
    };
    const [old, recent] = [makeEnvironment('old', 31), makeEnvironment('recent', 29)];
    const told: string[] = [];
    await start({ logger: { ...silentLogger, info: (text) => void told.push(text) } });
    await eventually(() => assert.deepEqual(readdirSync(join(folder, 'environments')), ['recent']));
    assert.deepEqual([existsSync(old), existsSync(recent)], [false, true]);
    assert.ok(told.includes('1 library environments were not used for 30 days and are removed.'), told.join('\n'));
  });

  it('starts all the same where old libraries cannot be looked at', async () => {
    writeFileSync(join(folder, 'environments'), 'no folder');
    const told: string[] = [];
    const test = await start({ logger: { ...silentLogger, warn: (text) => void told.push(text) } });
    assert.equal((await test.get('/api/2.0/jobs/list')).status, 200);
    assert.match(told.join('\n'), /^Old library environments could not be removed: .*ENOTDIR/);
  });

  it('lets as many runs go at once as the machine has processors, at least four', async () => {
    const test = await start();
    const places = Math.max(4, availableParallelism());
    for (let number = 0; number <= places; number += 1)
      await test.post('/api/2.0/jobs/runs/submit', { run_name: `r${number}`, ...pythonTask });
    await test.untilTasks(places);
    await test.clock.advance(0);
    assert.deepEqual([test.runners.tasks.length, test.service.engine.activeCount], [places, places + 1]);
  });

  it('tells whether it ends with the command that started it', async () => {
    await start({ isTransient: true });
    assert.equal(readServiceFile(folder)?.isTransient, true);
  });

  for (const [discoverModels, isLooking] of [
    [false, false],
    [undefined, true],
  ] as const)
    it(`looks for model servers of this machine: ${isLooking}`, async () => {
      const asked = new Set<number>();
      const { request } = http;
      http.request = ((...given: Parameters<typeof request>) => {
        const port = Number(URL.parse(String(given[0]))?.port);
        asked.add(port);
        // Whatever listens there on this machine has no part in the test.
        return usualPorts.includes(port) ? request({ host: '127.0.0.1', port: 9 }) : request(...given);
      }) as typeof request;
      try {
        const test = await start({ configuration: { discoverModels } });
        assert.equal((await test.get('/api/2.0/serving-endpoints')).status, 200);
      } finally {
        http.request = request;
      }
      assert.equal(
        usualPorts.some((port) => asked.has(port)),
        isLooking,
      );
    });
});
