import { connect, type Socket } from 'node:net';
import { Emitter, type Event } from '../../shared/event.ts';
import type { DebugAddress } from '../runners/debugDoor.ts';

/** A message of the Debug Adapter Protocol, as far as it is looked into here. */
export interface DebugMessage {
  seq?: number;
  type?: string;
  command?: string;
  event?: string;
  request_seq?: number;
  success?: boolean;
  arguments?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

export interface RunDebugAdapterOptions {
  address: DebugAddress;
  /** Halts where the program fails, whatever the editor's own settings are. */
  haltsAtFailure: boolean;
  /** Ends the run; the user has stopped the session. */
  cancel: () => Promise<void>;
  log: (message: string) => void;
}

/**
 * Between the editor and the debugger of a run, which speak the same protocol. The editor launches what the service has started already, so its
 * "launch" becomes an "attach"; its "stop" cancels the run; and when the run ends, so does the session, however the program has ended.
 */
export class RunDebugAdapter {
  readonly #options: RunDebugAdapterOptions;
  readonly #socket: Socket;
  readonly #sent = new Emitter<DebugMessage>();
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** How many bytes must be there before it is worth to look. */
  #neededBytes = 0;
  #hasEnded = false;
  #isClosed = false;

  readonly onDidSendMessage: Event<DebugMessage> = this.#sent.event;

  constructor(options: RunDebugAdapterOptions) {
    this.#options = options;
    this.#socket = connect(options.address.port, '127.0.0.1');
    this.#socket.on('error', (error) => options.log(error.message));
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.once('close', () => {
      this.#isClosed = true;
      this.#end();
    });
    this.#socket.write(`${options.address.secret}\n`);
  }

  /** Takes a message of the editor. */
  handleMessage(message: DebugMessage): void {
    if (message.type === 'request' && message.command === 'disconnect') this.#disconnect(message);
    else if (this.#isClosed) this.#answer(message);
    else this.#write(this.#forDebugger(message));
  }

  dispose(): void {
    this.#socket.destroy();
    this.#sent.dispose();
  }

  #disconnect(message: DebugMessage): void {
    if (this.#isClosed) this.#answer(message);
    else if (message.arguments?.['terminateDebuggee'] === false) this.#write(message);
    else
      this.#options
        .cancel()
        .catch((error: unknown) => this.#options.log(error instanceof Error ? error.message : String(error)))
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
    // Stopping is a matter of the run: the editor then disconnects, and says whether the program is to end.
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
    if (message.event === 'terminated') this.#end();
    else this.#sent.fire(this.#forEditor(message));
  }
}
