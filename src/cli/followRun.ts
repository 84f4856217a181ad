import type { Client, RetryMode } from '../api/client/index.ts';
import type { Run, RunOutput } from '../api/schema/jobs/schemas.ts';
import { withoutAnsi } from '../runs/output/ansi.ts';
import { notRunPhases, type RunPhase, runStatus, stateMessage } from '../runs/runState.ts';
import { attemptsOfTasks, type NamedTask } from '../runs/runTasks.ts';
import { delay } from '../shared/clock.ts';
import { isAppError, type AppError } from '../shared/errors.ts';
import { plainLine } from './print.ts';

/** What a run leaves apart from its output: the result of a notebook, and why it failed. */
export interface LeftOutput {
  readonly result?: string | undefined;
  readonly error?: string | undefined;
  readonly errorTrace?: string | undefined;
}

export interface FollowOptions {
  write(text: string): void;
  /** Receives the run's Python and package versions before its output. */
  onVersions?(line: string): void;
  /** The service refuses the output of the run, as some do where it has several tasks. */
  onUnread?(error: AppError): void;
  /** Receives what the run left apart from its output. Otherwise that is written after the output, unless it is a part of it. */
  onLeft?(left: LeftOutput): void;
  /** Called at the end if the service left out a part of the output. */
  onPartial?(): void;
  readonly signal: AbortSignal;
  /** Retry mode if the service cannot respond. */
  readonly retry: RetryMode;
  /** Whether to print the available output without waiting for more. */
  readonly isOnce?: boolean;
}

/** How often to poll a service that cannot notify about new output, in milliseconds. */
const gapInMs = 2000;
/** Of what was written, as much is looked through for the error. */
const keptCharacters = 200_000;

/** Prints the run's output as it arrives. @returns the run in its final state */
export async function followRun(client: Client, runId: string, options: FollowOptions): Promise<Run> {
  // A run with several tasks has no output of its own.
  const { signal, retry } = options;
  const isSingle = attemptsOfTasks(await client.jobs.getRun(runId, { signal, retry })).length === 0;
  const isTold = isSingle && (await followPieces(client, runId, options));
  return isTold ? untilEnd(client, runId, options, gapInMs / 20) : followAnswers(client, runId, options);
}

/**
 * Prints the output piece by piece.
 * @returns false if the service does not support that; only the local one does
 */
async function followPieces(
  client: Client,
  runId: string,
  { write, onVersions, onLeft, onPartial, signal, retry, isOnce = false }: FollowOptions,
): Promise<boolean> {
  let end = '';
  // The first request does not retry, so that an error that waiting would not fix is reported at once.
  for (let offset = 0, isAsked = false, isAnswered = false; ;) {
    let piece;
    try {
      const mode = isAsked ? retry : 'fail';
      piece = await client.localService.runOutput({ runId, offset, wait: !isOnce }, { signal, retry: mode });
    } catch (error) {
      if (!isAnswered && isUnknownPath(error)) return false;
      if (isTimedOut(error)) await delay(gapInMs, { signal });
      else if (isAsked) throw error;
      isAsked = true;
      continue;
    }
    isAsked = true;
    isAnswered = true;
    if (piece.versions !== undefined) onVersions?.(piece.versions);
    write(piece.text);
    end = (end + piece.text).slice(-keptCharacters);
    const left = { result: piece.notebookOutput?.result, error: piece.error, errorTrace: piece.errorTrace };
    if (piece.isEnd && onLeft) onLeft(left);
    else if (piece.isEnd) write(leftBeside(end, left));
    if (piece.notebookOutput?.truncated === true) onPartial?.();
    const isAll = piece.isEnd || (isOnce && piece.nextOffset >= piece.size);
    offset = piece.nextOffset;
    if (isAll) return true;
  }
}

/** Detects a gateway that times out before the service's long poll ends. */
const isTimedOut = (error: unknown): boolean => isAppError(error) && error.status === 408;

/**
 * Returns whether the error may mean that the service does not know the path: gateways respond with 403 or an HTML page. If it means
 * something else, the next requests, to paths that every service knows, report it. A busy or sick service does not count.
 */
function isUnknownPath(error: unknown): boolean {
  if (!isAppError(error) || error.status === undefined) return false;
  return error.status === 501 || (error.status < 500 && ![408, 429].includes(error.status));
}

async function untilEnd(client: Client, runId: string, options: FollowOptions, everyInMs: number): Promise<Run> {
  for (;;) {
    const run = await client.jobs.getRun(runId, { signal: options.signal, retry: options.retry });
    if (runStatus(run).terminal || options.isOnce) return run;
    await delay(everyInMs, { signal: options.signal });
  }
}

/** Kinds of errors with which a service refuses the output although it answers for the run. */
const refusals: ReadonlySet<string> = new Set(['rejected', 'notFound', 'forbidden', 'tooLarge', 'protocol']);

