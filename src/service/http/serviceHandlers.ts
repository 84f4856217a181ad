import { localControlRoutes } from '../../shared/localControlRoutes.ts';
import type { UsageWatch } from '../base/usageWatch.ts';
import type { EngineStatus } from '../runners/runner.ts';
import type { RouteHandler } from './handler.ts';
import { parseObject } from './validateRequest.ts';

export interface ServiceHandlerOptions {
  readonly usage: UsageWatch;
  /** Returns the service's status. */
  readonly describe: () => object;
  readonly probe: () => Promise<EngineStatus[]>;
  /** Stops the service once the response is sent. */
  readonly stop: () => void;
}

/** Handlers with which windows and the command line control the service; these paths are ours, not the documents'. */
export function serviceHandlers(options: ServiceHandlerOptions): RouteHandler[] {
  const { usage } = options;
  return [
    // SDKs request it first, without a token: there is no other place to sign in.
    { method: 'GET', path: '/.well-known/databricks-config', isOpen: true, handle: () => ({}) },
    { ...localControlRoutes.health, handle: () => options.describe() },
    { ...localControlRoutes.engines, handle: async () => ({ engines: await options.probe() }) },
    {
      ...localControlRoutes.attach,
      async handle({ text }) {
        const { pid } = await parseObject(text);
        if (typeof pid === 'number') usage.attach(pid);
        return options.describe();
      },
    },
    {
      ...localControlRoutes.leave,
      async handle({ text }) {
        const { pid } = await parseObject(text);
        if (typeof pid === 'number') usage.leave(pid);
        return {};
      },
    },
    {
      ...localControlRoutes.stop,
      handle({ response }) {
        response.once('finish', () => options.stop());
        return {};
      },
    },
  ];
}
