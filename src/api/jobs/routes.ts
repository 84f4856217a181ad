import { route } from '../route.ts';
import * as schemas from './schemas.ts';

/** The operations of Jobs API 2.0, Endpoints. */
export const jobsRoutes = {
  create: route({ operation: 'jobs/create', method: 'POST', path: '/api/2.0/jobs/create', request: schemas.createRequest, response: schemas.createResponse, mutates: true, repeatable: 'never' }),
  list: route({ operation: 'jobs/list', method: 'GET', path: '/api/2.0/jobs/list', request: schemas.listJobsRequest, response: schemas.listJobsResponse, mutates: false, repeatable: 'always' }),
  delete: route({ operation: 'jobs/delete', method: 'POST', path: '/api/2.0/jobs/delete', request: schemas.jobIdRequest, response: schemas.emptyResponse, mutates: true, repeatable: 'always' }),
  get: route({ operation: 'jobs/get', method: 'GET', path: '/api/2.0/jobs/get', request: schemas.jobIdRequest, response: schemas.job, mutates: false, repeatable: 'always' }),
  reset: route({ operation: 'jobs/reset', method: 'POST', path: '/api/2.0/jobs/reset', request: schemas.resetRequest, response: schemas.emptyResponse, mutates: true, repeatable: 'always' }),
  update: route({ operation: 'jobs/update', method: 'POST', path: '/api/2.0/jobs/update', request: schemas.updateRequest, response: schemas.emptyResponse, mutates: true, repeatable: 'always' }),
  runNow: route({ operation: 'jobs/run-now', method: 'POST', path: '/api/2.0/jobs/run-now', request: schemas.runNowRequest, response: schemas.runNowResponse, mutates: true, repeatable: 'withToken' }),
  submit: route({ operation: 'jobs/runs/submit', method: 'POST', path: '/api/2.0/jobs/runs/submit', request: schemas.submitRequest, response: schemas.submitResponse, mutates: true, repeatable: 'withToken' }),
  listRuns: route({ operation: 'jobs/runs/list', method: 'GET', path: '/api/2.0/jobs/runs/list', request: schemas.listRunsRequest, response: schemas.listRunsResponse, mutates: false, repeatable: 'always' }),
  getRun: route({ operation: 'jobs/runs/get', method: 'GET', path: '/api/2.0/jobs/runs/get', request: schemas.runIdRequest, response: schemas.run, mutates: false, repeatable: 'always' }),
  exportRun: route({ operation: 'jobs/runs/export', method: 'GET', path: '/api/2.0/jobs/runs/export', request: schemas.exportRequest, response: schemas.exportResponse, mutates: false, repeatable: 'always' }),
  cancelRun: route({ operation: 'jobs/runs/cancel', method: 'POST', path: '/api/2.0/jobs/runs/cancel', request: schemas.runIdRequest, response: schemas.emptyResponse, mutates: true, repeatable: 'always' }),
  cancelAllRuns: route({ operation: 'jobs/runs/cancel-all', method: 'POST', path: '/api/2.0/jobs/runs/cancel-all', request: schemas.jobIdRequest, response: schemas.emptyResponse, mutates: true, repeatable: 'never' }),
  getRunOutput: route({ operation: 'jobs/runs/get-output', method: 'GET', path: '/api/2.0/jobs/runs/get-output', request: schemas.runIdRequest, response: schemas.getOutputResponse, mutates: false, repeatable: 'always' }),
  deleteRun: route({ operation: 'jobs/runs/delete', method: 'POST', path: '/api/2.0/jobs/runs/delete', request: schemas.runIdRequest, response: schemas.emptyResponse, mutates: true, repeatable: 'always' }),
} as const;
