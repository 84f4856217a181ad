import assert from 'node:assert/strict';
import { jobSettings } from '../../../../../src/api/schema/jobs/schemas.ts';
import type { Fields } from '../../../../../src/shared/fields.ts';
import { broken, times } from '../../brokenRules.ts';
import { onNew, cloud, objstore, tags } from './jobParts.ts';

/** Settings of a job, and what is wrong with them; the neighbours of each limit are there on both sides. */
const settings: [title: string, value: Fields, ...problems: string[]][] = [
  ['a cluster of no workers', onNew({ num_workers: 0 })],
  ['a cluster of fewer', onNew({ num_workers: -1 }), 'new_cluster.num_workers too_small'],
  ['a cluster of no size', onNew({ num_workers: undefined }), 'new_cluster noSize'],
  ['a cluster of two sizes', onNew({ autoscale: { min_workers: 1, max_workers: 2 } }), 'new_cluster.autoscale oneSize'],
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
  ['a variable of another character', onNew({ spark_env_vars: { A: 'ü' } }), 'new_cluster.spark_env_vars.A asciiOnly'],
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

describe('settings of a cluster', () => {
  for (const [title, value, ...problems] of settings) {
    it(`${title}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(jobSettings, value).toSorted(), problems.toSorted()));
  }
});
