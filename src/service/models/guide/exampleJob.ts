import { stringify } from 'yaml';
import { taskKinds } from '../../../api/schema/jobs/taskKinds.ts';
import type { WritableFields as Fields } from '../../../shared/fields.ts';

/** Example values by path in a job file. Each is valid for the schema and its rules. */
const samples: Record<string, unknown> = {
  name: 'nightly-report',
  existing_cluster_id: 'local',
  'notebook_task.notebook_path': '/notebooks/report',
  'notebook_task.revision_timestamp': 1790000000000,
  'notebook_task.base_parameters': { region: 'north' },
  'spark_jar_task.jar_uri': 'dfs:/libs/app.jar',
  'spark_jar_task.main_class_name': 'com.example.Main',
  'spark_jar_task.parameters': ['--run', '{{run_id}}'],
  'spark_python_task.python_file': '/jobs/etl.py',
  'spark_python_task.parameters': ['--run', '{{run_id}}'],
  'spark_submit_task.parameters': ['--class', 'com.example.Main', 'dfs:/libs/app.jar', '100'],
  'pipeline_task.pipeline_id': 'daily-ingest',
  'run_job_task.job_id': 1042,
  libraries: [{ pypi: { package: 'simplejson==3.8.0' } }],
  'libraries[].jar': 'dfs:/libs/app.jar',
  'libraries[].egg': 'dfs:/libs/app.egg',
  'libraries[].whl': 'dfs:/libs/app-1.0-py3-none-any.whl',
  'libraries[].pypi.package': 'simplejson==3.8.0',
  'libraries[].pypi.repo': 'https://pypi.org/simple',
  'libraries[].maven.coordinates': 'org.jsoup:jsoup:1.7.2',
  'libraries[].maven.repo': 'https://repo1.maven.org/maven2',
  'libraries[].maven.exclusions': ['slf4j:slf4j'],
  'libraries[].cran.package': 'data.table',
  'libraries[].cran.repo': 'https://cloud.r-project.org',
  timeout_seconds: 3600,
  max_retries: 3,
  min_retry_interval_millis: 60000,
  retry_on_timeout: true,
  max_concurrent_runs: 1,
  'schedule.quartz_cron_expression': '0 30 2 ? * MON-FRI',
  'schedule.timezone_id': 'Europe/Berlin',
  'schedule.pause_status': 'PAUSED',
  'health.rules': [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 600 }],
  'health.rules[].metric': 'RUN_DURATION_SECONDS',
  'health.rules[].operator': 'GREATER_THAN',
  'health.rules[].value': 600,
  'new_cluster.num_workers': 2,
  'new_cluster.spark_version': '3.5.x-scala2.12',
  'new_cluster.node_type_id': 'local',
  'new_cluster.driver_node_type_id': 'local',
  'new_cluster.autoscale.min_workers': 1,
  'new_cluster.autoscale.max_workers': 4,
  'new_cluster.spark_conf': { 'spark.sql.shuffle.partitions': '64' },
  'new_cluster.spark_env_vars': { STAGE: 'test' },
  'new_cluster.custom_tags': { team: 'reports' },
  'new_cluster.ssh_public_keys': ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample someone@example.com'],
  'new_cluster.instance_pool_id': 'pool-1',
  'new_cluster.driver_instance_pool_id': 'pool-2',
  'new_cluster.enable_elastic_disk': true,
  'new_cluster.cloud_attributes.block_volume_count': 1,
  'new_cluster.cloud_attributes.block_volume_size': 200,
  'new_cluster.cloud_attributes.block_volume_iops': 3000,
  'new_cluster.cloud_attributes.block_volume_throughput': 250,
  'new_cluster.cloud_attributes.block_volume_type': 'GENERAL_PURPOSE_SSD',
  'new_cluster.cloud_attributes.availability': 'SPOT_WITH_FALLBACK',
  'new_cluster.cloud_attributes.first_on_demand': 1,
  'new_cluster.cloud_attributes.zone_id': 'auto',
  'new_cluster.cloud_attributes.spot_bid_price_percent': 100,
  'new_cluster.cloud_attributes.instance_profile_arn': 'arn:cloud:iam::123456789012:instance-profile/jobs',
  'new_cluster.cluster_log_conf': { dfs: { destination: 'dfs:/cluster-logs' } },
  'new_cluster.cluster_log_conf.dfs.destination': 'dfs:/cluster-logs',
  'new_cluster.cluster_log_conf.objstore.destination': 'objstore://my-bucket/logs',
  'new_cluster.init_scripts': [{ workspace: { destination: '/scripts/init.sh' } }],
  'new_cluster.init_scripts[].workspace.destination': '/scripts/init.sh',
  'new_cluster.init_scripts[].dfs.destination': 'dfs:/scripts/init.sh',
  'new_cluster.init_scripts[].file.destination': 'file:/scripts/init.sh',
  'new_cluster.init_scripts[].objstore.destination': 'objstore://my-bucket/init.sh',
};

