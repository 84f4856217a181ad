import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { Endpoint } from '../endpoint.ts';
import type { InvokeOptions, ModelsOptions } from '../modelTypes.ts';

export interface UpstreamsOptions extends ModelsOptions {
  clock: Clock;
  logger: Logger;
  /** Names that upstream endpoints must not take. */
  reservedNames: readonly string[];
}

/** The endpoints of all upstreams. */
export class Upstreams {
  constructor(_options: UpstreamsOptions) {}

  async endpoints(_call: InvokeOptions | undefined): Promise<Endpoint[]> {
    return [];
  }
}
