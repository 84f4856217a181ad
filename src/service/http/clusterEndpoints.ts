import { clusterRoutes } from '../../api/schema/clusterRoutes.ts';
import { listNodeTypes, listZones, sparkVersions } from '../clusters/lists.ts';
import { endpoint, type RouteHandler } from './handler.ts';

/** The lists that NewCluster refers to (Jobs API 2.0, NewCluster and CloudAttributes). */
export function clusterEndpoints(): RouteHandler[] {
  return [
    endpoint(clusterRoutes.sparkVersions, () => sparkVersions()),
    endpoint(clusterRoutes.listNodeTypes, () => listNodeTypes()),
    endpoint(clusterRoutes.listZones, () => listZones()),
  ];
}
