import type { Event } from '../../shared/event.ts';
import type { LastDeploy } from '../services/jobFileService.ts';

/** What is known of a file's job on the current profile. */
export interface DeploymentState {
  /** The profile that the ids belong to. */
  readonly profileId: string;
  readonly jobId: string;
  /** The last run in words, such as "succeeded 5 minutes ago". */
  readonly lastRun?: { readonly runId: string; readonly text: string };
  /** The job as it was last seen there, and the last deploy of the file from here. */
  readonly remote?: {
    readonly profileName: string;
    /** The same object while it is the same. */
    readonly settings: Readonly<Record<string, unknown>>;
    /** Another value after each deploy. */
    readonly deploy: unknown;
    last(): LastDeploy | undefined;
  };
}

/** Tells what became of a file; nothing is asked of a service for it. */
export interface DeploymentStates {
  stateOf(uri: string): DeploymentState | undefined;
  /** The files that were deployed to the current profile. */
  files(): readonly string[];
  /** Whether a job may be another one than its file made it; it costs no more than a comparison of texts. */
  mayHaveMoved(): boolean;
  /** When it was first seen that the job of the file was changed so, in epoch milliseconds and in words, such as "5 min ago". */
  firstSeen(uri: string, change: string): { readonly ms: number; readonly age: string };
  readonly onDidChange: Event<unknown>;
  /** The jobs may have other settings by now. */
  readonly onDidListJobs: Event<unknown>;
}
