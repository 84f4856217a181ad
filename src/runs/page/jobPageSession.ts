import type { Job } from '../../api/schema/jobs/schemas.ts';
import type { Profile } from '../../connection/connection.ts';
import { delay, type Clock } from '../../shared/clock.ts';
import { isAbort, toAppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import { jobName } from '../jobNames.ts';
import { runLabel } from '../rowWords.ts';
import type { LoadedRuns } from '../store/runLists.ts';
import type { RunStore } from '../store/runStore.ts';
import { taskFileOf } from './jobFacts.ts';
import type { FileOfJob } from './jobFileView.ts';
import { jobView, type JobKnowledge } from './jobView.ts';
import { pageProfile } from './pagePorts.ts';
import { noState, type JobView, type PageLink, type PageNotice, type ToPage } from './pageProtocol.ts';
import { stripLength } from './runStrip.ts';

/** What the page of a job needs from its environment. */
export interface JobPagePorts {
  readonly clock: Clock;
  /** The job's profile, as long as it exists. */
  readonly profile: () => Profile | undefined;
  /** Returns whether the store belongs to the job's profile. */
  isCurrent(): boolean;
  readonly store: RunStore;
  /** Keeps the store up to date until the result is disposed of, because its data is visible. */
  attend(): Disposable;
  /** Reads the job from the service, or returns `undefined` if it does not exist. */
  readJob(jobId: string): Promise<Job | undefined>;
  /** Reads the job's newest runs into the store. */
  loadRuns(jobId: string, limit: number): Promise<void>;
  post(message: ToPage): void;
  setTitle(title: string, state: JobView['state']): void;
  /** Returns the job files of the workspace that were deployed to the job. */
  files(): Promise<readonly FileOfJob[]>;
  /** Returns where a task's file is in the workspace. */
  taskPlace(file: string): Promise<PageLink['place']>;
}

/** How often ages and times to come, which are shown in minutes, are refreshed. */
const agesInMs = 30_000;

/** Shows a job from what the poller knows. It requests only the job's older runs itself, once. Pauses while nobody sees it. */
export class JobPageSession {
  readonly #jobId: string;
  readonly #ports: JobPagePorts;
  #abort: AbortController | undefined;
  /** The job and runs as last seen: those of another profile never replace them. */
  #job: Job | undefined;
  #runs: LoadedRuns | undefined;
  #lastRun: JobKnowledge['lastRun'] = { kind: 'unknown' };
  #seenMs: number | undefined;
  #isGone = false;
  #isAsking = false;
  #isLoading = false;
  /** Size of the page of runs that the service returned, if it was smaller than requested: there are no more. */
  #loaded: number | undefined;
  #failure: unknown;
  #files: readonly FileOfJob[] = [];
  /** Number of workspace scans so far. */
  #looks = 0;
  #taskPlace: { readonly file: string; readonly place: PageLink['place'] } | undefined;
  #shown = '';
  /** Whether a request returned no runs and no error, as when a service has gone. It is repeated once the service answers. */
  #wasInVain = false;

  constructor(jobId: string, ports: JobPagePorts) {
    this.#jobId = jobId;
    this.#ports = ports;
  }

  /** Returns the tab title of one of its runs. */
  runLabel(runId: string): string | undefined {
    const run = this.#runs?.runs.find((one) => one.run_id === runId);
    return run && runLabel(run, this.#job);
  }

  /** Returns the ID of its last run. */
  get lastRunId(): string | undefined {
    return this.#lastRun.kind === 'run' ? this.#lastRun.run.run_id : undefined;
  }

  /** Sends everything again: the page was recreated and is empty. */
  restart(): void {
    this.#shown = '';
    this.pause();
    this.resume();
  }

  /** Called when the page becomes visible. */
  resume(): void {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.#wasInVain = false;
    const { signal } = abort;
    const subscriptions = new DisposableStore();
    signal.addEventListener('abort', () => subscriptions.dispose(), { once: true });
    const { store } = this.#ports;
    subscriptions.add(this.#ports.attend());
    this.readFiles();
    subscriptions.add(
      store.onDidChange((change) => {
        if (change.kind !== 'runs' || change.jobIds.has(this.#jobId)) this.#refresh(signal);
      }),
    );
    subscriptions.add(
      store.onDidListJobs(() => {
        this.#wasInVain = false;
        this.#refresh(signal);
        this.#askForUnlisted(signal);
      }),
    );
    this.#refresh(signal);
    this.#askForUnlisted(signal);
    this.#passTime(signal).catch(() => undefined);
  }

  pause(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /** Retries what could not be read, on the user's request. */
  retry(): void {
    this.#failure = undefined;
    if (this.#abort) this.#refresh(this.#abort.signal);
  }

  async #passTime(signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(agesInMs, { signal, clock: this.#ports.clock });
      await this.#readFiles(signal);
      this.#draw();
    }
  }

  /** Reads the job's files again, because a file of the workspace may have changed. */
  readFiles(): void {
    if (this.#abort) this.#readFiles(this.#abort.signal).catch(() => undefined);
  }

  /** Takes over the store's current state. */
  #refresh(signal: AbortSignal): void {
    const { store } = this.#ports;
    if (this.#ports.isCurrent() && store.freshness.kind !== 'empty') {
      const job = store.job(this.#jobId);
      if (job) this.#isGone = false;
      if (job) this.#take(job, signal);
      this.#lastRun = store.lastRun(this.#jobId);
      // Forgotten runs are requested again, and stay visible until they arrive.
      this.#runs = store.runsOf(this.#jobId) ?? this.#runs;
      if (store.freshness.updatedMs !== undefined) this.#seenMs = store.freshness.updatedMs;
      if (this.#job && store.freshness.kind === 'fresh') this.#fill(signal);
    }
    this.#draw();
  }

  #take(job: Job, signal: AbortSignal): void {
    if (this.#job === job) return;
    this.#job = job;
    this.#readFiles(signal).catch(() => undefined);
  }

  /** Asks the service for a job that is not listed: the list may be older than the job. */
  #askForUnlisted(signal: AbortSignal): void {
    const { store } = this.#ports;
    if (!this.#ports.isCurrent() || store.freshness.kind !== 'fresh' || store.job(this.#jobId) || this.#isAsking)
      return;
    this.#isAsking = true;
    this.#ports
      .readJob(this.#jobId)
      .then(
        (job) => {
          if (signal.aborted) return;
          this.#isGone = !job;
          if (job) this.#take(job, signal);
          this.#refresh(signal);
        },
        // The store reports problems with the service.
        () => undefined,
      )
      .finally(() => (this.#isAsking = false));
  }

  #fill(signal: AbortSignal): void {
    const page = this.#ports.store.runsOf(this.#jobId);
    const has = page?.runs.length ?? 0;
    if (page && (!page.hasMore || has >= stripLength || has === this.#loaded)) return;
    if (this.#isLoading || this.#wasInVain || this.#failure !== undefined) return;
    this.#isLoading = true;
    this.#ports
      .loadRuns(this.#jobId, stripLength)
      .then(
        () => {
          this.#loaded = this.#ports.store.runsOf(this.#jobId)?.runs.length;
          this.#wasInVain = this.#loaded === undefined;
        },
        (error: unknown) => {
          if (!isAbort(error)) this.#failure = error;
        },
      )
      .finally(() => {
        this.#isLoading = false;
        if (!signal.aborted) this.#refresh(signal);
      });
  }

  /** Reads the job's files in the workspace. */
  async #readFiles(signal: AbortSignal): Promise<void> {
    const job = this.#job;
    if (!job) return;
    const file = taskFileOf(job);
    const look = (this.#looks += 1);
    const [files, place] = await Promise.all([
      this.#ports.files(),
      file === undefined ? undefined : this.#ports.taskPlace(file),
    ]);
    if (signal.aborted || look !== this.#looks) return;
    this.#files = files;
    this.#taskPlace = file === undefined ? undefined : { file, place };
    this.#draw();
  }

  #draw(): void {
    if (!this.#abort) return;
    const view = this.#view();
    const text = JSON.stringify(view);
    if (this.#job) this.#ports.setTitle(jobName(this.#job), view.state);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#ports.post({ type: 'job', view });
  }

  #view(): JobView {
    const { store, clock } = this.#ports;
    const profile = this.#ports.profile();
    const isKept = this.#ports.isCurrent() && store.freshness.kind === 'fresh' && !this.#isGone;
    const notice = this.#notice(profile);
    if (!this.#job)
      return {
        kind: 'job',
        state: noState,
        title: l10n.t('Job {0}', this.#jobId),
        subtitle: profile?.name ?? l10n.t('a profile that no longer exists'),
        actions: [],
        ...(notice ? { notice } : {}),
        facts: [],
      };
    const file = taskFileOf(this.#job);
    const place = this.#taskPlace?.file === file ? this.#taskPlace?.place : undefined;
    return jobView({
      job: this.#job,
      lastRun: this.#lastRun,
      isActive: store.hasActiveRun(this.#jobId),
      ...(this.#runs ? { runs: this.#runs } : {}),
      profile: pageProfile(profile),
      ...(isKept ? {} : { lastSeenMs: this.#seenMs ?? clock.now() }),
      ...(place ? { taskPlace: place } : {}),
      files: this.#files,
      ...(notice ? { notice } : {}),
      nowMs: clock.now(),
    });
  }

  /** Returns why the page is out of date or incomplete. */
  #notice(profile: Profile | undefined): PageNotice | undefined {
    const { store } = this.#ports;
    if (!profile) return { text: l10n.t('The profile of this job no longer exists.'), actions: [] };
    if (!this.#ports.isCurrent())
      return {
        text: l10n.t('This job belongs to "{0}", which is not the current profile of this window.', profile.name),
        detail: l10n.t('It is not followed until you choose the profile again.'),
        actions: [{ id: 'chooseProfile', label: l10n.t('Choose {0}', profile.name), primary: true }],
      };
    const retry = { id: 'retry', label: l10n.t('Retry Now'), icon: 'refresh', primary: true };
    if (store.freshness.kind === 'stale') {
      const { message, remedy } = toAppError(store.freshness.error);
      return { text: message, ...(remedy === undefined ? {} : { detail: remedy }), actions: [retry] };
    }
    if (this.#isGone)
      return {
        text: l10n.t('{0} no longer has this job.', profile.name),
        detail: this.#job ? l10n.t('Below is the last known state.') : undefined,
        actions: [],
      };
    if (this.#failure === undefined) return undefined;
    const { message, remedy } = toAppError(this.#failure);
    return { text: message, ...(remedy === undefined ? {} : { detail: remedy }), actions: [retry] };
  }
}
