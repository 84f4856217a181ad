import {
  many,
  onExisting,
  onNew,
  cloud,
  ascii,
  newCluster,
  pythonFile,
  structureTests,
  type Structure,
} from './structures.ts';

const structures: Record<string, Structure> = {
  NewCluster: {
    allowed: [
      onNew({
        num_workers: 0,
        spark_conf: { 'spark.speculation': 'true' },
        driver_node_type_id: 'local',
        enable_elastic_disk: true,
        ssh_public_keys: Array.from({ length: 10 }, String),
      }),
      onNew({
        num_workers: undefined,
        autoscale: { min_workers: 1, max_workers: 2 },
        node_type_id: undefined,
        instance_pool_id: 'p',
        driver_instance_pool_id: 'd',
      }),
      onNew({
        spark_env_vars: { PYSPARK_PYTHON: '/usr/bin/python3' },
        custom_tags: { ...many(44), ['k'.repeat(127)]: 'ü'.repeat(255) },
      }),
    ],
    refused: [
      [{ new_cluster: { ...newCluster, num_workers: undefined }, ...pythonFile }, /num_workers or autoscale/],
      [onNew({ autoscale: { min_workers: 1, max_workers: 2 } }), /both given/],
      [onNew({ spark_version: undefined }), /spark_version/],
      [onNew({ node_type_id: undefined }), /node_type_id or instance_pool_id/],
      [onNew({ driver_instance_pool_id: 'd' }), /needs instance_pool_id/],
      [onNew({ ssh_public_keys: Array.from({ length: 11 }, String) }), /up to 10/],
      [onNew({ custom_tags: many(46) }), /at most 45/],
      [onNew({ custom_tags: { ['k'.repeat(128)]: 'v' } }), /1 to 127/],
      [onNew({ custom_tags: { '': 'v' } }), /1 to 127/],
      [onNew({ custom_tags: { k: 'v'.repeat(256) } }), /at most 255/],
      [onNew({ spark_env_vars: { A: 'ü' } }), ascii],
      [onNew({ spark_env_vars: { Ü: 'a' } }), ascii],
      [onNew({ spark_conf: { a: {} } }), /spark_conf/],
    ],
  },
  Autoscale: {
    allowed: [onNew({ num_workers: undefined, autoscale: { min_workers: 0, max_workers: 1 } })],
    refused: [
      [
        onNew({ num_workers: undefined, autoscale: { min_workers: 2, max_workers: 2 } }),
        /must be greater than min_workers/,
      ],
      [onNew({ num_workers: undefined, autoscale: { min_workers: 2 } }), /max_workers/],
    ],
  },
  CloudAttributes: {
    allowed: [
      cloud({
        first_on_demand: 1,
        availability: 'SPOT_WITH_FALLBACK',
        zone_id: 'auto',
        instance_profile_arn: 'arn',
        spot_bid_price_percent: 10_000,
        block_volume_type: 'GENERAL_PURPOSE_SSD',
        block_volume_count: 10,
        block_volume_size: 100,
        block_volume_iops: 3000,
        block_volume_throughput: 125,
      }),
      cloud({ availability: 'SPOT', block_volume_type: 'THROUGHPUT_OPTIMIZED_HDD', block_volume_size: 500 }),
      cloud({
        availability: 'ON_DEMAND',
        block_volume_size: 4096,
        block_volume_iops: 16_000,
        block_volume_throughput: 1000,
      }),
    ],
    refused: [
      [cloud({ availability: 'NEVER' }), /SPOT/],
      [cloud({ spot_bid_price_percent: 10_001 }), /10000/],
      [cloud({ block_volume_type: 'TAPE' }), /THROUGHPUT_OPTIMIZED_HDD/],
      [cloud({ block_volume_count: 11 }), /at most 10/],
      [cloud({ block_volume_size: 99 }), /100 to 4096/],
      [cloud({ block_volume_size: 4097 }), /100 to 4096/],
      [cloud({ block_volume_type: 'THROUGHPUT_OPTIMIZED_HDD', block_volume_size: 499 }), /500 to 4096/],
      [cloud({ block_volume_iops: 2999 }), /3000/],
      [cloud({ block_volume_iops: 16_001 }), /16000/],
      [cloud({ block_volume_throughput: 124 }), /125/],
      [cloud({ block_volume_throughput: 1001 }), /1000/],
    ],
  },
  'storage descriptors': {
    allowed: [
      onNew({
        cluster_log_conf: { dfs: { destination: 'dfs:/logs' } },
        init_scripts: [
          { workspace: { destination: '/a.sh' } },
          { dfs: { destination: 'dfs:/a.sh' } },
          { file: { destination: 'file:/a.sh' } },
        ],
      }),
      onNew({
        cluster_log_conf: {
          objstore: {
            destination: 'objstore://b/l',
            region: 'r',
            warehouse: 'w',
            enable_encryption: true,
            encryption_type: 'sse-kms',
            kms_key: 'k',
            canned_acl: 'private',
          },
        },
      }),
      onNew({
        init_scripts: [{ objstore: { destination: 'objstore://b/a.sh', warehouse: 'w', encryption_type: 'sse-s3' } }],
      }),
    ],
    refused: [
      [onNew({ cluster_log_conf: {} }), /one of dfs and objstore is required/],
      [
        onNew({
          cluster_log_conf: { dfs: { destination: 'dfs:/a' }, objstore: { destination: 'objstore://b', region: 'r' } },
        }),
        /exactly one/,
      ],
      [onNew({ cluster_log_conf: { dfs: {} } }), /destination/],
      [onNew({ cluster_log_conf: { objstore: { destination: 'objstore://b' } } }), /region or warehouse/],
      [
        onNew({
          cluster_log_conf: { objstore: { destination: 'objstore://b', region: 'r', encryption_type: 'rot13' } },
        }),
        /sse-kms/,
      ],
      [onNew({ init_scripts: [{}] }), /is required/],
      [
        onNew({ init_scripts: [{ workspace: { destination: '/a' }, file: { destination: 'file:/a' } }] }),
        /exactly one/,
      ],
    ],
  },
  Library: {
    allowed: [
      {
        ...onExisting,
        libraries: [
          { jar: 'dfs:/a.jar' },
          { egg: 'objstore://b/a.egg' },
          { whl: 'dfs:/a-1.0-py3-none-any.whl' },
          { whl: 'dfs:/all.wheelhouse.zip' },
          { pypi: { package: 'simplejson==3.8.0', repo: 'https://example.com/simple' } },
          { maven: { coordinates: 'org.jsoup:jsoup:1.7.2', repo: 'https://example.com', exclusions: ['slf4j:slf4j'] } },
          { cran: { package: 'ada', repo: 'https://cran.us.r-project.org' } },
        ],
      },
    ],
    refused: [
      [{ ...onExisting, libraries: [{}] }, /is required/],
      [{ ...onExisting, libraries: [{ jar: 'dfs:/a.jar', egg: 'dfs:/a.egg' }] }, /exactly one/],
      [{ ...onExisting, libraries: [{ whl: 'dfs:/a.zip' }] }, /wheelhouse/],
      [{ ...onExisting, libraries: [{ pypi: {} }] }, /package/],
      [{ ...onExisting, libraries: [{ maven: { repo: 'x' } }] }, /coordinates/],
      [{ ...onExisting, libraries: [{ cran: {} }] }, /package/],
    ],
  },
};

describe('the structures of clusters and libraries, to the edge of each limit', () => {
  const { comeBack, areRefused } = structureTests();

  for (const [name, { allowed, refused }] of Object.entries(structures)) {
    it(`${name}: what is allowed comes back as it was sent`, () => comeBack(allowed));
    it(`${name}: what breaks a rule is refused by create, reset and update, in words`, () => areRefused(refused));
  }
});
