import assert from 'node:assert/strict';
import { has } from '../../../../../src/api/schema/jobs/rule.ts';
import { checkJobSettings, checkRunNow, checkSubmit, jobSettings } from '../../../../../src/api/schema/jobs/schemas.ts';
import * as schemas from '../../../../../src/api/schema/jobs/schemas.ts';
import { decodeChecked } from '../../../../../src/api/schema/problems.ts';
import type { Fields } from '../../../../../src/shared/fields.ts';
import { broken, times } from '../../brokenRules.ts';
import { reports, notebook, existing, cluster, onNew, submitTask, libraries, schedule, mail } from './jobParts.ts';
import './requestRules.part.ts';

/** Settings of a job, and what is wrong with them; the neighbours of each limit are there on both sides. */
const settings: [title: string, value: Fields, ...problems: string[]][] = [
  ['a notebook on a cluster that exists', existing],
  ['a notebook on a new cluster', onNew({})],
  ['two tasks', { ...existing, spark_jar_task: { main_class_name: 'a' } }, 'spark_jar_task oneTask'],
  ['no task', { existing_cluster_id: 'c' }, 'noTask'],
  ['a task that is null', { existing_cluster_id: 'c', notebook_task: undefined }, 'noTask'],
  ['an empty list of tasks', { existing_cluster_id: 'c', tasks: [] }, 'noTask'],
  ['a task of a later version', { existing_cluster_id: 'c', sql_task: {} }],
  ['a hundred tasks', { tasks: times(100, {}) }],
  ['more than a hundred tasks', { tasks: times(101, {}) }, 'tasks tooManyTasks'],
  ['no cluster', notebook, 'noCluster'],
  ['a pipeline without a cluster', { pipeline_task: { pipeline_id: 'p' } }],
  ['a job without a cluster', { run_job_task: { job_id: '1' } }],
  ['both clusters', { ...onNew({}), existing_cluster_id: 'c' }, 'existing_cluster_id oneCluster'],
  ['an empty id of a cluster', { ...notebook, existing_cluster_id: '' }, 'existing_cluster_id too_small'],
  [
    'a relative path of a notebook',
    { existing_cluster_id: 'c', notebook_task: { notebook_path: 'n' } },
    'notebook_task.notebook_path invalid_format',
  ],
  [
    'base parameters that are no ASCII',
    { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n', base_parameters: { a: 'ü' } } },
    'notebook_task.base_parameters.a asciiOnly',
  ],
  [
    'an empty Python file',
    { existing_cluster_id: 'c', spark_python_task: { python_file: '' } },
    'spark_python_task.python_file too_small',
  ],
  ['an empty pipeline', { pipeline_task: { pipeline_id: '' } }, 'pipeline_task.pipeline_id too_small'],
  ['the largest id of a job', { run_job_task: { job_id: '9223372036854775807' } }],
  ['the smallest id of a job', { run_job_task: { job_id: '-9223372036854775808' } }],
  [
    'an id of a job above the largest',
    { run_job_task: { job_id: '9223372036854775808' } },
    'run_job_task.job_id custom',
  ],
  [
    'an id of a job below the smallest',
    { run_job_task: { job_id: '-9223372036854775809' } },
    'run_job_task.job_id custom',
  ],
  [
    'parameters of other characters for a JAR and a Python file',
    { existing_cluster_id: 'c', spark_python_task: { python_file: 'f', parameters: ['ü'] } },
  ],
  ['a name of 4096 characters', { ...existing, name: 'a'.repeat(4096) }],
  ['a name of 4097 characters', { ...existing, name: 'a'.repeat(4097) }, 'name too_big'],
  ['no time-out', { ...existing, timeout_seconds: 0 }],
  ['a negative time-out', { ...existing, timeout_seconds: -1 }, 'timeout_seconds too_small'],
  ['the longest time-out', { ...existing, timeout_seconds: 2_147_483_647 }],
  ['a time-out above an INT32', { ...existing, timeout_seconds: 2_147_483_648 }, 'timeout_seconds too_big'],
  ['retries without an end', { ...existing, max_retries: -1 }],
  ['retries below that', { ...existing, max_retries: -2 }, 'max_retries too_small'],
  [
    'a negative interval of retries',
    { ...existing, min_retry_interval_millis: -1 },
    'min_retry_interval_millis too_small',
  ],
  ['no runs at once', { ...existing, max_concurrent_runs: 0 }],
  ['a thousand runs at once', { ...existing, max_concurrent_runs: 1000 }],
  ['more runs at once', { ...existing, max_concurrent_runs: 1001 }, 'max_concurrent_runs too_big'],
  ['fewer than no runs at once', { ...existing, max_concurrent_runs: -1 }, 'max_concurrent_runs too_small'],
  ['a text where retry_on_timeout stands', { ...existing, retry_on_timeout: 'true' }, 'retry_on_timeout invalid_type'],
  ['fields that are not known', { ...existing, new_field: { a: 1 } }],

  ['a schedule', schedule({ pause_status: 'PAUSED' })],
  ['a schedule of an unknown status', schedule({ pause_status: 'HALTED' }), 'schedule.pause_status invalid_value'],
  ['an empty expression', schedule({ quartz_cron_expression: '' }), 'schedule.quartz_cron_expression too_small'],
  [
    'an expression that is none',
    schedule({ quartz_cron_expression: '0 0 2 * *' }),
    'schedule.quartz_cron_expression cron',
  ],
  [
    'an expression that is too long',
    schedule({ quartz_cron_expression: `0 0 2 * * ?${' '.repeat(4096)}` }),
    'schedule.quartz_cron_expression too_big',
  ],
  [
    'a wrong zone and a wrong expression',
    schedule({ timezone_id: 'Mars/Base', quartz_cron_expression: 'x' }),
    'schedule.timezone_id unknownTimezone',
  ],
  [
    'no zone and a wrong expression',
    schedule({ timezone_id: '', quartz_cron_expression: 'x' }),
    'schedule.timezone_id too_small',
    'schedule.quartz_cron_expression cron',
  ],
  [
    'an expression that is too long and wrong',
    schedule({ quartz_cron_expression: 'x'.repeat(4097) }),
    'schedule.quartz_cron_expression too_big',
  ],
  ['no zone', schedule({ timezone_id: '' }), 'schedule.timezone_id too_small'],
  ['a zone that is too long', schedule({ timezone_id: 'Z'.repeat(4097) }), 'schedule.timezone_id too_big'],

  ['spark-submit on a new cluster', submitTask('--class', 'A', 'app.jar')],
  [
    'spark-submit on a cluster that exists',
    { existing_cluster_id: 'c', spark_submit_task: { parameters: [] } },
    'existing_cluster_id submitNeedsNewCluster',
  ],
  ['spark-submit with libraries', { ...submitTask('a'), libraries: [{ jar: 'j' }] }, 'libraries submitLibraries'],
  ['spark-submit with an empty list of libraries', { ...submitTask('a'), libraries: [] }],
  [
    'spark-submit with a Spark configuration',
    { ...submitTask('a'), new_cluster: { ...cluster, spark_conf: { a: 'b' } } },
    'new_cluster.spark_conf submitSparkConf',
  ],
  [
    'spark-submit with a master',
    submitTask('--verbose', '--master', 'local', 'app.jar'),
    'spark_submit_task.parameters[1] submitReservedFlag',
  ],
  [
    'spark-submit with two reserved options',
    submitTask('--deploy-mode=client', '--executor-cores', '2', 'app.jar'),
    'spark_submit_task.parameters[0] submitReservedFlag',
    'spark_submit_task.parameters[1] submitReservedFlag',
  ],
  [
    'the same words as values, and behind the application',
    submitTask('--name', '--master', 'app.jar', '--master', 'x'),
  ],

  [
    'a library of each kind',
    libraries(
      { jar: 'a' },
      { egg: 'a' },
      { whl: 'a.whl' },
      { whl: 'a.wheelhouse.zip' },
      { pypi: { package: 'a' } },
      { maven: { coordinates: 'a:b:c' } },
      { cran: { package: 'a' } },
    ),
  ],
  ['a library of two kinds', libraries({ jar: 'a' }, { jar: 'a', egg: 'b' }), 'libraries[1].egg oneLibraryKind'],
  ['an empty JAR', libraries({ jar: '' }), 'libraries[0].jar too_small'],
  ['an empty egg', libraries({ egg: '' }), 'libraries[0].egg too_small'],
  ['an empty wheel', libraries({ whl: '' }), 'libraries[0].whl too_small'],
  ['an empty package of PyPI', libraries({ pypi: { package: '' } }), 'libraries[0].pypi.package too_small'],
  ['an empty package of CRAN', libraries({ cran: { package: '' } }), 'libraries[0].cran.package too_small'],
  ['a library of none', libraries({}), 'libraries[0] oneLibraryKind'],
  ['a library of an unknown kind', libraries({ gem: 'a' }), 'libraries[0] oneLibraryKind'],
  ['a library of a later version', libraries({ requirements: 'a' })],
  ['a wheel with another name', libraries({ whl: 'a.zip' }), 'libraries[0].whl wheelName'],
  ['a wheel with its ending in the middle', libraries({ whl: 'a.whl.txt' }), 'libraries[0].whl wheelName'],
  ['an empty JAR', libraries({ jar: '' }), 'libraries[0].jar too_small'],
  [
    'an empty package',
    libraries({ pypi: { package: '' } }, { cran: { package: '' } }),
    'libraries[0].pypi.package too_small',
    'libraries[1].cran.package too_small',
  ],
  ['coordinates of five parts', libraries({ maven: { coordinates: 'a:b:jar:c:1' } })],
  ['coordinates of two parts', libraries({ maven: { coordinates: 'a:b' } }), 'libraries[0].maven.coordinates custom'],
  [
    'coordinates of six parts',
    libraries({ maven: { coordinates: 'a:b:c:d:e:f' } }),
    'libraries[0].maven.coordinates custom',
  ],
  [
    'coordinates with a blank',
    libraries({ maven: { coordinates: 'a:b:c d' } }, { maven: { coordinates: 'a b:c:d' } }),
    'libraries[0].maven.coordinates custom',
    'libraries[1].maven.coordinates custom',
  ],

  ['an address', mail('someone@example.com')],
  ['an address without an at', mail('someone'), 'email_notifications.on_failure[0] custom'],
  ['an address with two', mail('a@b@c'), 'email_notifications.on_failure[0] custom'],
  ['an address with a blank', mail('a b@c'), 'email_notifications.on_failure[0] custom'],
  ['an address of 254 characters', mail(`${'a'.repeat(249)}@b.de`)],
  ['an address of 255 characters', mail(`${'a'.repeat(250)}@b.de`), 'email_notifications.on_failure[0] custom'],
  ['an address of other characters', mail('jürgen@example.com'), 'email_notifications.on_failure[0] asciiOnly'],
  ...(['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'] as const).flatMap(
    (event): [string, Fields, ...string[]][] => [
      [
        `addresses of ${event}`,
        { ...existing, email_notifications: { [event]: ['a'] } },
        `email_notifications.${event}[0] custom`,
      ],
      [`three destinations of ${event}`, { ...existing, webhook_notifications: { [event]: times(3, { id: 'a' }) } }],
      [
        `four destinations of ${event}`,
        { ...existing, webhook_notifications: { [event]: times(4, { id: 'a' }) } },
        `webhook_notifications.${event} too_big`,
      ],
    ],
  ),
  [
    'a destination without an id',
    { ...existing, webhook_notifications: { on_start: [{ id: '' }] } },
    'webhook_notifications.on_start[0].id too_small',
  ],
  [
    'a health rule',
    { ...existing, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 0 }] } },
  ],
  [
    'a health rule of another metric',
    { ...existing, health: { rules: [{ metric: 'HEAT', operator: 'GREATER_THAN', value: 0 }] } },
    'health.rules[0].metric invalid_value',
  ],
  [
    'a health rule with another operator',
    { ...existing, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'LESS_THAN', value: 0 }] } },
    'health.rules[0].operator invalid_value',
  ],
  [
    'a health rule below nothing',
    { ...existing, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: -1 }] } },
    'health.rules[0].value too_small',
  ],
];

