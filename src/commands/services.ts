import type { SubmitRequest } from '../api/schema/jobs/schemas.ts';
import type { ConnectionService } from '../connection/connection.ts';
import type { LastDeploy } from '../jobfile/services/jobFileService.ts';
import type { RunStore } from '../runs/store/runStore.ts';
import type { Arrangement } from '../runs/tree/arrangement.ts';
import type { EditedParameters } from './runParameters.ts';
import type { SingleFlight } from './singleFlight.ts';
import type { Target } from './target.ts';
import type { Ui } from './ui.ts';

/** A job or a run of the local service that is to be debugged. */
export interface DebugLaunch {
  /** What the session is called. */
  readonly name: string;
  /** A run of this job is started for the session. */
  readonly jobId?: string;
  /** Those of run-now. */
  readonly parameters?: EditedParameters;
  /** The run that was started for the session already. */
  readonly runId?: string;
  /** A one-time run of this is started for the session, or for its restart if there is `runId`. */
  readonly submit?: SubmitRequest;
  /** Halts where the program fails. */
  readonly haltAtFailure: boolean;
}

/** Which job a file was deployed to, and with what, for each profile; outlives the window. */
export interface Deployments {
  jobIdOf(profileId: string, uri: string): string | undefined;
  /** What the last deploy of the file to this job from here did; undefined if that is not known. */
  lastDeployOf(profileId: string, uri: string, jobId: string): LastDeploy | undefined;
  /** The files that were deployed to the job, or got its settings. */
  filesOf(profileId: string, jobId: string): readonly string[];
  set(profileId: string, uri: string, jobId: string, deploy: Required<LastDeploy>): Promise<void>;
}

/** Where the code of other profiles' runs is in this workspace, as the user said; outlives the window. */
interface ReplayPlaces {
  /** By the path on the service. */
  of(profileId: string): Readonly<Record<string, string>>;
  set(profileId: string, servicePath: string, file: string): Promise<void>;
}

export type DeployPreview = 'always' | 'whenOthersChanged';

/** How the view of jobs is arranged; outlives the window. */
interface ViewArrangement {
  readonly current: Arrangement;
  change(change: Partial<Arrangement>): Promise<void>;
  /** Lets jobs stand first in the view, or no longer. */
  pin(profileId: string, jobIds: readonly string[], isPinned: boolean): Promise<void>;
}

/** All that the handlers need; built once by the extension. */
export interface CommandServices {
  connections: ConnectionService;
  readonly runs: RunStore;
  readonly arrangement: ViewArrangement;
  /** Looks at the service at once, after something was changed there. */
  refresh(): Promise<void>;
  /** Reads everything anew, because the user asks for it. */
  reload(): Promise<void>;
  /**
   * Tell when the run ends, also while its view is hidden.
   * @param startedName of a run that was started here just now: tell that, until it ends
   */
  watch(profileId: string, runId: string, startedName?: string): void;
  /** The user is about to cancel these runs: that they end so is not told. @returns takes it back */
  cancelling(profileId: string, runIds: readonly string[]): () => void;
  /** Mends a job file that cannot be sent, or a run that failed, and runs it on this machine. */
  fix(target: Target): Promise<void>;
  /** Starts a debug session in the editor, which starts the run. */
  debug(launch: DebugLaunch): Promise<void>;
  loadMoreRuns(jobId: string | undefined): Promise<void>;
  readonly deployments: Deployments;
  readonly replayPlaces: ReplayPlaces;
  /** Whether every deploy is shown before it is done, or only one that would undo what others changed. */
  deployPreview(): DeployPreview;
  readonly singleFlight: SingleFlight;
  readonly ui: Ui;
}