/** Polls the whole output (runs/get-output) and prints what is new. */
async function followAnswers(client: Client, runId: string, options: FollowOptions): Promise<Run> {
  const { write, signal, retry, onUnread } = options;
  let written = '';
  const printed = new Set<string>();
  for (;;) {
    const run = await client.jobs.getRun(runId, { signal, retry });
    const isEnd = runStatus(run).terminal || options.isOnce === true;
    if (attemptsOfTasks(run).length > 0) {
      await printTasks(client, run, printed, options);
      if (isEnd) return run;
      await delay(gapInMs, { signal });
      continue;
    }
    const answer = await client.jobs.getRunOutput(runId, { signal, retry }).catch((error: unknown) => {
      // Some services return output only at the end, and some none at all.
      if (!isAppError(error) || !refusals.has(error.kind)) throw error;
      if (isEnd) onUnread?.(error);
      return undefined;
    });
    if (isEnd && answer) options.onLeft?.(leftOf(answer));
    const logs = textOf(answer, isEnd && !options.onLeft);
    // If the service keeps only the end of the output, its beginning changes.
    const isGrown = logs.startsWith(written);
    write(isGrown ? logs.slice(written.length) : logs);
    written = logs;
    if (isEnd) {
      if (answer?.['logs_truncated'] === true || answer?.notebook_output?.truncated === true) options.onPartial?.();
      return run;
    }
    await delay(gapInMs, { signal });
  }
}

/** Phases of tasks without any output. */
const silentPhases: ReadonlySet<RunPhase> = new Set([...notRunPhases, 'blocked', 'queued']);

/**
 * Prints the output of each attempt of a task that has ended, once, below the task's name, and of the inputs of a for-each task above it.
 * Prints that of active tasks too if nothing is awaited.
 * @param forEach the key of the for-each task whose inputs are printed
 */
async function printTasks(
  client: Client,
  run: Run,
  printed: Set<string>,
  options: FollowOptions,
  forEach?: string,
): Promise<void> {
  const { write, signal, retry, onUnread, isOnce } = options;
  const attempts = attemptsOfTasks(run);
  for (const task of attempts) {
    if (printed.has(task.run_id)) continue;
    const { label, terminal, phase } = runStatus(task);
    const isShown = terminal || isOnce === true;
    const isSilent = silentPhases.has(phase);
    const ifRead = async <T>(reading: Promise<T>): Promise<T | undefined> =>
      reading.catch((error: unknown) => {
        if (!isAppError(error) || !refusals.has(error.kind)) throw error;
        if (isShown) onUnread?.(error);
        return undefined;
      });
    const isForEach = task['for_each_task'] !== undefined && forEach === undefined;
    if (isForEach && !isSilent) {
      const inputs = await ifRead(client.jobs.getRun(task.run_id, { signal, retry }));
      if (inputs) await printTasks(client, inputs, printed, options, task.task_key);
    }
    if (!isShown) continue;
    printed.add(task.run_id);
    const name = [...(forEach === undefined ? [] : [forEach]), nameAmong(attempts, task)].join(', ');
    write(`${printed.size > 1 ? '\n' : ''}== ${name}: ${label}\n`);
    if (isSilent) continue;
    const answer = isForEach ? undefined : await ifRead(client.jobs.getRunOutput(task.run_id, { signal, retry }));
    const text = textOf(answer, true) || (phase === 'succeeded' ? '' : plainLine(stateMessage(task)));
    write(text === '' || text.endsWith('\n') ? text : `${text}\n`);
    if (answer?.['logs_truncated'] === true) options.onPartial?.();
  }
}

/** Returns the key of a task, with the number of its attempt if there are others. */
function nameAmong(
  attempts: readonly NamedTask[],
  { task_key: key, run_id: id, attempt_number: earlier = 0 }: NamedTask,
): string {
  const isOnly = !attempts.some((other) => other.task_key === key && other.run_id !== id);
  return isOnly ? key : `${key}, attempt ${earlier + 1}`;
}

/** What the run wrote; at its end with all that it left. */
function textOf(answer: RunOutput | undefined, isEnd: boolean): string {
  const logs = typeof answer?.['logs'] === 'string' ? answer['logs'] : '';
  if (!answer || !isEnd) return logs;
  return logs + leftBeside(logs, leftOf(answer));
}

function leftOf({ notebook_output: notebook, error, error_trace: trace }: RunOutput): LeftOutput {
  return { result: notebook?.result, error, errorTrace: typeof trace === 'string' ? trace : undefined };
}

/** Of what a run left, all that it did not write itself: each on lines of its own. */
function leftBeside(written: string, { result, error, errorTrace }: LeftOutput): string {
  const texts = [result, error, errorTrace].map((text) => withoutAnsi(text ?? '').trim()).filter((text) => text !== '');
  const shown = withoutAnsi(written);
  let added = '';
  for (const [position, text] of texts.entries()) {
    if ([shown, ...texts.slice(position + 1)].some((each) => each.includes(text))) continue;
    added += `${/(^|\n)$/.test(added || written) ? '' : '\n'}${text}\n`;
  }
  return added;
}

/** Returns the listeners that report what could not be read of a run's output. */
export function missingOutput(
  say: (text: string) => void,
  runId: string,
): Required<Pick<FollowOptions, 'onUnread' | 'onPartial'>> {
  return {
    onUnread: ({ message }) => say(`The output of run ${runId} could not be read. ${plainLine(message)}`),
    onPartial: () => say(`The service returned only a part of the output of run ${runId}.`),
  };
}

/** Describes how the run ended. */
export function endInWords(run: Run): { words: string; isSuccess: boolean } {
  const { label, phase } = runStatus(run);
  const message = run.state?.state_message;
  const words = `Run ${run.run_id}: ${label}.${message ? ` ${plainLine(message)}` : ''}`;
  return { words, isSuccess: phase === 'succeeded' };
}
