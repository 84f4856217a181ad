import type { Logger } from '../../shared/log.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';

/** What the local service of one data folder is started with. */
export interface LocalServiceOptions {
  /** The Node that runs it; asked for at each start. */
  readonly executable: string | (() => Promise<string>);
  /** Absolute path of dist/millrace.js. */
  readonly script: string;
  readonly root: string;
  readonly dataFolder: string;
  readonly log: Logger;
  /** Read at each start. */
  readonly configuration: () => ServiceConfiguration | Promise<ServiceConfiguration>;
  /** Whether programs may be run at all. */
  readonly isTrusted: () => boolean;
  readonly environment?: NodeJS.ProcessEnv;
  readonly idleInSeconds?: number;
}
