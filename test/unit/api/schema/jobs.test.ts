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

const bigints = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

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

describe('Job settings', () => {
  /** Settings of a job, and what is wrong with them; the neighbours of each limit are there on both sides. */
  const settings: [value: Fields, ...problems: string[]][] = [
    [existing],
    [onNew({})],
    [{ ...existing, spark_jar_task: { main_class_name: 'a' } }, 'spark_jar_task oneTask'],
    [{ existing_cluster_id: 'c' }, 'noTask'],
    [{ existing_cluster_id: 'c', notebook_task: undefined }, 'noTask'],
    [{ existing_cluster_id: 'c', tasks: [] }, 'noTask'],
    [{ existing_cluster_id: 'c', sql_task: {} }],
    [{ tasks: times(100, {}) }],
    [{ tasks: times(101, {}) }, 'tasks tooManyTasks'],
    [notebook, 'noCluster'],
    [{ pipeline_task: { pipeline_id: 'p' } }],
    [{ run_job_task: { job_id: '1' } }],
    [{ ...onNew({}), existing_cluster_id: 'c' }, 'existing_cluster_id oneCluster'],
    [{ ...notebook, existing_cluster_id: '' }, 'existing_cluster_id too_small'],
    [{ existing_cluster_id: 'c', notebook_task: { notebook_path: 'n' } }, 'notebook_task.notebook_path invalid_format'],
    [
      { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n', base_parameters: { a: 'ü' } } },
      'notebook_task.base_parameters.a asciiOnly',
    ],
    [{ existing_cluster_id: 'c', spark_python_task: { python_file: '' } }, 'spark_python_task.python_file too_small'],
    [{ pipeline_task: { pipeline_id: '' } }, 'pipeline_task.pipeline_id too_small'],
    [{ run_job_task: { job_id: '9223372036854775807' } }],
    [{ run_job_task: { job_id: '-9223372036854775808' } }],
    [{ run_job_task: { job_id: '9223372036854775808' } }, 'run_job_task.job_id custom'],
    [{ run_job_task: { job_id: '-9223372036854775809' } }, 'run_job_task.job_id custom'],
    [{ existing_cluster_id: 'c', spark_python_task: { python_file: 'f', parameters: ['ü'] } }],
    [{ ...existing, name: 'a'.repeat(4096) }],
    [{ ...existing, name: 'a'.repeat(4097) }, 'name too_big'],
    [{ ...existing, timeout_seconds: 0 }],
    [{ ...existing, timeout_seconds: -1 }, 'timeout_seconds too_small'],
    [{ ...existing, timeout_seconds: 2_147_483_647 }],
    [{ ...existing, timeout_seconds: 2_147_483_648 }, 'timeout_seconds too_big'],
    [{ ...existing, max_retries: -1 }],
    [{ ...existing, max_retries: -2 }, 'max_retries too_small'],
    [{ ...existing, min_retry_interval_millis: -1 }, 'min_retry_interval_millis too_small'],
    [{ ...existing, max_concurrent_runs: 0 }],
    [{ ...existing, max_concurrent_runs: 1000 }],
    [{ ...existing, max_concurrent_runs: 1001 }, 'max_concurrent_runs too_big'],
    [{ ...existing, max_concurrent_runs: -1 }, 'max_concurrent_runs too_small'],
    [{ ...existing, retry_on_timeout: 'true' }, 'retry_on_timeout invalid_type'],
    [{ ...existing, new_field: { a: 1 } }],

    [schedule({ pause_status: 'PAUSED' })],
    [schedule({ pause_status: 'HALTED' }), 'schedule.pause_status invalid_value'],
    [schedule({ quartz_cron_expression: '' }), 'schedule.quartz_cron_expression too_small'],
    [schedule({ quartz_cron_expression: '0 0 2 * *' }), 'schedule.quartz_cron_expression cron'],
    [schedule({ quartz_cron_expression: `0 0 2 * * ?${' '.repeat(4096)}` }), 'schedule.quartz_cron_expression too_big'],
    [schedule({ timezone_id: 'Mars/Base', quartz_cron_expression: 'x' }), 'schedule.timezone_id unknownTimezone'],
    [
      schedule({ timezone_id: '', quartz_cron_expression: 'x' }),
      'schedule.timezone_id too_small',
      'schedule.quartz_cron_expression cron',
    ],
    [schedule({ quartz_cron_expression: 'x'.repeat(4097) }), 'schedule.quartz_cron_expression too_big'],
    [schedule({ timezone_id: '' }), 'schedule.timezone_id too_small'],
    [schedule({ timezone_id: 'Z'.repeat(4097) }), 'schedule.timezone_id too_big'],

    [submitTask('--class', 'A', 'app.jar')],
    [{ existing_cluster_id: 'c', spark_submit_task: { parameters: [] } }, 'existing_cluster_id submitNeedsNewCluster'],
    [{ ...submitTask('a'), libraries: [{ jar: 'j' }] }, 'libraries submitLibraries'],
    [{ ...submitTask('a'), libraries: [] }],
    [
      { ...submitTask('a'), new_cluster: { ...cluster, spark_conf: { a: 'b' } } },
      'new_cluster.spark_conf submitSparkConf',
    ],
    [submitTask('--verbose', '--master', 'local', 'app.jar'), 'spark_submit_task.parameters[1] submitReservedFlag'],
    [
      submitTask('--deploy-mode=client', '--executor-cores', '2', 'app.jar'),
      'spark_submit_task.parameters[0] submitReservedFlag',
      'spark_submit_task.parameters[1] submitReservedFlag',
    ],
    [submitTask('--name', '--master', 'app.jar', '--master', 'x')],

    [
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
    [libraries({ jar: 'a' }, { jar: 'a', egg: 'b' }), 'libraries[1].egg oneLibraryKind'],
    [libraries({ jar: '' }), 'libraries[0].jar too_small'],
    [libraries({ egg: '' }), 'libraries[0].egg too_small'],
    [libraries({ whl: '' }), 'libraries[0].whl too_small'],
    [libraries({ pypi: { package: '' } }), 'libraries[0].pypi.package too_small'],
    [libraries({ cran: { package: '' } }), 'libraries[0].cran.package too_small'],
    [libraries({}), 'libraries[0] oneLibraryKind'],
    [libraries({ gem: 'a' }), 'libraries[0] oneLibraryKind'],
    [libraries({ requirements: 'a' })],
    [libraries({ whl: 'a.zip' }), 'libraries[0].whl wheelName'],
    [libraries({ whl: 'a.whl.txt' }), 'libraries[0].whl wheelName'],
    [libraries({ jar: '' }), 'libraries[0].jar too_small'],
    [
      libraries({ pypi: { package: '' } }, { cran: { package: '' } }),
      'libraries[0].pypi.package too_small',
      'libraries[1].cran.package too_small',
    ],
    [libraries({ maven: { coordinates: 'a:b:jar:c:1' } })],
    [libraries({ maven: { coordinates: 'a:b' } }), 'libraries[0].maven.coordinates custom'],
    [libraries({ maven: { coordinates: 'a:b:c:d:e:f' } }), 'libraries[0].maven.coordinates custom'],
    [
      libraries({ maven: { coordinates: 'a:b:c d' } }, { maven: { coordinates: 'a b:c:d' } }),
      'libraries[0].maven.coordinates custom',
      'libraries[1].maven.coordinates custom',
    ],

    [mail('someone@example.com')],
    [mail('someone'), 'email_notifications.on_failure[0] custom'],
    [mail('a@b@c'), 'email_notifications.on_failure[0] custom'],
    [mail('a b@c'), 'email_notifications.on_failure[0] custom'],
    [mail(`${'a'.repeat(249)}@b.de`)],
    [mail(`${'a'.repeat(250)}@b.de`), 'email_notifications.on_failure[0] custom'],
    [mail('jürgen@example.com'), 'email_notifications.on_failure[0] asciiOnly'],
    ...(['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'] as const).flatMap(
      (event): [Fields, ...string[]][] => [
        [{ ...existing, email_notifications: { [event]: ['a'] } }, `email_notifications.${event}[0] custom`],
        [{ ...existing, webhook_notifications: { [event]: times(3, { id: 'a' }) } }],
        [
          { ...existing, webhook_notifications: { [event]: times(4, { id: 'a' }) } },
          `webhook_notifications.${event} too_big`,
        ],
      ],
    ),
    [
      { ...existing, webhook_notifications: { on_start: [{ id: '' }] } },
      'webhook_notifications.on_start[0].id too_small',
    ],
    [{ ...existing, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 0 }] } }],
    [
      { ...existing, health: { rules: [{ metric: 'HEAT', operator: 'GREATER_THAN', value: 0 }] } },
      'health.rules[0].metric invalid_value',
    ],
    [
      { ...existing, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'LESS_THAN', value: 0 }] } },
      'health.rules[0].operator invalid_value',
    ],
    [
      { ...existing, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: -1 }] } },
      'health.rules[0].value too_small',
    ],
  ];

  for (const [value, ...problems] of settings) {
    it(`${JSON.stringify(value, bigints).slice(0, 110)}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(jobSettings, value).toSorted(), problems.toSorted()));
  }

  it('warn about fields that the API document lacks', () => {
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

  it('check a new cluster in place, and none for a list of tasks', () => {
    const sizeless = { new_cluster: { spark_version: '15', node_type_id: 'n' } };
    for (const check of [checkJobSettings, checkSubmit])
      assert.deepEqual(reports(check, { ...notebook, ...sizeless }), ['new_cluster noSize']);
    assert.deepEqual(reports(checkJobSettings, { ...notebook, tasks: [{}] }), []);
    assert.deepEqual(reports(checkJobSettings, { ...notebook, tasks: [] }), ['noCluster']);
  });

  it('are checked without failing if half written', () => {
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

  it('report at most 100 broken rules', () => {
    assert.equal(broken(jobSettings, libraries(...times(100, { gem: 'a' }))).length, 100);
    assert.equal(broken(jobSettings, libraries(...times(200, { gem: 'a' }))).length, 100);
  });
});

describe('Cluster settings', () => {
  /** Settings of a job, and what is wrong with them; the neighbours of each limit are there on both sides. */
  const settings: [value: Fields, ...problems: string[]][] = [
    [onNew({ num_workers: 0 })],
    [onNew({ num_workers: -1 }), 'new_cluster.num_workers too_small'],
    [onNew({ num_workers: undefined }), 'new_cluster noSize'],
    [onNew({ autoscale: { min_workers: 1, max_workers: 2 } }), 'new_cluster.autoscale oneSize'],
    [onNew({ num_workers: undefined, autoscale: { min_workers: 0, max_workers: 1 } })],
    [
      onNew({ num_workers: undefined, autoscale: { min_workers: 1, max_workers: 1 } }),
      'new_cluster.autoscale.max_workers autoscaleOrder',
    ],
    [
      onNew({ num_workers: undefined, autoscale: { min_workers: 2, max_workers: 1 } }),
      'new_cluster.autoscale.max_workers autoscaleOrder',
    ],
    [
      onNew({ num_workers: undefined, autoscale: { min_workers: -1, max_workers: 1 } }),
      'new_cluster.autoscale.min_workers too_small',
    ],
    [onNew({ num_workers: undefined, spark_conf: { 'spark.databricks.cluster.profile': 'singleNode' } })],
    [
      onNew({ num_workers: undefined, spark_conf: { 'spark.databricks.cluster.profile': 'serverless' } }),
      'new_cluster noSize',
    ],
    [onNew({ num_workers: undefined, is_single_node: true })],
    [onNew({ num_workers: undefined, is_single_node: false }), 'new_cluster noSize'],
    [onNew({ num_workers: undefined, node_type_id: undefined, policy_id: 'p' })],
    [onNew({ node_type_id: undefined }), 'new_cluster noNodeType'],
    [onNew({ node_type_id: undefined, instance_pool_id: 'p' })],
    [onNew({ driver_instance_pool_id: 'p' }), 'new_cluster.driver_instance_pool_id driverPoolNeedsPool'],
    [onNew({ driver_instance_pool_id: 'p', instance_pool_id: 'q' })],
    [onNew({ spark_version: '' }), 'new_cluster.spark_version too_small'],
    [onNew({ spark_conf: { a: 'b', c: 1, d: true, e: 5n } })],
    [onNew({ spark_conf: { a: {} } }), 'new_cluster.spark_conf.a invalid_union'],
    [onNew({ ssh_public_keys: times(10, 'k') })],
    [onNew({ ssh_public_keys: times(11, 'k') }), 'new_cluster.ssh_public_keys too_big'],
    [onNew({ spark_env_vars: { A: 'b' } })],
    [onNew({ spark_env_vars: { A: 'ü' } }), 'new_cluster.spark_env_vars.A asciiOnly'],
    [onNew({ spark_env_vars: { Ü: 'b' } }), 'new_cluster.spark_env_vars["Ü"] asciiOnly'],
    [tags(Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`k${index}`, 'v'])))],
    [
      tags(Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`k${index}`, 'v']))),
      'new_cluster.custom_tags custom',
    ],
    [tags({ ['€'.repeat(127)]: '€'.repeat(255) })],
    [tags({ ['k'.repeat(128)]: 'v' }), `new_cluster.custom_tags["${'k'.repeat(60)}…"] custom`],
    [tags({ '': 'v' }), 'new_cluster.custom_tags[""] custom'],
    [tags({ k: 'v'.repeat(256) }), 'new_cluster.custom_tags.k custom'],

    [onNew({ cluster_log_conf: { dfs: { destination: 'dfs:/l' } } })],
    [
      onNew({ cluster_log_conf: { dfs: { destination: 'dfs:/l' }, objstore: objstore({ region: 'r' }) } }),
      'new_cluster.cluster_log_conf.objstore logDestination',
    ],
    [onNew({ cluster_log_conf: {} }), 'new_cluster.cluster_log_conf logDestination'],
    [onNew({ cluster_log_conf: { volumes: { destination: 'v' } } })],
    [onNew({ cluster_log_conf: { objstore: objstore({}) } }), 'new_cluster.cluster_log_conf.objstore objstoreRegion'],
    [onNew({ cluster_log_conf: { objstore: objstore({ warehouse: 'w' }) } })],
    [
      onNew({ cluster_log_conf: { dfs: { destination: '' } } }),
      'new_cluster.cluster_log_conf.dfs.destination too_small',
    ],
    [
      onNew({ cluster_log_conf: { objstore: objstore({ region: 'r', encryption_type: 'rot13' }) } }),
      'new_cluster.cluster_log_conf.objstore.encryption_type invalid_value',
    ],
    [
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
      onNew({ init_scripts: [{ workspace: { destination: '/a' }, file: { destination: 'file:/a' } }] }),
      'new_cluster.init_scripts[0].file initScriptPlace',
    ],
    [
      onNew({ init_scripts: [{ workspace: { destination: '/a' } }, {}] }),
      'new_cluster.init_scripts[1] initScriptPlace',
    ],
    [onNew({ init_scripts: [{ objstore: objstore({}) }] }), 'new_cluster.init_scripts[0].objstore objstoreRegion'],
    [
      onNew({ init_scripts: [{ workspace: { destination: '' } }, { file: { destination: '' } }] }),
      'new_cluster.init_scripts[0].workspace.destination too_small',
      'new_cluster.init_scripts[1].file.destination too_small',
    ],

    [
      cloud({
        first_on_demand: 0,
        spot_bid_price_percent: 0,
        block_volume_count: 0,
        block_volume_iops: 3000,
        block_volume_throughput: 125,
      }),
    ],
    [
      cloud({
        availability: 'SPOT_WITH_FALLBACK',
        spot_bid_price_percent: 10_000,
        block_volume_count: 10,
        block_volume_iops: 16_000,
        block_volume_throughput: 1000,
      }),
    ],
    [
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
    ).flatMap(([type, least, most]): [Fields, ...string[]][] => [
      [cloud({ block_volume_type: type, block_volume_size: least })],
      [cloud({ block_volume_type: type, block_volume_size: most })],
      [
        cloud({ block_volume_type: type, block_volume_size: least - 1 }),
        'new_cluster.cloud_attributes.block_volume_size volumeSize',
      ],
      [
        cloud({ block_volume_type: type, block_volume_size: most + 1 }),
        'new_cluster.cloud_attributes.block_volume_size volumeSize',
      ],
    ]),
    [
      cloud({ block_volume_type: 'THROUGHPUT_OPTIMIZED_HDD', block_volume_iops: 3000, block_volume_throughput: 125 }),
      'new_cluster.cloud_attributes.block_volume_iops volumeSpeed',
      'new_cluster.cloud_attributes.block_volume_throughput volumeSpeed',
    ],
  ];

  for (const [value, ...problems] of settings) {
    it(`${JSON.stringify(value, bigints).slice(0, 110)}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(jobSettings, value).toSorted(), problems.toSorted()));
  }
});

