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

const webhooks = (event: string, ids: string[]): Fields => ({
  ...existing,
  webhook_notifications: { [event]: ids.map((id) => ({ id })) },
});

const rule = (fields: Fields): Fields => ({
  ...existing,
  health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 0, ...fields }] },
});

const objstore = (fields: Fields): Fields => ({ destination: 'objstore://b', ...fields });

const tasks = (count: number): Fields[] =>
  times(count, notebook).map((task, index) => ({ ...task, task_key: `task_${index}` }));

const listOf = (...entries: Fields[]): Fields => ({
  tasks: entries.map((task, index) => ({ task_key: `task_${index}`, ...task })),
});

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
    [{ tasks: tasks(100) }],
    [{ tasks: tasks(101) }, 'tasks tooManyTasks'],
    [{ ...existing, tasks: tasks(1) }, 'notebook_task oneTask'],
    [listOf({}), 'tasks[0] noTask'],
    [listOf({ ...notebook, sql_task: {} }), 'tasks[0].sql_task oneTask'],
    [listOf({ ...notebook, task_key: 'a b' }), 'tasks[0].task_key invalid_format'],
    [listOf(notebook, { ...notebook, task_key: 'task_0' }), 'tasks[1].task_key duplicateEntry'],
    [listOf({ ...notebook, depends_on: [{ task_key: 'x' }] }), 'tasks[0].depends_on[0].task_key unknownKey'],
    [listOf({ ...notebook, depends_on: [{ task_key: 'task_0' }] }), 'tasks[0].depends_on circle'],
    [
      listOf(
        { ...notebook, depends_on: [{ task_key: 'task_1' }] },
        { ...notebook, depends_on: [{ task_key: 'task_0' }] },
      ),
      'tasks[0].depends_on circle',
    ],
    [listOf({ ...notebook, job_cluster_key: 'c' }), 'tasks[0].job_cluster_key unknownKey'],
    [
      listOf({ ...notebook, environment_key: 'e', existing_cluster_id: 'c' }),
      'tasks[0].environment_key oneCluster',
      'tasks[0].environment_key unknownKey',
    ],
    [{ ...listOf({ ...notebook, environment_key: 'e' }), environments: [{ environment_key: 'e' }] }],
    [
      listOf(notebook, { condition_task: { op: 'EQUAL_TO', left: '{{tasks.task_0.values.x}}', right: '1' } }),
      'tasks[1].condition_task.left taskNotBefore',
    ],
    [
      listOf(notebook, {
        depends_on: [{ task_key: 'task_0' }],
        for_each_task: {
          inputs: '{{tasks.task_0.values.x}}',
          task: { task_key: 'each', notebook_task: { notebook_path: 'n' } },
        },
      }),
      'tasks[1].for_each_task.task.notebook_task.notebook_path invalid_format',
    ],
    [notebook, 'noCluster'],
    [{ pipeline_task: { pipeline_id: 'p' } }],
    [{ run_job_task: { job_id: '1' } }],
    [{ ...onNew({}), existing_cluster_id: 'c' }, 'existing_cluster_id oneCluster'],
    [{ ...notebook, existing_cluster_id: '' }, 'existing_cluster_id too_small'],
    [{ existing_cluster_id: 'c', notebook_task: { notebook_path: 'n' } }, 'notebook_task.notebook_path invalid_format'],
    [
      { ...existing, notebook_task: { notebook_path: '/n', base_parameters: { a: 'ü' } } },
      'notebook_task.base_parameters.a asciiOnly',
    ],
    [{ existing_cluster_id: 'c', spark_python_task: { python_file: '' } }, 'spark_python_task.python_file too_small'],
    [{ pipeline_task: { pipeline_id: '' } }, 'pipeline_task.pipeline_id too_small'],
    [{ run_job_task: { job_id: '9223372036854775807' } }],
    [{ run_job_task: { job_id: '-9223372036854775808' } }],
    [{ run_job_task: { job_id: '9223372036854775808' } }, 'run_job_task.job_id custom'],
    [{ run_job_task: { job_id: '-9223372036854775809' } }, 'run_job_task.job_id custom'],
    [{ existing_cluster_id: 'c', spark_python_task: { python_file: '/f', parameters: ['ü'] } }],
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
      submitTask('-v', '--supervise', '--usage-error', '--master', 'x', 'a'),
      'spark_submit_task.parameters[3] submitReservedFlag',
    ],

    [
      libraries(
        ...[{ jar: 'a' }, { egg: 'a' }, { whl: 'a-1-py3-none-any.whl' }, { whl: 'a.wheelhouse.zip' }],
        ...[{ pypi: { package: 'a' } }, { maven: { coordinates: 'a:b:c' } }, { cran: { package: 'a' } }],
      ),
    ],
    [libraries({ jar: 'a' }, { jar: 'a', egg: 'b' }), 'libraries[1].egg oneLibraryKind'],
    [
      libraries({ jar: '' }, { egg: '' }, { whl: '' }, { pypi: { package: '' } }, { cran: { package: '' } }),
      ...['[0].jar', '[1].egg', '[2].whl', '[3].pypi.package', '[4].cran.package'].map(
        (at) => `libraries${at} too_small`,
      ),
    ],
    [libraries({}), 'libraries[0] oneLibraryKind'],
    [libraries({ gem: 'a' }), 'libraries[0] oneLibraryKind'],
    [libraries({ requirements: 'a' })],
    [libraries({ whl: 'a.zip' }), 'libraries[0].whl wheelName'],
    [libraries({ whl: 'dfs:/a.whl' }), 'libraries[0].whl wheelName'],
    [
      libraries(
        { whl: 'dist/*.whl' },
        { whl: 'dfs:/{{ wheel }}.whl' },
        { whl: 'dfs:/my_app-1.0.2-1a-cp311-cp311-linux_x86_64.whl' },
      ),
    ],
    [libraries({ whl: 'a.whl.txt' }), 'libraries[0].whl wheelName'],
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
    ...['hello.py', './jobs/hello.py', 'C:\\hello.py'].map((file): [Fields, string] => [
      { existing_cluster_id: 'c', spark_python_task: { python_file: file } },
      'spark_python_task.python_file relativePath',
    ]),
    [{ existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/hello.py' } }],
    [{ git_source: {}, existing_cluster_id: 'c', spark_python_task: { python_file: 'hello.py' } }],
    ...['<a@b.c>', '-oQ/tmp@x', 'a@b.c\0', 'a,b@c.d'].map((address): [Fields, string] => [
      mail(address),
      'email_notifications.on_failure[0] custom',
    ]),
    [mail("o'neil+jobs@mail.example")],
    [onNew({ spark_env_vars: { '': 'a' } }), 'new_cluster.spark_env_vars[""] invalid_format'],
    [onNew({ spark_env_vars: { 'A=B': 'a' } }), 'new_cluster.spark_env_vars["A=B"] invalid_format'],
    [{ ...existing, name: 'a\u001b[31mb' }, 'name controlCharacter'],
    [{ ...existing, name: 'a\tb ü 日本' }],
    ...['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'].flatMap(
      (event): [Fields, ...string[]][] => [
        [{ ...existing, email_notifications: { [event]: ['a'] } }, `email_notifications.${event}[0] custom`],
        [webhooks(event, times(3, 'a'))],
        [webhooks(event, times(4, 'a')), `webhook_notifications.${event} too_big`],
      ],
    ),
    [webhooks('on_start', ['']), 'webhook_notifications.on_start[0].id too_small'],
    [rule({})],
    [rule({ operator: undefined }), 'health.rules[0] noOperator'],
    [rule({ operator: undefined, op: 'GREATER_THAN' })],
    [rule({ operator: undefined, op: 'LESS_THAN' }), 'health.rules[0].op value'],
    [rule({ metric: 'HEAT' }), 'health.rules[0].metric invalid_value'],
    [rule({ operator: 'LESS_THAN' }), 'health.rules[0].operator invalid_value'],
    [rule({ value: -1 }), 'health.rules[0].value too_small'],
  ];

  for (const [value, ...problems] of settings) {
    it(`have ${problems.join(' and ') || 'nothing wrong'} with ${JSON.stringify(value, bigints).slice(0, 110)}`, () =>
      assert.deepEqual(broken(jobSettings, value).toSorted(), problems.toSorted()));
  }

  it('warn about fields that the API document lacks', () => {
    assert.deepEqual(
      reports(checkJobSettings, {
        existing_cluster_id: 'c',
        sql_task: {},
        libraries: [{ requirements: 'r' }],
        health: { rules: [{ metric: 'STREAMING_BACKLOG_BYTES', op: 'GREATER_THAN' }] },
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
    assert.deepEqual(reports(checkJobSettings, { tasks: tasks(1) }), []);
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
      health: { rules: [null, { metric: 5, op: 'GREATER_THAN' }] },
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
  const sizeless = (changes: Fields): Fields => ({ num_workers: undefined, ...changes });
  const tags = (count: number): Fields => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
  const workspace = { workspace: { destination: '/a' } };
  const file = { file: { destination: 'file:/a' } };
  const volumes = ['first_on_demand', 'spot_bid_price_percent', 'block_volume_count', 'block_volume_iops'];
  const cloud = (...[first, price, count, iops]: (number | undefined)[]): Fields => ({
    cloud_attributes: {
      first_on_demand: first,
      spot_bid_price_percent: price,
      block_volume_count: count,
      block_volume_iops: iops,
    },
  });
  const volume = (fields: Fields): Fields => ({ cloud_attributes: fields });
  /** What is changed of a new cluster, and what is wrong with it; the neighbours of each limit are there on both sides. */
  const settings: [changes: Fields, ...problems: string[]][] = [
    [{ num_workers: 0 }],
    [{ num_workers: -1 }, 'num_workers too_small'],
    [sizeless({}), 'noSize'],
    [{ autoscale: { min_workers: 1, max_workers: 2 } }, 'autoscale oneSize'],
    [sizeless({ autoscale: { min_workers: 0, max_workers: 1 } })],
    [sizeless({ autoscale: { min_workers: 1, max_workers: 1 } }), 'autoscale.max_workers autoscaleOrder'],
    [sizeless({ autoscale: { min_workers: -1, max_workers: 1 } }), 'autoscale.min_workers too_small'],
    [sizeless({ spark_conf: { 'spark.databricks.cluster.profile': 'singleNode' } })],
    [sizeless({ spark_conf: { 'spark.databricks.cluster.profile': 'serverless' } }), 'noSize'],
    [sizeless({ is_single_node: true })],
    [sizeless({ is_single_node: false }), 'noSize'],
    [sizeless({ node_type_id: undefined, policy_id: 'p' })],
    [{ node_type_id: undefined }, 'noNodeType'],
    [{ node_type_id: undefined, instance_pool_id: 'p' }],
    [{ driver_instance_pool_id: 'p' }, 'driver_instance_pool_id driverPoolNeedsPool'],
    [{ driver_instance_pool_id: 'p', instance_pool_id: 'q' }],
    [{ spark_version: '' }, 'spark_version too_small'],
    [{ spark_conf: { a: 'b', c: 1, d: true, e: 5n } }],
    [{ spark_conf: { a: {} } }, 'spark_conf.a invalid_union'],
    [{ ssh_public_keys: times(10, 'k') }],
    [{ ssh_public_keys: times(11, 'k') }, 'ssh_public_keys too_big'],
    [{ spark_env_vars: { A: 'ü' } }, 'spark_env_vars.A asciiOnly'],
    [{ spark_env_vars: { Ü: 'b' } }, 'spark_env_vars["Ü"] asciiOnly'],
    [{ custom_tags: tags(45) }],
    [{ custom_tags: tags(46) }, 'custom_tags custom'],
    [{ custom_tags: { ['€'.repeat(127)]: '€'.repeat(255) } }],
    [{ custom_tags: { ['k'.repeat(128)]: 'v' } }, `custom_tags["${'k'.repeat(60)}…"] custom`],
    [{ custom_tags: { '': 'v' } }, 'custom_tags[""] custom'],
    [{ custom_tags: { k: 'v'.repeat(256) } }, 'custom_tags.k custom'],

    [{ cluster_log_conf: { dfs: { destination: 'dfs:/l' } } }],
    [{ cluster_log_conf: { volumes: { destination: 'v' } } }],
    [
      { cluster_log_conf: { dfs: { destination: 'd' }, objstore: objstore({ region: 'r' }) } },
      'cluster_log_conf.objstore logDestination',
    ],
    [{ cluster_log_conf: {} }, 'cluster_log_conf logDestination'],
    [{ cluster_log_conf: { objstore: objstore({}) } }, 'cluster_log_conf.objstore objstoreRegion'],
    [{ cluster_log_conf: { objstore: objstore({ warehouse: 'w' }) } }],
    [{ cluster_log_conf: { dfs: { destination: '' } } }, 'cluster_log_conf.dfs.destination too_small'],
    [{ init_scripts: [workspace, { dfs: { destination: 'dfs:/a' } }, { objstore: objstore({ region: 'r' }) }, file] }],
    [{ init_scripts: [{ ...workspace, ...file }] }, 'init_scripts[0].file initScriptPlace'],
    [{ init_scripts: [workspace, {}] }, 'init_scripts[1] initScriptPlace'],
    [{ init_scripts: [{ objstore: objstore({}) }] }, 'init_scripts[0].objstore objstoreRegion'],
    [{ init_scripts: [{ file: { destination: '' } }] }, 'init_scripts[0].file.destination too_small'],

    [cloud(0, 0, 0, 3000)],
    [cloud(undefined, 10_000, 10, 16_000)],
    [cloud(-1, -1, -1, 2999), ...volumes.map((name) => `cloud_attributes.${name} too_small`)],
    [cloud(undefined, 10_001, 11, 16_001), ...volumes.slice(1).map((name) => `cloud_attributes.${name} too_big`)],
    [volume({ block_volume_throughput: 125 })],
    [volume({ block_volume_throughput: 1001 }), 'cloud_attributes.block_volume_throughput too_big'],
    [volume({ availability: 'FREE' }), 'cloud_attributes.availability invalid_value'],
    [volume({ block_volume_type: 'TAPE' }), 'cloud_attributes.block_volume_type invalid_value'],
    ...([undefined, 'GENERAL_PURPOSE_SSD', 'THROUGHPUT_OPTIMIZED_HDD'] as const).flatMap((type) =>
      [type === 'THROUGHPUT_OPTIMIZED_HDD' ? 499 : 99, type === 'THROUGHPUT_OPTIMIZED_HDD' ? 500 : 100, 4096, 4097].map(
        (size, at): [Fields, ...string[]] => [
          volume({ block_volume_type: type, block_volume_size: size }),
          ...(at % 3 === 0 ? ['cloud_attributes.block_volume_size volumeSize'] : []),
        ],
      ),
    ),
    [
      volume({ block_volume_type: 'THROUGHPUT_OPTIMIZED_HDD', block_volume_iops: 3000 }),
      'cloud_attributes.block_volume_iops volumeSpeed',
    ],
  ];

  for (const [changes, ...problems] of settings) {
    it(`have ${problems.join(' and ') || 'nothing wrong'} with ${JSON.stringify(changes, bigints).slice(0, 110)}`, () =>
      assert.deepEqual(
        broken(jobSettings, onNew(changes)).toSorted(),
        problems.map((each) => `new_cluster${each.includes(' ') ? '.' : ' '}${each}`).toSorted(),
      ));
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
  [runNowRequest, { job_id: '1', warehouse_params: {} }, 'warehouse_params unknownField'],
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
    it(`have ${problems.join(' and ') || 'nothing wrong'} with ${JSON.stringify(value).slice(0, 100)}`, () =>
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
