import assert from 'node:assert/strict';
import { withParamMaps } from '../../../../src/api/schema/jobs/paramPairs.ts';
import { job, run } from '../../../../src/api/schema/jobs/run.ts';
import * as schemas from '../../../../src/api/schema/jobs/schemas.ts';
import {
  checkJobSettings,
  checkRunNow,
  checkSubmit,
  jobSettings,
  runNowRequest,
  submitRequest,
} from '../../../../src/api/schema/jobs/schemas.ts';
import { readSparkSubmit } from '../../../../src/api/schema/jobs/sparkSubmitOptions.ts';
import { formatPath } from '../../../../src/api/schema/problems.ts';
import type { Fields } from '../../../../src/shared/fields.ts';
import { broken, times, type Schema } from '../brokenRules.ts';

/** What a rule function says, warnings too. */
function reports(check: typeof checkJobSettings, value: unknown): string[] {
  const found: string[] = [];
  check(value, (path, code, _message, severity) =>
    found.push(`${formatPath(path)} ${code}${severity === undefined ? '' : ` ${severity}`}`.trim()),
  );
  return found;
}

const notebook = { notebook_task: { notebook_path: '/n' } };

const existing = { existing_cluster_id: 'c', ...notebook };

const cluster = { spark_version: '15', node_type_id: 'n', num_workers: 1 };

const onNew = (changes: Fields): Fields => ({ ...notebook, new_cluster: { ...cluster, ...changes } });

const cloud = (attributes: Fields): Fields => onNew({ cloud_attributes: attributes });

const submitTask = (...parameters: unknown[]): Fields => ({
  new_cluster: cluster,
  spark_submit_task: { parameters },
});

const libraries = (...list: unknown[]): Fields => ({ ...existing, libraries: list });

const schedule = (fields: Fields): Fields => ({
  ...existing,
  schedule: { quartz_cron_expression: '0 0 2 * * ?', timezone_id: 'UTC', ...fields },
});

const mail = (address: string): Fields => ({ ...existing, email_notifications: { on_failure: [address] } });

const objstore = (fields: Fields): Fields => ({ destination: 'objstore://b', ...fields });

const tags = (map: Fields): Fields => onNew({ custom_tags: map });

describe('settings of a job', () => {
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
    [
      'a text where retry_on_timeout stands',
      { ...existing, retry_on_timeout: 'true' },
      'retry_on_timeout invalid_type',
    ],
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

  it('a new cluster is judged where it stands, and a list of tasks has clusters of its own', () => {
    const sizeless = { new_cluster: { spark_version: '15', node_type_id: 'n' } };
    for (const check of [checkJobSettings, checkSubmit])
      assert.deepEqual(reports(check, { ...notebook, ...sizeless }), ['new_cluster noSize']);
    assert.deepEqual(reports(checkJobSettings, { ...notebook, tasks: [{}] }), []);
    assert.deepEqual(reports(checkJobSettings, { ...notebook, tasks: [] }), ['noCluster']);
  });

  it('only a metric that real servers have is warned about as one that is not in the document', () =>
    assert.deepEqual(reports(checkJobSettings, { ...existing, health: { rules: [{ metric: 'NONE' }] } }), []));

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

  it('tells at most a hundred broken rules', () => {
    assert.equal(broken(jobSettings, libraries(...times(100, { gem: 'a' }))).length, 100);
    assert.equal(broken(jobSettings, libraries(...times(200, { gem: 'a' }))).length, 100);
  });
});

