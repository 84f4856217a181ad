import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../../src/commands/handlers.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { failingJobs } from '../../../support/failingJobs/failingJobs.ts';
import { FolderBench } from '../../../support/failingJobs/folderBench.ts';
import { holdApproved } from '../approvedCommands.ts';
import { missingColon } from './failedRunOf.ts';

const failed: Run = {
  run_id: '5',
  run_name: 'etl',
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  task: { spark_python_task: { python_file: '/jobs/etl.py', parameters: ['a'] } },
};
const succeeded: Run = { ...failed, run_id: '78', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };
const colon = failingJobs.find(({ name }) => name === 'a colon is missing')!;
const operator = failingJobs.find(({ name }) => name === 'an operator is missing')!;

describe('the file and the model with which a run is mended', () => {
  holdApproved('fix');

  let root: string;
  let bench: FolderBench;
  async function open(files: Readonly<Record<string, string>>): Promise<void> {
    bench = await FolderBench.open(root, files);
    bench.runs = [failed];
    bench.localRuns = [succeeded];
  }
  const fix = async (): Promise<unknown> => handlers['millrace.run.fix'](bench.services, { runId: '5' });
  before(async () => void (root = await mkdtemp(join(tmpdir(), 'millrace-fix-'))));
  after(() => rm(root, { recursive: true, force: true }));

  it('takes the file that was deployed to its job, and of several such none but one that has its name', async () => {
    const known = (names: readonly string[]): void => {
      for (const name of names) bench.remembered.set(`local ${bench.uriOf(name)}`, '7');
      bench.services.deployments.filesOf = (profileId, jobId) =>
        profileId === 'local' && jobId === '7' ? names.map((name) => bench.uriOf(name)) : [];
    };
    const settings = { name: 'etl', spark_python_task: { python_file: '/jobs/etl.py' }, existing_cluster_id: 'local' };
    const chosen = async (names: readonly string[]): Promise<string> => {
      const other = (colon.files['etl.job.yml'] ?? '').replace('name: etl', 'name: other');
      // Blanks around a name are none of it.
      const own = (colon.files['etl.job.yml'] ?? '').replace('name: etl', 'name: " etl "');
      await open({ ...colon.files, 'etl.job.yml': own, 'a.job.yml': other, 'b.job.yml': other });
      bench.services.ui.jobFiles = async () =>
        ['a.job.yml', 'b.job.yml', 'etl.job.yml'].map((name) => ({ uri: bench.uriOf(name), name }));
      bench.runs = [{ ...failed, run_type: 'JOB_RUN', job_id: '7' }];
      bench.remote.set('7', settings);
      bench.output = { error: "ModuleNotFoundError: No module named 'yaml'" };
      known(names);
      await fix();
      const texts = await Promise.all(['a', 'b', 'etl'].map((name) => bench.textOf(`${name}.job.yml`)));
      return ['a', 'b', 'etl'].filter((_name, index) => /pyyaml/i.test(texts[index] ?? '')).join();
    };
    assert.equal(await chosen(['b.job.yml']), 'b', 'whatever it is named');
    assert.equal(await chosen(['a.job.yml', 'b.job.yml']), 'etl');
    assert.equal(await chosen([]), 'etl');
    assert.equal(await chosen(['gone.job.yml', 'a.job.yml'].slice(1)), 'a');
  });

  it('is one that failed in any way, and runs again with what can be stopped', async () => {
    for (const state of [
      { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
      { life_cycle_state: 'TERMINATED', result_state: 'TIMEDOUT' },
      { life_cycle_state: 'INTERNAL_ERROR' },
    ]) {
      await open(colon.files);
      bench.runs = [{ ...failed, state }];
      bench.output = {
        error: "SyntaxError: expected ':'",
        error_trace: '  File "/w/jobs/etl.py", line 1\n    for n in range(3)\nSyntaxError: expected \':\'',
      };
      let given: AbortSignal | undefined;
      const calls: string[] = [];
      const { connect } = bench.services.connections;
      const connection = await connect();
      bench.services.connections.connect = async () => connection;
      const { jobs } = connection.client;
      for (const name of ['submit', 'getRun', 'getRunOutput'] as const) {
        const call = jobs[name].bind(jobs) as (...args: unknown[]) => Promise<unknown>;
        Object.assign(jobs, {
          [name]: (...args: unknown[]) => {
            const { signal } = (args[1] ?? {}) as { signal?: AbortSignal };
            if (given) calls.push(`${name} ${signal === given ? 'can be stopped' : 'cannot be stopped'}`);
            return call(...args);
          },
        });
      }
      const { review } = bench.services.ui;
      Object.assign(bench.services.ui, {
        progress: async (_title: string, task: (signal: AbortSignal) => Promise<unknown>) => {
          given = new AbortController().signal;
          return task(given).finally(() => (given = undefined));
        },
        review: async (...shown: Parameters<typeof review>) => (await review(...shown), shown[4][0]),
      });
      await fix();
      assert.deepEqual(
        calls,
        ['getRun', 'getRunOutput', 'submit', 'getRun'].map((name) => `${name} can be stopped`),
        bench.trail.join('\n'),
      );
    }
  });

  it('shows of each model what is said of it', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    const listed = [{ name: 'chat', description: 'A small one' }, { name: 'plain' }];
    bench.inference = { listEndpoints: async () => listed };
    const shown: unknown[] = [];
    Object.assign(bench.services.ui, {
      pick: async (...question: unknown[]) => void shown.push(...question),
    });
    await fix();
    assert.deepEqual(shown, [
      'The guide cannot fix this: SyntaxError: invalid syntax',
      'Model that gets the error and the files of its trace',
      [
        { label: 'chat', description: 'A small one', value: 'chat' },
        { label: 'plain', description: undefined, value: 'plain' },
      ],
    ]);
  });
});

