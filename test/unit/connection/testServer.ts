import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a port of the system's choice that keeps what it was sent. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  close(): Promise<void>;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export async function startServer(answer: Answerer): Promise<TestServer> {
  const requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
    ...headers,
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A small workspace: runs, one endpoint, errors as the document has them. Only the token is let in. */
export function workspace(token: string | (() => string)): Answerer {
  return (request, response) => {
    const expected = typeof token === 'string' ? token : token();
    if (request.headers.authorization !== `Bearer ${expected}`)
      return reply(response, 401, { error_code: 'UNAUTHENTICATED', message: 'Who are you?' });
    const path = (request.url ?? '').split('?')[0];
    if (path === '/api/2.0/jobs/list')
      return reply(response, 200, {
        jobs: [
          {
            job_id: 11,
            settings: { name: 'nightly', existing_cluster_id: 'c', spark_python_task: { python_file: '/x.py' } },
            created_time: 1_700_000_000_000,
            creator_user_name: 'ann',
          },
        ],
      });
    if (path === '/api/2.0/jobs/runs/list') return reply(response, 200, { runs: [], has_more: false });
    if (path === '/api/2.0/jobs/runs/get')
      return reply(response, 400, { error_code: 'INVALID_PARAMETER_VALUE', message: 'Run 1 does not exist.' });
    if (path === '/api/2.0/serving-endpoints')
      return reply(response, 200, { endpoints: [{ name: 'guide', task: 'llm/v1/chat' }] });
    if (path === '/api/2.0/jobs/run-now') return reply(response, 200, { run_id: 7, number_in_job: 1 });
    return reply(response, 404, { error_code: 'ENDPOINT_NOT_FOUND', message: 'No such path.' });
  };
}
