import { lazy } from '../../shared/lazy.ts';
import type { Models, ModelsOptions } from './modelTypes.ts';

export type { ModelAnswer, Models, ModelsOptions, OpenAiRoute } from './modelTypes.ts';

/** Builds the models of one service. Nothing is loaded, read or asked before the first call. */
export function createModels(options: ModelsOptions = {}): Models {
  const load = lazy<Models>(async () => (await import('./modelRouter.ts')).createModelRouter(options));
  return {
    list: async (call) => (await load()).list(call),
    get: async (name, call) => (await load()).get(name, call),
    create: async (body, call) => (await load()).create(body, call),
    delete: async (name) => (await load()).delete(name),
    invoke: async (name, body, call) => (await load()).invoke(name, body, call),
    openAi: async (route, body, call) => (await load()).openAi(route, body, call),
  };
}
