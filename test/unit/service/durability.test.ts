import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName, isFolderInUse } from '../../../src/service/store/dataFolder.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { cases } from '../../support/counts.ts';
import { eachWithTempFolder } from '../../support/tempFolder.ts';
import { hidingProgram, hidingWays, processesWith } from './support/hiding.ts';
import { ask, eachWithFolder, startServiceProcess, type ServiceProcess } from './support/serviceProcess.ts';
import { listedJobs } from './support/storeBench.ts';
import { pythonTask, startTestService, until } from './support/testService.ts';

describe('Acknowledged data', () => {
  let folder: string;
  const running = eachWithFolder((one) => (folder = one));

  async function start(): Promise<ServiceProcess> {
    const service = await startServiceProcess(folder, ['--token', 'durable-token', '--log-level', 'info']);
    running.add(service);
    return service;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- looked into freely
  async function call(service: ServiceProcess, path: string, body?: unknown): Promise<any> {
    const response = await ask(service, path, body);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  interface ListedRun {
    run_id: number;
    state: { life_cycle_state: string; state_message: string };
  }

  /** A page holds fewer than a thousand (runs/list). */
  async function allRuns(service: ServiceProcess): Promise<ListedRun[]> {
    const all: ListedRun[] = [];
    for (;;) {
      const { runs, has_more: hasMore } = (await call(
        service,
        `/api/2.0/jobs/runs/list?limit=500&offset=${all.length}`,
      )) as { runs: ListedRun[]; has_more: boolean };
      all.push(...runs);
      if (!hasMore) return all;
    }
  }

  /** How long the service took to be ready after it was killed, by its own clock. */
  async function startOf(service: ServiceProcess): Promise<{ inMs: number; processorInMs: number }> {
    const [, inMs, processorInMs] = await until(
      async () => /Ready (\d+) ms after the process began, (\d+) ms of them/.exec(service.errors()) ?? undefined,
      'the line that tells of the start',
    );
    return { inMs: Number(inMs), processorInMs: Number(processorInMs) };
  }

  /** How long a program of Node that does nothing takes now. */
  async function startOfNothing(): Promise<number> {
    const startAt = performance.now();
    await once(spawn(process.execPath, ['-e', ''], { stdio: 'ignore' }), 'exit');
    return performance.now() - startAt;
  }

  function integrity(): string {
    const database = new DatabaseSync(join(folder, databaseFileName));
    try {
      return (database.prepare('PRAGMA integrity_check').get() as { integrity_check: string }).integrity_check;
    } finally {
      database.close();
    }
  }

  it('is stored, whenever the service is killed (P28)', async function () {
    this.timeout(600_000);
    const kills = cases(200, 2);
    const acknowledged = new Set<number>();
    const starts: { inMs: number; processorInMs: number; controlInMs: number }[] = [];
    for (let round = 0; round < kills; round += 1) {
      const [service, control] = await Promise.all([start(), startOfNothing()]);
      if (round > 0) starts.push({ ...(await startOf(service)), controlInMs: control });
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; ; index += 1) {
          try {
            acknowledged.add(
              (await call(service, '/api/2.0/jobs/create', { name: `${round}-${writer}-${index}`, ...pythonTask }))
                .job_id as number,
            );
          } catch {
            return;
          }
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 40 + Math.random() * 200));
      // A busy machine may take longer for the first of a round.
      await until(async () => acknowledged.size > round, 'a job to be acknowledged');
      await service.kill('SIGKILL');
      running.delete(service);
      await Promise.all(writers);
    }
    assert.equal(integrity(), 'ok');
    const service = await start();
    const stored = new Set<number>(
      ((await call(service, '/api/2.0/jobs/list')) as { jobs: { job_id: number }[] }).jobs.map((job) => job.job_id),
    );
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    assert.deepEqual(lost, []);
    // The slowest: by its processor time, and by what a user waits beside what an empty program takes at that moment.
    const processorInMs = Math.max(...starts.map((each) => each.processorInMs));
    assert.ok(processorInMs < 1000, `${processorInMs} ms of processor time`);
    const tooLong = starts.filter(({ inMs, controlInMs }) => inMs - controlInMs >= Math.max(1000, 10 * controlInMs));
    assert.deepEqual(tooLong, []);
  });

  it('leaves no run RUNNING, none twice and no process when the service is killed during runs whose children hide (P29)', async function () {
    this.timeout(3_600_000);
    const kills = cases(500, 2);
    const mark = `millrace-orphan-${process.pid}-${Date.now()}`;
    const ways = hidingWays.filter((way) => !way.needsRoot || process.getuid?.() === 0);
    for (const [index, way] of ways.entries()) writeFileSync(join(folder, `${index}.py`), hidingProgram(way));
    let service = await start();
    const jobIds: number[] = [];
    for (const index of ways.keys()) {
      jobIds.push(
        (
          await call(service, '/api/2.0/jobs/create', {
            name: String(index),
            existing_cluster_id: 'local',
            max_concurrent_runs: 1000,
            spark_python_task: { python_file: `/${index}.py`, parameters: [mark, 'stay'] },
          })
        ).job_id as number,
      );
    }
    const started = new Set<number>();
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < 4; index += 1) {
        const jobId = jobIds[(round * 4 + index) % jobIds.length];
        started.add(
          (await call(service, '/api/2.0/jobs/run-now', { job_id: jobId, idempotency_token: `${round}-${index}` }))
            .run_id as number,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * cases(2500, 1500)));
      await service.kill('SIGKILL');
      running.delete(service);
      service = await start();
      for (const { state } of await allRuns(service)) {
        assert.ok(['INTERNAL_ERROR', 'PENDING', 'TERMINATED'].includes(state.life_cycle_state), JSON.stringify(state));
        if (state.life_cycle_state === 'INTERNAL_ERROR')
          assert.match(state.state_message, /local service stopped during the run/);
      }
    }
    for (const jobId of jobIds) await call(service, '/api/2.0/jobs/runs/cancel-all', { job_id: jobId });
    await until(
      async () =>
        ((await call(service, '/api/2.0/jobs/runs/list?active_only=true')) as { runs: unknown[] }).runs.length === 0,
      'no active run',
    );
    const runs = await allRuns(service);
    assert.deepEqual(new Set(runs.map((run) => run.run_id)), started);
    assert.equal(runs.length, started.size);
    await until(
      async () => processesWith(mark).length === 0,
      () => `no process to be left: ${processesWith(mark).join('; ')}`,
    );
  });

  it('continues a run of tasks after each kill of the service, and runs no task twice', async function () {
    this.timeout(3_600_000);
    const program = 'import sys, time\nopen(sys.argv[1], "a").write(sys.argv[2] + "\\n")\ntime.sleep(0.1)\n';
    writeFileSync(join(folder, 'task.py'), program);
    const log = join(folder, 'begun.log');
    const task = (key: string, before: string[], runIf: string): object => ({
      task_key: key,
      depends_on: before.map((each) => ({ task_key: each })),
      run_if: runIf,
      spark_python_task: { python_file: '/task.py', parameters: [log, '{{task.run_id}}'] },
    });
    const layers = Array.from({ length: cases(4, 3) }, (_, layer) => [`a${layer}`, `b${layer}`]);
    const tasks = layers.flatMap((keys, layer) => keys.map((key) => task(key, layers[layer - 1] ?? [], 'ALL_DONE')));
    let service = await start();
    const { job_id: jobId } = await call(service, '/api/2.2/jobs/create', { name: 'graph', tasks });
    for (let round = 0; round < cases(100, 1); round += 1) {
      const { run_id: runId } = await call(service, '/api/2.2/jobs/run-now', { job_id: jobId });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * cases(2500, 1200)));
      await service.kill('SIGKILL');
      running.delete(service);
      service = await start();
      const run = await until(
        async () => {
          const found = await call(service, `/api/2.2/jobs/runs/get?run_id=${runId}`);
          return found.state.life_cycle_state === 'TERMINATED' ? found : undefined;
        },
        () => `run ${runId} to end`,
      );
      for (const { state } of (run as { tasks: ListedRun[] }).tasks)
        assert.ok(['TERMINATED', 'INTERNAL_ERROR'].includes(state.life_cycle_state), JSON.stringify(state));
    }
    const begun = readFileSync(log, 'utf8').trim().split('\n');
    assert.equal(new Set(begun).size, begun.length);
  });

  it('is complete after SIGTERM, which ends runs and processes within a second', async function () {
    this.timeout(120_000);
    const mark = `millrace-term-${process.pid}-${Date.now()}`;
    const ways = hidingWays.filter(({ name }) =>
      ['deaf to TERM', 'a daemon as in the books', 'a child that holds the output'].includes(name),
    );
    const first = await start();
    const runIds = await Promise.all(
      ways.map(async (way, index) => {
        writeFileSync(join(folder, `${index}.py`), hidingProgram(way));
        return (
          await call(first, '/api/2.0/jobs/runs/submit', {
            existing_cluster_id: 'local',
            spark_python_task: { python_file: `/${index}.py`, parameters: [mark, 'stay'] },
          })
        ).run_id as number;
      }),
    );
    for (const runId of runIds) {
      await until(
        async () => /ready/.test((await call(first, `/api/2.0/jobs/runs/get-output?run_id=${runId}`)).logs),
        'a child that hides',
      );
    }
    assert.ok(processesWith(mark).length >= runIds.length);
    const startAt = performance.now();
    const [, controlInMs] = await Promise.all([
      first.kill('SIGTERM').then(() => running.delete(first)),
      startOfNothing(),
    ]);
    const endedInMs = performance.now() - startAt;
    assert.equal(first.child.exitCode, 0, first.errors());
    // An empty program of Node takes 0.05 s, and more on a busy machine.
    assert.ok(endedInMs < Math.max(1000, 10 * controlInMs), `${endedInMs} ms, ${controlInMs} ms for nothing`);
    await until(
      async () => processesWith(mark).length === 0,
      () => `no process to be left: ${processesWith(mark).join('; ')}`,
    );
    const second = await start();
    for (const runId of runIds)
      assert.equal(
        (await call(second, `/api/2.0/jobs/runs/get?run_id=${runId}`)).state.life_cycle_state,
        'INTERNAL_ERROR',
      );
  });

  it('belongs to one service at a time', async function () {
    this.timeout(120_000);
    const first = await start();
    await assert.rejects(
      startServiceProcess(folder),
      (error: Error & { exitCode?: number }) =>
        error.exitCode === 3 && /in use by another local service/.test(error.message),
    );
    assert.throws(() => openStore(folder), isFolderInUse);
    await first.kill();
    running.delete(first);
    openStore(folder).close();
  });
});

