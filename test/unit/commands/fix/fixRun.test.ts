import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../../src/commands/handlers.ts';
import type { PickItem } from '../../../../src/commands/ui.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import { failingJobs } from '../../../support/failingJobs/failingJobs.ts';
import { FolderBench } from '../../../support/failingJobs/folderBench.ts';
import { holdTrail } from '../../../support/trail.ts';
import { staging } from '../commandSetup.ts';
import { missingColon } from './failedRunOf.ts';
import './fixRunChoices.part.ts';

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
describe('a run that is mended', () => {
  holdTrail(import.meta.url);
  let root: string;
  let bench: FolderBench;
  let asked: { title: string; labels: readonly string[] }[];
  /** What is chosen, by its beginning; the question is given up if nothing is left. */
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

  it('shows its cause with the line, changes what was shown, and runs once more here with the same parameters', async () => {
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
      bench.trail.some((line) => /^info: .* succeeds now on this machine\.$/.test(line)),
      bench.trail.join('\n'),
    );
    assert.ok(!bench.trail.some((line) => /create|reset|update|delete|staging/.test(line)), 'no job is changed');
  });

  it('offers to deploy its job file afterwards, which is the deploy that asks', async () => {
    await open(colon.files);
    const offered: string[] = [];
    Object.assign(bench.services.ui, {
      info: async (message: string, action?: string) => (
        offered.push(`${message} [${action}]`),
        action === 'Deploy…' ? action : undefined
      ),
      file: async () => ({
        uri: bench.uriOf('etl.job.yml'),
        name: 'etl.job.yml',
        text: colon.files['etl.job.yml'],
        isJobFile: true,
      }),
    });
    await fix();
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(offered[0] ?? '', /succeeds now on this machine\. \[Deploy…\]$/);
    assert.ok(
      bench.trail.some((line) => line.startsWith('mutation: Create job')),
      bench.trail.join('\n'),
    );
  });

  it('stays as it is where the change is discarded, and where the file has changes that are not saved', async () => {
    await open(colon.files);
    choices = ['Discard'];
    await fix();
    assert.equal(await code(), colon.files['jobs/etl.py']);
    const { workspaceFile } = bench.services.ui;
    Object.assign(bench.services.ui, {
      workspaceFile: async (path: string) => ({ ...(await workspaceFile(path)), isDirty: true }),
    });
    // It is not even shown.
    choices = [];
    await assert.rejects(fix, { kind: 'rejected', message: /has changes that are not saved/ });
    assert.equal(await code(), colon.files['jobs/etl.py']);
    assert.deepEqual(bench.submitted, []);
  });

  it('does not write over a file that is changed while the change is looked at', async () => {
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

  it('is given up after three rounds, and explained where that is wanted', async () => {
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

  it('is refused in words where nothing is certain and no model is there', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.inference = bench.scripted(undefined);
    await fix();
    assert.ok(bench.trail.includes('warn: I cannot fix this: SyntaxError: invalid syntax'), bench.trail.join('\n'));
    assert.deepEqual([asked, bench.submitted], [[], []]);
  });

  it('takes the change of a model that the user chooses, and asks which one once', async () => {
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

  it("may be a model's instead of the guide's", async () => {
    await open(colon.files);
    bench.inference = bench.scripted(
      'It is the range.\n\n```diff\n--- a/jobs/etl.py\n+++ b/jobs/etl.py\n@@ -1 +1 @@\n-for n in range(3)\n+for n in range(4):\n```\n',
    );
    choices = ['Ask a Model', 'scripted', 'Apply and Run Again'];
    await fix();
    assert.equal(await code(), 'for n in range(4):\n    print(n)\n');
  });

  it('says what a model says that has no change of a file of the workspace', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    for (const answer of [
      'The disk is full.',
      'The disk is full.\n\n```diff\n--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -2 +2 @@\n-name: etl\n+name: evil\n```\n',
    ]) {
      bench.inference = bench.scripted(answer);
      choices = ['scripted', 'Apply and Run Again'];
      await fix();
      assert.ok(bench.trail.includes('warn: scripted cannot fix this: The disk is full.'), bench.trail.join('\n'));
    }
    assert.deepEqual(bench.submitted, []);
  });

  it('of a job that its file describes is run as that job, and no copy of it', async () => {
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

  it('says in which change it is, and asks for no second model once one was chosen', async () => {
    await open(operator.files, { ...failed, run_id: '78' });
    bench.output = { error: 'SyntaxError: invalid syntax' };
    bench.inference = bench.scripted(operator.answer);
    choices = ['scripted', 'Apply and Run Again'];
    await fix();
    assert.match(asked[1]?.title ?? '', /^SyntaxError: invalid syntax — That is the cause\.$/);
    assert.deepEqual(asked[1]?.labels, ['Apply and Run Again']);
    await open(colon.files, { ...failed, run_id: '78' });
    choices = ['Apply and Run Again', 'Discard'];
    bench.inference = bench.scripted(undefined);
    await fix();
    assert.doesNotMatch(asked[0]?.title ?? '', / at most /);
  });

  it('goes on with what the mended run says, in at most three changes', async () => {
    await open(colon.files, { ...failed, run_id: '78' });
    choices = ['Apply and Run Again', 'Apply and Run Again'];
    const { replaceText } = bench.services.ui;
    Object.assign(bench.services.ui, {
      replaceText: async (...change: Parameters<typeof replaceText>) => {
        await replaceText(...change);
        bench.output = {
          error: "NameError: name 'os' is not defined",
          error_trace: missingColon.error_trace.replace(/SyntaxError.*$/, "NameError: name 'os' is not defined"),
        };
      },
    });
    await fix();
    assert.equal(
      asked[1]?.title,
      "NameError: name 'os' is not defined — jobs/etl.py, line 1: for n in range(3): — Change jobs/etl.py, line 1. — Change 2 of at most 3.",
    );
    assert.equal(bench.submitted.length, 2);
  });

  it('shows the beginning of a long message and of a long line', async () => {
    const line = `for n in range(3)  # ${'x'.repeat(200)}`;
    await open({ ...colon.files, 'jobs/etl.py': `    ${line}\n` });
    bench.output = { ...missingColon, error: `${missingColon.error} ${'y'.repeat(400)}` };
    choices = ['Discard'];
    await fix();
    const [error = '', place = ''] = asked[0]?.title.split(' — ') ?? [];
    assert.equal(error.length, 300);
    assert.equal(place, `jobs/etl.py, line 1: ${line.slice(0, 100)}`);
    assert.deepEqual(bench.submitted, []);
  });

  it('is run only where its file could be saved', async () => {
    await open(colon.files);
    Object.assign(bench.services.ui, { save: async () => false });
    await assert.rejects(fix, /jobs\/etl\.py could not be saved, so nothing was run\./);
    assert.deepEqual(bench.submitted, []);
  });

  it('says what to do about changes that are not saved', async () => {
    await open(colon.files);
    const { workspaceFile } = bench.services.ui;
    Object.assign(bench.services.ui, {
      workspaceFile: async (path: string) => ({ ...(await workspaceFile(path)), isDirty: true }),
    });
    const remedy = await fix().then(
      () => assert.fail('it was mended'),
      (error: AppError) => error.remedy,
    );
    assert.equal(remedy, 'Save it, then fix the run again.');
  });

  it('of this machine is mended here whatever profile is the current one', async () => {
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

  it('of another profile leads into its replay where that is wanted', async () => {
    await open(colon.files);
    bench.profile = staging;
    Object.assign(bench.services.ui, {
      warn: async (_message: string, action: string) => action,
      programFiles: async () => ['/jobs/etl.py'],
    });
    choices = [];
    await fix();
    assert.equal(asked.at(-1)?.title, 'Replay etl');
  });

  it('takes for its job file the one that has its name, where no other has', async () => {
    const other = (colon.files['etl.job.yml'] ?? '').replace('name: etl', 'name: other');
    const twoFiles = async (second: string): Promise<string> => {
      await open({ ...colon.files, 'other.job.yml': second });
      const names = ['other.job.yml', 'etl.job.yml'];
      bench.services.ui.jobFiles = async () => names.map((name) => ({ uri: bench.uriOf(name), name }));
      bench.output = { error: "ModuleNotFoundError: No module named 'yaml'" };
      bench.inference = bench.scripted(undefined);
      choices = ['Discard'];
      await fix();
      return asked[0]?.title ?? bench.trail.at(-1) ?? '';
    };
    assert.match(await twoFiles(other), /Add the package pyyaml/);
    assert.match(await twoFiles(colon.files['etl.job.yml'] ?? ''), /no job file of this workspace has its settings/);
    assert.match(await twoFiles('[not: closed'), /Add the package pyyaml/);
  });

  it('offers the chat models alone, and gives up where none is chosen', async () => {
    await open(operator.files);
    bench.output = { error: 'SyntaxError: invalid syntax' };
    const listed = [
      { name: 'guide' },
      { name: 'vectors', task: 'llm/v1/embeddings' },
      { name: 'lines', task: 'llm/v1/completions' },
      { name: 'chat', task: 'llm/v1/chat' },
      { name: 'plain' },
    ];
    bench.inference = { listEndpoints: async () => listed, chat: async () => assert.fail('nothing is asked') };
    choices = [];
    await fix();
    assert.deepEqual(asked, [
      { title: 'The guide cannot fix this: SyntaxError: invalid syntax', labels: ['chat', 'plain'] },
    ]);
    assert.deepEqual(
      bench.trail.filter((line) => line.startsWith('warn')),
      [],
    );
  });

  it('of another profile is not touched: it is replayed here first', async () => {
    await open(colon.files);
    bench.profile = staging;
    await fix();
    assert.ok(bench.trail.some((line) => /^warn: .* ran on Staging\. Fixes are made only on this machine/.test(line)));
    assert.deepEqual(bench.submitted, []);
  });

  it('is left alone where it did not fail, and in a workspace that is not trusted', async () => {
    await open(colon.files);
    bench.runs = [{ ...succeeded, run_id: '5' }];
    await fix();
    assert.ok(bench.trail.some((line) => line.includes('did not fail')));
    bench.isTrusted = false;
    await assert.rejects(fix, /is not trusted/);
  });
});

describe('a job file that cannot be sent', () => {
  holdTrail(import.meta.url, '-2');
  it('is refused where it is no job file of the workspace', async () => {
    const root = await mkdtemp(join(tmpdir(), 'millrace-fix-'));
    const bench = await FolderBench.open(root, colon.files);
    const fix = handlers['millrace.run.fix'](bench.services, { uri: 'file:///elsewhere/a.job.yml' });
    await assert.rejects(async () => fix, /This is no job file of the workspace, so nothing was changed\./);
    await rm(root, { recursive: true });
  });

  it('is mended from its message, and run on this machine', async () => {
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
