import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { applyCode } from '../../../src/commands/fix/applyCode.ts';
import { handlers } from '../../../src/commands/handlers.ts';
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

describe('The conversation about a failed run', () => {
  let root: string;
  let bench: FolderBench;

  async function open(files: Readonly<Record<string, string>>, ends: Run = succeeded): Promise<void> {
    bench = await FolderBench.open(root, files);
    bench.runs = [failed];
    bench.localRuns = [ends];
    bench.output = missingColon;
  }
  const code = (): Promise<string> => bench.textOf('jobs/etl.py');
  const fix = async (): Promise<unknown> => handlers['millrace.run.fix'](bench.services, { runId: '5' });
  const actions = (): string[] =>
    (bench.last?.links ?? []).filter(({ isAction }) => isAction).map(({ title }) => title);

  before(async () => void (root = await mkdtemp(join(tmpdir(), 'millrace-fix-'))));
  after(() => rm(root, { recursive: true, force: true }));

  it('shows the cause with its line and the change, and changes nothing yet', async () => {
    await open(colon.files);
    await fix();
    assert.match(
      bench.last?.markdown ?? '',
      /SyntaxError: expected[^]*jobs\/etl\.py, line 1[^]*\+for n in range\(3\):/,
    );
    assert.deepEqual(actions(), ['Apply and Run Again', 'Ask a Model…', 'Discard']);
    assert.equal(await code(), colon.files['jobs/etl.py']);
  });

  it('applies the change and runs again with the same parameters, without changing a job', async () => {
    await open(colon.files);
    await fix();
    await bench.act('Apply');
    assert.equal(await code(), 'for n in range(3):\n    print(n)\n');
    const task = { python_file: '/jobs/etl.py', parameters: ['--day', 'monday'] };
    assert.deepEqual(
      bench.submitted.map(({ spark_python_task: each }) => each),
      [task],
    );
    assert.match(bench.last?.markdown ?? '', /now succeeds/);
    assert.deepEqual(
      bench.last?.links?.flatMap(({ run }) => run?.runId ?? []),
      ['78'],
    );
    assert.deepEqual(actions(), ['Deploy…']);
    assert.ok(!bench.trail.some((line) => /create|reset|update|delete|staging/.test(line)));
  });

  it('fixes the failing task of several, and runs all of them again', async () => {
    await open({ ...colon.files, 'etl.job.yml': 'name: other\n' });
    const { task: python, state, ...run } = failed;
    const tasks = [
      { run_id: '6', task_key: 'read', state: succeeded.state, ...python },
      { run_id: '7', task_key: 'etl', state, depends_on: [{ task_key: 'read' }], ...python },
    ];
    bench.runs = [{ ...run, state, overriding_parameters: undefined, tasks }];
    await fix();
    await bench.act('Apply');
    assert.equal(await code(), 'for n in range(3):\n    print(n)\n');
    assert.deepEqual(
      bench.submitted.map((request) => request.tasks?.map(({ task_key: key }) => key)),
      [['read', 'etl']],
    );
  });

  it('goes on from the next failure', async () => {
    await open(colon.files, { ...failed, run_id: '78' });
    await fix();
    const error = "NameError: name 'json' is not defined";
    bench.output = { error, error_trace: `  File "/w/jobs/etl.py", line 2\n    x\n${error}` };
    await bench.act('Apply');
    assert.match(bench.last?.markdown ?? '', /still fails[^]*NameError[^]*\+import json/);
    assert.ok(actions().includes('Apply and Run Again'));
  });

  it('changes nothing after Discard, or if the file has unsaved changes', async () => {
    await open(colon.files);
    await fix();
    await bench.act('Discard');
    assert.deepEqual(actions(), []);
    await fix();
    const { workspaceFile } = bench.services.ui;
    bench.services.ui.workspaceFile = async (path) => ({ ...(await workspaceFile(path)), isDirty: true });
    await assert.rejects(bench.act('Apply'), /unsaved changes/);
    assert.equal(await code(), colon.files['jobs/etl.py']);
    assert.deepEqual(bench.submitted, []);
  });

  it('does not write over lines that changed since they were shown', async () => {
    await open(colon.files);
    await fix();
    await writeFile(join(root, 'jobs/etl.py'), 'mine\n');
    await assert.rejects(bench.act('Apply'), /does not have the lines/);
    assert.equal(await code(), 'mine\n');
    assert.deepEqual(bench.submitted, []);
  });

  it('applies only what the answer before shows', async () => {
    await open(colon.files);
    await bench.say('/fix 5 apply');
    assert.match(bench.last?.markdown ?? '', /shows no change/);
    assert.equal(await code(), colon.files['jobs/etl.py']);
  });

  it('runs again without a second change if the change was made already', async () => {
    await open(colon.files);
    await fix();
    const shown = bench.last;
    await bench.act('Apply');
    const changed = await code();
    bench.last = shown;
    await bench.act('Apply');
    assert.deepEqual([await code(), bench.submitted.length], [changed, 2]);
  });

  it('shows the failure of the named run, whichever run the answer before is about', async () => {
    await open(colon.files);
    await fix();
    bench.runs = [failed, { ...failed, run_id: '6', run_name: 'load' }];
    await bench.say('/fix 6');
    assert.match(bench.last?.markdown ?? '', /load/);
    assert.deepEqual(
      bench.last?.links?.flatMap(({ run }) => run?.runId ?? []),
      ['6'],
    );
  });

  it('applies the change of a model that the user chooses', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.inference = bench.scripted(operator.answer);
    await fix();
    assert.deepEqual(actions(), ['Ask a Model…']);
    await bench.act('Ask');
    assert.match(bench.last?.markdown ?? '', /scripted: That is the cause/);
    await bench.act('Apply');
    assert.equal(await code(), 'x = 1 + 2\nprint(x)\n');
    assert.equal(bench.submitted.length, 1);
  });

  it('offers the models of the editor as well', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.models = {
      list: async () => [{ name: 'scripted', server: 'in the editor' }],
      async *chat() {
        for (const content of [operator.answer?.slice(0, 9), operator.answer?.slice(9)])
          yield { choices: [{ index: 0, delta: { content } }] };
      },
    };
    bench.inference = bench.scripted(undefined);
    await fix();
    await bench.act('Ask a Model');
    assert.ok(actions().includes('Apply and Run Again'));
  });

  it('offers the models of the editor even if those of the service cannot be listed', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.models = { list: async () => [{ name: 'scripted', server: 'in the editor' }], chat: () => assert.fail() };
    bench.inference = { listEndpoints: () => Promise.reject(new AppError('server', 'No.')) };
    let offered: string[] = [];
    bench.services.ui.pick = async (_title, _placeholder, items) => {
      offered = items.map(({ label }) => label);
      return undefined;
    };
    await fix();
    await bench.act('Ask a Model');
    assert.deepEqual(offered, ['scripted']);
  });

  it('says that there is no model', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.inference = bench.scripted(undefined);
    await fix();
    await bench.act('Ask');
    assert.match(bench.last?.markdown ?? '', /no model/);
  });

  it('runs an unchanged job as that job, and a copy of a job with other settings', async () => {
    for (const [file, started] of [
      ['/jobs/etl.py', 1],
      ['/jobs/other.py', 0],
    ] as const) {
      await open(colon.files);
      bench.runs = [{ ...failed, run_type: 'JOB_RUN', job_id: '7' }];
      bench.remote.set('7', { name: 'etl', spark_python_task: { python_file: file }, existing_cluster_id: 'local' });
      bench.localRuns = [succeeded, { ...succeeded, run_id: '77' }];
      await fix();
      await bench.act('Apply');
      assert.deepEqual([bench.started.length, bench.submitted.length], [started, 1 - started], file);
    }
  });

  it('runs a copy when the job was deleted', async () => {
    await open(colon.files);
    bench.runs = [{ ...failed, run_type: 'JOB_RUN', job_id: '7' }];
    await fix();
    await bench.act('Apply');
    assert.deepEqual([bench.submitted.length, bench.started], [1, []]);
  });

  it('runs only when the file could be saved', async () => {
    await open(colon.files);
    Object.assign(bench.services.ui, { save: async () => false });
    await fix();
    await assert.rejects(bench.act('Apply'), /could not be saved/);
    assert.deepEqual(bench.submitted, []);
  });

  it('works on a local run while another profile is current', async () => {
    await open(colon.files);
    bench.profile = staging;
    await handlers['millrace.run.fix'](bench.services, { runId: '5', profileId: 'local' });
    await bench.act('Apply');
    assert.equal(bench.submitted.length, 1);
    assert.ok(!bench.trail.some((line) => line.startsWith('staging')));
  });

  it('offers a replay for a run of another profile, and nothing else', async () => {
    await open(colon.files);
    bench.profile = staging;
    await fix();
    assert.deepEqual(actions(), ['Replay Here…']);
  });

  it('is refused for a run that succeeded and in an untrusted workspace', async () => {
    await open(colon.files);
    bench.runs = [{ ...succeeded, run_id: '5' }];
    await fix();
    assert.match(bench.last?.markdown ?? '', /did not fail/);
    bench.isTrusted = false;
    await assert.rejects(fix, /is not trusted/);
  });

  it('fixes a job file that cannot run', async () => {
    await open(failingJobs.find(({ name }) => name === 'both days are stars')!.files);
    await handlers['millrace.run.fix'](bench.services, { uri: bench.uriOf('etl.job.yml') });
    await bench.act('Apply');
    assert.match(await bench.textOf('etl.job.yml'), /0 30 7 \* \* \?/);
    assert.equal(bench.submitted[0]?.['schedule'], undefined);
    assert.match(bench.last?.markdown ?? '', /now succeeds/);
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
