import { connect, type Socket } from 'node:net';
import { describeError } from '../../shared/errors.ts';
import { Emitter, type Event } from '../../shared/event.ts';
import type { DebugAddress } from '../runners/debugDoor.ts';

export interface RunDebugAdapterOptions {
  readonly address: DebugAddress;
  /** Whether to pause where the program fails, whatever the editor's own settings are. */
  readonly haltsAtFailure: boolean;
  /** Called when the run pauses at a breakpoint or an exception, and when it continues. */
  readonly onHeld?: (isHeld: boolean) => void;
  /** Called when the session has ended. */
  readonly onEnd?: () => void;
  /** Cancels the run: the user has stopped the session. */
  readonly cancel: () => Promise<void>;
  /** The cells of .ipynb notebooks. Without them, every path is a file. */
  readonly cells?: NotebookCells;
  readonly log: (message: string) => void;
}

/** Translates between the editor's URIs of notebook cells and the debugger's names, such as `/book.ipynb#cell 3`. */
export interface NotebookCells {
  /** @returns the path unchanged if it names no cell */
  toDebugger(path: string): string;
  toEditor(path: string): string;
  /** Opens the named notebooks that are not open, because only open notebooks have URIs of cells. */
  open(paths: readonly string[]): Promise<void>;
}

const cellPath = /#cell \d+$/;

/**
 * Connects the editor with a run's debugger, which speak the same protocol. The service has already started the program, so the editor's
 * "launch" becomes an "attach"; "stop" cancels the run; and when the run ends, so does the session, however the program ended.
 */
export class RunDebugAdapter {
  readonly #options: RunDebugAdapterOptions;
  readonly #socket: Socket;
  readonly #sent = new Emitter<DebugMessage>();
  readonly #stopToldAgain = new StopToldAgain((message) => this.#sent.fire(message));
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** Number of bytes needed before parsing can continue. */
  #neededBytes = 0;
  #hasEnded = false;
  #isClosed = false;
  /** Number of messages that wait for a notebook to be opened. Messages are sent in the order in which they arrived. */
  #waiting = 0;
  #forwarding = Promise.resolve();

  readonly onDidSendMessage: Event<DebugMessage> = this.#sent.event;

  constructor(options: RunDebugAdapterOptions) {
    this.#options = options;
    // No delay for small packets: an answer may consist of two.
    this.#socket = connect({ port: options.address.port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('error', (error) => options.log(error.message));
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#end();
    });
    this.#socket.write(`${options.address.secret}\n`);
  }

  /** Handles a message from the editor. */
  handleMessage(message: DebugMessage): void {
    this.#stopToldAgain.fromEditor(message);
    if (message.type === 'request' && message.command === 'disconnect') this.#disconnect(message);
    else if (this.#isClosed) this.#answer(message);
    else this.#write(this.#forDebugger(this.#withPaths(message, 'toDebugger')));
  }

  dispose(): void {
    this.#socket.destroy();
    this.#stopToldAgain.dispose();
    this.#options.onEnd?.();
    this.#sent.dispose();
  }

  #disconnect(message: DebugMessage): void {
    if (this.#isClosed) this.#answer(message);
    else if (message.arguments?.['terminateDebuggee'] === false) this.#write(message);
    else
      this.#options
        .cancel()
        .catch((error: unknown) => this.#options.log(describeError(error)))
        .finally(() => {
          this.#answer(message);
          this.#end();
        });
  }

  #forDebugger(message: DebugMessage): DebugMessage {
    const given = message.arguments ?? {};
    if (message.command === 'launch')
      return {
        ...message,
        command: 'attach',
        arguments: { justMyCode: given['justMyCode'] !== false, redirectOutput: true },
      };
    if (message.command === 'setExceptionBreakpoints' && this.#options.haltsAtFailure) {
      const filters = Array.isArray(given['filters']) ? given['filters'] : [];
      return { ...message, arguments: { ...given, filters: [...new Set([...filters, 'uncaught'])] } };
    }
    return message;
  }

  #forEditor(message: DebugMessage): DebugMessage {
    if (message.command === 'attach') return { ...message, command: 'launch' };
    // Stopping concerns the run: the editor disconnects and says whether the program is to end.
    if (message.command === 'initialize' && message.body)
      return { ...message, body: { ...message.body, supportsTerminateRequest: false, supportTerminateDebuggee: true } };
    return message;
  }

  #answer({ seq, command }: DebugMessage): void {
    this.#sent.fire({ seq: 0, type: 'response', request_seq: seq, command, success: true });
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopToldAgain.dispose();
    this.#options.onEnd?.();
    this.#sent.fire({ seq: 0, type: 'event', event: 'terminated' });
  }

  #write(message: DebugMessage): void {
    const text = JSON.stringify(message);
    this.#socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes < this.#neededBytes) return;
    let rest = Buffer.concat(this.#received);
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d{1,9})/.exec(rest.toString('latin1', 0, Math.max(0, headEnd)))?.[1]);
      const end = headEnd + 4 + length;
      this.#neededBytes = headEnd < 0 ? 0 : end;
      if (headEnd < 0 || !(rest.length >= end)) break;
      this.#take(rest.toString('utf8', headEnd + 4, end));
      rest = rest.subarray(end);
    }
    this.#received = [rest];
    this.#receivedBytes = rest.length;
  }

  #take(text: string): void {
    const message = JSON.parse(text) as DebugMessage;
    if (message.event === 'stopped') this.#options.onHeld?.(true);
    else if (message.event === 'continued') this.#options.onHeld?.(false);
    const forward = (): void => {
      if (message.event === 'terminated') {
        this.#end();
        return;
      }
      this.#sent.fire(this.#forEditor(this.#withPaths(withCellsVerified(message), 'toEditor')));
      this.#stopToldAgain.toEditor(message);
    };
    const named =
      this.#options.cells && text.includes('#cell ') ? pathsOf(message).filter((p) => cellPath.test(p)) : [];
    if (named.length === 0 && this.#waiting === 0) {
      forward();
      return;
    }
    this.#waiting += 1;
    this.#forwarding = this.#forwarding.then(async () => {
      if (named.length > 0)
        await this.#options.cells?.open(named).catch((error: unknown) => this.#options.log(describeError(error)));
      this.#waiting -= 1;
      forward();
    });
  }

  /** Returns the message with the paths of its sources translated. */
  #withPaths(message: DebugMessage, way: 'toDebugger' | 'toEditor'): DebugMessage {
    const { cells } = this.#options;
    if (!cells) return message;
    for (const source of sourcesOf(message)) source.path = cells[way](source.path);
    return message;
  }
}

