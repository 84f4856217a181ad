import { fieldsOf, type Fields } from '../../../shared/fields.ts';
import { l10n } from '../../../shared/l10n.ts';
import { firstNonAscii, isAscii } from '../field.ts';
import { exactlyOne, has, type ReportProblem, type RulePath } from './rule.ts';

/** Checks the rules of NewCluster and the structures below it (Jobs API 2.0). */
export function checkNewCluster(cluster: Fields, path: RulePath, report: ReportProblem): void {
  const hasSize = has(cluster, 'num_workers');
  const hasAutoscale = has(cluster, 'autoscale');
  if (hasSize && hasAutoscale)
    report(
      [...path, 'autoscale'],
      'oneSize',
      l10n.t('Both num_workers and autoscale are given, but a cluster has one of them. Remove one.'),
    );
  // Real job files describe a single-node cluster with a driver and no workers.
  const isSingleNode =
    fieldsOf(cluster['spark_conf'])?.['spark.databricks.cluster.profile'] === 'singleNode' ||
    cluster['is_single_node'] === true;
  if (!hasSize && !hasAutoscale && !isSingleNode && !has(cluster, 'policy_id'))
    report(path, 'noSize', l10n.t('No size is given. Add num_workers or autoscale.'));
  const scale = fieldsOf(cluster['autoscale']);
  const [min, max] = [scale?.['min_workers'], scale?.['max_workers']];
  if (typeof min === 'number' && typeof max === 'number' && max <= min) {
    report(
      [...path, 'autoscale', 'max_workers'],
      'autoscaleOrder',
      l10n.t('max_workers is {0}, but must be greater than min_workers, which is {1}.', max, min),
    );
  }
  if (!has(cluster, 'node_type_id') && !has(cluster, 'instance_pool_id') && !has(cluster, 'policy_id')) {
    report(path, 'noNodeType', l10n.t('No node type is given. Add node_type_id or instance_pool_id.'));
  }
  if (has(cluster, 'driver_instance_pool_id') && !has(cluster, 'instance_pool_id')) {
    report(
      [...path, 'driver_instance_pool_id'],
      'driverPoolNeedsPool',
      l10n.t('driver_instance_pool_id needs instance_pool_id. Add it.'),
    );
  }
  checkStorage(cluster, path, report);
  checkEnvironment(cluster, path, report);
  checkVolumes(fieldsOf(cluster['cloud_attributes']), [...path, 'cloud_attributes'], report);
}

function checkStorage(cluster: Fields, path: RulePath, report: ReportProblem): void {
  const logs = fieldsOf(cluster['cluster_log_conf']);
  if (logs) {
    exactlyOne(logs, [...path, 'cluster_log_conf'], 'logDestination', ['dfs', 'objstore'], report);
    checkObjstore(fieldsOf(logs['objstore']), [...path, 'cluster_log_conf', 'objstore'], report);
  }
  const scripts = cluster['init_scripts'];
  if (!Array.isArray(scripts)) return;
  scripts.forEach((script: unknown, index) => {
    const info = fieldsOf(script);
    if (!info) return;
    const place = [...path, 'init_scripts', index];
    exactlyOne(info, place, 'initScriptPlace', ['workspace', 'dfs', 'objstore', 'file'], report);
    checkObjstore(fieldsOf(info['objstore']), [...place, 'objstore'], report);
  });
}

function checkObjstore(storage: Fields | undefined, path: RulePath, report: ReportProblem): void {
  if (storage && !has(storage, 'region') && !has(storage, 'warehouse')) {
    report(
      path,
      'objstoreRegion',
      l10n.t('region or warehouse is required. Add one. If both are given, warehouse takes precedence.'),
    );
  }
}

function checkEnvironment(cluster: Fields, path: RulePath, report: ReportProblem): void {
  const variables = fieldsOf(cluster['spark_env_vars']);
  for (const [name, value] of Object.entries(variables ?? {})) {
    for (const text of [name, value]) {
      if (typeof text === 'string' && !isAscii(text)) {
        report(
          [...path, 'spark_env_vars', name],
          'asciiOnly',
          l10n.t('spark_env_vars can contain ASCII characters only; {0} is not one.', firstNonAscii(text)),
        );
      }
    }
  }
}

function checkVolumes(cloud: Fields | undefined, path: RulePath, report: ReportProblem): void {
  const disk = cloud?.['block_volume_type'] === 'THROUGHPUT_OPTIMIZED_HDD';
  for (const name of disk ? ['block_volume_iops', 'block_volume_throughput'] : []) {
    if (has(cloud, name))
      report(
        [...path, name],
        'volumeSpeed',
        l10n.t(
          '{0} requires general purpose SSD volumes; throughput optimized HDDs do not support it. Remove it.',
          name,
        ),
      );
  }
  const size = cloud?.['block_volume_size'];
  if (typeof size !== 'number') return;
  const minSizeInGib = disk ? 500 : 100;
  if (size < minSizeInGib || size > 4096) {
    report(
      [...path, 'block_volume_size'],
      'volumeSize',
      disk
        ? l10n.t('block_volume_size is {0} GiB; a throughput optimized HDD has {1} to 4096.', size, minSizeInGib)
        : l10n.t('block_volume_size is {0} GiB; a general purpose SSD has {1} to 4096.', size, minSizeInGib),
    );
  }
}
