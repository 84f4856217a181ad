import net from 'node:net';

/** What a service under test does wrong with one request for a run. "Committed" faults have started the run. */
export const faults = [
  'none',
  'resetBeforeRequest',
  'resetAfterRequest',
  'resetAfterCommit',
  'cutBody',
  'stallBeforeHeaders',
  'stallInBody',
  'tooManyRequests',
  'serverErrorAfterCommit',
  'serverErrorBefore',
  'badJson',
  'webPage',
  'slowClose',
] as const;
export type Fault = (typeof faults)[number];

export interface FaultServer {
  readonly url: string;
  readonly port: number;
  /** Runs by token, with how often each was started: more than once is a defect of the test's service. */
  readonly runs: ReadonlyMap<string, number>;
  /** Runs that were started by a request without a token. */
  readonly untokened: number;
  readonly requests: number;
  close(): Promise<void>;
}

/**
 * A small run-now service over raw sockets: it starts one run for each idempotency token, as Jobs API 2.0 says, and
 * fails as `next` decides.
 */
export async function startFaultServer(next: (token: string) => Fault): Promise<FaultServer> {
  const runs = new Map<string, number>();
  const sockets = new Set<net.Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let untokened = 0;
  let requests = 0;
  const commit = (token: string): number => {
    if (token === '') untokened++;
    else if (!runs.has(token)) runs.set(token, runs.size + 1);
    return runs.get(token) ?? 0;
  };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      const body = received.slice(end + 4, end + 4 + length);
      received = received.slice(end + 4 + length);
      requests++;
      const token = /"idempotency_token":"([^"]*)"/.exec(body)?.[1] ?? '';
      answer(socket, next(token), token);
    });
  });

  function answer(socket: net.Socket, fault: Fault, token: string): void {
    const send = (status: string, content: string, headers = ''): void => {
      socket.write(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`,
      );
    };
    const success = (): string => `{"run_id":${commit(token)},"number_in_job":1}`;
    switch (fault) {
      case 'none':
        return send('200 OK', success());
      case 'resetBeforeRequest':
      case 'resetAfterRequest':
        return void socket.resetAndDestroy();
      case 'resetAfterCommit':
        commit(token);
        return void socket.resetAndDestroy();
      case 'cutBody': {
        const content = success();
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content.slice(0, content.length / 2)}`,
          () => socket.destroy(),
        );
        return;
      }
      case 'stallBeforeHeaders':
        return void commit(token);
      case 'stallInBody':
        commit(token);
        return void socket.write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{"run_',
        );
      case 'tooManyRequests':
        return send(
          '429 Too Many Requests',
          '{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"busy"}',
          'Retry-After: 2\r\n',
        );
      case 'serverErrorAfterCommit':
        commit(token);
        return send('500 Internal Server Error', '<html><title>Oops</title></html>');
      case 'serverErrorBefore':
        return send('503 Service Unavailable', '');
      case 'badJson':
        return send('200 OK', success().slice(0, -9));
      case 'webPage':
        commit(token);
        return send('200 OK', '<!doctype html><title>Gateway</title>');
      case 'slowClose': {
        const content = success();
        socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${content}`);
        const timer = setTimeout(() => socket.end(), 20);
        timers.add(timer);
      }
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    runs,
    get untokened() {
      return untokened;
    },
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
