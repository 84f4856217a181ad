import { mebibyte } from '../limits.ts';
import { route } from '../route.ts';
import * as schemas from './schemas.ts';

const invocations = '/serving-endpoints/{name}/invocations';

/** The operations of the inference document; one path serves the three task types. */
export const inferenceRoutes = {
  chat: route({
    operation: 'chat',
    method: 'POST',
    path: invocations,
    request: schemas.chatRequest,
    response: schemas.chatResponse,
    mutates: false,
    repeatable: 'always',
    needs: ['choices'],
    model: true,
  }),
  complete: route({
    operation: 'completion',
    method: 'POST',
    path: invocations,
    request: schemas.completionRequest,
    response: schemas.completionResponse,
    mutates: false,
    repeatable: 'always',
    needs: ['choices'],
    model: true,
  }),
  embed: route({
    operation: 'embedding',
    method: 'POST',
    path: invocations,
    request: schemas.embeddingRequest,
    response: schemas.embeddingResponse,
    mutates: false,
    repeatable: 'always',
    needs: ['data'],
    model: true,
    maxAnswerInBytes: 32 * mebibyte,
    maxAnswerInValues: 5_000_000,
  }),
  createEndpoint: route({
    operation: 'serving-endpoints/create',
    method: 'POST',
    path: '/api/2.0/serving-endpoints',
    request: schemas.createEndpointRequest,
    response: schemas.createEndpointResponse,
    mutates: true,
    repeatable: 'never',
    bodiless: true,
  }),
  deleteEndpoint: route({
    operation: 'serving-endpoints/delete',
    method: 'DELETE',
    path: '/api/2.0/serving-endpoints/{name}',
    request: schemas.listEndpointsRequest,
    response: schemas.createEndpointResponse,
    mutates: true,
    repeatable: 'never',
    bodiless: true,
  }),
  listEndpoints: route({
    operation: 'serving-endpoints/list',
    method: 'GET',
    path: '/api/2.0/serving-endpoints',
    request: schemas.listEndpointsRequest,
    response: schemas.listEndpointsResponse,
    mutates: false,
    repeatable: 'always',
    list: 'endpoints',
  }),
} as const;
