import type { Models, ModelsOptions } from './models.ts';
import { noSuchEndpoint } from './modelErrors.ts';

export function createRouter(_options: ModelsOptions): Models {
  const missing = (name: string): never => {
    throw noSuchEndpoint(name, []);
  };
  return {
    list: async () => [],
    get: async (name) => missing(name),
    create: async () => missing(''),
    delete: async (name) => missing(name),
    invoke: async (name) => missing(name),
    openAi: async (route) => missing(route),
  };
}