/** Marks breakpoints in cells as verified: the debugger finds no such file and takes them for unreachable. Only the editor knows cells. */
function withCellsVerified(message: DebugMessage): DebugMessage {
  const answered = message.command === 'setBreakpoints' ? message.body?.['breakpoints'] : undefined;
  if (!Array.isArray(answered)) return message;
  const breakpoints = answered.map((each: Breakpoint) => {
    const { message: reason = '', ...rest } = each;
    const isMissed = cellPath.test(each.source?.path ?? '') && reason.includes('does not exist');
    return isMissed ? { ...rest, verified: true } : each;
  });
  return { ...message, body: { ...message.body, breakpoints } };
}

interface Breakpoint {
  readonly verified?: boolean;
  readonly message?: string;
  readonly source?: { path?: string };
}

/** Finds the sources with a path: the protocol uses that name everywhere. */
function sourcesOf(value: unknown): { path: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'source' && typeof (member as { path?: unknown } | null)?.path === 'string'
      ? [member as { path: string }]
      : sourcesOf(member),
  );
}

const pathsOf = (message: DebugMessage): string[] => sourcesOf(message).map(({ path }) => path);

/** How soon after it has the stack the editor opens its exception box. */
const boxOpensWithinMs = 400;
/** Maximum number of repeats: others may request the stack too, and the frame may be in a file that does not exist. */
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
 * Makes the editor's exception box open reliably. The editor opens it over the frame that it has just focused. If its list of threads
 * requests the stack again before the first answer, the second answer replaces every frame, including the focused one, and no box opens, in
 * any debugger. So the stop is reported once more, after which the editor reads the stack again and focuses a current frame.
 */
class StopToldAgain {
  readonly #tell: (message: DebugMessage) => void;
  readonly #asked = new Set<number | undefined>();
  #stop?: DebugMessage;
  #answers = 0;
  #timesLeft = 0;
  #timer?: NodeJS.Timeout;

  constructor(tell: (message: DebugMessage) => void) {
    this.#tell = tell;
  }

  /** Records a message from the editor. */
  fromEditor({ command, seq, arguments: given = {} }: DebugMessage): void {
    const isOfStop = given['threadId'] === this.#stop?.body?.['threadId'];
    if (command === 'stackTrace' && isOfStop && !given['startFrame']) this.#asked.add(seq);
    // The box is open, with the frames of the last answer.
    else if (command === 'exceptionInfo') clearTimeout(this.#timer);
    // A running program must not be reported as stopped.
    else if (goesOn.has(command ?? '')) this.dispose();
  }

  /** Records a message to the editor. */
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

/** The fields of a Debug Adapter Protocol message that are used here. */
export interface DebugMessage {
  readonly seq?: number;
  readonly type?: string;
  readonly command?: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly arguments?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
}