const params = (bytes: number): string[] => ['a'.repeat(bytes - 4)];

/** Bodies of other requests. */
const requests: [schema: Schema, value: Fields, ...problems: string[]][] = [
  [runNowRequest, { job_id: '1' }],
  [runNowRequest, {}, 'job_id invalid_type'],
  [runNowRequest, { job_id: '1', jar_params: [], notebook_params: {}, python_params: ['a'] }],
  [runNowRequest, { job_id: '1', jar_params: ['a'], python_params: ['a'] }, 'python_params oneParameterKind'],
  [runNowRequest, { job_id: '1', spark_submit_params: ['--master', 'x'] }, 'spark_submit_params[0] submitReservedFlag'],
  [runNowRequest, { job_id: '1', idempotency_token: '€'.repeat(64) }],
  [runNowRequest, { job_id: '1', idempotency_token: '😀'.repeat(64) }],
  [runNowRequest, { job_id: '1', idempotency_token: 'x'.repeat(65) }, 'idempotency_token tokenTooLong'],
  [runNowRequest, { job_id: '1', job_parameters: {} }, 'job_parameters unknownField'],
  [runNowRequest, { job_id: '1', notebook_params: { a: 'ü' } }, 'notebook_params.a asciiOnly'],
  [runNowRequest, { job_id: '1', python_params: ['ü'] }, 'python_params[0] asciiOnly'],
  [runNowRequest, { job_id: '1', spark_submit_params: ['ü'] }, 'spark_submit_params[0] asciiOnly'],
  [runNowRequest, { job_id: '1', jar_params: ['ü'] }],
  [submitRequest, { ...existing, run_name: 'ü'.repeat(2048), idempotency_token: 'x'.repeat(64) }],
  [submitRequest, { ...existing, run_name: `${'ü'.repeat(2048)}a` }, 'run_name runNameTooLong'],
  [submitRequest, { ...existing, idempotency_token: 'x'.repeat(65) }, 'idempotency_token tokenTooLong'],
  [submitRequest, { existing_cluster_id: 'c' }, 'noTask'],
  [submitRequest, notebook, 'noCluster'],
  [submitRequest, libraries({}), 'libraries[0] oneLibraryKind'],
  [submitRequest, { ...existing, timeout_seconds: -1 }, 'timeout_seconds too_small'],
  [schemas.resetRequest, { job_id: '1', new_settings: existing }],
  [schemas.resetRequest, { job_id: '1', new_settings: {} }, 'new_settings noTask'],
  [schemas.resetRequest, { job_id: '1' }, 'new_settings invalid_type'],
  [
    schemas.resetRequest,
    { job_id: '1', new_settings: existing, fields_to_remove: [] },
    'fields_to_remove unknownField',
  ],
  [schemas.updateRequest, { job_id: '1', new_settings: {}, fields_to_remove: ['schedule'] }],
  [schemas.updateRequest, { job_id: '1', fields_to_remove: [''] }, 'fields_to_remove[0] too_small'],
  [schemas.updateRequest, { job_id: '1', fields_to_remove: times(1000, 'a') }],
  [schemas.updateRequest, { job_id: '1', fields_to_remove: times(1001, 'a') }, 'fields_to_remove too_big'],
  [schemas.updateRequest, { job_id: '1', name: 'x' }, 'name unknownField'],
  [schemas.jobIdCommand, { job_id: '1' }],
  [schemas.jobIdCommand, { job_id: '1', run_id: '2' }, 'run_id unknownField'],
  [schemas.runIdCommand, { run_id: '1' }],
  [schemas.runIdCommand, { run_id: '1', job_id: '2' }, 'job_id unknownField'],
  [schemas.jobIdRequest, { job_id: '1', other: 1 }],
  [schemas.listRunsRequest, {}],
  [schemas.listRunsRequest, { limit: 0, offset: 0, active_only: true, completed_only: false, run_type: 'SUBMIT_RUN' }],
  [schemas.listRunsRequest, { limit: 999, active_only: false, completed_only: true }],
  [schemas.listRunsRequest, { limit: 1000 }, 'limit too_big'],
  [schemas.listRunsRequest, { limit: -1, offset: -1 }, 'limit too_small', 'offset too_small'],
  [schemas.listRunsRequest, { active_only: true, completed_only: true }, 'completed_only custom'],
  [schemas.listRunsRequest, { run_type: 'MANUAL' }, 'run_type invalid_value'],
  [schemas.exportRequest, { run_id: '1', views_to_export: 'ALL' }],
  [schemas.exportRequest, { run_id: '1', views_to_export: 'NONE' }, 'views_to_export invalid_value'],
];

