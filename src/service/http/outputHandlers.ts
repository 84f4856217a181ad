import { localServiceRoutes } from '../../api/schema/localServiceRoutes.ts';
import type { Clock } from '../../shared/clock.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import type { Engine } from '../engine/engineContract.ts';
import { runFolder } from '../engine/runStart.ts';
import { outcomeParts } from '../engine/runWire.ts';
import type { LogPiece } from '../runners/outputLog.ts';
import { onOutput, readOutputPiece, readVersions } from '../runners/runOutput.ts';
import { isTerminal } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import { routeHandler, type RouteHandler } from './handler.ts';

/** How long a request for more output is held: less than the time after which clients consider a silent server dead. */
const holdInMs = 50_000;
/** Each response takes a few milliseconds to read, write and display; fewer and larger ones cost less. */
const pieceBytes = 512 * 1024;

export interface OutputHandlerOptions {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly dataFolder: string;
}

/** Handlers for a run's output, all of it and as it arrives; nothing is read twice. */
export function outputHandlers({ store, engine, clock, dataFolder }: OutputHandlerOptions): RouteHandler[] {
  return [
    routeHandler(localServiceRoutes.runOutput, async ({ run_id: runId, offset = 0, wait = false }, { signal }) => {
      const folder = runFolder(dataFolder, runId);
      const until = clock.now() + holdInMs;
      for (;;) {
        // Before reading the file, so that nothing after that is missed.
        const news = listen(folder, store.changes.stamps);
        try {
          const run = engine.get(runId);
          if (!run) throw doesNotExist('Run', runId);
          const isWhole = isTerminal(run);
          const piece = await read(runId, folder, offset, isWhole);
          const isEnd = isWhole && piece.nextOffset >= piece.sizeBytes;
          const leftInMs = until - clock.now();
          if (!wait || isEnd || piece.text !== '' || leftInMs <= 0 || signal.aborted)
            return {
              text: piece.text,
              next_offset: piece.nextOffset,
              size: piece.sizeBytes,
              is_end: isEnd,
              ...(offset === 0 ? { versions: await readVersions(folder) } : {}),
              ...(isEnd ? outcomeParts(run, store.runParts.outcome(runId)) : {}),
            };
          await news.wait(leftInMs, signal);
        } finally {
          news.stop();
        }
      }
    }),
  ];

  /** Listens for output and state changes of a run. */
  function listen(
    folder: string,
    known: Store['changes']['stamps'],
  ): { wait(durationInMs: number, signal: AbortSignal): Promise<unknown>; stop(): void } {
    const grown = Promise.withResolvers<undefined>();
    const over = new AbortController();
    const stop = onOutput(folder, () => grown.resolve(undefined));
    return {
      wait(durationInMs, signal) {
        const either = AbortSignal.any([signal, over.signal]);
        return Promise.race([grown.promise, store.changes.wait(known, { clock, durationInMs, signal: either })]);
      },
      stop() {
        stop();
        over.abort();
      },
    };
  }

  async function read(runId: string, folder: string, offset: number, isWhole: boolean): Promise<LogPiece> {
    try {
      return await readOutputPiece(folder, offset, { limitBytes: pieceBytes, isWhole });
    } catch (error) {
      throw new ApiError(
        500,
        'STORAGE_FAILED',
        `The output of run ${runId} cannot be read: ${(error as Error).message}. Check its folder in the data folder.`,
        { cause: error },
      );
    }
  }
}
