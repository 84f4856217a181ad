import { clusterRoutes } from '../../../../src/api/schema/clusterRoutes.ts';
import { localServiceRoutes } from '../../../../src/api/schema/localServiceRoutes.ts';
import { assertApprovedRoutes } from './approvedRoutes.ts';

describe('the operations on clusters', () => {
  it('say, send and take what was approved', () => assertApprovedRoutes('clusterRoutes', clusterRoutes));
});

describe('what only the local service answers', () => {
  it('say, send and take what was approved', () => assertApprovedRoutes('localServiceRoutes', localServiceRoutes));
});
