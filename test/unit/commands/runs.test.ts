import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench, staging } from './commandSetup.ts';

describe('runs', () => {
  holdTrail(import.meta.url);
  holdApproved('runs');

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

  it('offers for each command the runs with which it can be done', async () => {
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
      assert.deepEqual(bench.trail, ['info: Local has no run that this can be done with.'], command);
    }
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

  it('shows an export as it can be read without its scripts, under its name', async () => {
    const bench = new Bench();
    bench.runs = [
      {
        run_id: '9',
        task: { notebook_task: { notebook_path: '/n' } },
        state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      },
    ];
    const model = btoa(
      encodeURIComponent(JSON.stringify({ name: 'n', commands: [{ position: 1, command: 'the code' }] })),
    );
    bench.exported = `<html><body><script>var __DATABRICKS_NOTEBOOK_MODEL = '${model}';</script></body></html>`;
    const previews: string[][] = [];
    Object.assign(bench.services.ui, { previewHtml: async (...given: string[]) => void previews.push(given) });
    bench.picks = ['Code'];
    bench.answer = async (action) => action;
    await handlers['millrace.run.export'](bench.services, { runId: '9' });
    await eventually(() => assert.equal(previews.length, 1));
    const [[title, html] = []] = previews;
    assert.equal(title, '../../evil');
    assert.match(html ?? '', /the code/);
  });

  it('exports the views that are chosen', async () => {
    const bench = new Bench();
    bench.runs = [
      {
        run_id: '9',
        task: { notebook_task: { notebook_path: '/n' } },
        state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      },
    ];
    const asked: unknown[] = [];
    const { connect } = bench.services.connections;
    bench.services.connections.connect = async () => {
      const { profile, client } = await connect();
      const exportRun = async (request: object, { signal }: { signal?: AbortSignal } = {}) => (
        asked.push(request),
        assert.ok(signal),
        []
      );
      return { profile, client: { ...client, jobs: { ...client.jobs, exportRun } } as never };
    };
    for (const label of ['Code', 'Dashboards', 'All']) {
      bench.picks = [label];
      await handlers['millrace.run.export'](bench.services, { runId: '9' }).catch(() => undefined);
    }
    assert.deepEqual(
      asked,
      ['CODE', 'DASHBOARDS', 'ALL'].map((views) => ({ run_id: '9', views_to_export: views })),
    );
  });

  it('writes nothing of an export where no view is chosen, there is none, or no folder is, and offers a look at it', async () => {
    const bench = new Bench();
    bench.runs = [
      {
        run_id: '9',
        run_name: 'n',
        task: { notebook_task: { notebook_path: '/n' } },
        state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      },
    ];
    const { connect } = bench.services.connections;
    let items: object[] | undefined;
    bench.services.connections.connect = async () => {
      const { profile, client } = await connect();
      const exportRun = async () => items ?? assert.fail('nothing is asked');
      return { profile, client: { ...client, jobs: { ...client.jobs, exportRun } } as never };
    };
    const written: unknown[][] = [];
    const chosen: { folder?: string; view?: string } = {};
    Object.assign(bench.services.ui, {
      chooseFolder: async (title: string) => (bench.trail.push(title), chosen.folder),
      writeExport: async (...export_: unknown[]) => (written.push(export_), `/x/${String(export_[1])}`),
      previewHtml: async (...shown: unknown[]) => void written.push(['preview', ...shown]),
      pick: async (
        _title: string,
        _placeholder: string,
        all: { label: string; description?: string; value: unknown }[],
      ) => all.find(({ label }) => label === chosen.view)?.value,
    });
    const run = async (): Promise<string[]> => {
      bench.trail.length = 0;
      await handlers['millrace.run.export'](bench.services, { runId: '9' });
      await new Promise((resolve) => setImmediate(resolve));
      return [...bench.trail];
    };
    assert.deepEqual(await run(), []);
    chosen.view = 'All';
    items = [];
    assert.deepEqual(await run(), ['info: n has no such view, so nothing was written.']);
    items = [{ name: 'one', content: '<p>1</p>' }, { name: 'two' }];
    assert.deepEqual(await run(), ['Folder for the export of n']);
    assert.equal(written.length, 0);
    chosen.folder = '/x';
    bench.answer = async (action) => action;
    assert.deepEqual(await run(), ['Folder for the export of n', 'info: Exported n to /x/one-9.html, /x/two-9.html.']);
    assert.deepEqual(
      written.map((each) => each.slice(0, 2)),
      [
        ['/x', 'one-9.html'],
        ['/x', 'two-9.html'],
        ['preview', 'one'],
      ],
    );
    assert.deepEqual([written[0]?.[2], written[1]?.[2]], ['<p>1</p>', '']);
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
      { run_id: '12', run_page_url: 'HTTP://127.0.0.1:8787/run/12' },
      { run_id: '13', run_page_url: 'file:///etc/passwd' },
    ];
    for (const runId of ['9', '12']) await handlers['millrace.run.openPage'](bench.services, { runId });
    assert.deepEqual(bench.trail, ['browser https://service.example/run/9', 'browser http://127.0.0.1:8787/run/12']);
    for (const runId of ['10', '11', '13'])
      await assert.rejects(handlers['millrace.run.openPage'](bench.services, { runId }), /no page that can be opened/);
    assert.equal(bench.trail.length, 2);
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
    assert.deepEqual(bench.trail, ['mutation: Delete run r (9)', 'confirm: Delete run r on Local?']);
  });
});

describe('a row of another profile', () => {
  holdTrail(import.meta.url, '-2');
  it('is told of and does nothing, while one of the current profile is named with it', async () => {
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

  it('is shown as one of the profile that it is of', async () => {
    const bench = new Bench();
    bench.profile = staging;
    bench.runs = [{ run_id: '9', run_type: 'SUBMIT_RUN', run_name: 'etl', state: { life_cycle_state: 'RUNNING' } }];
    bench.remote.set('5', { name: 'etl' });
    await handlers['millrace.openRun'](bench.services, { runId: '9', profileId: 'staging' });
    await handlers['millrace.run.showOutput'](bench.services, { runId: '9' });
    await handlers['millrace.openJob'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, ['page staging 9: etl', 'output staging 9: etl', 'job page staging 5: etl']);
  });
});

describe('what cannot be undone', () => {
  holdTrail(import.meta.url, '-3');
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

  it('takes the job out of the view at once, and offers its settings back', async () => {
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
