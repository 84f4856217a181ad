import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { systemClock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { isTriedAgain, longestToNextAttemptMs, originalIdOf } from '../attempts.ts';
import { AwayRuns, type AwayRun } from '../awayRuns.ts';
import { OwnCancellations } from '../ownCancellations.ts';
import { runLabel } from '../rowWords.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun, RunStore } from '../store/runStore.ts';
import type { KeptStartedRuns } from './keptStartedRuns.ts';
import { notifyFinished } from './runMessages.ts';
import { StartedMessages } from './startedMessages.ts';

export interface StartedRunsOptions {
  readonly connections: ConnectionService;
  readonly store: RunStore;
  readonly log: Logger;
  /** Remembers the runs whose end is to be told, also if this window is gone by then. */
  readonly kept: KeptStartedRuns;
  /** What was raised in a run that failed, in a line; undefined if it is not known soon. Never rejects. */
  causeOf(profile: Profile, finished: FinishedRun): Promise<string | undefined>;
  /** Shows the output of a run of this name, for which a message's button was pressed. */
  show(profileId: string, runId: string, name: string): void;
  /** There is more or less to look for than before. */
  changed(): void;
}

/** Runs that were started here: somebody waits for their end, so it is looked for and told, and that of their further attempts too. */
export class StartedRuns implements Disposable {
  readonly cancellations = new OwnCancellations();
  readonly #options: StartedRunsOptions;
  readonly #disposables = new DisposableStore();
  readonly #messages = this.#disposables.add(new StartedMessages());
  readonly #away: AwayRuns;
  /** Those of the profile that is shown. */
  readonly #watched = new Set<string>();
  /** Runs that are tried again, by the id of the first attempt, with the last one that ended. */
  readonly #retried = new Map<string, Required<AwayRun>>();
  #profileId: string;

  constructor(options: StartedRunsOptions) {
    const { connections, store, log, kept } = options;
    this.#options = options;
    this.#profileId = connections.current.id;
    this.#away = this.#disposables.add(
      new AwayRuns({
        clock: systemClock,
        connectTo: async (profileId, how) => (await connections.connectTo(profileId, how))?.client,
        onFinished: (profileId, run, job) => {
          const profile = connections.profiles.find(({ id }) => id === profileId);
          if (profile) this.#tellEnd({ run, job }, true, profile);
        },
        onGivenUp: (runId, error, profileId) => {
          this.#messages.ended(profileId, runId);
          kept.delete(profileId, runId);
          log.warn(`The end of run ${runId} is not waited for any more: ${describeError(error)}`);
        },
      }),
    );
    store.isAwaitedAttempt = (run) => this.#isFurtherAttempt(run);
    this.#disposables.add(store.onDidFinishRun((finished) => this.#finished(finished)));
    this.#disposables.add(store.onDidChange(() => this.#look()));
  }

  /** Whether an end is waited for on the profile that is shown. */
  get areGoing(): boolean {
    const now = Date.now();
    for (const [original, { retried }] of this.#retried) if (retried.untilMs < now) this.#retried.delete(original);
    return this.#watched.size > 0 || this.#retried.size > 0;
  }

  /** Goes on waiting for the runs that were started in an earlier window of this workspace. */
  resume(): void {
    const { connections, kept } = this.#options;
    for (const { profileId, runId } of kept.recent)
      if (connections.profiles.some(({ id }) => id === profileId)) this.#follow(profileId, runId);
  }

  /** @param startedName of a run that was started here just now: that is told as well */
  watch(profileId: string, runId: string, startedName?: string): void {
    const profile = this.#options.connections.profiles.find(({ id }) => id === profileId);
    if (startedName !== undefined && profile) this.#messages.started(profile, runId, startedName);
    this.#options.kept.add(profileId, runId);
    this.#follow(profileId, runId);
  }

  #follow(profileId: string, runId: string): void {
    const { store } = this.#options;
    if (profileId !== this.#profileId) {
      this.#away.add(profileId, { runId, job: undefined });
      return;
    }
    const run = store.run(runId);
    this.#watched.add(runId);
    if (run && runStatus(run).terminal) this.#finished({ run, job: store.job(run.job_id ?? '') });
    else store.expect(runId);
    this.#options.changed();
  }

  /** Another profile is shown: what was started on the one that is left goes on, and somebody waits for its end. */
  leave(): void {
    const { store } = this.#options;
    for (const runId of this.#watched)
      this.#away.add(this.#profileId, { runId, job: store.job(store.run(runId)?.job_id ?? '') });
    for (const away of this.#retried.values()) this.#away.add(this.#profileId, away);
    this.#watched.clear();
    this.#retried.clear();
  }

  enter(profileId: string): void {
    this.#profileId = profileId;
    for (const { runId, job, retried } of this.#away.take(profileId)) {
      if (retried) {
        this.#retried.set(originalIdOf(retried.run), { runId, job, retried });
        continue;
      }
      this.#watched.add(runId);
      this.#options.store.expect(runId);
    }
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #isFurtherAttempt(run: Run): boolean {
    return (run.attempt_number ?? 0) > 0 && this.#retried.has(originalIdOf(run));
  }

  #look(): void {
    const { store, kept } = this.#options;
    for (const runId of this.#watched) {
      if (store.run(runId) || store.expectedRunIds.has(runId)) continue;
      // Neither seen nor looked for: it was deleted.
      this.#watched.delete(runId);
      this.#messages.ended(this.#profileId, runId);
      kept.delete(this.#profileId, runId);
    }
    for (const run of this.#retried.size > 0 ? store.activeRuns : []) {
      if (!this.#isFurtherAttempt(run) || this.#watched.has(run.run_id)) continue;
      this.#watched.add(run.run_id);
      kept.add(this.#profileId, run.run_id);
    }
  }

  #finished(finished: FinishedRun): void {
    const { run, job } = finished;
    if (!job && run.job_id !== undefined && this.#watched.has(run.run_id)) void this.#findJob(run, run.job_id);
    else this.#ended(finished);
  }

  /** Its name, and whether the run is tried again, stand in the job, which may be newer than the list of jobs. */
  async #findJob(run: Run, jobId: string): Promise<void> {
    const profileId = this.#profileId;
    const connection = await this.#options.connections.connectTo(profileId).catch(() => undefined);
    const job = await connection?.client.jobs.get(jobId, { retry: 'fail' }).catch(() => undefined);
    // A profile that was left meanwhile has taken what is watched along.
    if (profileId === this.#profileId && this.#watched.has(run.run_id)) this.#ended({ run, job });
  }

  #ended(finished: FinishedRun): void {
    const { run, job } = finished;
    const isOwn = this.#watched.delete(run.run_id) || this.#isFurtherAttempt(run);
    const isRetried = isOwn && isTriedAgain(run, job?.settings);
    if (isRetried)
      this.#retried.set(originalIdOf(run), {
        runId: run.run_id,
        job,
        retried: { run, untilMs: Date.now() + longestToNextAttemptMs(run, job?.settings) },
      });
    else this.#retried.delete(originalIdOf(run));
    this.#tellEnd(finished, isOwn);
  }

  #tellEnd(finished: FinishedRun, isOwn: boolean, profile = this.#options.connections.current): void {
    const { run } = finished;
    this.#options.kept.delete(profile.id, run.run_id);
    const isCancelled = this.cancellations.take(profile.id, run);
    const tell = (cause?: string): void => {
      this.#messages.ended(profile.id, run.run_id);
      if (isCancelled) return;
      notifyFinished(finished, { startedHere: isOwn, profile, cause }, (runId) =>
        this.#options.show(profile.id, runId, runLabel(run, finished.job)),
      );
    };
    if (runStatus(run).phase === 'failed') void this.#options.causeOf(profile, finished).then(tell);
    else tell();
  }
}
