import * as z from 'zod';
import { countCharacters, field, int32, oneOf, text } from '../field.ts';

const stringMap = (name = z.string()) => z.record(name, z.string());
/** A name that a process can have in its environment. */
const variableName = () =>
  z.string().regex(/^[^=\0]+$/, { error: 'must be the name of a variable, so not empty and without an equals sign' });
/** Spark reads every setting as text, but clients also send numbers and booleans. */
const settingMap = () => z.record(z.string(), z.union([z.string(), z.number(), z.bigint(), z.boolean()]));

/** Jobs API 2.0, Autoscale. */
const autoscale = z.looseObject({
  min_workers: field(int32().min(0), 'Lower bound and initial number of workers.'),
  max_workers: field(int32().min(0), 'Upper bound of workers. Strictly greater than `min_workers`.'),
});

const cloudAvailabilities = ['SPOT', 'ON_DEMAND', 'SPOT_WITH_FALLBACK'] as const;
const blockVolumeTypes = ['GENERAL_PURPOSE_SSD', 'THROUGHPUT_OPTIMIZED_HDD'] as const;

/** Jobs API 2.0, CloudAttributes. */
const cloudAttributes = z.looseObject({
  first_on_demand: field(
    int32().min(0).optional(),
    'The first N nodes are on-demand instances. If N > 0, the driver is on-demand. If N is at least the ' +
      'cluster size, all nodes are on-demand; otherwise the rest use `availability`. Does not change the ' +
      "cluster size and cannot change during the cluster's life.",
  ),
  availability: field(
    oneOf(cloudAvailabilities).optional(),
    'Availability type for nodes beyond the `first_on_demand` ones (for the whole cluster when ' +
      '`first_on_demand` is 0). `SPOT`: spot instances. `ON_DEMAND`: on-demand instances. ' +
      '`SPOT_WITH_FALLBACK`: spot preferred, on-demand if spot cannot be acquired.',
  ),
  zone_id: field(
    text().optional(),
    'Availability zone identifier. `auto` chooses the zone by available IPs in the workspace subnets, ' +
      'with retry in other zones on capacity errors. May be a specific zone in the same region as the ' +
      'deployment.',
    { default: 'auto' },
  ),
  instance_profile_arn: field(
    text().optional(),
    'Nodes are placed only on instances with this instance profile, which an account admin must already ' +
      'have added to the environment. May be limited to some customer plans.',
    { default: 'no profile' },
  ),
  spot_bid_price_percent: field(
    int32().min(0).max(10_000).optional(),
    'Maximum spot price as a percentage of the on-demand price of the instance type. At most 10000.',
    { default: 100, unit: 'percent' },
  ),
  block_volume_type: field(oneOf(blockVolumeTypes).optional(), 'Type of block volumes launched with the cluster.'),
  block_volume_count: field(
    int32().min(0).max(10).optional(),
    'Volumes per instance, up to 10. Only for supported node types; legacy node types cannot specify ' +
      'custom volumes. Node types without instance storage need at least one volume or cluster creation ' +
      'fails. Volumes are mounted at /ebs0, /ebs1 and so on. When volumes are attached, Spark uses only ' +
      'them for scratch space and its `spark.local.dir` setting is overridden.',
  ),
  block_volume_size: field(
    int32().optional(),
    'Size of each volume in GiB. General purpose SSD: 100 to 4096. Throughput optimized HDD: 500 to 4096.',
    { unit: 'GiB' },
  ),
  block_volume_iops: field(
    int32().min(3000).max(16_000).optional(),
    'IOPS per general-purpose-SSD volume of the newer generation, 3000 to 16000. Left out together with ' +
      '`block_volume_throughput`, it is inferred from the disk size: above 1000 GiB 3 times the size up to ' +
      '16000, otherwise 3000.',
  ),
  block_volume_throughput: field(
    int32().min(125).max(1000).optional(),
    'Throughput per such volume in MiB per second, 125 to 1000. Left out together with ' +
      '`block_volume_iops`, it is inferred from the disk size: 250 from 170 GiB, 125 below.',
    { unit: 'MiB/s' },
  ),
});

/** Jobs API 2.0, Storage descriptors. */
const dfsStorageInfo = z.looseObject({
  destination: field(text().min(1), 'Destination on the distributed file system, such as `dfs:/cluster-logs`.'),
});
const fileStorageInfo = z.looseObject({
  destination: field(
    text().min(1),
    'Destination as a file, such as `file:/my/file.sh`. Only for clusters using container services.',
  ),
});
const workspaceStorageInfo = z.looseObject({
  destination: field(text().min(1), 'Destination in the workspace, such as `/Users/someone@example.com/init.sh`.'),
});
const objstoreStorageInfo = z.looseObject({
  destination: field(
    text().min(1),
    'Destination in object storage, such as `objstore://my-bucket/prefix`. The cluster needs an instance ' +
      'profile with write access; provider access keys cannot be used.',
  ),
  region: field(
    text().optional(),
    'Region of the bucket. `region` or `warehouse` is required; if both are set, `warehouse` is used.',
  ),
  warehouse: field(
    text().optional(),
    'Warehouse of the bucket. `region` or `warehouse` is required; if both are set, `warehouse` is used.',
  ),
  enable_encryption: field(z.boolean().optional(), 'Enables server-side encryption.', { default: false }),
  encryption_type: field(
    z.enum(['sse-s3', 'sse-kms']).optional(),
    'Encryption type, used only when encryption is enabled.',
    { default: 'sse-s3' },
  ),
  kms_key: field(text().optional(), 'Key used if encryption is enabled and the type is `sse-kms`.'),
  canned_acl: field(
    text().optional(),
    'Canned access control list. The instance profile then needs permission to put object ACLs on the ' +
      'bucket and prefix. By default only the object owner has full control.',
  ),
});

