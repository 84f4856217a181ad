import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench } from './commandSetup.ts';

async function newFile(bench: Bench): Promise<{ text: string; python: string | undefined }> {
  await handlers['millrace.jobFile.new'](bench.services, {});
  const text = (bench.trail.find((line) => line.startsWith('opened: ')) ?? '').slice('opened: '.length);
  const { settings, problems } = parseJobFile(text);
  assert.deepEqual(problems, []);
  return { text, python: settings?.spark_python_task?.python_file };
}

describe('a new job file', () => {
  holdTrail(import.meta.url);
  holdApproved('newJobFile');

  it('runs a Python file that is there: the one in front of the user, one that is named so, or the highest', async () => {
    const chosen = async (files: string[], active?: string): Promise<string | undefined> => {
      const bench = new Bench();
      bench.pythonFiles = files.map((path) => ({ path, isActive: path === active }));
      const { python } = await newFile(bench);
      assert.ok(!bench.trail.some((line) => line.startsWith('created')));
      return python;
    };
    assert.equal(await chosen(['/b/c.py', '/z.py', '/a/main.py'], '/b/c.py'), '/b/c.py');
    assert.equal(await chosen(['/a.py', '/main.py', '/b/main.py']), '/main.py');
    assert.equal(await chosen(['/b/c.py', '/z.py', '/y.py']), '/y.py');
    assert.equal(
      await chosen(['/setup.py', '/test_a.py', '/pkg/__init__.py', '/tests/x.py', '/src/deep/etl.py']),
      '/src/deep/etl.py',
    );
    assert.equal(await chosen(['/main.py', '/a/b/c/d/e/f.py'], '/a/b/c/d/e/f.py'), '/a/b/c/d/e/f.py');
    assert.equal(await chosen(['/a.py', '/tests/test_b.py'], '/tests/test_b.py'), '/tests/test_b.py');
    assert.equal(await chosen(['/job.py', '/app.py', '/a.py']), '/app.py');
    assert.equal(await chosen(['/job.py', '/a.py']), '/job.py');
    assert.equal(await chosen(['/z.py', '/a/main.py']), '/z.py');
    for (const none of ['/conftest.py', '/a_test.py', '/a/test/b.py', '/.tox/b.py', '/a/__main__.py'])
      assert.equal(await chosen([none, '/x/y/z.py']), '/x/y/z.py', none);
    for (const one of ['/contest.py', '/latest.py', '/testing/b.py', '/setups.py'])
      assert.equal(await chosen([one, '/x/y/z.py']), one);
    assert.equal(await chosen(['/it\'s: "one" #1.py']), '/it\'s: "one" #1.py');
  });

  it('makes one where there is none that is a program, and says so', async () => {
    const bench = new Bench();
    bench.pythonFiles = [{ path: '/tests/test_a.py', isActive: false }];
    assert.equal((await newFile(bench)).python, '/main.py');
    assert.deepEqual(bench.trail.slice(0, 2), ['created main.py', 'info: Created /main.py, which the new job runs.']);
  });

  it('is opened without a folder as well', async () => {
    const bench = new Bench();
    bench.hasFolder = false;
    assert.equal((await newFile(bench)).python, '/main.py');
    assert.deepEqual(
      bench.trail.map((line) => line.split('\n', 1)[0]),
      ['created main.py', 'opened: # A job file: the settings of one job. Completion and hovers know every field.'],
    );
    assert.deepEqual(bench.created, ['print("Hello from Millrace")\n']);
  });

  it('has a name that neither a job nor a job file has', async () => {
    const bench = new Bench();
    bench.pythonFiles = [{ path: '/jobs/nightly.py', isActive: true }];
    bench.texts.clear();
    const nameOf = async (): Promise<string | undefined> => {
      bench.trail = [];
      return parseJobFile((await newFile(bench)).text).settings?.name;
    };
    assert.equal(await nameOf(), 'nightly');
    bench.services.ui.jobFiles = async () => [{ uri: 'file:///w/jobs/nightly.job.yml', name: 'jobs/nightly.job.yml' }];
    assert.equal(await nameOf(), 'nightly-2');
    bench.store.setJobs([{ job_id: '1', settings: { name: 'nightly-2' } }, { job_id: '2' }], 0);
    assert.equal(await nameOf(), 'nightly-3');
    bench.services.ui.jobFiles = async () => [{ uri: 'file:///w/nightly-3.job.yaml', name: 'nightly-3.job.yaml' }];
    assert.equal(await nameOf(), 'nightly');
  });

  it('has the name of its program, and what a first run needs', async () => {
    const bench = new Bench();
    bench.pythonFiles = [{ path: '/jobs/night.py', isActive: true }];
    assert.deepEqual((await newFile(bench)).text.split('\n').slice(1), [
      'name: night',
      'existing_cluster_id: local',
      'spark_python_task:',
      '  python_file: /jobs/night.py',
      '  parameters: []',
      'max_concurrent_runs: 1',
      '',
    ]);
  });
});
