import { clusterRoutes } from '../../api/schema/clusterRoutes.ts';
import { listNodeTypes, listZones, sparkVersions } from '../clusters/lists.ts';
import { routeHandler, type RouteHandler } from './handler.ts';

/** The lists that NewCluster refers to (Jobs API 2.0, NewCluster and CloudAttributes). */
export function clusterHandlers(): RouteHandler[] {
  return [
    routeHandler(clusterRoutes.sparkVersions, () => sparkVersions()),
    routeHandler(clusterRoutes.listNodeTypes, () => listNodeTypes()),
    routeHandler(clusterRoutes.listZones, () => listZones()),
  ];
}
