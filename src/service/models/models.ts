import { lazy } from '../../shared/lazy.ts';
import type { Models, ModelsOptions } from './modelTypes.ts';

export type { ModelAnswer, Models, ModelsOptions, OpenAiRoute } from './modelTypes.ts';

/** Creates the models of one service. Nothing is loaded, read or requested before the first call. */
export function createModels(options: ModelsOptions = {}): Models {
  const load = lazy<Models>(async () => new (await import('./modelRouter.ts')).ModelRouter(options));
  return {
    list: async () => (await load()).list(),
    get: async (name) => (await load()).get(name),
    create: async (body) => (await load()).create(body),
    delete: async (name) => (await load()).delete(name),
    check: async (upstream, apiKey) => (await load()).check(upstream, apiKey),
    add: async (upstream, apiKey) => (await load()).add(upstream, apiKey),
    serverOf: async (endpoint) => (await load()).serverOf(endpoint),
    invoke: async (name, body, call) => (await load()).invoke(name, body, call),
    openAi: async (route, body, call) => (await load()).openAi(route, body, call),
  };
}
