import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentWindow } from '../agentWindow.ts';
import { AppError, type ErrorKind, toAppError } from '../errors.ts';
import { parseJson, stringifyJson } from '../json.ts';

/** Where a window listens, and a key that opens one connection there. */
export interface PipeInvitation {
  readonly address: string;
  readonly key: string;
}

/** Maximum characters of a request; responses hold outputs and have no limit. */
const maxRequest = 100_000;
const maxRequestsAtOnce = 16;
/** How long a key is valid, in milliseconds. */
const keyLifeInMs = 60_000;

const methods: readonly string[] = ['read', 'target', 'deploy'] satisfies readonly (keyof AgentWindow)[];

interface Request {
  readonly id: number;
  /** Absent to cancel the request with this id. */
  readonly method?: string;
  readonly params?: readonly unknown[];
}

interface Response {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly kind: ErrorKind; readonly message: string; readonly remedy?: string };
}

/**
 * The window's end: a local socket that serves connections which begin with a key. A key opens one connection only, so it is worthless to a
 * program that reads it later in the environment of the agent's server. If a program uses it before its owner, both lose their connection.
 */
export class AgentPipe {
  readonly #window: AgentWindow;
  readonly #log: (line: string) => void;
  readonly #keys = new Set<string>();
  /** The connection that each used key opened. */
  readonly #used = new Map<string, Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #folder = process.platform === 'win32' ? undefined : mkdtempSync(join(tmpdir(), 'millrace-'));
  readonly #server: Server;
  readonly #listens: Promise<string>;

  constructor(window: AgentWindow, log: (line: string) => void) {
    this.#window = window;
    this.#log = log;
    this.#server = createServer((socket) => this.#accept(socket));
    const address =
      this.#folder === undefined
        ? String.raw`\\.\pipe\millrace-${randomBytes(16).toString('hex')}`
        : join(this.#folder, 'agents.sock');
    this.#listens = new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(address, () => resolve(address));
    });
  }

  async invite(): Promise<PipeInvitation> {
    const address = await this.#listens;
    const key = randomBytes(32).toString('base64url');
    this.#keys.add(key);
    setTimeout(() => this.#keys.delete(key), keyLifeInMs).unref();
    return { address, key };
  }

  dispose(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const open = new Map<number, AbortController>();
    let isKnown = false;
    const silent = setTimeout(() => socket.destroy(), keyLifeInMs).unref();
    socket.on('close', () => {
      clearTimeout(silent);
      this.#sockets.delete(socket);
      for (const controller of open.values()) controller.abort();
    });
    readLines(socket, maxRequest, (line) => {
      if (!isKnown) {
        isKnown = this.#keys.delete(line);
        clearTimeout(silent);
        if (isKnown) this.#used.set(line, socket);
        else {
          socket.destroy();
          if (this.#used.get(line)?.destroy()) this.#log('Agent: a key was used twice; both connections were closed');
        }
        return;
      }
      const { id, method, params = [] } = parseJson(line) as Request;
      if (method === undefined) open.get(id)?.abort();
      else if (typeof id !== 'number' || open.has(id)) socket.destroy();
      else if (open.size >= maxRequestsAtOnce) {
        const message = 'There are too many requests at once; nothing was done.';
        send(socket, { id, error: { kind: 'unavailable', message } });
      } else {
        const controller = new AbortController();
        open.set(id, controller);
        void this.#answer(method, params, controller.signal).then((answer) => {
          open.delete(id);
          send(socket, { id, ...answer } satisfies Response);
        });
      }
    });
  }

  async #answer(method: string, params: readonly unknown[], signal: AbortSignal): Promise<Omit<Response, 'id'>> {
    const what = `Agent: ${method} ${stringifyJson(params).slice(0, 200)}`;
    try {
      if (!methods.includes(method)) throw new AppError('invalid', 'The window has no such method.');
      const call = this.#window[method as keyof AgentWindow] as (...given: unknown[]) => Promise<unknown>;
      const result = await call(...params, signal);
      this.#log(`${what}: done`);
      return { result };
    } catch (error) {
      const { kind, message, remedy } = toAppError(error);
      this.#log(`${what}: ${message}`);
      return { error: { kind, message, ...(remedy !== undefined && { remedy }) } };
    }
  }
}

/** Opens the agent's end. Every call rejects once the window is gone. */
export function openAgentPipe({ address, key }: PipeInvitation): AgentWindow & { close(): void } {
  const socket = connect(address);
  const open = new Map<number, (answer?: Omit<Response, 'id'>) => void>();
  let count = 0;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const settle of open.values()) settle();
  });
  socket.write(`${key}\n`);
  readLines(socket, Infinity, (line) => {
    const answer = parseJson(line) as Response;
    open.get(answer.id)?.(answer);
  });
  const call = async (method: keyof AgentWindow, params: readonly unknown[], signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted();
    const id = ++count;
    const cancel = (): void => send(socket, { id });
    signal.addEventListener('abort', cancel);
    const isGone = socket.destroyed;
    const answer = await new Promise<Omit<Response, 'id'> | undefined>((settle) => {
      if (isGone) settle(undefined);
      open.set(id, settle);
      send(socket, { id, method, params });
    });
    open.delete(id);
    signal.removeEventListener('abort', cancel);
    if (!answer) {
      const what = method === 'deploy' && !isGone ? 'it is unknown whether it was deployed' : 'nothing was done';
      throw new AppError('unavailable', `The editor window is gone; ${what}.`);
    }
    const { result, error } = answer;
    if (error) throw new AppError(error.kind, error.message, { remedy: error.remedy });
    return result;
  };
  return {
    read: (profile, operation, argument, signal) => call('read', [profile, operation, argument], signal),
    target: async (profile, signal) =>
      (await call('target', [profile], signal)) as Awaited<ReturnType<AgentWindow['target']>>,
    deploy: async (order, signal) => String(await call('deploy', [order], signal)),
    close: () => socket.destroy(),
  };
}

function send(socket: Socket, message: Request | Response): void {
  if (!socket.destroyed) socket.write(`${stringifyJson(message)}\n`);
}

/** Passes on each line. Closes the connection at a line that is too long, or that is not understood. */
function readLines(socket: Socket, maxLength: number, onLine: (line: string) => void): void {
  let rest: string[] = [];
  let length = 0;
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: string) => {
    const [first = '', ...others] = data.split('\n');
    rest.push(first);
    length += first.length;
    for (const next of others) {
      if (length > maxLength || socket.destroyed) break;
      try {
        onLine(rest.join(''));
      } catch {
        socket.destroy();
      }
      [rest, length] = [[next], next.length];
    }
    if (length > maxLength) socket.destroy();
  });
}
