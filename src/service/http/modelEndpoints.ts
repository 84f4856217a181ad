import { inferenceRoutes } from '../../api/inference/routes.ts';
import { parseJson } from '../../shared/json.ts';
import { ApiError } from '../apiError.ts';
import type { Answer, Models, OpenAiRoute } from '../models/models.ts';
import { sendEventStream } from './eventStream.ts';
import type { Call, Endpoint } from './handler.ts';

const openAiRoutes: readonly OpenAiRoute[] = ['chat/completions', 'completions', 'embeddings'];

/** Inference API, Endpoints, and the routes by which existing clients reach the same models. */
export function modelEndpoints(models: Models, streamCut: () => number | undefined): Endpoint[] {
  const { listEndpoints, createEndpoint, chat } = inferenceRoutes;
  const answer = async (call: Call, given: Promise<Answer>): Promise<unknown> => {
    const result = await given;
    if (result.kind === 'json') return result.body;
    await sendEventStream(call.response, result.chunks, { cutAfter: streamCut() });
    return undefined;
  };
  return [
    { method: 'GET', path: listEndpoints.path, handle: async ({ signal }) => ({ endpoints: await models.list({ signal }) }) },
    { method: 'POST', path: createEndpoint.path, handle: ({ text, signal }) => models.create(bodyOf(text), { signal }) },
    { method: 'GET', path: `${listEndpoints.path}/{name}`, handle: ({ path, signal }) => models.get(path['name']!, { signal }) },
    {
      method: 'DELETE',
      path: `${listEndpoints.path}/{name}`,
      async handle({ path }) {
        await models.delete(path['name']!);
        return {};
      },
    },
    { method: 'POST', path: chat.path, handle: (call) => answer(call, models.invoke(call.path['name']!, bodyOf(call.text), { signal: call.signal })) },
    ...openAiRoutes.map((route): Endpoint => ({
      method: 'POST',
      path: `/serving-endpoints/${route}`,
      handle: (call) => answer(call, models.openAi(route, bodyOf(call.text), { signal: call.signal })),
    })),
  ];
}

function bodyOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ApiError(400, 'MALFORMED_REQUEST', `The request body is not JSON: ${(error as Error).message}. Nothing was done.`, { cause: error });
  }
}