describe('settings of a cluster', () => {
  /** Settings of a job, and what is wrong with them; the neighbours of each limit are there on both sides. */
  const settings: [title: string, value: Fields, ...problems: string[]][] = [
    ['a cluster of no workers', onNew({ num_workers: 0 })],
    ['a cluster of fewer', onNew({ num_workers: -1 }), 'new_cluster.num_workers too_small'],
    ['a cluster of no size', onNew({ num_workers: undefined }), 'new_cluster noSize'],
    [
      'a cluster of two sizes',
      onNew({ autoscale: { min_workers: 1, max_workers: 2 } }),
      'new_cluster.autoscale oneSize',
    ],
    ['a cluster that scales', onNew({ num_workers: undefined, autoscale: { min_workers: 0, max_workers: 1 } })],
    [
      'a cluster that scales to where it begins',
      onNew({ num_workers: undefined, autoscale: { min_workers: 1, max_workers: 1 } }),
      'new_cluster.autoscale.max_workers autoscaleOrder',
    ],
    [
      'a cluster that scales downwards',
      onNew({ num_workers: undefined, autoscale: { min_workers: 2, max_workers: 1 } }),
      'new_cluster.autoscale.max_workers autoscaleOrder',
    ],
    [
      'a cluster that scales from below nothing',
      onNew({ num_workers: undefined, autoscale: { min_workers: -1, max_workers: 1 } }),
      'new_cluster.autoscale.min_workers too_small',
    ],
    [
      'a single node by its profile',
      onNew({ num_workers: undefined, spark_conf: { 'spark.databricks.cluster.profile': 'singleNode' } }),
    ],
    [
      'another profile',
      onNew({ num_workers: undefined, spark_conf: { 'spark.databricks.cluster.profile': 'serverless' } }),
      'new_cluster noSize',
    ],
    ['a single node by its field', onNew({ num_workers: undefined, is_single_node: true })],
    ['no single node by its field', onNew({ num_workers: undefined, is_single_node: false }), 'new_cluster noSize'],
    [
      'a policy that has the size and the node type',
      onNew({ num_workers: undefined, node_type_id: undefined, policy_id: 'p' }),
    ],
    ['no node type', onNew({ node_type_id: undefined }), 'new_cluster noNodeType'],
    ['a pool in place of a node type', onNew({ node_type_id: undefined, instance_pool_id: 'p' })],
    [
      'a pool of the driver alone',
      onNew({ driver_instance_pool_id: 'p' }),
      'new_cluster.driver_instance_pool_id driverPoolNeedsPool',
    ],
    ['both pools', onNew({ driver_instance_pool_id: 'p', instance_pool_id: 'q' })],
    ['an empty version of Spark', onNew({ spark_version: '' }), 'new_cluster.spark_version too_small'],
    ['settings of Spark of all kinds', onNew({ spark_conf: { a: 'b', c: 1, d: true, e: 5n } })],
    ['settings of Spark that hold others', onNew({ spark_conf: { a: {} } }), 'new_cluster.spark_conf.a invalid_union'],
    ['ten keys', onNew({ ssh_public_keys: times(10, 'k') })],
    ['eleven keys', onNew({ ssh_public_keys: times(11, 'k') }), 'new_cluster.ssh_public_keys too_big'],
    ['variables', onNew({ spark_env_vars: { A: 'b' } })],
    [
      'a variable of another character',
      onNew({ spark_env_vars: { A: 'ü' } }),
      'new_cluster.spark_env_vars.A asciiOnly',
    ],
    [
      'a name of a variable of another character',
      onNew({ spark_env_vars: { Ü: 'b' } }),
      'new_cluster.spark_env_vars["Ü"] asciiOnly',
    ],
    ['45 tags', tags(Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`k${index}`, 'v'])))],
    [
      '46 tags',
      tags(Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`k${index}`, 'v']))),
      'new_cluster.custom_tags custom',
    ],
    ['tags of the longest key and value', tags({ ['€'.repeat(127)]: '€'.repeat(255) })],
    [
      'a tag whose key is too long',
      tags({ ['k'.repeat(128)]: 'v' }),
      `new_cluster.custom_tags["${'k'.repeat(60)}…"] custom`,
    ],
    ['a tag without a key', tags({ '': 'v' }), 'new_cluster.custom_tags[""] custom'],
    ['a tag whose value is too long', tags({ k: 'v'.repeat(256) }), 'new_cluster.custom_tags.k custom'],

    ['logs at one place', onNew({ cluster_log_conf: { dfs: { destination: 'dfs:/l' } } })],
    [
      'logs at two places',
      onNew({ cluster_log_conf: { dfs: { destination: 'dfs:/l' }, objstore: objstore({ region: 'r' }) } }),
      'new_cluster.cluster_log_conf.objstore logDestination',
    ],
    ['logs at no place', onNew({ cluster_log_conf: {} }), 'new_cluster.cluster_log_conf logDestination'],
    ['logs at a place of a later version', onNew({ cluster_log_conf: { volumes: { destination: 'v' } } })],
    [
      'logs in object storage of no region',
      onNew({ cluster_log_conf: { objstore: objstore({}) } }),
      'new_cluster.cluster_log_conf.objstore objstoreRegion',
    ],
    ['logs in object storage of a warehouse', onNew({ cluster_log_conf: { objstore: objstore({ warehouse: 'w' }) } })],
    [
      'logs without a destination',
      onNew({ cluster_log_conf: { dfs: { destination: '' } } }),
      'new_cluster.cluster_log_conf.dfs.destination too_small',
    ],
    [
      'an unknown encryption',
      onNew({ cluster_log_conf: { objstore: objstore({ region: 'r', encryption_type: 'rot13' }) } }),
      'new_cluster.cluster_log_conf.objstore.encryption_type invalid_value',
    ],
    [
      'scripts at each place',
      onNew({
        init_scripts: [
          { workspace: { destination: '/a' } },
          { dfs: { destination: 'dfs:/a' } },
          { objstore: objstore({ region: 'r' }) },
          { file: { destination: 'file:/a' } },
        ],
      }),
    ],
    [
      'a script at two places',
      onNew({ init_scripts: [{ workspace: { destination: '/a' }, file: { destination: 'file:/a' } }] }),
      'new_cluster.init_scripts[0].file initScriptPlace',
    ],
    [
      'a script at no place',
      onNew({ init_scripts: [{ workspace: { destination: '/a' } }, {}] }),
      'new_cluster.init_scripts[1] initScriptPlace',
    ],
    [
      'a script in object storage of no region',
      onNew({ init_scripts: [{ objstore: objstore({}) }] }),
      'new_cluster.init_scripts[0].objstore objstoreRegion',
    ],
    [
      'a script without a destination',
      onNew({ init_scripts: [{ workspace: { destination: '' } }, { file: { destination: '' } }] }),
      'new_cluster.init_scripts[0].workspace.destination too_small',
      'new_cluster.init_scripts[1].file.destination too_small',
    ],

    [
      'the smallest and largest values of the cloud',
      cloud({
        first_on_demand: 0,
        spot_bid_price_percent: 0,
        block_volume_count: 0,
        block_volume_iops: 3000,
        block_volume_throughput: 125,
      }),
    ],
    [
      'the largest values of the cloud',
      cloud({
        availability: 'SPOT_WITH_FALLBACK',
        spot_bid_price_percent: 10_000,
        block_volume_count: 10,
        block_volume_iops: 16_000,
        block_volume_throughput: 1000,
      }),
    ],
    [
      'values of the cloud below the smallest',
      cloud({
        first_on_demand: -1,
        spot_bid_price_percent: -1,
        block_volume_count: -1,
        block_volume_iops: 2999,
        block_volume_throughput: 124,
      }),
      ...[
        'first_on_demand',
        'spot_bid_price_percent',
        'block_volume_count',
        'block_volume_iops',
        'block_volume_throughput',
      ].map((name) => `new_cluster.cloud_attributes.${name} too_small`),
    ],
    [
      'values of the cloud above the largest',
      cloud({
        spot_bid_price_percent: 10_001,
        block_volume_count: 11,
        block_volume_iops: 16_001,
        block_volume_throughput: 1001,
      }),
      ...['spot_bid_price_percent', 'block_volume_count', 'block_volume_iops', 'block_volume_throughput'].map(
        (name) => `new_cluster.cloud_attributes.${name} too_big`,
      ),
    ],
    [
      'words of the cloud that are none',
      cloud({ availability: 'FREE', block_volume_type: 'TAPE' }),
      'new_cluster.cloud_attributes.availability invalid_value',
      'new_cluster.cloud_attributes.block_volume_type invalid_value',
    ],
    ...(
      [
        [undefined, 100, 4096],
        ['GENERAL_PURPOSE_SSD', 100, 4096],
        ['THROUGHPUT_OPTIMIZED_HDD', 500, 4096],
      ] as const
    ).flatMap(([type, least, most]): [string, Fields, ...string[]][] => [
      [`the smallest volume of ${type}`, cloud({ block_volume_type: type, block_volume_size: least })],
      [`the largest volume of ${type}`, cloud({ block_volume_type: type, block_volume_size: most })],
      [
        `a smaller volume of ${type}`,
        cloud({ block_volume_type: type, block_volume_size: least - 1 }),
        'new_cluster.cloud_attributes.block_volume_size volumeSize',
      ],
      [
        `a larger volume of ${type}`,
        cloud({ block_volume_type: type, block_volume_size: most + 1 }),
        'new_cluster.cloud_attributes.block_volume_size volumeSize',
      ],
    ]),
    [
      'speeds of a disk',
      cloud({ block_volume_type: 'THROUGHPUT_OPTIMIZED_HDD', block_volume_iops: 3000, block_volume_throughput: 125 }),
      'new_cluster.cloud_attributes.block_volume_iops volumeSpeed',
      'new_cluster.cloud_attributes.block_volume_throughput volumeSpeed',
    ],
  ];

  for (const [title, value, ...problems] of settings) {
    it(`${title}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(jobSettings, value).toSorted(), problems.toSorted()));
  }
});

const params = (bytes: number): string[] => ['a'.repeat(bytes - 4)];

/** Bodies of other requests. */
const requests: [name: string, schema: Schema, value: Fields, ...problems: string[]][] = [
  ['run-now', runNowRequest, { job_id: '1' }],
  ['run-now', runNowRequest, {}, 'job_id invalid_type'],
  ['run-now', runNowRequest, { job_id: '1', jar_params: [], notebook_params: {}, python_params: ['a'] }],
  [
    'run-now',
    runNowRequest,
    { job_id: '1', jar_params: ['a'], python_params: ['a'] },
    'python_params oneParameterKind',
  ],
  [
    'run-now',
    runNowRequest,
    { job_id: '1', spark_submit_params: ['--master', 'x'] },
    'spark_submit_params[0] submitReservedFlag',
  ],
  ['run-now', runNowRequest, { job_id: '1', idempotency_token: '€'.repeat(64) }],
  ['run-now', runNowRequest, { job_id: '1', idempotency_token: '😀'.repeat(64) }],
  ['run-now', runNowRequest, { job_id: '1', idempotency_token: 'x'.repeat(65) }, 'idempotency_token tokenTooLong'],
  ['run-now', runNowRequest, { job_id: '1', job_parameters: {} }, 'job_parameters unknownField'],
  ['run-now', runNowRequest, { job_id: '1', notebook_params: { a: 'ü' } }, 'notebook_params.a asciiOnly'],
  ['run-now', runNowRequest, { job_id: '1', python_params: ['ü'] }, 'python_params[0] asciiOnly'],
  ['run-now', runNowRequest, { job_id: '1', spark_submit_params: ['ü'] }, 'spark_submit_params[0] asciiOnly'],
  ['run-now', runNowRequest, { job_id: '1', jar_params: ['ü'] }],
  ['submit', submitRequest, { ...existing, run_name: 'ü'.repeat(2048), idempotency_token: 'x'.repeat(64) }],
  ['submit', submitRequest, { ...existing, run_name: `${'ü'.repeat(2048)}a` }, 'run_name runNameTooLong'],
  ['submit', submitRequest, { ...existing, idempotency_token: 'x'.repeat(65) }, 'idempotency_token tokenTooLong'],
  ['submit', submitRequest, { existing_cluster_id: 'c' }, 'noTask'],
  ['submit', submitRequest, notebook, 'noCluster'],
  ['submit', submitRequest, libraries({}), 'libraries[0] oneLibraryKind'],
  ['submit', submitRequest, { ...existing, timeout_seconds: -1 }, 'timeout_seconds too_small'],
  ['reset', schemas.resetRequest, { job_id: '1', new_settings: existing }],
  ['reset', schemas.resetRequest, { job_id: '1', new_settings: {} }, 'new_settings noTask'],
  ['reset', schemas.resetRequest, { job_id: '1' }, 'new_settings invalid_type'],
  [
    'reset',
    schemas.resetRequest,
    { job_id: '1', new_settings: existing, fields_to_remove: [] },
    'fields_to_remove unknownField',
  ],
  ['update', schemas.updateRequest, { job_id: '1', new_settings: {}, fields_to_remove: ['schedule'] }],
  ['update', schemas.updateRequest, { job_id: '1', fields_to_remove: [''] }, 'fields_to_remove[0] too_small'],
  ['update', schemas.updateRequest, { job_id: '1', fields_to_remove: times(1000, 'a') }],
  ['update', schemas.updateRequest, { job_id: '1', fields_to_remove: times(1001, 'a') }, 'fields_to_remove too_big'],
  ['update', schemas.updateRequest, { job_id: '1', name: 'x' }, 'name unknownField'],
  ['delete', schemas.jobIdCommand, { job_id: '1' }],
  ['delete', schemas.jobIdCommand, { job_id: '1', run_id: '2' }, 'run_id unknownField'],
  ['cancel', schemas.runIdCommand, { run_id: '1' }],
  ['cancel', schemas.runIdCommand, { run_id: '1', job_id: '2' }, 'job_id unknownField'],
  ['get', schemas.jobIdRequest, { job_id: '1', other: 1 }],
  ['runs/list', schemas.listRunsRequest, {}],
  [
    'runs/list',
    schemas.listRunsRequest,
    { limit: 0, offset: 0, active_only: true, completed_only: false, run_type: 'SUBMIT_RUN' },
  ],
  ['runs/list', schemas.listRunsRequest, { limit: 999, active_only: false, completed_only: true }],
  ['runs/list', schemas.listRunsRequest, { limit: 1000 }, 'limit too_big'],
  ['runs/list', schemas.listRunsRequest, { limit: -1, offset: -1 }, 'limit too_small', 'offset too_small'],
  ['runs/list', schemas.listRunsRequest, { active_only: true, completed_only: true }, 'completed_only custom'],
  ['runs/list', schemas.listRunsRequest, { run_type: 'MANUAL' }, 'run_type invalid_value'],
  ['export', schemas.exportRequest, { run_id: '1', views_to_export: 'ALL' }],
  ['export', schemas.exportRequest, { run_id: '1', views_to_export: 'NONE' }, 'views_to_export invalid_value'],
];

describe('requests of the jobs API', () => {
  for (const [name, schema, value, ...problems] of requests) {
    it(`${name} ${JSON.stringify(value).slice(0, 100)}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(schema, value).toSorted(), problems.toSorted()));
  }

  for (const kind of ['jar_params', 'python_params', 'spark_submit_params'] as const) {
    it(`${kind} have at most 10,000 bytes of JSON`, () => {
      assert.deepEqual(broken(runNowRequest, { job_id: '1', [kind]: params(10_000) }), []);
      assert.deepEqual(broken(runNowRequest, { job_id: '1', [kind]: params(10_001) }), [`${kind} parametersTooLarge`]);
    });
  }

  it('the bytes of parameters are counted, and not their characters', () => {
    assert.deepEqual(broken(runNowRequest, { job_id: '1', jar_params: ['ü'.repeat(4998)] }), []);
    assert.deepEqual(broken(runNowRequest, { job_id: '1', jar_params: ['ü'.repeat(4999)] }), [
      'jar_params parametersTooLarge',
    ]);
  });
});

