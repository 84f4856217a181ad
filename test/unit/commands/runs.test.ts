import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { targetOf } from '../../../src/commands/target.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { Bench } from './commandSetup.ts';

describe('commands on runs', () => {
  it('offers the runs that fit each command', async () => {
    const of = (name: string, life: string, result?: string, more: object = {}): Run => ({
      run_id: String(name.length),
      run_name: name,
      run_type: 'SUBMIT_RUN',
      state: { life_cycle_state: life, ...(result === undefined ? {} : { result_state: result }) },
      ...more,
    });
    const runs = [
      of('going', 'RUNNING', undefined, { run_page_url: 'https://service.example/run/5' }),
      of('queued', 'QUEUED'),
      of('good', 'TERMINATED', 'SUCCESS', { task: { notebook_task: { notebook_path: '/n' } } }),
      of('bad', 'TERMINATED', 'FAILED', { task: { spark_python_task: { python_file: '/a.py' } } }),
      of('never began', 'TERMINATED', 'FAILED', { execution_duration: 0 }),
      of('too long', 'TERMINATED', 'TIMEDOUT'),
      of('broken by the service', 'INTERNAL_ERROR'),
      of('stopped by somebody', 'TERMINATED', 'CANCELED'),
    ];
    const all = runs.map(({ run_name: name }) => name);
    const ended = all.slice(2);
    const failed = ['bad', 'never began', 'too long', 'broken by the service'];
    const offered: Partial<Record<keyof typeof handlers, (string | undefined)[]>> = {
      'millrace.openRun': all,
      'millrace.run.askChat': all,
      'millrace.run.attachToChat': all,
      'millrace.run.attachLine': [...failed, 'stopped by somebody'],
      'millrace.run.cancel': ['going', 'queued'],
      'millrace.run.compare': ended,
      'millrace.run.debugFailure': ['bad'],
      'millrace.run.delete': ended,
      'millrace.run.export': ['good'],
      'millrace.run.fix': failed,
      'millrace.run.openPage': ['going'],
      'millrace.run.repeat': all,
      'millrace.run.replay': all,
      'millrace.run.showCells': ['good'],
      'millrace.run.showOutput': all,
    };
    for (const [command, names] of Object.entries(offered)) {
      const bench = new Bench();
      bench.runs = runs;
      let labels: string[] = [];
      bench.services.ui.pick = async (_title, _placeholder, items) => void (labels = items.map(({ label }) => label));
      await handlers[command as keyof typeof handlers](bench.services, {});
      assert.deepEqual(labels, names, command);
      bench.runs = [];
      bench.trail = [];
      await handlers[command as keyof typeof handlers](bench.services, {});
      assert.deepEqual(bench.trail, ['info: Local has no suitable run.'], command);
    }
  });

  it('marks runs as canceled by the user unless the service refuses', async () => {
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

  it('opens the page of a run only if it is a web address', async () => {
    const bench = new Bench();
    bench.runs = [
      { run_id: '9', run_page_url: 'https://service.example/run/9' },
      { run_id: '10', run_page_url: 'command:workbench.action.quit' },
      { run_id: '11' },
      { run_id: '12', run_page_url: 'HTTP://127.0.0.1:8787/run/12' },
      { run_id: '13', run_page_url: 'file:///etc/passwd' },
    ];
    for (const runId of ['9', '12']) await handlers['millrace.run.openPage'](bench.services, { runId });
    assert.deepEqual(bench.trail, ['browser https://service.example/run/9', 'browser http://127.0.0.1:8787/run/12']);
    for (const runId of ['10', '11', '13'])
      await assert.rejects(handlers['millrace.run.openPage'](bench.services, { runId }), /no page that can be opened/);
    assert.equal(bench.trail.length, 2);
  });

  it('deletes only after a confirmation', async () => {
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
    assert.deepEqual(bench.trail, ['mutation: Delete run r (9)', 'confirm: Delete run r on Local?']);
  });
});

describe('a row of another profile', () => {
  it('is refused, unlike a row of the current profile', async () => {
    const bench = new Bench();
    bench.runs = [{ run_id: '9', run_type: 'SUBMIT_RUN', run_name: 'etl', state: { life_cycle_state: 'RUNNING' } }];
    bench.remote.set('5', { name: 'etl' });
    for (const id of ['millrace.openRun', 'millrace.run.showOutput', 'millrace.openJob'] as const)
      await assert.rejects(
        async () => handlers[id](bench.services, { runId: '9', jobId: '5', profileId: 'staging' }),
        /belongs to the profile "Staging"; the current one is "Local"\. Nothing was done\.$/,
      );
    assert.deepEqual(bench.trail, []);
    await handlers['millrace.openRun'](bench.services, { runId: '9', profileId: 'local' });
    await handlers['millrace.run.showOutput'](bench.services, { runId: '9', profileId: 'local' });
    await handlers['millrace.openJob'](bench.services, { jobId: '5', profileId: 'local' });
    assert.deepEqual(bench.trail, ['page local 9: etl', 'output local 9: etl', 'job page local 5: etl']);
  });
});

describe('a destructive command', () => {
  const job = { name: 'nightly', spark_python_task: { python_file: '/a.py' } };

  it('runs only after a confirmation that names job and profile', async () => {
    for (const [id, question, done] of [
      ['millrace.job.delete', 'confirm: Delete job "nightly" (5) on Local?', 'delete 5'],
      ['millrace.job.cancelAllRuns', 'confirm: Cancel all active runs of "nightly" on Local?', 'cancel all 5'],
    ] as const) {
      const bench = new Bench();
      bench.remote.set('5', job);
      bench.declined = true;
      await handlers[id](bench.services, { jobId: '5' });
      assert.equal(bench.trail.at(-1), question);
      assert.ok(bench.remote.has('5'));
      bench.declined = false;
      bench.trail = [];
      await handlers[id](bench.services, { jobId: '5' });
      const [first, second, third] = bench.trail;
      assert.match(first ?? '', /^mutation: .*job "nightly" \(5\)/);
      assert.equal(second, question);
      assert.equal(third, done);
    }
  });

  it('removes the job from the view at once and offers its settings back', async () => {
    const bench = new Bench();
    bench.remote.set('5', job);
    bench.store.setJobs([{ job_id: '5', settings: job }, { job_id: '6' }], 1);
    bench.answer = async (action) => action;
    await handlers['millrace.job.delete'](bench.services, { jobId: '5' });
    assert.deepEqual(
      bench.store.jobs.map(({ job_id: id }) => id),
      ['6'],
    );
    await eventually(() => bench.trail.some((line) => line.startsWith('opened: ')));
    assert.deepEqual(bench.trail.slice(2), [
      'delete 5',
      'refresh',
      'info: Deleted job "nightly" on Local.',
      'opened: name: nightly\nspark_python_task:\n  python_file: /a.py\n',
    ]);
  });

  it('does nothing when the user declines', async () => {
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

const row = (runId: string) => ({ node: { jobId: '5', runId, profileId: 'local' } });

function build(count: number): { bench: Bench; target: ReturnType<typeof targetOf> } {
  const bench = new Bench();
  const runs = Array.from({ length: count }, (_, index): Run => ({
    run_id: String(index + 1),
    job_id: '5',
    number_in_job: String(index + 1),
    run_type: 'JOB_RUN',
    state: index === 0 ? { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } : { life_cycle_state: 'RUNNING' },
  }));
  bench.store.setJobs([{ job_id: '5', settings: { name: 'etl' } }], 1);
  bench.store.mergeRuns(runs, 1);
  const rows = runs.map((run) => row(run.run_id));
  return { bench, target: targetOf(rows[0], [...rows, { node: { jobId: '5', profileId: 'local' } }]) };
}

describe('a notebook run', () => {
  it('shows what its cells gave', async () => {
    const bench = new Bench();
    const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    bench.runs = [{ run_id: '7', run_name: 'load', state, task: { notebook_task: { notebook_path: '/load' } } }];
    bench.exported =
      '<body><h1>load</h1><table><tr><td>forty characters of a table that a cell showed</td></tr></table>';
    const shown: string[] = [];
    bench.services.ui.previewHtml = async (_title, html) => void shown.push(html);
    await handlers['millrace.run.showCells'](bench.services, { runId: '7' });
    assert.deepEqual(shown, [bench.exported]);
  });
});

describe('canceling several runs', () => {
  it('asks once, names the active ones and cancels each', async () => {
    const { bench, target } = build(4);
    let detail = '';
    const { confirm } = bench.services.ui;
    bench.services.ui.confirm = async (message, text, action) => {
      detail = text;
      return confirm(message, text, action);
    };
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.deepEqual(
      bench.trail.filter((line) => /^(mutation|confirm)/.test(line)),
      ['mutation: Cancel 3 runs', 'confirm: Cancel 3 runs on Local?'],
    );
    assert.equal(detail, 'etl #2 (2)\netl #3 (3)\netl #4 (4)');
    assert.deepEqual(bench.trail.filter((line) => line.startsWith('cancel ')).toSorted(), [
      'cancel 2',
      'cancel 3',
      'cancel 4',
    ]);
    assert.equal(bench.trail.filter((line) => line.startsWith('watch local')).length, 3);
    assert.equal(bench.trail.at(-1), 'refresh');
  });

  it('cancels nothing after a no or without an active run', async () => {
    const { bench, target } = build(3);
    bench.declined = true;
    await handlers['millrace.run.cancel'](bench.services, target);
    assert.ok(!bench.trail.some((line) => line.startsWith('cancel')));
    const { bench: other } = build(1);
    await handlers['millrace.run.cancel'](other.services, targetOf(row('1'), [row('1'), row('1')]));
    assert.match(other.trail[0] ?? '', /^info: None of the selected rows/);
  });

  it('reports the runs that could not be canceled', async () => {
    const { bench, target } = build(3);
    bench.refusal = new AppError('forbidden', 'Not yours.');
    await assert.rejects(
      async () => handlers['millrace.run.cancel'](bench.services, target),
      /2 of 2 failed.*etl #2 .*Not yours/s,
    );
    assert.equal(bench.trail.filter((line) => line === 'not cancelled').length, 2);
    assert.ok(!bench.trail.some((line) => line.startsWith('watch')));
  });
});

const run = (runId: string, number: string, state: string, more: object = {}): Run =>
  ({
    run_id: runId,
    job_id: '5',
    number_in_job: number,
    run_type: 'JOB_RUN',
    start_time: Number(runId) * 1000,
    state: { life_cycle_state: state, result_state: state === 'RUNNING' ? undefined : 'SUCCESS' },
    ...more,
  }) as Run;

describe('comparing the outputs of two runs', () => {
  it('asks for another ended run of the job and shows the older one on the left', async () => {
    const bench = new Bench();
    bench.runs = [run('9', '3', 'TERMINATED'), run('8', '2', 'RUNNING'), run('7', '1', 'TERMINATED')];
    bench.picks = ['#1'];
    await handlers['millrace.run.compare'](bench.services, { runId: '9' });
    assert.equal(bench.trail.at(-1), 'compare local 7 9: #1 ↔ #3');
    bench.picks = ['#3'];
    await handlers['millrace.run.compare'](bench.services, { runId: '7' });
    assert.equal(bench.trail.at(-1), 'compare local 7 9: #1 ↔ #3');
  });

  it('compares the two selected runs of any job without asking', async () => {
    const bench = new Bench();
    bench.runs = [run('9', '3', 'TERMINATED'), run('7', '1', 'TERMINATED', { job_id: '6' })];
    const all = [{ jobId: '5', runId: '9' }, { jobId: '5' }, { jobId: '6', runId: '7' }];
    await handlers['millrace.run.compare'](bench.services, { ...all[0], all });
    assert.deepEqual(bench.trail, ['compare local 7 9: #1 ↔ #3']);
  });
});

describe('a run with several tasks', () => {
  const task = (key: string, runId: string, result: string) => ({
    task_key: key,
    run_id: runId,
    state: { life_cycle_state: 'TERMINATED', result_state: result },
    notebook_task: { notebook_path: `/${key}` },
  });
  const failed = run('9', '3', 'TERMINATED', { tasks: [task('read', '91', 'SUCCESS'), task('clean', '92', 'FAILED')] });
  const good = run('7', '1', 'TERMINATED', { tasks: [task('read', '71', 'SUCCESS'), task('clean', '72', 'SUCCESS')] });
  const bench = new Bench();

  it('is compared by the task that failed, or by the chosen one', async () => {
    bench.runs = [failed, good];
    bench.picks = ['#1', '#1'];
    await handlers['millrace.run.compare'](bench.services, { runId: '9' });
    assert.equal(bench.trail.at(-1), 'compare local 72 92: #1 clean ↔ #3 clean');
    await handlers['millrace.run.compare'](bench.services, { runId: '9', taskKey: 'read' });
    assert.equal(bench.trail.at(-1), 'compare local 71 91: #1 read ↔ #3 read');
  });

  it('is exported by its task', async () => {
    bench.picks = ['Code'];
    await handlers['millrace.run.export'](bench.services, { runId: '9' });
    assert.deepEqual(bench.exportedIds, ['92']);
  });
});

/** Returns the arguments that the shell passes to curl, with the token set. */
function wordsOf(command: string): string[] {
  const script = `set -- ${command.replace(/^curl /, '')}; printf '%s\\n' "$@"`;
  return execFileSync('sh', ['-c', script], { env: { MILLRACE_TOKEN: 's3cret' }, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

async function copied(profile: Partial<Profile>, target: { jobId?: string; runId?: string }): Promise<string> {
  const bench = new Bench();
  bench.profile = { ...localProfile, ...profile };
  bench.remote.set('9007199254740993', { name: "it's" });
  const command = target.runId === undefined ? 'millrace.job.copyAsCurl' : 'millrace.run.copyAsCurl';
  await handlers[command](bench.services, target);
  const line = bench.trail.find((text) => text.startsWith('copy '));
  assert.ok(line && bench.trail.at(-1)?.startsWith('info: Copied'), bench.trail.join('\n'));
  return line.slice('copy '.length);
}

describe('Copy as curl', () => {
  it('starts the job by its exact id with a token from the environment', async () => {
    const command = await copied({ authKind: 'bearer' }, { jobId: '9007199254740993' });
    assert.deepEqual(wordsOf(command), [
      '-sS',
      '-H',
      'Authorization: Bearer s3cret',
      'https://jobs.example/api/2.0/jobs/run-now',
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"job_id":9007199254740993}',
    ]);
  });
});
