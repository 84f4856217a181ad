import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import {
  clusterWords,
  fact,
  librariesOf,
  parametersShown,
  plainLinks,
  runFacts,
  scheduleWords,
  taskInWords,
} from '../../../../src/runs/page/runFacts.ts';
import { assertApproved } from '../../../support/approved.ts';

const now = Date.UTC(2026, 0, 30, 12);
const day = 24 * 60 * 60 * 1000;
const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
const runOf = (more: object): Run => ({ run_id: '5', ...more }) as unknown as Run;
const jobOf = (settings: object): Job => ({ job_id: '7', settings }) as unknown as Job;

const runs: readonly (readonly [name: string, run: Run, job?: Job])[] = [
  ['nothing known', runOf({})],
  [
    'of a job',
    runOf({ job_id: '7', run_type: 'JOB_RUN', state: ended, end_time: now - day, start_time: now - 2 * day }),
    jobOf({ name: 'etl' }),
  ],
  [
    'of a job that is gone',
    runOf({ job_id: '7', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' }, end_time: 0 }),
  ],
  ['of one time', runOf({ job_id: '7', run_type: 'SUBMIT_RUN', state: ended, end_time: now - 59 * day })],
  ['still going on, with an end', runOf({ state: { life_cycle_state: 'RUNNING' }, end_time: now })],
  ['ended at no time', runOf({ state: ended, end_time: 9e15 })],
  ['kept no more', runOf({ state: ended, end_time: now - 61 * day })],
  ...['PERIODIC', 'ONE_TIME', 'RETRY', 'LATER', undefined].map(
    (trigger) =>
      [
        `started by ${trigger}`,
        runOf({ trigger, schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' } }),
      ] as const,
  ),
  ['by a schedule that is not told', runOf({ trigger: 'PERIODIC', creator_user_name: 'ann' })],
  ['with libraries of its job', runOf({}), jobOf({ libraries: [{ jar: '/a/b.jar' }] })],
  [
    'with its own libraries',
    runOf({ cluster_spec: { libraries: [{ whl: 'w.whl' }] } }),
    jobOf({ libraries: [{ jar: '/a/b.jar' }] }),
  ],
];

const tasks: readonly object[] = [
  { notebook_task: { notebook_path: '/n' } },
  { notebook_task: {} },
  { spark_python_task: { python_file: '/p.py' } },
  { spark_jar_task: { main_class_name: 'C' } },
  { spark_submit_task: { parameters: [] } },
  { pipeline_task: { pipeline_id: 'p' } },
  { pipeline_task: { pipeline_id: 7 } },
  { run_job_task: { job_id: '9' } },
  { run_job_task: {} },
  { dbt_task: {}, other: 1 },
  { other: 1 },
  { notebook_task: null },
  {},
];

const clusters: readonly object[] = [
  { existing_cluster_id: 'local' },
  { new_cluster: { spark_version: '15.4', node_type_id: 'i3', num_workers: 1 } },
  { new_cluster: { spark_version: '15.4', num_workers: 0 } },
  { new_cluster: { node_type_id: 7, num_workers: '2' } },
  { new_cluster: {} },
  { new_cluster: null, existing_cluster_id: 7 },
  {},
];

const libraries: readonly unknown[] = [
  undefined,
  [],
  'no list',
  [
    { jar: 's3://b/a.jar' },
    { whl: 'w.whl' },
    { egg: '/' },
    { pypi: { package: 'six==1' } },
    { maven: { coordinates: 'g:a:1' } },
    { cran: { repo: 'r' } },
    {},
    null,
    'odd',
    { later: null },
  ],
  Array.from({ length: 12 }, (_each, at) => ({ jar: `${at}.jar` })),
  Array.from({ length: 14 }, (_each, at) => ({ jar: `${at}.jar` })),
  [{}],
];

const schedules: readonly unknown[] = [
  undefined,
  {},
  { quartz_cron_expression: '0 0 6 * * ?' },
  { quartz_cron_expression: 'odd', timezone_id: 'UTC' },
  { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'Europe/Berlin' },
];

const notebook = (base_parameters?: object | null): object => ({
  notebook_task: { notebook_path: '/n', base_parameters },
});
const python = (parameters?: unknown): object => ({ spark_python_task: { python_file: '/p.py', parameters } });
const parameters: readonly (readonly [name: string, run: Run, job?: Job])[] = [
  ['none', runOf({ task: notebook() })],
  ['none of a list', runOf({ task: python('odd') })],
  ['no task', runOf({})],
  ['a task without parameters', runOf({ task: { pipeline_task: { pipeline_id: 'p' } } })],
  ['of a notebook, as in the job', runOf({ task: notebook({ a: '1', b: '2' }) }), jobOf(notebook({ a: '1', b: '2' }))],
  [
    'of a notebook, some given',
    runOf({ task: notebook({ a: '1', b: '2' }), overriding_parameters: { notebook_params: { b: '3', c: '4' } } }),
    jobOf(notebook({ a: '0' })),
  ],
  ['of a notebook, without the job', runOf({ task: notebook({ a: 1, b: { c: 1 }, d: 'x'.repeat(2001) }) })],
  ['of a notebook, null', runOf({ task: notebook(null), overriding_parameters: { notebook_params: null } })],
  ['of a file, as in the job', runOf({ task: python(['a', 1]) }), jobOf(python(['a', 1]))],
  [
    'of a file, others given',
    runOf({ task: python(['a', 'b']), overriding_parameters: { python_params: ['a', 'c', 'd'] } }),
    jobOf(python(['a', 'b'])),
  ],
  [
    'of a file, fewer given',
    runOf({ task: python(['a', 'b']), overriding_parameters: { python_params: [] } }),
    jobOf(python(['a', 'b'])),
  ],
  ['of a file whose job has changed', runOf({ task: python(['a', 'b', 'x'.repeat(2000)]) }), jobOf(python(['z']))],
  ['of a file whose job has one more by now', runOf({ task: python(['a']) }), jobOf(python(['a', 'b']))],
  ['of a file whose job has another task by now', runOf({ task: python(['a']) }), jobOf(notebook({ a: '1' }))],
  ['of a notebook whose job has none by now', runOf({ task: notebook({ a: '1' }) }), jobOf(notebook())],
  [
    'of a file, the first alone given',
    runOf({ task: python(['a', 'b']), overriding_parameters: { python_params: ['a'] } }),
    jobOf(python(['a', 'b'])),
  ],
  [
    'of a file, given before the job got the same',
    runOf({ task: python(['a', 'b']), overriding_parameters: { python_params: ['a', 'c'] } }),
    jobOf(python(['a', 'c'])),
  ],
  [
    'of a file, without the job',
    runOf({ task: python(['a']), overriding_parameters: { notebook_params: { a: '1' } } }),
  ],
];

describe('what the page says of a run beside how it went', () => {
  const lines = (all: readonly unknown[]): string =>
    all.map((each) => `${JSON.stringify(each) ?? 'nothing'}\n`).join('');

  it('links the job of a run, by its name or else its id', () => {
    const run = runOf({ job_id: '7', run_type: 'JOB_RUN' });
    const jobFile = { label: 'as job file', action: 'jobFile' };
    const [named, other] = [jobOf({ name: 'etl' }), undefined].map((job) => runFacts(run, job, now)[0]?.values);
    assert.deepEqual(
      [named, other],
      [
        [{ label: 'etl', jobId: '7' }, jobFile],
        [{ label: '7', jobId: '7' }, jobFile],
      ],
    );
    assert.deepEqual(runFacts(run, undefined, now).at(-1), { name: 'Run ID', values: [{ label: '5' }], copies: '5' });
  });

  it('says how long a run is kept, unless it is gone', () => {
    const run = runOf({ state: ended, end_time: now - 59 * day });
    const kept = (isGone?: boolean) =>
      runFacts(run, undefined, now, { isGone }).find(({ name }) => name === 'Kept')?.values[0]?.label;
    const until = new Date(now + day).toLocaleDateString(undefined, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
    });
    const words = `1 more day, until ${until}`;
    assert.deepEqual([kept(), kept(false), kept(true)], [words, words, undefined]);
    run.end_time = now - 60 * day;
    assert.equal(kept(), undefined, 'nobody says how much longer');
  });

  it('says of a retry what had started its first attempt', () => {
    const run = runOf({ trigger: 'RETRY' });
    const trigger = (first?: object) =>
      runFacts(run, undefined, now, { first: first && runOf(first) }).find(({ name }) => name === 'Trigger')?.values[0]
        ?.label;
    const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' };
    assert.deepEqual(
      [trigger({ trigger: 'PERIODIC', schedule }), trigger({ trigger: 'ONE_TIME' }), trigger({ trigger: 'NEW' })],
      [
        'Retry; the first attempt: Schedule: At 06:00 every day, UTC',
        'Retry; the first attempt: Started by hand or by a program',
        'Retry; the first attempt: NEW',
      ],
    );
    for (const first of [undefined, {}, { trigger: 'RETRY' }])
      assert.equal(trigger(first), 'Retry of an attempt before');
  });

  it('says whether the job would send the same now', () => {
    const noteOf = (sent: string[], inJob: string[]): string | undefined =>
      parametersShown(runOf({ task: python(sent) }), jobOf(python(inJob)))?.note;
    assert.equal(noteOf(['a', 'b'], ['a', 'b']), 'as in the job now');
    for (const inJob of [['a', 'c'], ['c', 'b'], ['b', 'a'], ['a'], ['a', 'b', 'c']])
      assert.equal(noteOf(['a', 'b'], inJob), 'the job has others now', inJob.join());
  });
});
