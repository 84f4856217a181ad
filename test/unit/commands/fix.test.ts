import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { applyCode } from '../../../src/commands/fix/applyCode.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import type { PickItem } from '../../../src/commands/ui.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { failingJobs } from '../../support/failingJobs/failingJobs.ts';
import { FolderBench } from '../../support/failingJobs/folderBench.ts';
import { Bench, staging } from './commandSetup.ts';
import { missingColon } from './failedRunOf.ts';

const failed: Run = {
  run_id: '5',
  run_name: 'etl',
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  task: { spark_python_task: { python_file: '/jobs/etl.py', parameters: ['a'] } },
  overriding_parameters: { python_params: ['--day', 'monday'] },
};

const succeeded: Run = { ...failed, run_id: '78', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };

const colon = failingJobs.find(({ name }) => name === 'a colon is missing')!;

const operator = failingJobs.find(({ name }) => name === 'an operator is missing')!;

describe('fixing a failed run', () => {
  let root: string;
  let bench: FolderBench;
  let asked: { title: string; labels: readonly string[] }[];
  /** The beginnings of the labels to choose. A question without a remaining choice is canceled. */
  let choices: string[];

  async function open(files: Readonly<Record<string, string>>, ends: Run = succeeded): Promise<void> {
    bench = await FolderBench.open(root, files);
    bench.runs = [failed];
    bench.localRuns = [ends];
    bench.output = missingColon;
    asked = [];
    const { review } = bench.services.ui;
    Object.assign(bench.services.ui, {
      review: async (...shown: Parameters<typeof review>) => {
        const [, , , message, actions] = shown;
        asked.push({ title: message, labels: actions });
        await review(...shown);
        const choice = choices.shift();
        return choice === undefined ? undefined : actions.find((action) => action.startsWith(choice));
      },
      pick: async (title: string, _placeholder: string, items: readonly PickItem<unknown>[]) => {
        asked.push({ title, labels: items.map(({ label }) => label) });
        const choice = choices.shift();
        return choice === undefined ? undefined : items.find(({ label }) => label.startsWith(choice))?.value;
      },
    });
  }
  const code = (): Promise<string> => readFile(join(root, 'jobs/etl.py'), 'utf8');
  const fix = async (): Promise<unknown> => handlers['millrace.run.fix'](bench.services, { runId: '5' });

  before(async () => void (root = await mkdtemp(join(tmpdir(), 'millrace-fix-'))));
  after(() => rm(root, { recursive: true, force: true }));
  beforeEach(() => void (choices = ['Apply and Run Again']));

  it('shows the cause, applies the change and runs again on this machine', async () => {
    await open(colon.files);
    await fix();
    assert.equal(
      asked[0]?.title,
      "SyntaxError: expected ':' — jobs/etl.py, line 1: for n in range(3) — Change jobs/etl.py, line 1.",
    );
    assert.deepEqual(asked[0]?.labels, ['Apply and Run Again', 'Ask a Model…']);
    assert.equal(await code(), 'for n in range(3):\n    print(n)\n');
    assert.deepEqual(
      bench.submitted,
      [
        {
          run_name: 'etl #5 (fix 1)',
          existing_cluster_id: 'local',
          spark_python_task: { python_file: '/jobs/etl.py', parameters: ['--day', 'monday'] },
        },
      ].map((request) => ({ ...request, run_name: bench.submitted[0]?.run_name })),
    );
    assert.match(bench.submitted[0]?.run_name ?? '', / \(fix 1\)$/);
    assert.ok(
      bench.trail.some((line) => /^info: .* now succeeds on this machine\.$/.test(line)),
      bench.trail.join('\n'),
    );
    assert.ok(!bench.trail.some((line) => /create|reset|update|delete|staging/.test(line)), 'no job is changed');
  });

  it('changes nothing when the change is discarded or the file has unsaved changes', async () => {
    await open(colon.files);
    choices = ['Discard'];
    await fix();
    assert.equal(await code(), colon.files['jobs/etl.py']);
    const { workspaceFile } = bench.services.ui;
    Object.assign(bench.services.ui, {
      workspaceFile: async (path: string) => ({ ...(await workspaceFile(path)), isDirty: true }),
    });
    // The change is not even shown.
    choices = [];
    await assert.rejects(fix, { kind: 'rejected', message: /has unsaved changes/ });
    assert.equal(await code(), colon.files['jobs/etl.py']);
    assert.deepEqual(bench.submitted, []);
  });

  it('does not write over a file that changed during the review', async () => {
    await open(colon.files);
    const { review } = bench.services.ui;
    Object.assign(bench.services.ui, {
      review: async (...shown: Parameters<typeof review>) => {
        await writeFile(join(root, 'jobs/etl.py'), 'mine\n');
        return review(...shown);
      },
    });
    await assert.rejects(fix);
    assert.equal(await code(), 'mine\n');
    assert.deepEqual(bench.submitted, []);
  });

  it('gives up after three rounds', async () => {
    await open(colon.files, { ...failed, run_id: '78' });
    choices = Array.from({ length: 9 }, () => 'Apply and Run Again');
    Object.assign(bench.services.ui, {
      warn: async (message: string, action: string) => (bench.trail.push(`warn: ${message}`), action),
    });
    await fix();
    assert.equal(bench.submitted.length, 3);
    assert.ok(bench.trail.some((line) => /^warn: 3 changes did not fix .*: SyntaxError: expected ':'$/.test(line)));
    assert.equal(bench.questions.length, 1, 'Explain');
  });

  it('is refused when nothing is certain and no model is available', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.inference = bench.scripted(undefined);
    await fix();
    assert.ok(bench.trail.includes('warn: No fix found: SyntaxError: invalid syntax'), bench.trail.join('\n'));
    assert.deepEqual([asked, bench.submitted], [[], []]);
  });

  it('applies the change of a model that the user chooses', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.inference = bench.scripted(operator.answer);
    choices = ['scripted', 'Apply and Run Again'];
    await fix();
    assert.deepEqual(asked[0]?.labels, ['scripted'], 'the guide is none of them');
    assert.match(asked[1]?.title ?? '', / — That is the cause\.$/);
    assert.equal(await code(), 'x = 1 + 2\nprint(x)\n');
    assert.equal(bench.submitted.length, 1);
  });

  it('runs an unchanged job as that job, not as a copy', async () => {
    await open(colon.files);
    bench.runs = [{ ...failed, run_type: 'JOB_RUN', job_id: '7' }];
    bench.remote.set('7', {
      name: 'etl',
      spark_python_task: { python_file: '/jobs/etl.py' },
      existing_cluster_id: 'local',
    });
    bench.localRuns = [{ ...succeeded, run_id: '77' }];
    await fix();
    assert.deepEqual([bench.submitted, bench.started], [[], [{ job_id: '7', python_params: ['--day', 'monday'] }]]);
    bench.started = [];
    bench.localRuns = [succeeded];
    bench.remote.set('7', {
      name: 'etl',
      spark_python_task: { python_file: '/jobs/other.py' },
      existing_cluster_id: 'local',
    });
    await writeFile(join(root, 'jobs/etl.py'), colon.files['jobs/etl.py'] ?? '');
    choices = ['Apply and Run Again'];
    await fix();
    assert.deepEqual([bench.submitted.length, bench.started], [1, []], 'the job has other settings');
  });

  it('runs only when the file could be saved', async () => {
    await open(colon.files);
    Object.assign(bench.services.ui, { save: async () => false });
    await assert.rejects(fix, /jobs\/etl\.py could not be saved, so nothing was run\./);
    assert.deepEqual(bench.submitted, []);
  });

  it('works on a local run while another profile is current', async () => {
    await open(colon.files);
    bench.profile = staging;
    const asked: unknown[] = [];
    const { connectTo } = bench.services.connections;
    bench.services.connections.connectTo = (id, options) => {
      asked.push(id, options);
      return connectTo(id, options);
    };
    await handlers['millrace.run.fix'](bench.services, { runId: '5', profileId: 'local' });
    assert.deepEqual(asked.slice(0, 2), ['local', { byUser: true }]);
    assert.equal(bench.submitted.length, 1);
    assert.equal(await code(), 'for n in range(3):\n    print(n)\n');
  });

  it('leads to a replay for a run of another profile', async () => {
    await open(colon.files);
    bench.profile = staging;
    Object.assign(bench.services.ui, {
      warn: async (_message: string, action: string) => action,
      programFiles: async () => ['/src/jobs/etl.py'],
    });
    choices = [];
    await fix();
    assert.equal(asked.at(-1)?.title, 'Replay etl');
  });

  it('leaves a run of another profile alone until it is replayed', async () => {
    await open(colon.files);
    bench.profile = staging;
    await fix();
    assert.ok(bench.trail.some((line) => /^warn: .* ran on Staging\. Fixes are made on this machine only/.test(line)));
    assert.deepEqual(bench.submitted, []);
  });

  it('is refused for a run that succeeded and in an untrusted workspace', async () => {
    await open(colon.files);
    bench.runs = [{ ...succeeded, run_id: '5' }];
    await fix();
    assert.ok(bench.trail.some((line) => line.includes('did not fail')));
    bench.isTrusted = false;
    await assert.rejects(fix, /is not trusted/);
  });
});

