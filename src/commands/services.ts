import type { JobSettings } from '../api/schema/jobs/schemas.ts';
import type { ConnectionService } from '../connection/connection.ts';
import type { RunStore } from '../runs/runStore.ts';
import type { Ui } from './ui.ts';
import type { UnderWay } from './underWay.ts';

/** Which job a file was deployed to, and with what, for each profile; outlives the window. */
export interface Deployments {
  jobIdOf(profileId: string, uri: string): string | undefined;
  /** The settings that the job had after the last deploy of the file from here; undefined where that is not known. */
  settingsOf(profileId: string, uri: string, jobId: string): JobSettings | undefined;
  set(profileId: string, uri: string, jobId: string, settings: JobSettings): Promise<void>;
}

/** All that the handlers need; built once by the extension. */
export interface CommandServices {
  connections: ConnectionService;
  runs: RunStore;
  /** Looks at the service at once, after something was changed there. */
  refresh(): Promise<void>;
  /** Reads everything anew, because the user asks for it. */
  reload(): Promise<void>;
  /** The run was started here: tell when it ends, also while its view is hidden. */
  watch(profileId: string, runId: string): void;
  /** The user is about to cancel these runs: that they end so is not told. @returns takes it back */
  cancelling(profileId: string, runIds: readonly string[]): () => void;
  loadMoreRuns(jobId: string | undefined): Promise<void>;
  deployments: Deployments;
  underWay: UnderWay;
  ui: Ui;
}
