import { clusterRoutes } from '../../api/schema/clusterRoutes.ts';
import { listNodeTypes, listZones, sparkVersions } from '../clusters/lists.ts';
import { endpoint, type Endpoint } from './handler.ts';

/** The lists that NewCluster refers to (Jobs API 2.0, NewCluster and CloudAttributes). */
export function clusterEndpoints(): Endpoint[] {
  return [
    endpoint(clusterRoutes.sparkVersions, () => sparkVersions()),
    endpoint(clusterRoutes.listNodeTypes, () => listNodeTypes()),
    endpoint(clusterRoutes.listZones, () => listZones()),
  ];
}