describe('settings of a job', () => {
  for (const [title, value, ...problems] of settings) {
    it(`${title}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(jobSettings, value).toSorted(), problems.toSorted()));
  }

  it('what the document does not have is warned about, and sent', () => {
    assert.deepEqual(
      reports(checkJobSettings, {
        existing_cluster_id: 'c',
        sql_task: {},
        libraries: [{ requirements: 'r' }],
        health: { rules: [{ metric: 'STREAMING_BACKLOG_BYTES' }, { metric: 'RUN_DURATION_SECONDS' }] },
      }),
      [
        'sql_task foreignTask warning',
        'libraries[0].requirements foreignLibrary warning',
        'health.rules[0].metric foreignMetric warning',
      ],
    );
  });

  it('a run that is submitted is warned about in the same way', () => {
    assert.deepEqual(
      reports(checkSubmit, { ...existing, health: { rules: [{ metric: 'STREAMING_BACKLOG_BYTES' }] } }),
      ['health.rules[0].metric foreignMetric warning'],
    );
  });

  it('a new cluster is judged where it stands, and a list of tasks has clusters of its own', () => {
    const sizeless = { new_cluster: { spark_version: '15', node_type_id: 'n' } };
    for (const check of [checkJobSettings, checkSubmit])
      assert.deepEqual(reports(check, { ...notebook, ...sizeless }), ['new_cluster noSize']);
    assert.deepEqual(reports(checkJobSettings, { ...notebook, tasks: [{}] }), []);
    assert.deepEqual(reports(checkJobSettings, { ...notebook, tasks: [] }), ['noCluster']);
  });

  it('only a metric that real servers have is warned about as one that is not in the document', () =>
    assert.deepEqual(reports(checkJobSettings, { ...existing, health: { rules: [{ metric: 'NONE' }] } }), []));

  it('a request that is no object has no fields to name', () => {
    for (const body of [undefined, null, [], 'x'])
      assert.equal(schemas.jobIdCommand.safeParse(body).error?.issues.length, 1);
  });

  it("a field is there where it is the object's own and neither null nor left out", () => {
    const fields = Object.assign(Object.create({ inherited: 1 }) as Fields, { own: 0, nothing: null, left: undefined });
    assert.deepEqual(
      ['own', 'nothing', 'left', 'inherited'].map((name) => has(fields, name)),
      [true, false, false, false],
    );
    assert.equal(has(undefined, 'own'), false);
  });

  it('the rules judge half-written settings without failing', () => {
    for (const value of [undefined, null, [], 'text', 5])
      for (const check of [checkJobSettings, checkSubmit, checkRunNow]) assert.deepEqual(reports(check, value), []);
    const odd = {
      notebook_task: 5,
      libraries: [null, 5, 'a'],
      new_cluster: [],
      schedule: 5,
      health: { rules: [null, { metric: 5 }] },
      tasks: 'x',
      spark_submit_task: { parameters: 5 },
    };
    assert.deepEqual(reports(checkJobSettings, odd), ['spark_submit_task oneTask', 'libraries submitLibraries']);
    assert.deepEqual(reports(checkJobSettings, { ...existing, new_cluster: null, schedule: { timezone_id: 5 } }), []);
    assert.deepEqual(
      reports(
        checkJobSettings,
        onNew({
          init_scripts: [null, 5],
          cluster_log_conf: 5,
          autoscale: 5,
          num_workers: null,
          spark_env_vars: 5,
          cloud_attributes: { block_volume_size: '5' },
        }),
      ),
      [],
    );
  });

  it('a change of settings may be any part of them, and is judged for its shape alone', () => {
    assert.deepEqual(broken(schemas.partialJobSettings, { max_retries: 3 }), []);
    assert.deepEqual(broken(schemas.partialJobSettings, { max_retries: -2 }), ['max_retries too_small']);
  });

  it('what is received is judged by its rules even where a field has another kind', () => {
    const checked = decodeChecked(jobSettings, { existing_cluster_id: 'c', name: 5 });
    assert.deepEqual(checked.ok ? [] : checked.problems.map(({ code }) => code), ['invalid_type', 'noTask']);
  });

  it('tells at most a hundred broken rules', () => {
    assert.equal(broken(jobSettings, libraries(...times(100, { gem: 'a' }))).length, 100);
    assert.equal(broken(jobSettings, libraries(...times(200, { gem: 'a' }))).length, 100);
  });
});