describe('parameters and kinds of tasks', () => {
  it('a list of pairs is the object of them, wherever it stands', () => {
    const pairs = [
      { key: 'a', value: '1' },
      { name: 'b', value: '2' },
      { key: 'a', value: '3' },
    ];
    const map = { a: '3', b: '2' };
    assert.deepEqual(withParamMaps({ notebook_params: pairs }), { notebook_params: map });
    assert.deepEqual(withParamMaps({ notebook_task: { notebook_path: '/n', base_parameters: pairs } }), {
      notebook_task: { notebook_path: '/n', base_parameters: map },
    });
    assert.deepEqual(withParamMaps({ job_id: '1', new_settings: { notebook_task: { base_parameters: pairs } } }), {
      job_id: '1',
      new_settings: { notebook_task: { base_parameters: map } },
    });
  });

  it('what is no list of pairs stays, and what needs no change is the same object', () => {
    for (const odd of [
      [{ key: 'a' }],
      [{ value: 'a' }],
      [{ key: 5, value: 'a' }],
      ['a'],
      [null],
      [{ key: 'a', value: 'b' }, 5],
      'text',
      { a: 'b' },
    ]) {
      const fields = { notebook_params: odd, notebook_task: 'x', new_settings: [] };
      assert.equal(withParamMaps(fields), fields);
    }
    const named = JSON.parse('{"notebook_params":[{"key":"__proto__","value":"x"}]}') as Record<string, unknown>;
    assert.deepEqual(Object.entries(withParamMaps(named)['notebook_params'] as object), [['__proto__', 'x']]);
  });

  it("spark-submit's options end where the application stands", () => {
    const { options, application } = readSparkSubmit([
      '-v',
      '--supervise',
      '--class',
      'A',
      '--conf=a=b',
      '-h',
      '--master',
      'x',
      '--usage-error',
      'app.jar',
      '--name',
      'n',
    ]);
    assert.equal(application, 9);
    assert.deepEqual(options, [
      { index: 0, name: '-v', isFlag: true, isReserved: false },
      { index: 1, name: '--supervise', isFlag: true, isReserved: false },
      { index: 2, name: '--class', value: 'A', isFlag: false, isReserved: false },
      { index: 4, name: '--conf', value: 'a=b', isFlag: false, isReserved: false },
      { index: 5, name: '-h', isFlag: true, isReserved: false },
      { index: 6, name: '--master', value: 'x', isFlag: false, isReserved: true },
      { index: 8, name: '--usage-error', isFlag: true, isReserved: false },
    ]);
    assert.deepEqual(readSparkSubmit(['--verbose=true', 'app.jar']), {
      options: [{ index: 0, name: '--verbose', isFlag: true, isReserved: false }],
      application: 1,
    });
    assert.deepEqual(readSparkSubmit(['--class']), {
      options: [{ index: 0, name: '--class', isFlag: false, isReserved: false }],
      application: 2,
    });
    assert.deepEqual(readSparkSubmit([5, '--class', 'A']), { options: [], application: 0 });
    assert.deepEqual(readSparkSubmit(['-c', 'a', 'b']).application, 2);
    for (const flag of ['--verbose', '--help', '--version']) assert.equal(readSparkSubmit([flag, 'x']).application, 1);
    for (const reserved of ['--master', '--deploy-mode', '--executor-cores'])
      assert.equal(readSparkSubmit([`${reserved}=1`]).options[0]?.isReserved, true);
  });
});

