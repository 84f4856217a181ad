import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { targetOf } from '../../../src/commands/target.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { Bench, goodFile } from './bench.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

describe('deploy', () => {
  it('creates the job, names it before, and remembers it for the next deploy', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail, [
      'mutation: Create job "nightly"',
      'create 9007199254740993',
      'refresh',
      'info: Deployed "nightly" to Local as job 9007199254740993.',
    ]);
    bench.trail = [];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail.slice(0, 2), [
      'mutation: Replace the settings of job "nightly" (9007199254740993)',
      'reset 9007199254740993',
    ]);
  });

  it('sends nothing of a file with problems and shows the first', async () => {
    const bench = new Bench();
    bench.texts.set(
      uri.uri,
      'name: x\nmax_concurrent_runs: 5000\nspark_python_task: {python_file: /a.py}\nexisting_cluster_id: local\n',
    );
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.remote.size, 0);
    assert.match(bench.trail[0] ?? '', /^warn: nightly\.job\.yml has a problem and was not sent: .*1000/);
    assert.equal(bench.trail[1], 'problem at 29');
  });

  it('asks before it takes a job of the same name, and does nothing when that is not answered', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    bench.picks = ['Replace the settings of job 5'];
    bench.decisions = ['Deploy Anyway'];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.ok(bench.trail.includes('reset 5'));
    assert.equal(bench.remote.size, 1);
  });

  it('creates anew when the job it knew was deleted, and says so', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '404');
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.ok(bench.trail.includes('create 9007199254740993'));
    assert.equal(
      bench.trail.at(-1),
      'info: Deployed "nightly" to Local as job 9007199254740993. Job 404, which the file was deployed to before, no longer exists there.',
    );
    assert.equal(bench.remembered.get(`local ${uri.uri}`), '9007199254740993');
  });

  it('asks before it replaces a job whose id it remembers under another name', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '1');
    bench.remote.set('1', { name: 'of somebody else' });
    bench.picks = ['Create another job'];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.remote.get('1'), { name: 'of somebody else' });
    assert.equal(bench.remembered.get(`local ${uri.uri}`), '9007199254740993');
  });

  it('takes the job file in front of the user, also one that was never saved', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, {});
    assert.ok(bench.trail.includes('create 9007199254740993'), bench.trail.join('\n'));
  });

  it('sends nothing when the choice of a file is given up', async () => {
    const bench = new Bench();
    bench.services.ui.pick = async () => undefined;
    bench.activeIsJobFile = false;
    await handlers['millrace.jobFile.deploy'](bench.services, {});
    assert.deepEqual(bench.trail, []);
  });

  it('fails plainly where the file names a job that does not exist, digit for digit', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `job_id: 9007199254740997\n${goodFile}`);
    await assert.rejects(handlers['millrace.jobFile.deploy'](bench.services, uri), (error: AppError) => {
      assert.equal(
        error.message,
        'nightly.job.yml was not deployed: its line job_id names job 9007199254740997, which does not exist on Local.',
      );
      assert.match(error.remedy ?? '', /^Remove the line job_id and deploy the file to create a new job/);
      return true;
    });
    assert.equal(bench.remote.size, 0);
  });

  it('does nothing when the user declines', async () => {
    const bench = new Bench();
    bench.declined = true;
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.remote.size, 0);
  });
});

describe('compare', () => {
  it('says so where file and job say the same in other words', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '5');
    bench.remote.set('5', {
      existing_cluster_id: 'local',
      name: 'nightly',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.deepEqual(bench.trail, [
      'info: nightly.job.yml and job "nightly" (5) on Local say the same: a deploy would change nothing.',
    ]);
  });

  it('shows both and names what differs', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '5');
    bench.remote.set('5', {
      existing_cluster_id: 'local',
      name: 'other',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.match(bench.trail[0] ?? '', /^compare: name: other\n/);
    assert.equal(
      bench.trail[1],
      'info: A deploy of nightly.job.yml would change this of job "other" (5) on Local: name.',
    );
  });
});

describe('compare with a job that is gone', () => {
  it('names the job, compares nothing and still knows the link', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '404');
    const said = [
      'info: Job 404, which nightly.job.yml was deployed to, no longer exists on Local, so nothing was compared. Deploy the file to create a new job.',
    ];
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.deepEqual(bench.trail, said);
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.deepEqual(bench.trail, [...said, ...said]);
  });

  it('says of a file that was never deployed that it was not', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.match(bench.trail[0] ?? '', /^info: nightly\.job\.yml was not deployed to Local yet/);
  });
});

describe('the choice of a job', () => {
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
  });
});