describe('Damaged and full disks', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));

  /** A store of so many jobs, each larger than the one before. */
  function fill(count: number) {
    const source = join(folder, 'source');
    const store = openStore(source);
    const names = Array.from({ length: count }, (_, index) => `job ${index}`);
    for (const [index, name] of names.entries()) {
      const settings = JSON.stringify({ name, pad: 'x'.repeat(index * 7) });
      store.jobs.insert({ settings, creator: 'x', createdAt: index }, undefined);
    }
    return { source, store, names };
  }

  it('recover from a cut or garbled log with a consistent beginning (P30)', function () {
    this.timeout(600_000);
    const rounds = cases(1000, 24);
    const { source, store, names } = fill(100);
    const saved = join(folder, 'saved');
    mkdirSync(saved);
    for (const suffix of ['', '-wal'])
      copyFileSync(join(source, databaseFileName + suffix), join(saved, databaseFileName + suffix));
    store.close();
    const logSize = readFileSync(join(saved, `${databaseFileName}-wal`)).length;
    assert.ok(logSize > 100_000);
    let shortest = Infinity;
    for (let round = 0; round < rounds; round += 1) {
      const damaged = join(folder, `damaged-${round}`);
      mkdirSync(damaged);
      for (const suffix of ['', '-wal'])
        copyFileSync(join(saved, databaseFileName + suffix), join(damaged, databaseFileName + suffix));
      const log = join(damaged, `${databaseFileName}-wal`);
      const at = Math.floor(Math.random() * logSize);
      if (round % 2 === 0) truncateSync(log, at);
      else {
        const bytes = readFileSync(log);
        for (let index = at; index < Math.min(bytes.length, at + 1 + (round % 64)); index += 1)
          bytes[index] = bytes[index]! ^ (1 + (index % 255));
        writeFileSync(log, bytes);
      }
      // So early a cut that not even the tables are there would be a new folder, not an error.
      const recovered = openStore(damaged);
      const found = listedJobs(recovered)
        .reverse()
        .map((job) => job.settings.name);
      assert.deepEqual(found, names.slice(0, found.length));
      shortest = Math.min(shortest, found.length);
      const check = recovered.database.connection.prepare('PRAGMA integrity_check').get() as {
        integrity_check: string;
      };
      assert.equal(check.integrity_check, 'ok');
      recovered.close();
      rmSync(damaged, { recursive: true });
    }
    assert.ok(shortest < 100);
  });

  it('are detected when the database is cut or garbled (P30)', function () {
    this.timeout(600_000);
    const rounds = cases(1000, 24);
    const { source, store } = fill(200);
    store.close();
    const whole = readFileSync(join(source, databaseFileName));
    let setAside = 0;
    for (let round = 0; round < rounds; round += 1) {
      const damaged = join(folder, `database-${round}`);
      mkdirSync(damaged);
      const path = join(damaged, databaseFileName);
      const bytes = Buffer.from(whole);
      const at = Math.floor(Math.random() * whole.length);
      if (round % 3 === 1) bytes.fill(round % 2 === 0 ? 0 : 0xaa, at & ~4095, (at & ~4095) + 4096);
      if (round % 3 === 2)
        for (let index = at; index < Math.min(bytes.length, at + 1 + (round % 64)); index += 1)
          bytes[index] = (bytes[index] ?? 0) ^ (1 + (index % 255));
      writeFileSync(path, round % 3 === 0 ? bytes.subarray(0, at) : bytes);
      let recovered;
      try {
        recovered = openStore(damaged);
      } catch (error) {
        assert.ok(error instanceof AppError && /is damaged.*renamed/s.test(error.message), String(error));
        setAside += 1;
        openStore(damaged).close();
        continue;
      }
      const jobs = listedJobs(recovered);
      assert.ok(jobs.length <= 200);
      recovered.close();
      rmSync(damaged, { recursive: true });
    }
    assert.ok(setAside > rounds / 4, `${setAside} of ${rounds} were set aside`);
  });

  it('acknowledge nothing after they were moved, deleted or replaced', async () => {
    for (const [index, disturb] of [
      (data: string) => renameSync(data, `${data}-moved`),
      (data: string) => rmSync(data, { recursive: true }),
      (data: string) => {
        copyFileSync(join(data, databaseFileName), join(data, 'copy'));
        renameSync(join(data, 'copy'), join(data, databaseFileName));
      },
      (data: string) => rmSync(join(data, `${databaseFileName}-wal`)),
    ].entries()) {
      const data = join(folder, String(index));
      const test = await startTestService({ dataFolder: data });
      const job = await test.createJob();
      disturb(data);
      for (const [path, body] of [
        ['create', { name: 'lost', ...pythonTask }],
        ['run-now', { job_id: job }],
        ['delete', { job_id: job }],
      ] as const) {
        const reply = await test.post(`/api/2.0/jobs/${path}`, body);
        assert.deepEqual([reply.status, reply.json.error_code], [500, 'STORAGE_FAILED'], reply.text);
      }
      assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, 1);
      await test.close();
    }
  });

  it('are named as the cause of a run whose output cannot be written', async () => {
    const test = await startTestService();
    const runId = await test.runNow(await test.createJob());
    await test.untilTasks(1);
    test.runners.last.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
    assert.match((await test.untilState(runId, 'INTERNAL_ERROR')).state.state_message, /disk .* is full/);
    await test.close();
  });

  it('answer an error, acknowledge nothing and stay readable when full (P31)', async () => {
    const test = await startTestService();
    try {
      const jobId = await test.createJob({ max_concurrent_runs: 10 });
      const runId = await test.runNow(jobId);
      await test.untilTasks(1);
      const { connection } = test.service.store.database;
      const { page_count: pages } = connection.prepare('PRAGMA page_count').get() as { page_count: number };
      connection.exec(`PRAGMA max_page_count = ${pages}`);
      const large = { padding: 'x'.repeat(100_000), ...pythonTask };
      for (const [path, body] of [
        ['create', large],
        ['reset', { job_id: jobId, new_settings: large }],
        ['runs/submit', { run_name: 'y'.repeat(4000), ...pythonTask, padding: 'x'.repeat(100_000) }],
      ] as const) {
        const refused = await test.post(`/api/2.0/jobs/${path}`, body);
        assert.deepEqual([refused.status, refused.json.error_code], [500, 'STORAGE_FAILED'], path);
        assert.match(refused.json.message, /full.*failed/s);
      }
      assert.equal(test.service.engine.activeCount, 1);
      assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, 1);
      assert.equal((await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).json.settings.name, 'job');
      test.runners.last.end({ resultState: 'FAILED', error: 'x'.repeat(200_000) });
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await test.getRun(runId)).state.life_cycle_state, 'PENDING');
      connection.exec('PRAGMA max_page_count = 1000000');
      // The end that could not be stored is stored as soon as there is room.
      await test.clock.advance(2000);
      assert.equal((await test.untilState(runId, 'TERMINATED')).state.result_state, 'FAILED');
      await test.restart();
      assert.equal((await test.getRun(runId)).state.result_state, 'FAILED');
    } finally {
      await test.close();
    }
  });
});
