import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient, type Fetch, type WorkspaceClient } from '../../src/api/client/index.ts';
import type { SubmitRequest } from '../../src/api/schema/jobs/schemas.ts';
import { replayRun } from '../../src/commands/replay/replay.ts';
import { localProfile } from '../../src/connection/connection.ts';
import { runStatus } from '../../src/runs/runState.ts';
import { createRunners } from '../../src/service/runners/createRunners.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { cases, seededRandom } from '../support/counts.ts';
import { eventually } from '../support/eventually.ts';
import { Bench, staging } from '../unit/commands/commandSetup.ts';
import { startTestService, testToken, type TestService } from '../unit/service/support/testService.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';

const programs: Record<string, string> = {
  'jobs/values.py': 'import sys\nfrom lib.checks import check\n\nfor each in sys.argv[1:]:\n    check(int(each))\n',
  'jobs/lib/checks.py':
    'def check(number):\n    if number > 50:\n        raise ValueError("%d is too much" % number)\n    return 100 // (number - 13)\n',
  'jobs/missing.py': 'import json\n\nimport no_such_library_anywhere\n\nprint(json)\n',
  'jobs/data.py':
    'import csv\n\nwith open("days.csv") as file:\n    for row in csv.DictReader(file):\n        print(row["day"], int(row["count"]))\n',
  'jobs/days.csv': 'day,count\nmonday,3\ntuesday,many\n',
  'jobs/book.py':
    '# Databricks notebook source\ndbutils.widgets.text("n", "1")\n\n# COMMAND ----------\n\nfrom lib.checks import ' +
    'check\nnumber = int(dbutils.widgets.get("n"))\nprint(number)\n\n# COMMAND ----------\n\ncheck(number)\n' +
    '{}["missing"]\n',
};

/** A run that fails on the service that plays production, told by numbers in [0, 1). */
function failingRun(random: () => number): SubmitRequest {
  const number = Math.floor(random() * 100);
  const kinds: SubmitRequest[] = [
    { spark_python_task: { python_file: '/Repos/etl/jobs/values.py', parameters: [String(number), '13', 'x'] } },
    { spark_python_task: { python_file: '/Repos/etl/jobs/values.py', parameters: ['7', 'seven'] } },
    { spark_python_task: { python_file: '/Repos/etl/jobs/missing.py' } },
    { spark_python_task: { python_file: '/Repos/etl/jobs/data.py', parameters: [String(number)] } },
    { notebook_task: { notebook_path: '/Repos/etl/jobs/book', base_parameters: { n: String(number) } } },
  ];
  return { run_name: 'nightly', existing_cluster_id: '0923-prod', ...kinds[Math.floor(random() * kinds.length)] };
}

describe('Runs of a production service', function () {
  this.timeout(3_600_000);
  const opened: { folder: string; service: TestService }[] = [];
  const requests: string[] = [];
  let production: WorkspaceClient;
  let local: WorkspaceClient;
  let workspace: string;

  async function open(prefix: string, fetch: Fetch): Promise<WorkspaceClient> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-replay-'));
    const root = join(folder, 'root');
    for (const [name, text] of Object.entries(programs)) {
      const file = join(root, prefix, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const dataFolder = join(folder, 'data');
    await mkdir(dataFolder);
    const runners = createRunners({ root, dataFolder, notebookEngine: 'builtin' }) as never;
    const service = await startTestService({ root, dataFolder, runners, clock: systemClock });
    opened.push({ folder, service });
    if (prefix === '') workspace = root;
    return createClient({ baseUrl: service.service.url, auth: { kind: 'bearer', token: testToken }, fetch });
  }
  before(async function () {
    if (!(await commandWorks('python3', ['--version']))) skipBecause(this, 'there is no python3 on this machine');
    production = await open('Repos/etl', (url, request) => {
      requests.push(`${request.method ?? 'GET'} ${new URL(url).pathname}`);
      return globalThis.fetch(url, request);
    });
    local = await open('', (url, request) => globalThis.fetch(url, request));
  });
  after(async () => {
    for (const { folder, service } of opened) {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  /** What a run failed with: its error, and the line of its last frame. */
  async function failureOf(client: WorkspaceClient, runId: string): Promise<string> {
    const output = await client.jobs.getRunOutput(runId);
    const lines = String(output['error_trace'] ?? '').match(/line \d+/g);
    return `${output.error} at ${lines?.at(-1)}`;
  }

  async function ended(client: WorkspaceClient, runId: string): Promise<string> {
    await eventually(async () => !runStatus(await client.jobs.getRun(runId)).active, `run ${runId} to end`);
    return runStatus(await client.jobs.getRun(runId)).phase;
  }

  it('fail here with the same exception at the same line, and send only GET requests there', async () => {
    const random = seededRandom(13);
    const count = cases(100, 6);
    const bench = new Bench();
    const files = (await readdir(workspace, { recursive: true })).filter((name) => name.endsWith('.py'));
    for (const name of files) bench.programs.set(`/${name}`, await readFile(join(workspace, name), 'utf8'));
    bench.profile = { ...staging, production: true };
    bench.places = { '/Repos/etl/jobs/missing.py': '/jobs/missing.py' };
    bench.services.connections.connect = async () => ({ profile: bench.profile, client: production });
    bench.services.connections.connectTo = async () => ({ profile: localProfile, client: local });
    let alike = 0;
    for (let index = 0; index < count; index += 1) {
      const request = failingRun(random);
      const { run_id: runId } = await production.jobs.submit(request);
      assert.equal(await ended(production, runId), 'failed', JSON.stringify(request));
      requests.length = 0;
      bench.decisions = ['Replay'];
      await replayRun(bench.services, { runId });
      const { runs } = await local.jobs.listRuns({ limit: 1 });
      const copy = runs[0]?.run_id ?? '';
      assert.equal(await ended(local, copy), 'failed');
      await eventually(
        () => bench.trail.filter((line) => /^info: .*Failed there, Failed here/.test(line)).length > index,
      );
      assert.match(bench.asked.at(-1) ?? '', /• The cluster 0923-prod: the copy runs on this machine\./);
      assert.deepEqual(
        requests.filter((each) => !each.startsWith('GET ')),
        [],
      );
      const [there, here] = [await failureOf(production, runId), await failureOf(local, copy)];
      if (there === here) alike += 1;
      else console.log(`      differs: ${there} ↔ ${here}`);
    }
    console.log(`      ${alike} of ${count} failed alike`);
    assert.ok(alike >= count * 0.9, `${alike} of ${count}`);
  });
});
