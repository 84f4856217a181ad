import { connect, type Socket } from 'node:net';

/** A message of the Debug Adapter Protocol, as far as tests look into it. */
export interface DebugMessage {
  seq: number;
  type: 'request' | 'response' | 'event';
  command?: string;
  event?: string;
  request_seq?: number;
  success?: boolean;
  message?: string;
  body?: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- the tests look into it freely
}

/** A small client of the Debug Adapter Protocol. */
export class DebugClient {
  readonly #socket: Socket;
  readonly #waiting: { fits: (message: DebugMessage) => boolean; take: (message: DebugMessage) => void }[] = [];
  readonly received: DebugMessage[] = [];
  readonly closed: Promise<void>;
  #buffer = Buffer.alloc(0);
  #seq = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => this.#read(chunk));
  }

  /** Connects to a run's debugger, as the editor does. */
  static async enter(address: { port: number; secret: string }): Promise<DebugClient> {
    const socket = connect(address.port, '127.0.0.1');
    const client = new DebugClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', reject);
    });
    socket.write(`${address.secret}\n`);
    return client;
  }

  /** Sends a request. @returns its response's body @throws if it failed */
  async ask(
    command: string,
    given: object = {},
  ): Promise<any> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as above */ {
    const seq = this.#seq++;
    const text = JSON.stringify({ seq, type: 'request', command, arguments: given });
    const answered = this.next((message) => message.type === 'response' && message.request_seq === seq);
    this.#socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const answer = await answered;
    if (answer.success !== true) throw new Error(`${command}: ${answer.message}`);
    return answer.body;
  }

  /** The next message that fits. */
  next(fits: (message: DebugMessage) => boolean): Promise<DebugMessage> {
    return new Promise((take) => this.#waiting.push({ fits, take }));
  }

  event(name: string): Promise<DebugMessage> {
    return this.next((message) => message.event === name);
  }

  /** Begins the session with breakpoints, by the lines of each file. */
  async begin(breakpoints: Record<string, number[]>, filters: string[] = []): Promise<void> {
    await this.ask('initialize', {
      adapterID: 'millrace',
      linesStartAt1: true,
      columnsStartAt1: true,
      pathFormat: 'path',
    });
    const ready = this.event('initialized');
    await this.ask('attach', { justMyCode: true });
    await ready;
    for (const [path, lines] of Object.entries(breakpoints))
      await this.ask('setBreakpoints', { source: { path }, breakpoints: lines.map((line) => ({ line })) });
    await this.ask('setExceptionBreakpoints', { filters });
    await this.ask('configurationDone');
  }

  /** The frames of a thread that has stopped, the innermost first. */
  async frames(stopped: DebugMessage): Promise<{ id: number; name: string; line: number; path: string }[]> {
    const { stackFrames } = await this.ask('stackTrace', { threadId: stopped.body.threadId });
    return (stackFrames as { id: number; name: string; line: number; source: { path: string } }[]).map(
      ({ id, name, line, source }) => ({ id, name, line, path: source.path }),
    );
  }

  leave(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const headEnd = this.#buffer.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(this.#buffer.toString('latin1', 0, headEnd))?.[1]);
      const end = headEnd + 4 + length;
      if (this.#buffer.length < end) return;
      const message = JSON.parse(this.#buffer.toString('utf8', headEnd + 4, end)) as DebugMessage;
      this.#buffer = this.#buffer.subarray(end);
      this.received.push(message);
      const index = this.#waiting.findIndex(({ fits }) => fits(message));
      if (index >= 0) this.#waiting.splice(index, 1)[0]?.take(message);
    }
  }
}
