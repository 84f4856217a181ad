import type { Logger } from '../../shared/log.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';

/** What the local service of one data folder is started with. */
export interface LocalServiceOptions {
  /** The Node that runs it; asked for at each start. */
  executable: string | (() => Promise<string>);
  /** Absolute path of dist/millrace.js. */
  script: string;
  root: string;
  dataFolder: string;
  log: Logger;
  /** Read at each start. */
  configuration: () => ServiceConfiguration | Promise<ServiceConfiguration>;
  /** Whether programs may be run at all. */
  isTrusted: () => boolean;
  environment?: NodeJS.ProcessEnv;
  idleInSeconds?: number;
}
