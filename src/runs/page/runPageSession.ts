import type { Client, OutputPiece } from '../../api/client/client.ts';
import type { Job, Run, RunOutput } from '../../api/schema/jobs/schemas.ts';
import type { Connection, Profile } from '../../connection/connection.ts';
import { abortable } from '../../shared/abortable.ts';
import { delay } from '../../shared/clock.ts';
import { AppError, isAbort, passingKinds, toAppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { attemptsOf, isAttemptAwaited } from '../attempts.ts';
import { readTrace } from '../output/failingPlace.ts';
import { runLabel } from '../rowWords.ts';
import { isOneTime } from '../runOrder.ts';
import { runStatus } from '../runState.ts';
import { type NamedTask, readRunWithRepairs, taskToShow } from '../runTasks.ts';
import * as pace from './outputPace.ts';
import { NewestOutput } from './outputPace.ts';
import { pageProfile, type AskOptions, type Located, type RunPagePorts } from './pagePorts.ts';
import type { RunView } from './pageProtocol.ts';
import { endWords, goingWords, runNotice, withoutState, unknownRunView, unreadOutput } from './runNotice.ts';
import { runView } from './runView.ts';

/** Reads a run for its page, follows it to its end and sends updates to the page. Pauses while nobody sees the page. */
export class RunPageSession {
  readonly #ports: RunPagePorts;
  readonly #runId: string;
  #abort: AbortController | undefined;
  #run: Run | undefined;
  /** Whether the run has several tasks and its service has repairs. */
  #hasRepairs = false;
  #job: Job | undefined;
  #attempts: readonly Run[] = [];
  /** Data that is unknown or may be outdated. */
  readonly #missing = new Set<'job' | 'attempts'>(['job', 'attempts']);
  #seenMs = 0;
  #notice: RunView['notice'];
  /** Whether the service no longer has the run. */
  #isGone = false;
  /** The task that the user chose; otherwise the page shows the one that explains the run. */
  #chosenTask: string | undefined;
  #located: Located | undefined;
  #left: Pick<OutputPiece, 'error' | 'errorTrace' | 'notebookOutput'> = {};
  /** Offset in the local service's output, in bytes. */
  #offset = 0;
  /** Run of the task whose output is followed as it arrives. */
  #followedTask: string | undefined;
  /** Last output of a remote service. */
  #text = '';
  #versions: string | undefined;
  #isCut = false;
  /** Why the output cannot be read; the run is followed all the same. */
  #unread: string | undefined;
  #isOver = false;
  #isLive = true;
  #untaken = 0;
  readonly #newest: NewestOutput;
  #taken: (() => void) | undefined;
  #shown = '';

  constructor(runId: string, ports: RunPagePorts) {
    this.#runId = runId;
    this.#ports = ports;
    this.#newest = new NewestOutput(ports);
  }

  get run(): Run | undefined {
    return this.#run;
  }

  /** Returns the tab title of one of its attempts. */
  runLabel(runId: string): string | undefined {
    const run = this.#attempts.find((each) => each.run_id === runId);
    return run && runLabel(run, this.#job);
  }

  /** Sends everything again: the page was recreated and is empty. */
  restart(): void {
    this.#forgetOutput();
    this.resume();
  }

  #forgetOutput(): void {
    [this.#offset, this.#text, this.#isOver, this.#shown] = [0, '', false, ''];
    this.#newest.forget();
    [this.#unread, this.#followedTask, this.#left, this.#located] = [undefined, undefined, {}, undefined];
    this.pause();
  }

  /** Shows the output of another task of the run. */
  showTask(key: string): void {
    this.#chosenTask = key;
    const isFollowed = this.#abort !== undefined;
    this.#forgetOutput();
    if (isFollowed) this.resume();
  }

  /** The task whose output the page shows, if the run has several. */
  get task(): NamedTask | undefined {
    return this.#run && taskToShow(this.#run, this.#chosenTask);
  }

  /** Continues, because the page is visible. */
  resume(byUser = false): void {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.#untaken = 0;
    this.#follow(abort.signal, byUser).catch((error: unknown) => {
      if (!isAbort(error) && !abort.signal.aborted) this.#tellFailure(error, false);
    });
  }

  pause(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /** Polls immediately, on the user's request. */
  retry(): void {
    this.pause();
    this.#notice = undefined;
    this.resume(true);
  }

  /** The page has added a piece to its lines. */
  taken(): void {
    this.#untaken = Math.max(0, this.#untaken - 1);
    this.#taken?.();
  }

  async #follow(signal: AbortSignal, byUser: boolean): Promise<void> {
    let pauseInMs: number = pace.failurePauseInMs.first;
    for (let isByUser = byUser; ; isByUser = false) {
      try {
        const connection = await this.#ports.connect({ signal, byUser: isByUser });
        signal.throwIfAborted();
        if (!connection)
          throw new AppError('notFound', l10n.t('No profile here has run {0}.', this.#runId), {
            remedy: l10n.t('Start the run again.'),
          });
        await this.#poll(connection.client, signal);
        pauseInMs = pace.failurePauseInMs.first;
        await this.#followOn(connection, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const failure = toAppError(error);
        const mayPass = passingKinds.has(failure.kind);
        this.#tellFailure(failure, mayPass);
        if (!mayPass) return;
        await delay(pauseInMs, { signal, clock: this.#ports.clock });
        pauseInMs = Math.min(pauseInMs * 2, pace.failurePauseInMs.max);
      }
    }
  }

  async #followOn({ client, profile }: Connection, signal: AbortSignal): Promise<void> {
    const rest = new AbortController();
    const both = AbortSignal.any([signal, rest.signal]);
    const states = this.#followState(client, pace.pollInMs[profile.kind], both);
    try {
      await Promise.race([
        // A failed state poll ends the race; a final state does not.
        states.then(() => new Promise<never>(() => undefined)),
        this.#followOutput(client, profile, both),
      ]);
      await this.#poll(client, signal);
      // The output may end before the run does.
      if (this.#run && runStatus(this.#run).active) await states;
    } finally {
      rest.abort();
      states.catch(() => undefined);
    }
    await this.#finish(signal);
    for (let pauseInMs = pace.failurePauseInMs.first; ; pauseInMs *= 2) {
      const isMissing = this.#missing.size > 0 && pauseInMs <= pace.failurePauseInMs.max;
      const last = this.#attempts.at(-1) ?? this.#run;
      const isAwaited = !isMissing && isAttemptAwaited(last, this.#job?.settings, this.#ports.clock.now());
      const restInMs = isMissing ? pauseInMs : isAwaited ? pace.pollInMs[profile.kind] : pace.agesInMs;
      await delay(restInMs, { signal, clock: this.#ports.clock });
      if (isAwaited) this.#missing.add('attempts');
      if (isMissing || isAwaited) await this.#poll(client, signal);
      else this.#draw();
    }
  }

  /** Follows the run's state and elapsed time while it is active. */
  async #followState(client: Client, everyInMs: number, signal: AbortSignal): Promise<void> {
    while (this.#run && runStatus(this.#run).active) {
      await delay(everyInMs, { signal, clock: this.#ports.clock });
      await this.#poll(client, signal);
    }
  }

  async #poll(client: Client, signal: AbortSignal): Promise<void> {
    const options = { signal, retry: 'fail' } as const;
    const before = this.#run;
    const { run, hasRepairs } = await readRunWithRepairs(client.jobs, this.#runId, this.#hasRepairs, options);
    signal.throwIfAborted();
    [this.#run, this.#hasRepairs] = [run, hasRepairs];
    this.#seenMs = this.#ports.clock.now();
    this.#notice = undefined;
    // Another task explains the run now, or a repair runs it again.
    if (this.#followedTask !== undefined && this.task?.run_id !== this.#followedTask) this.restart();
    signal.throwIfAborted();
    const jobId = isOneTime(run) ? undefined : run.job_id;
    if (before && runStatus(before).active !== runStatus(run).active) this.#missing.add('attempts');
    if (jobId !== undefined) {
      // A deleted job leaves its runs.
      await this.#readIfMissing('job', async () => (this.#job = await client.jobs.get(jobId, options)));
      await this.#readIfMissing('attempts', () => this.#readAttempts(client, jobId, run, options));
    } else this.#missing.clear();
    this.#attempts = this.#attempts.map((each) => (each.run_id === run.run_id ? run : each));
    this.#draw();
  }

  /** Reads optional information. It stays missing for good if the service refuses it, otherwise until the service answers. */
  async #readIfMissing(what: 'job' | 'attempts', read: () => Promise<unknown>): Promise<void> {
    if (!this.#missing.has(what)) return;
    try {
      await read();
    } catch (error) {
      if (isAbort(error)) throw error;
      if (passingKinds.has(toAppError(error).kind)) return;
    }
    this.#missing.delete(what);
  }

  async #readAttempts(client: Client, jobId: string, run: Run, options: AskOptions): Promise<void> {
    const mayHaveMore = (run.attempt_number ?? 0) > 0 || (this.#job?.settings?.max_retries ?? 0) !== 0;
    if (!mayHaveMore) return;
    const { runs } = await client.jobs.listRuns({ job_id: jobId, limit: pace.attemptsLookedThrough }, options);
    this.#attempts = attemptsOf(run, runs);
  }

  async #followOutput(client: Client, profile: Profile, signal: AbortSignal): Promise<void> {
    if (this.#isOver) return;
    if (profile.kind === 'local') {
      try {
        await this.#followPieces(client, signal);
        return;
      } catch (error) {
        // A service of an earlier version, which another window started.
        if (toAppError(error).kind !== 'notFound' || this.#offset > 0) throw error;
      }
    }
    this.#isLive = false;
    this.#draw();
    await this.#pollOutput(client, pace.pollInMs[profile.kind], signal);
  }

  /** Follows the local service's output: each byte once, as it arrives. */
  async #followPieces(client: Client, signal: AbortSignal): Promise<void> {
    this.#isLive = true;
    this.#followedTask = this.task?.run_id;
    const runId = this.#followedTask ?? this.#runId;
    for (;;) {
      const piece = await client.localService.runOutput(
        { runId, offset: this.#offset, wait: true },
        { signal, retry: 'fail' },
      );
      signal.throwIfAborted();
      const isFirst = this.#offset === 0;
      this.#offset = piece.nextOffset;
      if (piece.versions !== undefined) {
        this.#versions = piece.versions;
        this.#draw();
      }
      if (piece.isEnd) this.#keepLeft(piece);
      if (piece.text !== '' || isFirst || piece.isEnd) await this.#show(piece.text, isFirst, piece.isEnd, signal);
      await this.#newest.show(client.localService, runId, piece, signal);
      if (piece.isEnd) return;
      const gapInMs = pace.pieceGapInMs[piece.text.length > pace.quickCharacters ? 'quick' : 'readable'];
      if (piece.nextOffset >= piece.size) await delay(gapInMs, { signal, clock: this.#ports.clock });
    }
  }

  /** Polls the output of other services, which always return all of it. */
  async #pollOutput(client: Client, everyInMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const output = await this.#readOutput(client, everyInMs, signal);
      signal.throwIfAborted();
      // The end of one task is not the end of the run, and another task may explain it then.
      const run = this.task ? this.#run : (output.metadata ?? this.#run);
      const isEnd = run !== undefined && !runStatus(run).active;
      // What was read before stays.
      let logs = this.#unread === undefined ? '' : this.#text;
      if (typeof output['logs'] === 'string') logs = output['logs'];
      const trace = typeof output['error_trace'] === 'string' ? output['error_trace'] : '';
      // Some services leave the trace out of the output.
      if (isEnd && !logs.includes(trace.trim())) logs = logs ? `${logs}\n${trace}` : trace;
      this.#isCut = output['logs_truncated'] === true;
      if (isEnd) this.#keepLeft({ error: output.error, errorTrace: trace, notebookOutput: output.notebook_output });
      if (isEnd) this.#followedTask = this.task?.run_id;
      const isMore = logs.startsWith(this.#text);
      const text = isMore ? logs.slice(this.#text.length) : logs;
      const isFirst = this.#text === '' || !isMore;
      this.#text = logs;
      if (text !== '' || isFirst || isEnd) await this.#show(text, isFirst, isEnd, signal);
      if (isEnd) return;
      await delay(everyInMs, { signal, clock: this.#ports.clock });
    }
  }

  /** Some services refuse it until the run is over, and some altogether: an output without anything then, once the run is over. */
  async #readOutput(client: Client, everyInMs: number, signal: AbortSignal): Promise<RunOutput> {
    for (;;) {
      const run = this.#run;
      try {
        const id = this.task?.run_id ?? this.#runId;
        const output = await client.jobs.getRunOutput(id, { signal, retry: 'fail' });
        this.#unread = undefined;
        return output;
      } catch (error) {
        const { kind, message } = toAppError(error);
        if (isAbort(error) || kind === 'unauthenticated' || passingKinds.has(kind)) throw error;
        this.#unread = `${unreadOutput(this.#runId, this.task?.task_key)} ${message}`;
        this.#draw();
        if (!run || !runStatus(run).active) return { metadata: run };
      }
      while (this.#run && runStatus(this.#run).active) await delay(everyInMs, { signal, clock: this.#ports.clock });
    }
  }

  #keepLeft({ error, errorTrace, notebookOutput }: Pick<OutputPiece, 'error' | 'errorTrace' | 'notebookOutput'>): void {
    this.#left = { error, errorTrace, notebookOutput };
    this.#isOver = true;
  }

  /** Sends a piece and waits until the page is ready for the next one; after the last piece, until it has everything. */
  async #show(text: string, reset: boolean, isEnd: boolean, signal: AbortSignal): Promise<void> {
    this.#untaken += 1;
    this.#ports.post({ type: 'output', text, reset, isEnd });
    while (this.#untaken >= (isEnd ? 1 : pace.maxUntaken)) {
      const taken = Promise.withResolvers<undefined>();
      this.#taken = () => taken.resolve(undefined);
      await abortable(taken.promise, signal);
    }
  }

  async #finish(signal: AbortSignal): Promise<void> {
    const run = this.#run;
    if (!run || runStatus(run).active) return;
    const text = runStatus(run).phase === 'succeeded' ? '' : this.#left.errorTrace || this.#left.error;
    const trace = text ? readTrace(text, this.#left.error) : undefined;
    this.#located = trace && (await this.#ports.locate(trace.steps));
    signal.throwIfAborted();
    this.#draw();
    this.#ports.ended(run, this.#job, trace);
  }

  #tellFailure(error: unknown, mayPass: boolean): void {
    const failure = toAppError(error);
    this.#isGone = failure.kind === 'notFound' && this.#run !== undefined;
    this.#notice = runNotice(failure, { mayPass, isGone: this.#isGone, profile: this.#ports.profile() });
    this.#draw();
  }

  #draw(): void {
    const view = this.#view();
    const text = JSON.stringify(view);
    if (this.#run) this.#ports.setTitle(runLabel(this.#run, this.#job), view.state);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#ports.post({ type: 'run', view });
  }

  #view(): RunView {
    const profile = this.#ports.profile();
    const run = this.#run;
    const isGoing = !this.#isOver && (run === undefined || runStatus(run).active);
    const words = this.#isOver ? endWords(this.#isCut) : { note: goingWords(this.#isLive), end: '' };
    const more = Object.entries({ versions: this.#versions, unread: this.#unread });
    const output = { ...words, isGoing, ...Object.fromEntries(more.filter(([, value]) => value !== undefined)) };
    if (!run) return unknownRunView(this.#runId, { profile: profile?.name, notice: this.#notice, output });
    return runView({
      run,
      job: this.#job,
      attempts: this.#attempts,
      shownTask: this.task?.task_key,
      hasRepairs: this.#hasRepairs,
      profile: pageProfile(profile),
      ...(this.#notice
        ? { lastSeenMs: this.#seenMs, notice: this.#notice, isGone: this.#isGone }
        : withoutState(run, profile)),
      ...this.#left,
      ...this.#located,
      output,
      usualMs: this.#ports.usualMs(run),
      nowMs: this.#ports.clock.now(),
    });
  }
}
