import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type WorkspaceClient } from '../../src/api/client/index.ts';
import { fixRun } from '../../src/commands/fix/fixRun.ts';
import { localProfile } from '../../src/connection/connection.ts';
import { createJobFileService } from '../../src/jobfile/services/jobFileService.ts';
import { runStatus } from '../../src/runs/runState.ts';
import { createRunners } from '../../src/service/runners/createRunners.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { cases } from '../support/counts.ts';
import { eventually } from '../support/eventually.ts';
import { failingJobs, type FailingJob } from '../support/failingJobs/failingJobs.ts';
import { FolderBench } from '../support/failingJobs/folderBench.ts';
import { startTestService, testToken, type TestService } from '../unit/service/support/testService.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';

const { parse } = createJobFileService();

const isGreen = ({ last }: FolderBench): boolean => last?.markdown.includes('now succeeds on this machine') === true;

describe('Failing jobs and their fixes', function () {
  this.timeout(3_600_000);
  let folder: string;
  let root: string;
  let test: TestService;
  let client: WorkspaceClient;
  const requests: string[] = [];
  before(async function () {
    if (!(await commandWorks('python3', ['--version']))) skipBecause(this, 'there is no python3 on this machine');
    folder = await mkdtemp(join(tmpdir(), 'millrace-fix-'));
    root = join(folder, 'root');
    const dataFolder = join(folder, 'data');
    await Promise.all([mkdir(root), mkdir(dataFolder)]);
    const runners = createRunners({ root, dataFolder, notebookEngine: 'builtin' }) as never;
    test = await startTestService({ root, dataFolder, runners, clock: systemClock });
    client = createClient({
      baseUrl: test.service.url,
      auth: { kind: 'bearer', token: testToken },
      fetch: (url, request) => {
        requests.push(`${request.method ?? 'GET'} ${new URL(url).pathname}`);
        return globalThis.fetch(url, request);
      },
    });
  });
  after(async () => {
    await test?.service.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Runs the job until it fails, then applies the proposed fixes. @returns whether it succeeds after them */
  async function fix(each: FailingJob, model: boolean): Promise<boolean> {
    const bench = await FolderBench.open(root, each.files);
    const local = { ...client, inference: bench.scripted(model ? (each.answer ?? '') : undefined) } as WorkspaceClient;
    bench.services.connections.connect = async () => ({ profile: localProfile, client: local });
    bench.services.connections.connectTo = async () => ({ profile: localProfile, client: local });
    const uri = bench.uriOf('etl.job.yml');
    const { settings } = parse(await bench.textOf('etl.job.yml'));
    let runId: string | undefined;
    if (settings) {
      const { job_id: jobId } = await client.jobs.create(settings);
      bench.remembered.set(`local ${uri}`, jobId);
      runId = (await client.jobs.runNow({ job_id: jobId })).run_id;
      const started = runId;
      await eventually(async () => !runStatus(await client.jobs.getRun(started)).active, `the end of ${each.name}`);
      assert.notEqual(runStatus(await client.jobs.getRun(runId)).phase, 'succeeded', each.name);
    } else assert.equal(each.kind, 'cron', each.name);
    requests.length = 0;
    await fixRun(bench.services, runId === undefined ? { uri } : { runId });
    for (let round = 0; round < 6 && !isGreen(bench); round += 1) {
      if (!(await bench.act('Apply'))) await bench.act('Ask');
    }
    assert.deepEqual(
      [...new Set(requests.filter((one) => !one.startsWith('GET ')))].filter(
        (one) => !/\/(?:runs\/submit|run-now)$/.test(one),
      ),
      [],
    );
    await bench.requireOnlyShown();
    return isGreen(bench);
  }

  it("fixes at least six of ten with the guide alone, and the others with a model's proposals", async () => {
    // Every fourth, and in the long form all of them.
    const step = cases(1, 4);
    const jobs = failingJobs.filter((_, index) => (index + 3) % step === 0);
    const left: FailingJob[] = [];
    for (const each of jobs) if (!(await fix(each, false))) left.push(each);
    const fixed = jobs.length - left.length;
    console.log(`      the guide alone: ${fixed} of ${jobs.length}; left: ${left.map(({ name }) => name).join('; ')}`);
    assert.ok(fixed >= jobs.length * 0.6, `${fixed} of ${jobs.length}`);
    for (const each of left) assert.ok(await fix(each, true), each.name);
  });
});