describe('runs', () => {
  it('offers only active runs for cancelling', async () => {
    const bench = new Bench();
    bench.runs = [
      {
        run_id: '1',
        run_name: 'done',
        run_type: 'SUBMIT_RUN',
        state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      },
      { run_id: '2', run_name: 'going', run_type: 'SUBMIT_RUN', state: { life_cycle_state: 'RUNNING' } },
    ];
    bench.picks = ['going'];
    await handlers['millrace.run.cancel'](bench.services, {});
    assert.deepEqual(bench.trail, [
      'mutation: Cancel run going (2)',
      'cancelling local 2',
      'cancel 2',
      'watch local 2',
      'refresh',
    ]);
  });

  it('knows which runs the user ends himself, unless the service refuses', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    const run = { run_id: '2', job_id: '5', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } };
    bench.store.mergeRuns([run, { ...run, run_id: '3', job_id: '6' }], Date.now());
    bench.refusal = new AppError('forbidden', 'Not allowed.');
    for (const id of ['millrace.run.cancel', 'millrace.job.cancelAllRuns'] as const) {
      bench.trail.length = 0;
      await assert.rejects(handlers[id](bench.services, { jobId: '5', runId: '2' }), /Not allowed/);
      assert.ok(
        bench.trail.indexOf('cancelling local 2') >= 0 && bench.trail.at(-1) === 'not cancelled',
        bench.trail.join('\n'),
      );
    }
  });

  it('exports under a plain name inside the folder', async () => {
    const bench = new Bench();
    bench.runs = [
      {
        run_id: '9',
        job_id: '5',
        task: { notebook_task: { notebook_path: '/n' } },
        state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      },
    ];
    bench.picks = ['Code'];
    await handlers['millrace.run.export'](bench.services, { runId: '9' });
    assert.ok(bench.trail.includes('write /exports/evil-9.html'), bench.trail.join('\n'));
  });

  it('says why a run without a notebook cannot be exported', async () => {
    const bench = new Bench();
    bench.runs = [
      { run_id: '9', task: { spark_python_task: { python_file: '/a.py' } }, state: { life_cycle_state: 'TERMINATED' } },
    ];
    await assert.rejects(
      handlers['millrace.run.export'](bench.services, { runId: '9' }),
      /not a notebook run, so nothing was exported/,
    );
  });

  it('opens the page of a run, and nothing that is no page of the web', async () => {
    const bench = new Bench();
    bench.runs = [
      { run_id: '9', run_page_url: 'https://service.example/run/9' },
      { run_id: '10', run_page_url: 'command:workbench.action.quit' },
      { run_id: '11' },
    ];
    await handlers['millrace.run.openPage'](bench.services, { runId: '9' });
    assert.deepEqual(bench.trail, ['browser https://service.example/run/9']);
    for (const runId of ['10', '11'])
      await assert.rejects(handlers['millrace.run.openPage'](bench.services, { runId }), /no page that can be opened/);
    assert.equal(bench.trail.length, 1);
  });

  it('deletes only after a yes', async () => {
    const bench = new Bench();
    bench.declined = true;
    bench.runs = [
      {
        run_id: '9',
        run_name: 'r',
        run_type: 'SUBMIT_RUN',
        state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
      },
    ];
    await handlers['millrace.run.delete'](bench.services, { runId: '9' });
    assert.deepEqual(bench.trail, ['confirm: Delete run r on Local?']);
  });
});