/** Jobs API 2.0, ClusterLogConf: exactly one destination. */
const clusterLogConf = z.looseObject({
  dfs: field(dfsStorageInfo.optional(), 'Log destination on the distributed file system.'),
  objstore: field(objstoreStorageInfo.optional(), 'Log destination in object storage.'),
});

/** Jobs API 2.0, InitScriptInfo: one of the locations. */
const initScriptInfo = z.looseObject({
  workspace: field(workspaceStorageInfo.optional(), 'Init script in the workspace.'),
  dfs: field(dfsStorageInfo.optional(), 'Init script on the distributed file system.', { deprecated: true }),
  objstore: field(objstoreStorageInfo.optional(), 'Init script in object storage.'),
  file: field(fileStorageInfo.optional(), 'Init script as a file. Only for clusters using container services.'),
});

const tagMap = z.record(z.string(), z.string()).superRefine((tags, context) => {
  const refuse = (message: string, key?: string): void =>
    context.addIssue({ code: 'custom', path: key === undefined ? [] : [key], message });
  const keys = Object.keys(tags);
  if (keys.length > 45) refuse(`holds ${keys.length} tags; at most 45 are allowed. Remove ${keys.length - 45}.`);
  for (const key of keys.slice(0, 100)) {
    const keyLength = countCharacters(key);
    if (keyLength < 1 || keyLength > 127)
      refuse(`the tag's key has ${keyLength} characters; 1 to 127 are allowed`, key);
    const valueLength = countCharacters(tags[key] ?? '');
    if (valueLength > 255) refuse(`the tag's value has ${valueLength} characters; at most 255 are allowed`, key);
  }
});

/** Jobs API 2.0, NewCluster. */
export const newCluster = z.looseObject({
  num_workers: field(
    int32().min(0).optional(),
    'Fixed number of workers. A cluster has one Spark driver plus the workers. When read, this is the ' +
      'desired count, not the current one. Give this or `autoscale`.',
  ),
  autoscale: field(
    autoscale.optional(),
    'Parameters for scaling the number of workers by load. Give this or `num_workers`.',
  ),
  spark_version: field(text().min(1), 'Spark version of the cluster.', { refersTo: 'sparkVersion' }),
  spark_conf: field(
    settingMap().optional(),
    'Spark configuration as key-value pairs. Extra JVM options for driver and executors are given ' +
      'through `spark.driver.extraJavaOptions` and `spark.executor.extraJavaOptions`.',
  ),
  cloud_attributes: field(
    cloudAttributes.optional(),
    'Attributes for clusters on the cloud provider. A default set is used if omitted.',
  ),
  node_type_id: field(
    text().optional(),
    'Resources of each Spark node. This field, `instance_pool_id`, or a cluster policy that fixes a node type or pool is required.',
    { refersTo: 'nodeType' },
  ),
  driver_node_type_id: field(text().optional(), 'Node type of the Spark driver.', {
    default: 'the value of node_type_id',
    refersTo: 'nodeType',
  }),
  ssh_public_keys: field(
    z.array(z.string()).max(10, { error: 'holds more than 10 keys; up to 10 are allowed' }).optional(),
    'SSH public key contents added to each Spark node; log in as user `ubuntu` on port 2200. Up to 10 keys.',
  ),
  custom_tags: field(
    tagMap.optional(),
    'Tags applied to cluster resources in addition to the default tags. Not supported for legacy node ' +
      'types. At most 45; keys of 1 to 127 and values of up to 255 UTF-8 characters.',
  ),
  cluster_log_conf: field(
    clusterLogConf.optional(),
    'Destination for Spark logs; only one per cluster. Logs are delivered every 5 minutes: driver logs ' +
      'to `<destination>/<cluster-id>/driver`, executor logs to `<destination>/<cluster-id>/executor`.',
  ),
  init_scripts: field(
    z.array(initScriptInfo).optional(),
    'Scripts run in the order given when a node starts; any number. If `cluster_log_conf` is set, their logs go to `<destination>/<cluster-id>/init_scripts`.',
  ),
  spark_env_vars: field(
    stringMap(variableName()).optional(),
    'Environment variables exported as given when the driver and the workers start. Append extra ' +
      'SPARK_DAEMON_JAVA_OPTS to the existing value of that variable. ASCII characters only.',
  ),
  enable_elastic_disk: field(
    z.boolean().optional(),
    'Autoscaling local storage: the cluster acquires more disk space dynamically when its workers run low. Needs specific provider permissions.',
  ),
  driver_instance_pool_id: field(text().optional(), 'Pool for the driver node. `instance_pool_id` must also be given.'),
  instance_pool_id: field(
    text().optional(),
    'Pool for cluster nodes. If `driver_instance_pool_id` is present, it serves only the workers; otherwise driver and workers.',
  ),
});

/** Jobs API 2.0, ClusterInstance. */
export const clusterInstanceFields = {
  cluster_id: field(
    z.string(),
    'The cluster used by the run; omitted until available. Logs remain available after the run.',
  ),
  spark_context_id: field(
    z.string(),
    'Spark context of the run, set when the run starts. Together with `cluster_id` it identifies an execution context for all time.',
  ),
};
