import type { LocalServiceClient, OutputPiece } from '../../api/client/client.ts';
import type { RunPagePorts } from './pagePorts.ts';

/** How often the page of a run polls, and how fast it sends output. */
export const pollInMs = { local: 1000, remote: 4000 } as const;
/**
 * Minimum time between two pieces of a growing output: too short to notice, and long enough for whole lines. An output that nobody can
 * follow needs fewer updates, because drawing them would delay its lines.
 */
export const pieceGapInMs = { readable: 40, quick: 70 } as const;
export const quickCharacters = 16_000;
/** Maximum number of unacknowledged pieces: while the page draws one the next is read, and a slow page is not flooded. */
export const maxUntaken = 2;
/** A page that is this far behind also gets the newest lines, at this interval, until it has almost caught up. */
const tail = { behindBytes: 1_000_000, nearBytes: 200_000, bytes: 32_000, everyInMs: 250 } as const;
export const failurePauseInMs = { first: 2000, max: 30_000 } as const;
export const attemptsLookedThrough = 100;
/** How often ages, which are shown in minutes, are refreshed. */
export const agesInMs = 30_000;

/** Shows the newest text before everything in between is read, because users who follow a run want to see its current state. */
export class NewestOutput {
  readonly #ports: Pick<RunPagePorts, 'clock' | 'post'>;
  /** The end of the output that the page last got, by its position. */
  #last: { readonly size: number; readonly atMs: number } | undefined;

  constructor(ports: Pick<RunPagePorts, 'clock' | 'post'>) {
    this.#ports = ports;
  }

  /** Forgets what the page got, because it is empty again. */
  forget(): void {
    this.#last = undefined;
  }

  /** Called after each piece: sends the newest text if the page is far behind it, or that nothing is missing any longer. */
  async show(
    service: LocalServiceClient,
    runId: string,
    { size, nextOffset }: OutputPiece,
    signal: AbortSignal,
  ): Promise<void> {
    if (size - nextOffset <= (this.#last ? tail.nearBytes : tail.behindBytes)) {
      if (this.#last) this.#ports.post({ type: 'tail', text: '', missingBytes: 0 });
      this.#last = undefined;
      return;
    }
    const nowMs = this.#ports.clock.now();
    if (this.#last && (this.#last.size === size || nowMs - this.#last.atMs < tail.everyInMs)) return;
    const offset = size - tail.bytes;
    const { text } = await service.runOutput({ runId, offset, wait: false }, { signal, retry: 'fail' });
    signal.throwIfAborted();
    this.#last = { size, atMs: nowMs };
    // The text may begin in the middle of a line or a character.
    const whole = text.slice(text.indexOf('\n') + 1);
    this.#ports.post({ type: 'tail', text: whole, missingBytes: offset - nextOffset });
  }
}