describe('what cannot be undone', () => {
  const job = { name: 'nightly', spark_python_task: { python_file: '/a.py' } };

  it('is done to a job only after a yes to a question that names job and profile', async () => {
    for (const [id, question, done] of [
      ['millrace.job.delete', 'confirm: Delete job "nightly" (5) on Local?', 'delete 5'],
      ['millrace.job.cancelAllRuns', 'confirm: Cancel all active runs of "nightly" on Local?', 'cancel all 5'],
    ] as const) {
      const bench = new Bench();
      bench.remote.set('5', job);
      bench.declined = true;
      await handlers[id](bench.services, { jobId: '5' });
      assert.deepEqual(bench.trail, [question]);
      assert.ok(bench.remote.has('5'));
      bench.declined = false;
      bench.trail = [];
      await handlers[id](bench.services, { jobId: '5' });
      const [first, second, third] = bench.trail;
      assert.equal(first, question);
      assert.match(second ?? '', /^mutation: .*job "nightly" \(5\)/);
      assert.equal(third, done);
    }
  });

  it('is not done where the profile is asked about and that is declined', async () => {
    for (const id of [
      'millrace.job.delete',
      'millrace.job.cancelAllRuns',
      'millrace.run.delete',
      'millrace.run.cancel',
    ] as const) {
      const bench = new Bench();
      bench.remote.set('5', job);
      const state =
        id === 'millrace.run.cancel'
          ? { life_cycle_state: 'RUNNING' }
          : { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
      bench.runs = [{ run_id: '9', run_name: 'r', run_type: 'SUBMIT_RUN', state }];
      bench.mutationDeclined = true;
      await handlers[id](bench.services, id.startsWith('millrace.run') ? { runId: '9' } : { jobId: '5' });
      assert.match(bench.trail.at(-1) ?? '', /^mutation: /, id);
    }
  });
});

describe('ask the chat', () => {
  const failed: Run = {
    run_id: '9',
    job_id: '5',
    run_name: 'nightly',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'Exit code 1.' },
  };

  it('hands over state, error, output and job file of a failed run, and sends nothing', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly', max_retries: 2 });
    bench.runs = [failed];
    bench.output = { logs: 'line 1', error: 'ZeroDivisionError', error_trace: 'Traceback: main.py' };
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    const [question] = bench.questions;
    assert.equal(question?.prompt, 'Why did this run fail, and what can I do about it?');
    const [output, file] = question?.attachments ?? [];
    for (const part of ['Failed', 'Exit code 1.', 'line 1', 'ZeroDivisionError', 'Traceback: main.py'])
      assert.ok(output?.text.includes(part), part);
    assert.deepEqual(
      [file?.label, file?.language, file?.text],
      ['nightly: job file', 'yaml', 'name: nightly\nmax_retries: 2\n'],
    );
    assert.deepEqual(bench.trail, []);
  });

  it('puts the same into the conversation on screen where no question is asked', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    bench.runs = [failed];
    bench.output = { logs: 'line 1' };
    await handlers['millrace.run.attachToChat'](bench.services, { runId: '9' });
    const [given] = bench.questions;
    assert.deepEqual([given?.prompt, given?.attachments.length], ['', 2]);
    assert.match(given?.attachments[0]?.text ?? '', /line 1/);
  });

  it('keeps the beginning and the end of a long output', async () => {
    const bench = new Bench();
    bench.runs = [failed];
    bench.output = { logs: `first ${'x'.repeat(1_000_000)}`, error: 'the last word' };
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    const text = bench.questions[0]?.attachments[0]?.text ?? '';
    assert.ok(text.length < 20_200 && text.includes('first x') && text.includes('the last word'));
    assert.match(text, /… \d+ characters are left out here …/);
  });

  it('reads a result as the tree does: in the words of every server, and an unknown one as no failure', async () => {
    for (const [result, asked] of [
      ['SUCCESSFUL', 'What did this run do?'],
      ['MOSTLY_FINE', 'What did this run do?'],
      ['TIMED_OUT', 'Why did this run fail, and what can I do about it?'],
    ] as const) {
      const bench = new Bench();
      bench.runs = [{ ...failed, state: { life_cycle_state: 'TERMINATED', result_state: result } }];
      await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
      assert.equal(bench.questions[0]?.prompt, asked);
    }
  });

  it('asks also where the job is gone and the output is not kept', async () => {
    const bench = new Bench();
    bench.runs = [{ ...failed, state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } }];
    bench.output = undefined;
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    assert.deepEqual(
      bench.questions.map(({ prompt, attachments }) => [prompt, attachments.length]),
      [['What did this run do?', 1]],
    );
    assert.match(bench.questions[0]?.attachments[0]?.text ?? '', /No output is kept\./);
  });
});

describe('ask the chat about a run that cannot be read', () => {
  it('asks nothing, and says why', async () => {
    const bench = new Bench();
    bench.runs = [{ run_id: '9', state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }];
    bench.outputFailure = new AppError('network', 'Nothing answers.');
    await assert.rejects(async () => handlers['millrace.run.askChat'](bench.services, { runId: '9' }), {
      message: 'Nothing answers.',
    });
    assert.deepEqual(bench.questions, []);
  });
});

describe('targetOf', () => {
  it('reads what trees, lenses, menus and the palette hand over', () => {
    assert.deepEqual(targetOf({ id: 'x', node: { jobId: '1', runId: '2', profileId: 'local' } }), {
      jobId: '1',
      runId: '2',
      profileId: 'local',
    });
    assert.deepEqual(targetOf('file:///a'), { uri: 'file:///a' });
    assert.deepEqual(targetOf({ scheme: 'file', toString: () => 'file:///b' }), { uri: 'file:///b' });
    assert.deepEqual(targetOf(undefined), {});
    assert.deepEqual(targetOf({ jobId: '3' }), { jobId: '3', runId: undefined, uri: undefined, profileId: undefined });
  });
});
