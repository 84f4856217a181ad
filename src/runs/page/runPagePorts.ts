import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import type { Connection, Profile } from '../../connection/connection.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Trace, TraceStep } from '../output/failingPlace.ts';
import type { RunView, ToPage } from './pageProtocol.ts';

/** What the page of a run needs of its surroundings. */
export interface RunPagePorts {
  readonly clock: Clock;
  readonly profile: () => Profile | undefined;
  /** @param byUser the user asks for it now: a local service that is stopped is started for it */
  connect(options: { signal: AbortSignal; byUser: boolean }): Promise<Connection | undefined>;
  post(message: ToPage): void;
  /** The tab's name and icon. */
  setTitle(title: string, state: RunView['state']): void;
  /** The first of the steps that is in the workspace, with its lines; and what of the others is. */
  locate(steps: readonly TraceStep[]): Promise<Located | undefined>;
  /** What such a run usually takes, in milliseconds, where that is known. */
  usualMs(run: Run): number | undefined;
  /** The run is over and all that it left is read. */
  ended(run: Run, job: Job | undefined, trace: Trace | undefined): void;
}

export interface Located {
  readonly frame: NonNullable<RunView['frame']>;
  readonly callers: RunView['callers'];
  readonly hidden: NonNullable<RunView['hidden']>;
}
