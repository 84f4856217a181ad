import { inferenceRoutes } from '../../../../../src/api/schema/inference/routes.ts';
import { assertApprovedRoutes } from '../approvedRoutes.ts';

describe('the operations of the Inference API', () => {
  it('say, send and take what was approved', () => assertApprovedRoutes('inferenceRoutes', inferenceRoutes));
});
