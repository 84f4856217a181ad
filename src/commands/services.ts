import type { RunNowRequest, SubmitRequest } from '../api/schema/jobs/schemas.ts';
import type { ConnectionService } from '../connection/connection.ts';
import type { LastDeploy } from '../jobfile/services/jobFileService.ts';
import type { RunStore } from '../runs/store/runStore.ts';
import type { Arrangement } from '../runs/tree/arrangement.ts';
import type { EditedParameters } from './runParameters.ts';
import type { SingleFlight } from './singleFlight.ts';
import type { Target } from './target.ts';
import type { Ui } from './ui.ts';

/** A job or a run of the local service to debug. */
export interface DebugLaunch {
  /** Name of the session. */
  readonly name: string;
  /** The job to start for the session. */
  readonly jobId?: string;
  /** Parameters for run-now. */
  readonly parameters?: EditedParameters & Pick<RunNowRequest, 'only'>;
  /** The run that was already started for the session. */
  readonly runId?: string;
  /** The one-time run to start for the session, or for its restart if `runId` is set. */
  readonly submit?: SubmitRequest;
  /** Whether to halt at the point of failure. */
  readonly haltAtFailure: boolean;
}

/** The job and the settings that a file was deployed to, for each profile; outlives the window. */
export interface Deployments {
  jobIdOf(profileId: string, uri: string): string | undefined;
  /** Returns the last deploy of the file to this job from here, or `undefined` if it is unknown. */
  lastDeployOf(profileId: string, uri: string, jobId: string): LastDeploy | undefined;
  /** Returns the files that were deployed to the job or pulled from it. */
  filesOf(profileId: string, jobId: string): readonly string[];
  set(profileId: string, uri: string, jobId: string, deploy: Required<LastDeploy>): Promise<void>;
}

/** Where the code of other profiles' runs is in this workspace, as chosen by the user; outlives the window. */
interface ReplayPlaces {
  /** Returns the places keyed by the path on the service. */
  of(profileId: string): Readonly<Record<string, string>>;
  set(profileId: string, servicePath: string, file: string): Promise<void>;
}

export type DeployPreview = 'always' | 'whenOthersChanged';

/** The arrangement of the jobs view; outlives the window. */
interface ViewArrangement {
  readonly current: Arrangement;
  change(change: Partial<Arrangement>): Promise<void>;
  /** Pins or unpins jobs in the view. */
  pin(profileId: string, jobIds: readonly string[], isPinned: boolean): Promise<void>;
}

/** All dependencies of the handlers; built once by the extension. */
export interface CommandServices {
  connections: ConnectionService;
  readonly runs: RunStore;
  readonly arrangement: ViewArrangement;
  /** Polls the service immediately after a change. */
  refresh(): Promise<void>;
  /** Reads everything again at the user's request. */
  reload(): Promise<void>;
  /**
   * Reports when the run ends, even while its view is hidden.
   * @param startedName name of a run that was just started here: its start is reported as well
   */
  watch(profileId: string, runId: string, startedName?: string): void;
  /**
   * Suppresses the message of runs that the user is about to cancel.
   * @returns a function that undoes this
   */
  cancelling(profileId: string, runIds: readonly string[]): () => void;
  /** Opens a conversation that fixes an invalid job file or a failed run. */
  fix(target: Target): Promise<void>;
  /** Asks once whether the debugger may be installed, unless the user allowed it before. */
  mayInstallDebugger(): Promise<boolean>;
  /** Starts a debug session in the editor, which starts the run. */
  debug(launch: DebugLaunch): Promise<void>;
  loadMoreRuns(jobId: string | undefined): Promise<void>;
  readonly deployments: Deployments;
  readonly replayPlaces: ReplayPlaces;
  /** Returns whether every deploy is previewed, or only one that would undo changes by others. */
  deployPreview(): DeployPreview;
  /** Stores a model server's API key in the editor's secret storage. */
  storeModelKey(baseUrl: string, key: string): Promise<void>;
  readonly singleFlight: SingleFlight;
  readonly ui: Ui;
}