/** Fields that an object requires, by the object's path. */
const companions: readonly (readonly [pattern: RegExp, names: readonly string[]])[] = [
  [/^schedule$/, ['quartz_cron_expression', 'timezone_id']],
  [/^new_cluster$/, ['spark_version', 'node_type_id', 'num_workers']],
  [/^new_cluster\.autoscale$/, ['min_workers', 'max_workers']],
  [/\.objstore$/, ['destination', 'region']],
  [/\.(?:dfs|file|workspace)$/, ['destination']],
  [/^health\.rules\[\]$/, ['metric', 'operator', 'value']],
  [/^libraries\[\]\.maven$/, ['coordinates']],
  [/^libraries\[\]\.(?:pypi|cran)$/, ['package']],
  [/^notebook_task$/, ['notebook_path']],
  [/^spark_python_task$/, ['python_file']],
  [/^spark_jar_task$/, ['main_class_name']],
  [/^spark_submit_task$/, ['parameters']],
  [/^pipeline_task$/, ['pipeline_id']],
  [/^run_job_task$/, ['job_id']],
  [/^health$/, ['rules']],
];

function sampleAt(path: string): unknown {
  if (path in samples) return samples[path];
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (name === 'id') return 'on-call-channel';
  if (/^(?:email_notifications|webhook_notifications)\.on_/.test(path))
    return path.startsWith('email') ? ['ops@example.com'] : [{ id: 'on-call-channel' }];
  if (/^(?:no_alert|alert)_/.test(name)) return true;
  if (name === 'region') return 'eu-central-1';
  if (name === 'warehouse') return 'main';
  if (name === 'enable_encryption') return true;
  if (name === 'encryption_type') return 'sse-s3';
  if (name === 'kms_key') return 'my-key';
  if (name === 'canned_acl') return 'bucket-owner-full-control';
  if (name === 'email_notifications' || name === 'webhook_notifications')
    return { on_failure: sampleAt(`${path}.on_failure`) };
  if (name === 'notification_settings') return { no_alert_for_skipped_runs: true };
  if (name === 'cloud_attributes') return { availability: 'SPOT_WITH_FALLBACK', first_on_demand: 1 };
  const needed = companions.find(([pattern]) => pattern.test(path))?.[1];
  if (needed) return Object.fromEntries(needed.map((child) => [child, sampleAt(`${path}.${child}`)]));
  return undefined;
}

/** Returns the value for the rest of a path, with all required fields of its object. */
function valueFor(path: string, rest: readonly string[]): unknown {
  const [head, ...tail] = rest;
  if (head === undefined) return sampleAt(path);
  const base: Fields = {};
  for (const child of companions.find(([pattern]) => pattern.test(path))?.[1] ?? [])
    base[child] = sampleAt(`${path}.${child}`);
  const plain = head.replace('[]', '');
  const inner = valueFor(`${path}.${head}`, tail);
  base[plain] = head.endsWith('[]') ? [inner] : inner;
  if (path === 'new_cluster') keepOneSize(base, plain);
  return base;
}

function keepOneSize(cluster: Fields, chosen: string): void {
  if (chosen === 'autoscale') delete cluster['num_workers'];
  if (chosen === 'instance_pool_id') delete cluster['node_type_id'];
  if (chosen === 'driver_instance_pool_id') {
    cluster['instance_pool_id'] = samples['new_cluster.instance_pool_id'];
    delete cluster['node_type_id'];
  }
}

/**
 * Returns valid job settings that demonstrate one field.
 * @param path a path of the job file, such as `schedule.timezone_id` or `libraries[].pypi.package`
 * @returns undefined if the path has no example
 */
export function exampleSettings(path: string): Fields | undefined {
  const [head, ...rest] = path.split('.');
  if (head === undefined) return undefined;
  const plain = head.replace('[]', '');
  const value = valueFor(head, rest);
  if (value === undefined) return undefined;
  const settings: Fields = { name: samples['name'] };
  if (!taskKinds.some((kind) => kind === plain))
    settings['spark_python_task'] = { python_file: samples['spark_python_task.python_file'] };
  settings[plain] = head.endsWith('[]') ? [value] : value;
  if (plain === 'spark_jar_task') settings['libraries'] = [{ jar: 'dfs:/libs/app.jar' }];
  if (plain === 'spark_submit_task') settings['new_cluster'] = sampleAt('new_cluster');
  else if (plain !== 'new_cluster' && plain !== 'pipeline_task' && plain !== 'run_job_task')
    settings['existing_cluster_id'] = samples['existing_cluster_id'];
  if (
    path === 'email_notifications.on_duration_warning_threshold_exceeded' ||
    path === 'webhook_notifications.on_duration_warning_threshold_exceeded'
  ) {
    settings['health'] = { rules: samples['health.rules'] };
  }
  return settings;
}

/** Formats settings as a job file. */
export function exampleYaml(settings: Fields): string {
  return stringify(settings, { lineWidth: 0 });
}