describe('fixing a job file that cannot be deployed', () => {
  it('uses the problem as the error and runs the job on this machine', async () => {
    const root = await mkdtemp(join(tmpdir(), 'millrace-fix-'));
    const job = failingJobs.find(({ name }) => name === 'both days are stars')!;
    const bench = await FolderBench.open(root, job.files);
    bench.localRuns = [succeeded];
    await handlers['millrace.run.fix'](bench.services, { uri: bench.uriOf('etl.job.yml') });
    assert.match(await bench.textOf('etl.job.yml'), /0 30 7 \* \* \?/);
    assert.equal(bench.submitted.length, 1);
    assert.equal(bench.submitted[0]?.['schedule'], undefined);
    await rm(root, { recursive: true });
  });
});

describe('fixing a run that the service has partly forgotten', () => {
  const failed: Run = {
    run_id: '5',
    run_name: 'etl',
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    task: { spark_python_task: { python_file: '/jobs/etl.py', parameters: ['a'] } },
  };

  const succeeded: Run = {
    ...failed,
    run_id: '78',
    state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
  };

  const colon = failingJobs.find(({ name }) => name === 'a colon is missing')!;

  const operator = failingJobs.find(({ name }) => name === 'an operator is missing')!;

  let root: string;
  let bench: FolderBench;
  before(async () => void (root = await mkdtemp(join(tmpdir(), 'millrace-fix-'))));
  after(() => rm(root, { recursive: true, force: true }));
  const fix = async (): Promise<unknown> => handlers['millrace.run.fix'](bench.services, { runId: '5' });

  it('runs a copy when the job was deleted or never existed', async () => {
    bench = await FolderBench.open(root, colon.files);
    bench.runs = [{ ...failed, run_type: 'JOB_RUN', job_id: '7' }];
    bench.localRuns = [succeeded];
    bench.output = missingColon;
    await fix();
    assert.deepEqual([bench.submitted.length, bench.started], [1, []]);
    assert.match(await bench.textOf('jobs/etl.py'), /^for n in range\(3\):/);
    // Services also report a job id for a one-time run, but that job cannot be run.
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

  it('is refused when the service has no models', async () => {
    bench = await FolderBench.open(root, operator.files);
    bench.runs = [failed];
    bench.output = { error: 'SyntaxError: invalid syntax' };
    const refused = (kind: 'notFound' | 'network'): void =>
      void (bench.inference = { listEndpoints: async () => Promise.reject(new AppError(kind, 'None of it.')) });
    refused('notFound');
    await fix();
    assert.ok(bench.trail.includes('warn: No fix found: SyntaxError: invalid syntax'), bench.trail.join('\n'));
    refused('network');
    await assert.rejects(fix, { kind: 'network' });
    assert.deepEqual(bench.submitted, []);
  });
});

function bench(files: Record<string, string>): Bench {
  const made = new Bench();
  made.texts = new Map(Object.entries(files).map(([path, text]) => [`file:///w/${path}`, text]));
  return made;
}

describe('applying code of an answer', () => {
  it('shows a comparison and changes the named file when wanted', async () => {
    const made = bench({ 'jobs/x.py': 'x = 1\n', 'y.py': '' });
    made.picks = ['Discard', 'Apply'];
    await applyCode(made.services, { text: 'x = 2\n', language: 'python', path: 'x.py' });
    assert.equal(made.texts.get('file:///w/jobs/x.py'), 'x = 1\n');
    await applyCode(made.services, { text: 'x = 2\n', language: 'python', path: '/jobs/x.py' });
    assert.equal(made.texts.get('file:///w/jobs/x.py'), 'x = 2\n');
    assert.deepEqual(made.trail, ['review: x = 2\n', 'review: x = 2\n', 'replaced text']);
  });

  it('changes nothing when the file changed meanwhile', async () => {
    const made = bench({ 'x.py': 'x = 1\n' });
    made.picks = ['Apply'];
    made.meanwhile = () => void made.texts.set('file:///w/x.py', 'x = 3\n');
    await assert.rejects(applyCode(made.services, { text: 'x = 2\n', language: '', path: 'x.py' }), /was not changed/);
    assert.equal(made.texts.get('file:///w/x.py'), 'x = 3\n');
  });

  it('changes the active file of the same language, or asks for a file', async () => {
    const made = bench({ 'nightly.job.yml': 'name: a\n', 'a.py': '1\n', 'b/c.py': '2\n' });
    made.picks = ['Apply', 'b/c.py', 'Apply'];
    await applyCode(made.services, { text: 'name: b\n', language: 'yaml' });
    assert.equal(made.texts.get('file:///w/nightly.job.yml'), 'name: b\n');
    await applyCode(made.services, { text: '3\n', language: 'py' });
    assert.equal(made.texts.get('file:///w/b/c.py'), '3\n');
    await assert.rejects(
      applyCode(made.services, { text: '3', language: 'sql' }),
      /no file that this code could belong to/,
    );
  });

  it('asks between several matching files, and refuses an unknown name', async () => {
    const made = bench({ 'a/x.py': '1\n', 'b/x.py': '2\n' });
    made.picks = ['b/x.py', 'Apply'];
    await applyCode(made.services, { text: '3\n', language: '', path: 'x.py' });
    assert.equal(made.texts.get('file:///w/b/x.py'), '3\n');
    await assert.rejects(applyCode(made.services, { text: '3', language: '', path: '../x.py' }), /There is no file/);
  });

  it('reports code that is already there and a diff of other lines', async () => {
    const made = bench({ 'x.py': '1\n' });
    await applyCode(made.services, { text: '1', language: '', path: 'x.py' });
    assert.deepEqual(made.trail, ['info: x.py already has this content.']);
    const diff = { text: '@@ -1 +1 @@\n-2\n+3', language: 'diff', path: 'x.py' };
    await assert.rejects(applyCode(made.services, diff), /does not have the lines that the diff changes/);
  });

  it('is refused in an untrusted workspace', async () => {
    const made = bench({ 'x.py': '1\n' });
    made.isTrusted = false;
    await assert.rejects(applyCode(made.services, { text: '2', language: '', path: 'x.py' }), /is not trusted/);
    assert.deepEqual(made.trail, []);
  });
});
