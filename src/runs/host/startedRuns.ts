import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { systemClock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import { type Disposable, DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { plainText } from '../../shared/text.ts';
import { attemptWords, isTriedAgain, longestToNextAttemptMs, originalIdOf } from '../attempts.ts';
import { type AwayRun, AwayRuns } from '../awayRuns.ts';
import { OwnCancellations } from '../ownCancellations.ts';
import { runLabel } from '../rowWords.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun, RunStore } from '../store/runStore.ts';
import type { KeptStartedRuns } from './keptStartedRuns.ts';

export interface StartedRunsOptions {
  readonly connections: ConnectionService;
  readonly store: RunStore;
  readonly log: Logger;
  /** Stores the runs whose end is to be reported, even if this window is closed by then. */
  readonly kept: KeptStartedRuns;
  /** Returns the error of a failed run in one line, or `undefined` if it is not known soon. Never rejects. */
  causeOf(profile: Profile, finished: FinishedRun): Promise<string | undefined>;
  /** Shows the output of a run with this name when a message's button is pressed. */
  show(profileId: string, runId: string, name: string): void;
  /** Called when the number of watched runs has changed. */
  changed(): void;
}

/** Watches runs that were started here, and their further attempts, and reports their end, because the user waits for it. */
export class StartedRuns implements Disposable {
  readonly cancellations = new OwnCancellations();
  readonly #options: StartedRunsOptions;
  readonly #disposables = new DisposableStore();
  readonly #messages = this.#disposables.add(new StartedMessages());
  readonly #away: AwayRuns;
  /** The watched runs of the shown profile. */
  readonly #watched = new Set<string>();
  /** Retried runs by the ID of the first attempt, each with its last ended attempt. */
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

  /** Whether the end of a run is awaited on the shown profile. */
  get areGoing(): boolean {
    const now = Date.now();
    for (const [original, { retried }] of this.#retried) if (retried.untilMs < now) this.#retried.delete(original);
    return this.#watched.size > 0 || this.#retried.size > 0;
  }

  /** Resumes watching the runs that were started in an earlier window of this workspace. */
  resume(): void {
    const { connections, kept } = this.#options;
    for (const { profileId, runId } of kept.recent)
      if (connections.profiles.some(({ id }) => id === profileId)) this.#follow(profileId, runId);
  }

  /**
   * Watches a run.
   * @param startedName name of a run that was just started here: its start is reported as well
   */
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

  /** Called when another profile is shown: runs of the old one continue, and the user still waits for their end. */
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
      // Neither in the list nor found by ID: it was deleted.
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

  /** Reads the job for its name and its retry settings; it may be newer than the list of jobs. */
  async #findJob(run: Run, jobId: string): Promise<void> {
    const profileId = this.#profileId;
    const connection = await this.#options.connections.connectTo(profileId).catch(() => undefined);
    const job = await connection?.client.jobs.get(jobId, { retry: 'fail' }).catch(() => undefined);
    // If the profile was left in the meantime, its watched runs moved with it.
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

/** How long the message of a started run stays in a notification before it moves to the status bar. */
const inSightMs = 8000;

/**
 * Reports runs that were started here until they end, so that the end message replaces the start message: first as a notification, then
 * unobtrusively in the status bar.
 */
export class StartedMessages implements Disposable {
  readonly #ends = new Map<string, () => void>();

  /**
   * Reports the start of a run.
   * @param name the run's display name
   */
  started(profile: Profile, runId: string, name: string): void {
    const key = keyOf(profile.id, runId);
    this.#ends.get(key)?.();
    const ended = new Promise<void>((resolve) => this.#ends.set(key, resolve));
    void this.#show(profile, runId, plainText(name), ended);
  }

  /** Removes the start message: the run has ended or is no longer watched. */
  ended(profileId: string, runId: string): void {
    const key = keyOf(profileId, runId);
    this.#ends.get(key)?.();
    this.#ends.delete(key);
  }

  async #show(profile: Profile, runId: string, name: string, ended: Promise<void>): Promise<void> {
    let isOver = false;
    const over = ended.then(() => (isOver = true));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const outOfSight = new Promise<void>((resolve) => (timer = setTimeout(resolve, inSightMs)));
    const argument = encodeURIComponent(JSON.stringify([{ profileId: profile.id, runId }]));
    const output = `[${vscode.l10n.t('Show Output')}](command:millrace.openRun?${argument})`;
    const told = vscode.l10n.t('Started {0} on {1}.', name, plainText(profile.name));
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `${told} ${output}` },
      async () => Promise.race([over, outOfSight]),
    );
    clearTimeout(timer);
    if (isOver) return;
    const title = vscode.l10n.t('{0} on {1} is in progress', name, profile.name);
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () => over);
  }

  dispose(): void {
    for (const end of this.#ends.values()) end();
    this.#ends.clear();
  }
}

function keyOf(profileId: string, runId: string): string {
  return JSON.stringify([profileId, runId]);
}

type Policy = 'started' | 'all' | 'failed' | 'none';

/** Facts about the end of a run that are not in the run itself. */
interface RunEnding {
  readonly startedHere: boolean;
  readonly profile: Profile;
  /** The error and its place in one line: more useful than the service's message ("The process exited with code 1."). */
  readonly cause?: string;
}

/**
 * Reports that a run ended, according to the user's setting; a failure is a warning with a button that explains the run.
 * @param show shows a run of this profile, even if another one is selected before the message is answered
 */
export function notifyFinished(
  { run, job }: FinishedRun,
  { startedHere, profile, cause }: RunEnding,
  show: (runId: string) => void,
): void {
  const policy = vscode.workspace.getConfiguration('millrace').get<Policy>('notifications.runFinished', 'started');
  const status = runStatus(run);
  const wanted =
    policy === 'all' || (policy === 'started' && startedHere) || (policy === 'failed' && status.phase !== 'succeeded');
  const isRetried = isTriedAgain(run, job?.settings);
  // For a run with several attempts, only the first failure and the final result are reported.
  if (!wanted || (policy === 'started' && isRetried && run.attempt_number)) return;
  const name = runLabel(run, job);
  const reason = cause ?? run.state?.state_message;
  const result = [status.label, attemptWords(run, job?.settings)].filter((part) => part !== undefined).join(', ');
  const text =
    status.phase === 'succeeded' || !reason
      ? vscode.l10n.t('{0} on {1}: {2}', name, profile.name, result)
      : vscode.l10n.t('{0} on {1}: {2}. {3}', name, profile.name, result, reason);
  // A run that somebody canceled did not fail, so there is nothing to explain or fix.
  const isGood = status.phase === 'succeeded' || status.phase === 'cancelled';
  const showOutput = vscode.l10n.t('Show Output');
  const runAgain = vscode.l10n.t('Run Again');
  const explain = vscode.l10n.t('Explain');
  const fix = vscode.l10n.t('Fix…');
  const shown = isGood
    ? vscode.window.showInformationMessage(plainText(text), showOutput, runAgain)
    : vscode.window.showWarningMessage(
        plainText(text),
        // A skipped run did nothing: it has no output, and there is nothing to fix.
        ...(status.phase === 'skipped'
          ? [runAgain, explain]
          : [showOutput, ...(isRetried ? [] : [runAgain]), explain, ...(profile.kind === 'local' ? [fix] : [])]),
      );
  void shown.then((choice) => {
    const target = { profileId: profile.id, runId: run.run_id };
    if (choice === showOutput) show(run.run_id);
    else if (choice === runAgain) void vscode.commands.executeCommand('millrace.run.repeat', target);
    else if (choice === explain) void vscode.commands.executeCommand('millrace.run.askChat', target);
    else if (choice === fix) void vscode.commands.executeCommand('millrace.run.fix', target);
  });
}
