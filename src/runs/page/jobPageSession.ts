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
import { pageProfile } from './pageProfile.ts';
import { noState, type JobView, type PageLink, type PageNotice, type ToPage } from './pageProtocol.ts';
import { stripLength } from './runStrip.ts';

/** What the page of a job needs of its surroundings. */
export interface JobPagePorts {
  readonly clock: Clock;
  /** The profile of the job, while there is one. */
  readonly profile: () => Profile | undefined;
  /** Whether the store is that of the job's profile. */
  isCurrent(): boolean;
  readonly store: RunStore;
  /** Somebody sees what the store has, so it is kept true until this is disposed of. */
  attend(): Disposable;
  /** The job as the service has it now; undefined if there is none. */
  readJob(jobId: string): Promise<Job | undefined>;
  /** Reads the newest runs of the job into the store. */
  loadRuns(jobId: string, limit: number): Promise<void>;
  post(message: ToPage): void;
  setTitle(title: string, state: JobView['state']): void;
  /** The job files of the workspace that were deployed to the job. */
  files(): Promise<readonly FileOfJob[]>;
  /** Where the file of a task is in the workspace. */
  taskPlace(file: string): Promise<PageLink['place']>;
}

/** What rows tell of ages and of times to come is told in minutes. */
const agesInMs = 30_000;

/** Shows a job from what the one poller knows of it. It asks for nothing by itself but the job's older runs, once. Rests while nobody sees it. */
export class JobPageSession {
  readonly #jobId: string;
  readonly #ports: JobPagePorts;
  #abort: AbortController | undefined;
  /** As they were seen last: what another profile's are is not shown in their place. */
  #job: Job | undefined;
  #runs: LoadedRuns | undefined;
  #lastRun: JobKnowledge['lastRun'] = { kind: 'unknown' };
  #seenMs: number | undefined;
  #isGone = false;
  #isAsking = false;
  #isLoading = false;
  /** The page of runs that the service gave for as many as are shown: it has no more. */
  #loaded: number | undefined;
  #failure: unknown;
  #files: readonly FileOfJob[] = [];
  /** How often the workspace was looked at. */
  #looks = 0;
  #taskPlace: { readonly file: string; readonly place: PageLink['place'] } | undefined;
  #shown = '';
  /** No runs came and nothing failed, as when a service is not there any more: they are asked for again once it has answered. */
  #wasInVain = false;

  constructor(jobId: string, ports: JobPagePorts) {
    this.#jobId = jobId;
    this.#ports = ports;
  }

  /** What the tab of one of its runs is named. */
  runLabel(runId: string): string | undefined {
    const run = this.#runs?.runs.find((one) => one.run_id === runId);
    return run && runLabel(run, this.#job);
  }

  /** The id of its last run. */
  get lastRunId(): string | undefined {
    return this.#lastRun.kind === 'run' ? this.#lastRun.run.run_id : undefined;
  }

  /** The page was made anew: it has nothing yet. */
  restart(): void {
    this.#shown = '';
    this.pause();
    this.resume();
  }

  /** The page is seen. */
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

  /** Asks again for what could not be read, because the user wants it. */
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

  /** A file of the workspace may say something else by now. */
  readFiles(): void {
    if (this.#abort) this.#readFiles(this.#abort.signal).catch(() => undefined);
  }

  /** Takes in what the store knows now. */
  #refresh(signal: AbortSignal): void {
    const { store } = this.#ports;
    if (this.#ports.isCurrent() && store.freshness.kind !== 'empty') {
      const job = store.job(this.#jobId);
      if (job) this.#isGone = false;
      if (job) this.#take(job, signal);
      this.#lastRun = store.lastRun(this.#jobId);
      // Forgotten ones are asked for anew, and stand until they come.
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

  /** A list may be older than the job: only the service says that there is none. */
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
        // What is wrong with the service is told by the store.
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

  /** What the workspace has of the job. */
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

  /** Why the page is not true now, or not whole. */
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
