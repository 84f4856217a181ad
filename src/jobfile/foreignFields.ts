import { foreignTaskKinds } from '../api/jobs/taskKinds.ts';

/**
 * Fields of other versions and providers of the same API that real job files carry. The service takes and keeps
 * them, so a file that has them is no mistake, and none of them is taken for a mistyped name.
 */
export const foreignFields: ReadonlySet<string> = new Set([
  // jobs
  'format', 'tags', 'tasks', 'job_clusters', 'git_source', 'access_control_list', 'queue', 'parameters', 'run_as', 'edit_mode', 'deployment', 'description', 'environments', 'trigger', 'continuous', 'compute', 'budget_policy_id', 'performance_target', 'webhook_id', 'email_notification', 'run_as_user_name', 'budget', 'permissions', 'idempotency_token', 'run_name', 'user_name', 'creator_user_name', 'created_time', 'max_retry_interval_millis', 'usage_policy_id', 'disable_auto_optimization', 'run_if', 'depends_on', 'task_key',
  // other tasks
  ...foreignTaskKinds,
  'spark_jar_task_params', 'source', 'warehouse_id', 'full_refresh', 'full_refresh_selection', 'job_parameters', 'named_parameters', 'run_as_repl', 'spark_version_override',
  // clusters
  'aws_attributes', 'azure_attributes', 'gcp_attributes', 'policy_id', 'cluster_name', 'cluster_id', 'docker_image', 'data_security_mode', 'single_user_name', 'runtime_engine', 'enable_local_disk_encryption', 'autotermination_minutes', 'workload_type', 'apply_policy_default_values', 'cluster_source', 'is_single_node', 'kind', 'use_ml_runtime', 'start_cluster', 'idempotency', 'remote_disk_throughput', 'total_initial_remote_disk_size', 'user_specified_spark_version', 'job_cluster_key', 'node_type_flexibility', 'driver_node_type_flexibility', 'default_tags', 'disk_spec', 'disk_spec_flexible', 'init_scripts_safe_mode', 'target_workers',
  // provider attributes
  'ebs_volume_type', 'ebs_volume_count', 'ebs_volume_size', 'ebs_volume_iops', 'ebs_volume_throughput', 'spot_bid_max_price', 'google_service_account', 'use_preemptible_executors', 'boot_disk_size', 'local_ssd_count', 'log_analytics_info',
  // storage, libraries, notifications
  'dbfs', 's3', 'abfss', 'gcs', 'volumes', 'requirements', 'endpoint', 'on_streaming_backlog_exceeded', 'on_duration_warning',
]);