const big = 9007199254740993n;

describe('jobs and runs as they are read', () => {
  const settingsOf = (settings: object): unknown => job.parse({ job_id: 7, settings }).settings;

  it('have the ids of their tasks as text, however the service writes them', () => {
    for (const id of [big, String(big)])
      assert.deepEqual(settingsOf({ run_job_task: { job_id: id, more: 1 }, name: 'x' }), {
        run_job_task: { job_id: '9007199254740993', more: 1 },
        name: 'x',
      });
    assert.deepEqual(settingsOf({ run_job_task: { job_id: 5 }, notebook_task: { revision_timestamp: 6 } }), {
      run_job_task: { job_id: '5' },
      notebook_task: { revision_timestamp: '6' },
    });
    assert.deepEqual(settingsOf({ run_job_task: null, notebook_task: 'odd' }), { notebook_task: 'odd' });
    assert.deepEqual(run.parse({ run_id: 1, task: { run_job_task: { job_id: big } } }).task, {
      run_job_task: { job_id: '9007199254740993' },
    });
  });

  it('go without what is null, and keep what this version does not know', () => {
    assert.deepEqual(settingsOf({ name: null, later: { a: null } }), { later: { a: null } });
    const given = { name: 'x', later: 1 };
    assert.deepEqual(settingsOf(given), given);
    const read = run.parse({ run_id: 1, job_id: null, state: { life_cycle_state: 'LATER', more: 1 }, more: 2 });
    assert.deepEqual(read, { run_id: '1', job_id: undefined, state: { life_cycle_state: 'LATER', more: 1 }, more: 2 });
  });
});
