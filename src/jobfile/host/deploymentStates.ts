import type { Event } from '../../shared/event.ts';
import type { LastDeploy } from '../services/jobFileService.ts';

/** The known state of a file's job on the current profile. */
export interface DeploymentState {
  /** The profile to which the IDs belong. */
  readonly profileId: string;
  readonly jobId: string;
  /** Describes the last run, such as "succeeded 5 minutes ago". */
  readonly lastRun?: { readonly runId: string; readonly text: string };
  /** The job as last seen on the service, and the last deploy of the file from here. */
  readonly remote?: {
    readonly profileName: string;
    /** The same object while the settings are unchanged. */
    readonly settings: Readonly<Record<string, unknown>>;
    /** A different value after each deploy. */
    readonly deploy: unknown;
    last(): LastDeploy | undefined;
  };
}

/** Reports the deployment state of a file without a request to the service. */
export interface DeploymentStates {
  stateOf(uri: string): DeploymentState | undefined;
  /** Returns the files that were deployed to the current profile. */
  files(): readonly string[];
  /** Returns whether a job may differ from its file; costs no more than a string comparison. */
  mayHaveMoved(): boolean;
  /** Returns when this change of the file's job was first seen, in epoch milliseconds and as text, such as "5 min ago". */
  firstSeen(uri: string, change: string): { readonly ms: number; readonly age: string };
  readonly onDidChange: Event<unknown>;
  /** Fires when the jobs may have different settings. */
  readonly onDidListJobs: Event<unknown>;
}
