import * as z from 'zod';
import { field, maybe } from '../field.ts';

export const endpointTasks = ['chat', 'completion', 'embedding'] as const;
export type EndpointTask = (typeof endpointTasks)[number];

/**
 * Request to create a provisioned throughput endpoint. The document shows no parameters, so those that servers of this kind accept are
 * typed and everything else is passed through.
 */
export const createEndpointRequest = z.looseObject({
  name: field(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, {
      error: 'must start with a letter or digit and hold at most 63 letters, digits, "-", "_" and "."',
    }),
    'Name of the endpoint.',
    { refersTo: 'endpoint' },
  ),
  config: field(
    z
      .looseObject({
        served_entities: z.array(z.looseObject({})).optional(),
        served_models: z.array(z.looseObject({})).optional(),
      })
      .optional(),
    'The models that the endpoint serves. Several are allowed if all expose the same API format.',
  ),
});
export const createEndpointResponse = z.looseObject({ name: maybe(z.string()) });

/** Listing and deleting endpoints are not in the document; services of this kind have them, and a client treats 404 as "cannot list". */
const endpointSummary = z.looseObject({
  name: z.string(),
  task: maybe(z.string()),
  description: maybe(z.string()),
  endpoint_type: maybe(z.string()),
  state: maybe(z.looseObject({ ready: maybe(z.string()) })),
  /** Maximum tokens of a request and its answer. */
  context_length: maybe(z.number()),
});
export const listEndpointsRequest = z.looseObject({});
export const listEndpointsResponse = z.looseObject({ endpoints: maybe(z.array(endpointSummary)) });

export type CreateEndpointRequest = z.output<typeof createEndpointRequest>;
export type CreateEndpointResponse = z.output<typeof createEndpointResponse>;
export type EndpointSummary = z.output<typeof endpointSummary>;

/**
 * Returns the task type for a server's name of it, such as `llm/v1/chat`.
 * @returns the task type, or `undefined` if it is none of the document's three
 */
export function endpointTaskOf(word: string | undefined): EndpointTask | undefined {
  if (word === undefined) return undefined;
  if (/chat/i.test(word)) return 'chat';
  if (/completion/i.test(word)) return 'completion';
  if (/embed/i.test(word)) return 'embedding';
  return undefined;
}
