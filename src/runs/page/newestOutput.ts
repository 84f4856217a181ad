import type { LocalServiceClient, OutputPiece } from '../../api/client/client.ts';
import { tail } from './outputPace.ts';
import type { RunPagePorts } from './runPagePorts.ts';

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
