import assert from 'node:assert/strict';
import { noteWithoutEffect } from '../../../../src/service/engine/runExecution.ts';

describe('what a run says of settings without effect', () => {
  const note = (settings: object): string | undefined => noteWithoutEffect(settings as never);

  it('is nothing where all of them have one', () => {
    assert.equal(note({}), undefined);
    assert.equal(
      note({ new_cluster: { num_workers: 2 }, libraries: [{ jar: 'dfs:/a.jar' }, { pypi: {} }] }),
      undefined,
    );
    assert.equal(note({ health: { rules: [{ metric: 'RUN_DURATION_SECONDS' }] } }), undefined);
  });

  it('is said of each field that only a cloud has', () => {
    const ofCluster = [
      ...['node_type_id', 'driver_node_type_id', 'instance_pool_id', 'driver_instance_pool_id', 'cloud_attributes'],
      ...['ssh_public_keys', 'custom_tags', 'enable_elastic_disk'],
    ];
    for (const name of ofCluster)
      assert.equal(note({ new_cluster: { [name]: 1 } }), `On this machine ${name} has no effect.`);
    for (const name of ['enable_encryption', 'encryption_type', 'kms_key', 'canned_acl'])
      assert.equal(
        note({ new_cluster: { cluster_log_conf: { objstore: { [name]: false } } } }),
        `On this machine ${name} has no effect.`,
      );
    assert.equal(note({ new_cluster: { cluster_log_conf: { dfs: { kms_key: 'k' } } } }), undefined);
  });

  it('names the fields of clouds and buckets, libraries of other kinds and metrics, each once', () => {
    assert.equal(note({ new_cluster: { node_type_id: 'i3' } }), 'On this machine node_type_id has no effect.');
    assert.equal(
      note({
        new_cluster: { custom_tags: {}, cluster_log_conf: { objstore: { kms_key: 'k', destination: 'd' } } },
        libraries: [{ jar: 'a' }, { requirements: '/r.txt' }, { requirements: '/s.txt' }],
        health: { rules: [{ metric: 'A' }, { metric: 'RUN_DURATION_SECONDS' }, { metric: 'A' }, { metric: 'B' }] },
      })?.replace(' and ', ', '),
      'On this machine custom_tags, kms_key, requirements, A, B have no effect.',
    );
  });
});
