import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench, staging } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

describe('the choice of a job', () => {
  holdTrail(import.meta.url);
  holdApproved('runNow');

  it('has the order of the tree', async () => {
    const bench = new Bench();
    for (const [id, name] of [
      ['3', 'weekly'],
      ['10', 'daily'],
      ['9', 'daily'],
      ['1', 'yearly'],
    ] as const)
      bench.remote.set(id, { name });
    const shown: string[][] = [];
    bench.services.ui.pick = async (_title, _placeholder, items) => {
      shown.push(items.map(({ label, description }) => `${label} ${description}`));
      return undefined;
    };
    await handlers['millrace.job.openAsFile'](bench.services, {});
    await handlers['millrace.job.runNow'](bench.services, {});
    const order = ['daily 9', 'daily 10', 'weekly 3', 'yearly 1'];
    assert.deepEqual(shown, [order, ['nightly.job.yml deploy this file and run it', ...order]]);
  });
});

describe('run now', () => {
  holdTrail(import.meta.url, '-2');
  it('starts a job and follows it, which tells of its start and its end', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    await handlers['millrace.job.runNow'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, [
      'mutation: Run job "nightly" (5)',
      'run-now 5',
      'watch local 77: nightly #1',
      'refresh',
    ]);
    assert.deepEqual(bench.started, [{ job_id: '5' }]);
  });

  it('starts the job of the same id on another profile as well, though the first is about to start', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    const answer = Promise.withResolvers<boolean>();
    const { confirmMutation } = bench.services.connections;
    bench.services.connections.confirmMutation = async (what, connection, ...rest) =>
      connection.profile.id === 'local' ? answer.promise : confirmMutation(what, connection, ...rest);
    const first = handlers['millrace.job.runNow'](bench.services, { jobId: '5' });
    bench.profile = staging;
    await handlers['millrace.job.runNow'](bench.services, { jobId: '5' });
    answer.resolve(true);
    await first;
    assert.deepEqual(
      bench.trail.filter((line) => line.includes('run-now')),
      ['staging: run-now 5', 'run-now 5'],
    );
  });

  it('deploys a job file before it runs it', async () => {
    const bench = new Bench();
    await handlers['millrace.job.runNow'](bench.services, uri);
    assert.deepEqual(
      bench.trail.filter((line) => /^(create|run-now)/.test(line)),
      ['create 9007199254740993', 'run-now 9007199254740993'],
    );
  });

  it('edits python parameters as a command line and refuses what the document refuses', async () => {
    const bench = new Bench();
    bench.remote.set('5', {
      name: 'nightly',
      spark_python_task: { python_file: '/a.py', parameters: ['--day', 'to day'] },
    });
    bench.inputs = ['--day é', '--day "next day"'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.match(bench.trail[0] ?? '', /^refused: .*ASCII/);
    assert.deepEqual(bench.started, [{ job_id: '5', python_params: ['--day', 'next day'] }]);
  });

  it('deploys nothing of a file when its parameters are given up', async () => {
    const bench = new Bench();
    bench.giveUpInput = true;
    await handlers['millrace.job.runNowWithParameters'](bench.services, uri);
    assert.deepEqual(bench.trail, []);
    bench.giveUpInput = false;
    bench.inputs = ['--day friday'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, uri);
    assert.deepEqual(bench.started, [{ job_id: '9007199254740993', python_params: ['--day', 'friday'] }]);
  });

  it('edits notebook parameters one by one, starting with the base parameters', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nb', notebook_task: { notebook_path: '/n', base_parameters: { day: 'today' } } });
    bench.picks = ['day', /Add a parameter/, /Run with these/];
    bench.inputs = ['friday', 'city', 'Bonn'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { day: 'friday', city: 'Bonn' } }]);
  });

  it('says at the input when parameters exceed what a run may be given', async () => {
    const bench = new Bench();
    bench.remote.set('5', {
      name: 'nb',
      notebook_task: { notebook_path: '/n', base_parameters: { a: 'x'.repeat(6000), b: '' } },
    });
    bench.picks = ['b', /Run with these/];
    bench.inputs = ['y'.repeat(5000), 'y'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.match(bench.trail[0] ?? '', /^refused: .*notebook_params has 11015 bytes; at most 10,000/);
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { a: 'x'.repeat(6000), b: 'y' } }]);
  });

  it('lets parameters that are too large be made smaller one by one', async () => {
    const bench = new Bench();
    bench.remote.set('5', {
      name: 'nb',
      notebook_task: {
        notebook_path: '/n',
        base_parameters: { a: 'x'.repeat(9000), b: 'x'.repeat(9000), c: 'x'.repeat(9000) },
      },
    });
    bench.picks = ['a', 'b', 'c', /Run with these/];
    bench.inputs = ['x', 'y', 'z'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { a: 'x', b: 'y', c: 'z' } }]);
  });

  it('takes a shorter value even if all are too large still, and no longer one', async () => {
    const bench = new Bench();
    const long = 'x'.repeat(9000);
    bench.remote.set('5', {
      name: 'nb',
      notebook_task: { notebook_path: '/n', base_parameters: { a: long, b: long } },
    });
    bench.picks = ['a', 'b', 'b', /Run with these/];
    bench.inputs = ['y'.repeat(8999), 'z'.repeat(9000), 'z'.repeat(8999), 'z'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.equal(bench.trail.filter((line) => line.startsWith('refused: ')).length, 1);
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { a: 'y'.repeat(8999), b: 'z' } }]);
  });

  it('lets one value be mended while another has something wrong', async () => {
    const bench = new Bench();
    bench.remote.set('5', {
      name: 'nb',
      notebook_task: { notebook_path: '/n', base_parameters: { a: 'schön', b: 'für' } },
    });
    bench.picks = ['a', 'b', /Run with these/];
    bench.inputs = ['schoen', 'fuer'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { a: 'schoen', b: 'fuer' } }]);
  });

  it('repeats a run with the parameters that it had', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nb', notebook_task: { notebook_path: '/n', base_parameters: { day: 'today' } } });
    bench.runs = [
      {
        run_id: '9',
        job_id: '5',
        run_type: 'JOB_RUN',
        task: { notebook_task: { notebook_path: '/n' } },
        overriding_parameters: { notebook_params: { day: 'monday' } },
      },
    ];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { day: 'monday' } }], 'without a question');
    bench.picks = ['day', /Run with these/];
    bench.inputs = ['friday'];
    await handlers['millrace.run.repeatWithChanges'](bench.services, { runId: '9' });
    assert.deepEqual(bench.started[1], { job_id: '5', notebook_params: { day: 'friday' } });
    bench.runs = [
      { run_id: '9', run_name: 'n', run_type: 'JOB_RUN', task: { notebook_task: { notebook_path: '/n' } } },
    ];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(
      [bench.started.length, bench.submitted],
      [2, [{ run_name: 'n', notebook_task: { notebook_path: '/n' } }]],
      'one whose job the service does not name runs by itself',
    );
  });
});
