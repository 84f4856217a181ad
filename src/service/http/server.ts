import { createHash, timingSafeEqual } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { AppError, describeError, isAbort } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { ApiError, toApiError } from '../base/apiError.ts';
import { checkDeclared, readBody } from './body.ts';
import type { RouteHandler } from './handler.ts';
import { sendError, sendJson } from './reply.ts';
import { createHttpRouter } from './router.ts';

interface HttpLimits {
  /** A program on the same machine sends its headers at once; other connections are closed. */
  readonly headersTimeoutInMs: number;
  readonly requestTimeoutInMs: number;
  readonly keepAliveTimeoutInMs: number;
  /** How often the time limits are checked. */
  readonly checkEveryInMs: number;
  /** Maximum number of connections. */
  readonly maxConnections: number;
  readonly strangers: StrangerLimits;
}

/** 10 MB may take a minute, which is 170 KB/s. Many windows, and tests that hold connections open, stay within 2,000. */
const httpLimits: HttpLimits = {
  headersTimeoutInMs: 10_000,
  requestTimeoutInMs: 60_000,
  keepAliveTimeoutInMs: 10_000,
  checkEveryInMs: 1000,
  maxConnections: 2000,
  // A client that sends a thousand requests at once is briefly unknown a thousand times: its connections come before their tokens.
  strangers: { maxCount: 1500, timeoutInMs: 5000 },
};

export interface HttpServerOptions {
  readonly port: number;
  readonly token: string;
  readonly handlers: readonly RouteHandler[];
  readonly logger: Logger;
  /** PEM texts. With them the service speaks HTTPS, for clients that require it. */
  readonly tls?: { cert: string; key: string };
  /** Returns whether errors of a path use the form of the OpenAI-style routes too. */
  readonly isOpenAi?: (pathname: string) => boolean;
  /** Called for each request with the token. */
  readonly onRequest?: (request: IncomingMessage) => void;
  /** Answers or delays a request instead of its handler, for tests. @returns whether it answered */
  readonly interfere?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Default: `httpLimits`. */
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and, if available, on ::1, and nowhere else. A request without the token is rejected before its body is read.
 * @throws AppError `unavailable` if the port is taken
 */
export async function startServer(options: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...httpLimits, ...options.limits };
  const strangers = createStrangers(limits.strangers);
  const protocol = options.tls ? 'https' : 'http';
  let port = 0;
  const server = await createServer(
    {
      headersTimeout: limits.headersTimeoutInMs,
      requestTimeout: limits.requestTimeoutInMs,
      keepAliveTimeout: limits.keepAliveTimeoutInMs,
      connectionsCheckingInterval: limits.checkEveryInMs,
      maxHeaderSize: 32 * 1024,
    },
    options.tls,
  );
  const onRequest = createRequestListener(options, strangers, () => port);
  server.maxConnections = limits.maxConnections;
  server.on('connection', strangers.add);
  server.on('request', onRequest);
  // The listener answers after its checks, so that clients send nothing before them.
  server.on('checkContinue', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(brokenRequestAnswer(error.code));
    // After the response is written: `end` alone would leave the other half open as long as the client likes.
    (socket as Socket).destroySoon();
  });
  await listen(server, options.port);
  port = (server.address() as AddressInfo).port;
  const ipv6 = await listenOnIpv6(server, port, limits.maxConnections);

  return {
    port,
    url: `${protocol}://127.0.0.1:${port}`,
    async close() {
      strangers.dispose();
      ipv6?.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Checks a request, lets its handler answer it and reports errors. @param port port of the server */
function createRequestListener(
  options: HttpServerOptions,
  strangers: Strangers,
  port: () => number,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { logger } = options;
  const router = createHttpRouter(options.handlers);
  const checkToken = createTokenCheck(options.token);
  const protocol = options.tls ? 'https' : 'http';

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let url = new URL('http://local/');
    try {
      url = urlOf(request.url ?? '/');
      checkOrigin(request.headers, { protocol, port: port(), hosts: hostsOf(request) });
      const open = router.matchOpen(request.method ?? 'GET', url.pathname);
      if (!open) checkToken(request.headers);
      if (!open) strangers.welcome(request.socket);
      options.onRequest?.(request);
      if (await options.interfere?.(request, response)) return;
      const { handler, path } = open ?? router.match(request.method ?? 'GET', url.pathname);
      checkDeclared(request);
      if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
      const text = await readBody(request);
      const goneAway = new AbortController();
      response.once('close', () => goneAway.abort(new AppError('aborted', 'The client went away.')));
      const result = await handler.handle({ path, query: url.searchParams, text, signal: goneAway.signal, response });
      // The key in an open address was correct; an address without a key proves nothing.
      if (open && Object.keys(path).length > 0) strangers.welcome(request.socket);
      if (result !== undefined) sendJson(response, 200, result);
    } catch (error) {
      if (response.destroyed && isAbort(error)) return;
      const refusal = toApiError(error);
      if (refusal.status >= 500)
        logger.error(`${request.method} ${url.pathname}: ${describeError(refusal.cause ?? refusal)}`);
      // A stream that has begun reports its failure itself.
      if (!response.headersSent) sendError(request, response, refusal, options.isOpenAi?.(url.pathname));
    }
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      logger.error(`${request.method}: ${describeError(error)}`);
      response.destroy();
    });
  };
}

