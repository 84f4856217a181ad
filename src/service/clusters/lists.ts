import { availableParallelism, totalmem } from 'node:os';

/**
 * What a cluster description can name. There is one machine, and the lists say so; any other value is accepted in a job
 * all the same and means this machine.
 */
export function sparkVersions(): { versions: { key: string; name: string }[] } {
  return {
    versions: [
      { key: 'local', name: 'The Spark of this machine' },
      { key: '16.4.x-scala2.12', name: '16.4, runs on the Spark of this machine' },
      { key: '15.4.x-scala2.12', name: '15.4, runs on the Spark of this machine' },
    ],
  };
}

export function listNodeTypes(): {
  node_types: {
    node_type_id: string;
    description: string;
    memory_mb: number;
    num_cores: number;
    is_deprecated: boolean;
  }[];
} {
  return {
    node_types: [
      {
        node_type_id: 'local',
        description: 'This machine',
        memory_mb: Math.floor(totalmem() / 1024 / 1024),
        num_cores: availableParallelism(),
        is_deprecated: false,
      },
    ],
  };
}

export function listZones(): { zones: string[]; default_zone: string } {
  return { zones: ['local'], default_zone: 'local' };
}
