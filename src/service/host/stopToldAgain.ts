import type { DebugMessage } from './debugMessage.ts';

/** The editor opens its box a moment after it has the stack. */
const boxOpensWithinMs = 400;
/** Others may ask for the stack, too, and the frame may be in no file that is there. */
const maxTimes = 2;

const goesOn: ReadonlySet<string> = new Set([
  'continue',
  'next',
  'stepIn',
  'stepOut',
  'goto',
  'disconnect',
  'terminate',
]);

/**
 * The editor opens its box with an exception over the frame that it has just focused. If its list of threads asks for the stack as well
 * before it has the first answer, the second one replaces every frame, the focused one is no longer among them, and no box opens, in any
 * session of any debugger. So the stop is told again once, after which the editor reads the stack anew and focuses what it then has.
 */
export class StopToldAgain {
  readonly #tell: (message: DebugMessage) => void;
  readonly #asked = new Set<number | undefined>();
  #stop?: DebugMessage;
  #answers = 0;
  #timesLeft = 0;
  #timer?: NodeJS.Timeout;

  constructor(tell: (message: DebugMessage) => void) {
    this.#tell = tell;
  }

  /** Takes note of a message of the editor. */
  fromEditor({ command, seq, arguments: given = {} }: DebugMessage): void {
    const isOfStop = given['threadId'] === this.#stop?.body?.['threadId'];
    if (command === 'stackTrace' && isOfStop && !given['startFrame']) this.#asked.add(seq);
    // The box is open, with the frames of the last answer.
    else if (command === 'exceptionInfo') clearTimeout(this.#timer);
    // A program that goes on must not be told as one that stands.
    else if (goesOn.has(command ?? '')) this.dispose();
  }

  /** Takes note of a message that the editor was sent. */
  toEditor(message: DebugMessage): void {
    if (message.event === 'stopped' && message.body?.['reason'] === 'exception') {
      this.#timesLeft = maxTimes;
      this.#begin(message);
    } else if (message.event === 'stopped' || message.event === 'continued' || message.event === 'terminated')
      this.dispose();
    else if (message.type === 'response' && this.#asked.delete(message.request_seq)) this.#answered();
  }

  dispose(): void {
    this.#begin(undefined);
  }

  #begin(stop?: DebugMessage): void {
    clearTimeout(this.#timer);
    this.#stop = stop;
    this.#answers = 0;
    this.#asked.clear();
  }

  #answered(): void {
    const stop = this.#stop;
    this.#answers += 1;
    if (!stop || this.#answers < 2 || this.#timesLeft === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timesLeft -= 1;
      this.#begin(stop);
      this.#tell(stop);
    }, boxOpensWithinMs);
  }
}
