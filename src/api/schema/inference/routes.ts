import { l10n } from '../../../shared/l10n.ts';
import { mebibyte } from '../limits.ts';
import { route } from '../route.ts';
import * as schemas from './schemas.ts';

const invocations = '/serving-endpoints/{name}/invocations';

/** The operations of the inference document; one path serves the three task types. */
export const inferenceRoutes = {
  chat: route({
    operation: 'chat',
    outcome: () => [l10n.t('The answer was not completed.'), l10n.t('The answer may or may not be complete.')],
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
    outcome: () => [l10n.t('The completion was not completed.'), l10n.t('The completion may or may not be complete.')],
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
    outcome: () => [
      l10n.t('The embedding was not computed.'),
      l10n.t('The embedding may or may not have been computed.'),
    ],
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
    outcome: () => [l10n.t('The endpoint was not created.'), l10n.t('The endpoint may or may not have been created.')],
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
    outcome: () => [l10n.t('The endpoint was not deleted.'), l10n.t('The endpoint may or may not have been deleted.')],
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
    outcome: () => [l10n.t('The endpoints were not read.'), l10n.t('The endpoints may or may not have been read.')],
    method: 'GET',
    path: '/api/2.0/serving-endpoints',
    request: schemas.listEndpointsRequest,
    response: schemas.listEndpointsResponse,
    mutates: false,
    repeatable: 'always',
    list: 'endpoints',
  }),
} as const;
