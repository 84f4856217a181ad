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

  it('is what was approved', () => {
    const parts = [
      runs.flatMap(([name, run, job]) => [`== ${name}`, ...runFacts(run, job, now)]),
      ['== tasks', ...tasks.map((task) => [task, taskInWords(task) ?? 'nothing'])],
      [
        '== clusters',
        ...clusters.map((settings) => [
          settings,
          clusterWords(settings, runOf({ cluster_instance: { cluster_id: 'c' } })),
          clusterWords(settings),
        ]),
      ],
      ['== libraries', ...libraries.map((all) => librariesOf({ libraries: all }))],
      ['== schedules', ...schedules.map((schedule) => scheduleWords(schedule as Run['schedule']))],
      ...parameters.map(([name, run, job]) => {
        const shown = parametersShown(run, job);
        return [`== parameters: ${name}`, shown?.note, shown?.isList, shown?.isJobKnown, ...(shown?.rows ?? [])];
      }),
    ];
    assertApproved('run-facts', parts.map(lines).join(''));
  });

  it('has nothing of what is not told', () => {
    assert.equal(fact('name', undefined), undefined);
    assert.equal(fact('name', []), undefined);
    assert.deepEqual(fact('name', [{ label: 'a' }]), { name: 'name', values: [{ label: 'a' }] });
    assert.deepEqual([undefined, '', 'a'].map(plainLinks), [undefined, undefined, [{ label: 'a' }]]);
    const names = runFacts(runOf({ run_type: 'JOB_RUN' }), undefined, now).map(({ name }) => name);
    assert.deepEqual(names, ['Run ID'], 'a run of a job that is not told');
  });

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

  it('tells each of all that is known as words of its own', () => {
    const whole = runOf({
      task: { notebook_task: { notebook_path: '/n' } },
      cluster_spec: { existing_cluster_id: 'c-1', libraries: [{ pypi: { package: 'six' } }] },
      trigger: 'ONE_TIME',
      creator_user_name: 'ann',
      state: ended,
      start_time: now - 2 * day,
      end_time: now - day,
    });
    const facts = runFacts(whole, undefined, now);
    assert.deepEqual(
      facts.map(({ name }) => name),
      ['Task', 'Cluster', 'Libraries', 'Trigger', 'Creator', 'Started', 'Ended', 'Run ID', 'Kept'],
    );
    for (const { name, values } of facts) assert.deepEqual(Object.keys(values[0] ?? {}), ['label'], name);
    assert.deepEqual(facts[1]?.values, [{ label: 'c-1, existing' }]);
    const bare = runFacts(runOf({ cluster_instance: { cluster_id: 'c-2' } }), undefined, now);
    assert.deepEqual(bare[0], { name: 'Cluster', values: [{ label: 'c-2' }] });
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
      assert.equal(trigger(first), 'Retry of an earlier attempt');
  });

  it('has no parameters of a task that takes none', () => {
    const task = { pipeline_task: { pipeline_id: 'p', parameters: ['1'] } };
    assert.equal(parametersShown(runOf({ task }), jobOf(task)), undefined);
  });

  it('says whether the job would send the same now', () => {
    const noteOf = (sent: string[], inJob: string[]): string | undefined =>
      parametersShown(runOf({ task: python(sent) }), jobOf(python(inJob)))?.note;
    assert.equal(noteOf(['a', 'b'], ['a', 'b']), 'as in the job');
    for (const inJob of [['a', 'c'], ['c', 'b'], ['b', 'a'], ['a'], ['a', 'b', 'c']])
      assert.equal(noteOf(['a', 'b'], inJob), 'the job has others now', inJob.join());
  });

  it('shows as much of a parameter as services take', () => {
    const sent = [10_000, 10_001].map((length) => 'x'.repeat(length));
    assert.deepEqual(
      parametersShown(runOf({ task: python([...sent, undefined, null]) }), undefined)?.rows.map((row) => row.sent),
      [sent[0], `${sent[0]}…`, '', 'null'],
    );
  });
});
