import assert from 'node:assert/strict';
import { availableParallelism, totalmem } from 'node:os';
import { listNodeTypes, listZones, sparkVersions } from '../../../../src/service/http/jobHandlers.ts';

describe('what a cluster description can name', () => {
  it('is one machine with its own memory and processors', () =>
    assert.deepEqual(listNodeTypes(), {
      node_types: [
        {
          node_type_id: 'local',
          description: 'This machine',
          memory_mb: Math.floor(totalmem() / 1_048_576),
          num_cores: availableParallelism(),
          is_deprecated: false,
        },
      ],
    }));

  it('is one zone, and the Spark of this machine under each of its names', () => {
    assert.deepEqual(listZones(), { zones: ['local'], default_zone: 'local' });
    assert.deepEqual(
      sparkVersions().versions.map(({ key }) => key),
      ['local', '16.4.x-scala2.12', '15.4.x-scala2.12'],
    );
    for (const { name } of sparkVersions().versions) assert.match(name, /Spark of this machine$/);
  });
});
