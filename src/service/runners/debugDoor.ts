import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What a client needs to connect to a run's debugger: a loopback port, and the secret that it sends first. */
export interface DebugAddress {
  readonly port: number;
  /** Sent as the first line, before the Debug Adapter Protocol begins. */
  readonly secret: string;
}

/**
 * Connects the debugger of one run with the editor. Both ports are on loopback, where every user of the machine can reach them: clients
 * without the secret are rejected. One debugger and one editor can connect, and no others.
 */
export interface DebugDoor {
  /** For the debugged process, which connects and proves its identity with the secret. */
  readonly debuggee: DebugAddress;
  readonly editor: DebugAddress;
  /** Resolves when the editor first connects. */
  readonly entered: Promise<void>;
  /** Resolves when the editor has disconnected; the program then continues without a debugger. */
  readonly left: Promise<void>;
  close(): void;
}

/** A connection that sends nothing useful for this long is closed. */
const patienceInMs = 10_000;
const maxLineInBytes = 256;
/** The debugger's proof takes 200 bytes. */
const maxProofInBytes = 4096;

/**
 * @param onHeld called when the program pauses and when it continues
 * @throws if no loopback port can be opened
 */
export async function openDebugDoor(onHeld?: (isHeld: boolean) => void): Promise<DebugDoor> {
  const [debuggeeSecret, editorSecret] = [newSecret(), newSecret()];
  const sockets = new Set<Socket>();
  const debuggee = Promise.withResolvers<Debuggee>();
  const entered = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let hasEditor = false;

  const debuggeeServer = await listen((socket) => {
    keep(socket);
    proveDebuggee(socket, debuggeeSecret, (proven) => {
      if (!debuggeeServer.listening) {
        socket.destroy();
        return;
      }
      debuggeeServer.close();
      debuggee.resolve(proven);
    });
  });
  const editorServer = await listen((socket) => {
    keep(socket);
    readSecret(socket, editorSecret, (rest) => {
      if (hasEditor) {
        socket.destroy();
        return;
      }
      hasEditor = true;
      editorServer.close();
      socket.once('close', () => left.resolve());
      entered.resolve();
      void debuggee.promise.then((proven) => {
        if (onHeld) tellHeld(proven.socket, onHeld);
        join(socket, proven, rest);
      });
    });
  }).catch((error: unknown) => {
    debuggeeServer.close();
    throw error;
  });

  function keep(socket: Socket): void {
    sockets.add(socket);
    // Errors end with the socket's close.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }

  return {
    debuggee: { port: portOf(debuggeeServer), secret: debuggeeSecret },
    editor: { port: portOf(editorServer), secret: editorSecret },
    entered: entered.promise,
    left: left.promise,
    close() {
      debuggeeServer.close();
      editorServer.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Debuggee {
  readonly socket: Socket;
  /** Bytes that it sent after its proof. */
  readonly rest: Buffer;
}

function join(editor: Socket, { socket: debuggee, rest: ofDebuggee }: Debuggee, ofEditor: Buffer): void {
  if (editor.destroyed || debuggee.destroyed) {
    editor.destroy();
    leave(debuggee);
    return;
  }
  editor.write(ofDebuggee);
  debuggee.write(ofEditor);
  debuggee.pipe(editor);
  editor.pipe(debuggee, { end: false });
  debuggee.once('close', () => editor.end());
  editor.once('close', () => leave(debuggee));
}

/** Quotes within strings of the protocol's JSON have a backslash, so that nothing a program prints is taken for an event. */
const holding = /"event": ?"(stopped|continued)"/g;

function tellHeld(debuggee: Socket, onHeld: (isHeld: boolean) => void): void {
  let end = '';
  debuggee.on('data', (chunk) => {
    const text = end + chunk.toString('latin1');
    const last = [...text.matchAll(holding)].at(-1);
    if (last) onHeld(last[1] === 'stopped');
    // An event may arrive in two pieces, and is reported once.
    end = text.slice(Math.max(last ? last.index + last[0].length : 0, text.length - 40));
  });
}

/** Removes all breakpoints and continues what is paused. */
function leave(debuggee: Socket): void {
  debuggee.unpipe();
  debuggee.removeAllListeners('data');
  if (debuggee.destroyed) return;
  debuggee.write(message({ seq: 2_000_000_000, type: 'request', command: 'disconnect', arguments: {} }));
  // Nobody reads its answers.
  debuggee.resume();
}

/** Asks the debugger for the secret, as debugpy's own adapter does. */
function proveDebuggee(socket: Socket, secret: string, onProven: (debuggee: Debuggee) => void): void {
  let received = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), patienceInMs);
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const first = firstMessage(received);
    if (first === undefined && received.length <= maxProofInBytes) return;
    clearTimeout(timer);
    socket.off('data', onData);
    if (!first || !isSame(tokenOf(first.text), secret)) {
      socket.destroy();
      return;
    }
    socket.pause();
    onProven({ socket, rest: received.subarray(first.end) });
  };
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', onData);
  socket.write(
    message({ seq: 0, type: 'request', command: 'pydevdAuthorize', arguments: { debugServerAccessToken: null } }),
  );
}

function tokenOf(text: string): string {
  try {
    const { body } = JSON.parse(text) as { body?: { clientAccessToken?: unknown } | null };
    return typeof body?.clientAccessToken === 'string' ? body.clientAccessToken : '';
  } catch {
    return '';
  }
}

function readSecret(socket: Socket, secret: string, onRight: (rest: Buffer) => void): void {
  let received = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), patienceInMs);
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf(0x0a);
    if (end < 0 && received.length <= maxLineInBytes) return;
    clearTimeout(timer);
    socket.off('data', onData);
    if (end < 0 || !isSame(received.toString('latin1', 0, end), secret)) {
      socket.destroy();
      return;
    }
    socket.pause();
    onRight(received.subarray(end + 1));
  };
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', onData);
}

/** Returns the first message of the protocol and its end, or `undefined` if it is incomplete. */
function firstMessage(received: Buffer): { text: string; end: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/Content-Length: (\d{1,7})/.exec(received.toString('latin1', 0, headEnd))?.[1]);
  const end = headEnd + 4 + length;
  if (!(received.length >= end)) return undefined;
  return { text: received.toString('utf8', headEnd + 4, end), end };
}

function message(content: object): string {
  const text = JSON.stringify(content);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function newSecret(): string {
  return randomBytes(32).toString('hex');
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listen(onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    // No delay for small packets: the debugger's messages come in pieces.
    const server = createServer({ noDelay: true }, onConnection);
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
