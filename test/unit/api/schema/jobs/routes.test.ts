import { jobsRoutes } from '../../../../../src/api/schema/jobs/routes.ts';
import { assertApprovedRoutes } from '../approvedRoutes.ts';

describe('the operations of the Jobs API', () => {
  it('say, send and take what was approved', () => assertApprovedRoutes('jobsRoutes', jobsRoutes));
});