describe('Jobs API requests', () => {
  for (const [schema, value, ...problems] of requests) {
    it(`${JSON.stringify(value).slice(0, 100)}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(schema, value).toSorted(), problems.toSorted()));
  }

  for (const kind of ['jar_params', 'python_params', 'spark_submit_params'] as const) {
    it(`${kind} have at most 10,000 bytes of JSON`, () => {
      assert.deepEqual(broken(runNowRequest, { job_id: '1', [kind]: params(10_000) }), []);
      assert.deepEqual(broken(runNowRequest, { job_id: '1', [kind]: params(10_001) }), [`${kind} parametersTooLarge`]);
    });
  }

  it('count the bytes of parameters, not the characters', () => {
    assert.deepEqual(broken(runNowRequest, { job_id: '1', jar_params: ['ü'.repeat(4998)] }), []);
    assert.deepEqual(broken(runNowRequest, { job_id: '1', jar_params: ['ü'.repeat(4999)] }), [
      'jar_params parametersTooLarge',
    ]);
  });
});

describe('Task parameters', () => {
  it('convert a list of pairs to an object', () => {
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

  it('stay the same object if there is no list of pairs', () => {
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

  it('read spark-submit options up to the application', () => {
    const { options, application } = readSparkSubmit([
      ...['-v', '--supervise', '--class', 'A', '--conf=a=b', '-h', '--master', 'x', '--usage-error', 'app.jar'],
      ...['--name', 'n'],
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

describe('Jobs and runs in responses', () => {
  const settingsOf = (settings: object): unknown => job.parse({ job_id: 7, settings }).settings;

  it('have task ids as text', () => {
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

  it('drop null fields and keep unknown ones', () => {
    assert.deepEqual(settingsOf({ name: null, later: { a: null } }), { later: { a: null } });
    const given = { name: 'x', later: 1 };
    assert.deepEqual(settingsOf(given), given);
    const read = run.parse({ run_id: 1, job_id: null, state: { life_cycle_state: 'LATER', more: 1 }, more: 2 });
    assert.deepEqual(read, { run_id: '1', job_id: undefined, state: { life_cycle_state: 'LATER', more: 1 }, more: 2 });
  });
});