describe('a run that is mended of which the service has not all any more', () => {
  let root: string;
  let bench: FolderBench;
  before(async () => void (root = await mkdtemp(join(tmpdir(), 'millrace-fix-'))));
  after(() => rm(root, { recursive: true, force: true }));
  const fix = async (): Promise<unknown> => handlers['millrace.run.fix'](bench.services, { runId: '5' });

  it('runs again as a copy where its job was deleted since, or it had none', async () => {
    bench = await FolderBench.open(root, colon.files);
    bench.runs = [{ ...failed, run_type: 'JOB_RUN', job_id: '7' }];
    bench.localRuns = [succeeded];
    bench.output = missingColon;
    await fix();
    assert.deepEqual([bench.submitted.length, bench.started], [1, []]);
    assert.match(await bench.textOf('jobs/etl.py'), /^for n in range\(3\):/);
    // Of a one-time run services tell a job as well, which is none of theirs to run.
    bench = await FolderBench.open(root, colon.files);
    bench.runs = [{ ...failed, run_type: 'SUBMIT_RUN', job_id: '7' }];
    bench.localRuns = [succeeded];
    bench.output = missingColon;
    bench.remote.set('7', {
      name: 'etl',
      spark_python_task: { python_file: '/jobs/etl.py' },
      existing_cluster_id: 'local',
    });
    await fix();
    assert.deepEqual([bench.submitted.length, bench.started], [1, []]);
  });

  it('is given up in words where the service serves no models, and told of any other failure', async () => {
    bench = await FolderBench.open(root, operator.files);
    bench.runs = [failed];
    bench.output = { error: 'SyntaxError: invalid syntax' };
    const refused = (kind: 'notFound' | 'network'): void =>
      void (bench.inference = { listEndpoints: async () => Promise.reject(new AppError(kind, 'None of it.')) });
    refused('notFound');
    await fix();
    assert.ok(bench.trail.includes('warn: I cannot fix this: SyntaxError: invalid syntax'), bench.trail.join('\n'));
    refused('network');
    await assert.rejects(fix, { kind: 'network' });
    assert.deepEqual(bench.submitted, []);
  });
});
