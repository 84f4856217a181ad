import * as z from 'zod';
import { l10n } from '../../shared/l10n.ts';
import { maybe } from './field.ts';
import { route } from './route.ts';

/** The three lists that NewCluster refers to (Jobs API 2.0, NewCluster and CloudAttributes). */
const sparkVersionsResponse = z.looseObject({
  versions: maybe(z.array(z.looseObject({ key: z.string(), name: maybe(z.string()) }))),
});
const listNodeTypesResponse = z.looseObject({
  node_types: maybe(
    z.array(
      z.looseObject({
        node_type_id: z.string(),
        description: maybe(z.string()),
        memory_mb: maybe(z.number()),
        num_cores: maybe(z.number()),
      }),
    ),
  ),
});
const listZonesResponse = z.looseObject({ zones: maybe(z.array(z.string())), default_zone: maybe(z.string()) });

const none = z.looseObject({});

export const clusterRoutes = {
  sparkVersions: route({
    operation: 'clusters/spark-versions',
    outcome: () => [
      l10n.t('The Spark versions were not read.'),
      l10n.t('The Spark versions may or may not have been read.'),
    ],
    method: 'GET',
    path: '/api/2.0/clusters/spark-versions',
    request: none,
    response: sparkVersionsResponse,
    mutates: false,
    repeatable: 'always',
    list: 'versions',
  }),
  listNodeTypes: route({
    operation: 'clusters/list-node-types',
    outcome: () => [l10n.t('The node types were not read.'), l10n.t('The node types may or may not have been read.')],
    method: 'GET',
    path: '/api/2.0/clusters/list-node-types',
    request: none,
    response: listNodeTypesResponse,
    mutates: false,
    repeatable: 'always',
    list: 'node_types',
  }),
  listZones: route({
    operation: 'clusters/list-zones',
    outcome: () => [l10n.t('The zones were not read.'), l10n.t('The zones may or may not have been read.')],
    method: 'GET',
    path: '/api/2.0/clusters/list-zones',
    request: none,
    response: listZonesResponse,
    mutates: false,
    repeatable: 'always',
    list: 'zones',
  }),
} as const;