/** Returns the hosts that a request names: in its header, and in an address that is not only a path. */
function hostsOf({ rawHeaders, url = '/' }: IncomingMessage): string[] {
  const given = rawHeaders.filter((_, index) => index % 2 === 1 && /^host$/i.test(rawHeaders[index - 1] ?? ''));
  // Several headers together name nothing.
  const header = given.join(',');
  return url.startsWith('/') ? [header] : [header, /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''];
}

/** Collapses the double slashes of a base address that ends in one. @throws ApiError 400 */
function urlOf(target: string): URL {
  const text = target.startsWith('/')
    ? `http://local${target.replace(/^[^?#]*/, (path) => path.replace(/\/{2,}/g, '/'))}`
    : target;
  if (!URL.canParse(text))
    throw new ApiError(
      400,
      'MALFORMED_REQUEST',
      'The address of the request is not valid; nothing was done. Check the path.',
    );
  return new URL(text);
}

/** Returns the answer to invalid or incomplete HTTP requests, which never reach `handle`. */
function brokenRequestAnswer(code: string | undefined): string {
  const [status, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [
          '431 Request Header Fields Too Large',
          'The address and the headers have more than 32 KB together; nothing was done. Send fewer or shorter ones.',
        ]
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not arrive in time; nothing was done. Send it again.']
        : ['400 Bad Request', 'This is not an HTTP request; nothing was done. The service speaks HTTP/1.1.'];
  const body = JSON.stringify({ error_code: 'MALFORMED_REQUEST', message });
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** @throws AppError if the certificate is unusable */
async function createServer(options: ServerOptions, tls: HttpServerOptions['tls']): Promise<Server> {
  if (!tls) return createHttpServer(options);
  const https = await import('node:https');
  try {
    return https.createServer({ ...options, ...tls, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new AppError(
      'invalid',
      `The certificate or its key cannot be used: ${(error as Error).message}. The local service was not started.`,
      { cause: error, remedy: 'Pass a matching pair of PEM files with --tls-cert and --tls-key.' },
    );
  }
}

/**
 * Opens the same server on ::1, which clients may try first for `localhost`. @returns `undefined` if this machine has no IPv6, or another
 * program uses the port there: 127.0.0.1 is enough
 */
function listenOnIpv6(server: Server, port: number, maxConnections: number): Promise<NetServer | undefined> {
  const second = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  second.maxConnections = maxConnections;
  return new Promise((resolve) => {
    second.once('error', () => resolve(undefined));
    second.listen({ port, host: '::1', ipv6Only: true }, () => resolve(second));
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
        reject(
          new AppError(
            'unavailable',
            `Port ${port} cannot be used (${error.code}); the local service was not started.`,
            { cause: error, remedy: 'Choose another port, or leave the port out to use any free one.' },
          ),
        );
      } else reject(error);
    });
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

/** Limits on time and number of connections that have not sent a token. */
interface StrangerLimits {
  readonly maxCount: number;
  readonly timeoutInMs: number;
}

/** Connections that have not sent a token yet. */
interface Strangers {
  /** Registers a new connection. */
  add(socket: Socket): void;
  /** Clears a connection that has sent an authorized request. */
  welcome(socket: Socket): void;
  dispose(): void;
}

/**
 * Limits connections without a token: each has little time, and if there are too many the oldest is closed, so that idle connections do not
 * keep out authorized ones.
 */
function createStrangers(limits: StrangerLimits): Strangers {
  // In order of arrival; a TLS socket and the one below it have the same address.
  const waiting = new Map<string, { socket: Socket; until: number }>();
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const { socket, until } of waiting.values()) {
        if (until > now) break;
        socket.destroy();
      }
    },
    Math.min(1000, limits.timeoutInMs),
  );
  timer.unref();

  return {
    add(socket) {
      const address = addressOf(socket);
      waiting.set(address, { socket, until: performance.now() + limits.timeoutInMs });
      socket.once('close', () => waiting.delete(address));
      const [oldest] = waiting;
      if (oldest === undefined || waiting.size <= limits.maxCount) return;
      const [oldestAddress, stranger] = oldest;
      waiting.delete(oldestAddress);
      stranger.socket.destroy();
    },
    welcome: (socket) => void waiting.delete(addressOf(socket)),
    dispose: () => clearInterval(timer),
  };
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/** Clients leave out the default port of an address. */
const defaultPorts = { http: 80, https: 443 } as const;

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Rejects what a web page could send: a Host that is not this machine's loopback (a rebound name), any Origin, and a request that the
 * browser itself calls cross-site.
 * @throws ApiError 403
 */
export function checkOrigin(
  headers: IncomingHttpHeaders,
  { protocol, port, hosts = [headers.host ?? ''] }: { protocol: 'http' | 'https'; port: number; hosts?: string[] },
): void {
  const isOwn = (host: string): boolean => {
    const [, name = '', given = defaultPorts[protocol]] =
      /^(\[[^\]]*\]|[^:]*)(?::([0-9]+))?$/.exec(host.toLowerCase()) ?? [];
    return loopbackNames.has(name) && Number(given) === port;
  };
  if (!hosts.every(isOwn)) {
    throw new ApiError(
      403,
      'PERMISSION_DENIED',
      `The Host header or the address does not name this service; nothing was done. Send the request to ${protocol}://127.0.0.1:${port}.`,
    );
  }
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site') {
    throw new ApiError(
      403,
      'PERMISSION_DENIED',
      'Requests of web pages are refused; nothing was done. Send it from a program, without an Origin header.',
    );
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares in constant time, whatever the lengths. @throws ApiError 401 */
export function createTokenCheck(token: string): (headers: IncomingHttpHeaders) => void {
  const expected = digest(token);
  return (headers) => {
    const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? basicPassword(headers.authorization);
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    const cause =
      headers.authorization === undefined ? 'The request carries no token' : 'The token is not valid for this service';
    throw new ApiError(
      401,
      'UNAUTHENTICATED',
      `${cause}; nothing was done. Send the header "Authorization: Bearer <token>" with the token in service.json, beside the log ` +
        'that "Show Log of the Local Service" opens, or in what the service printed in a terminal.',
    );
  };
}

/** Older clients sign in with Basic: the user is `token` and the password is the token. */
function basicPassword(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return user === 'token' ? rest.join(':') : undefined;
}
