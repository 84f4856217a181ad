import assert from 'node:assert/strict';
import net from 'node:net';
import { createClient, type ClientOptions, type WorkspaceClient } from '../../../../src/api/client/index.ts';
import { nodeFetch } from '../../../../src/connection/host/nodeFetch.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { cases, seededRandom } from '../../../support/counts.ts';
import { startFullListener, type FullListener } from '../../../support/fullListener.ts';
import { hastyClock } from '../../../support/hastyClock.ts';
import { answerJson, startHttpServer, type Handler, type TestServer } from '../../../support/httpServer.ts';
import {
  transports,
  hi,
  firstEvent,
  countingClock,
  countedSignal,
  connecting,
  until,
  abortAtOnce,
} from './faultSetup.ts';

for (const [transportName, fetch] of Object.entries(transports)) {
  describe(`faults, over ${transportName}`, () => {
    let server: TestServer;
    let handler: Handler;
    beforeEach(async () => {
      server = await startHttpServer((request, response) => handler(request, response));
    });
    afterEach(() => server.close());

    const clientOf = (options: Partial<ClientOptions> = {}): WorkspaceClient =>
      createClient({ baseUrl: server.url, auth: { kind: 'bearer', token: 'canary-token' }, fetch, ...options });

    it('P6: an abort in any phase settles at once and leaves no socket, timer or listener', async function () {
      this.timeout(120_000);
      const random = seededRandom(6);
      const phases: Record<
        string,
        { handler: Handler; start(client: WorkspaceClient, signal: AbortSignal): Promise<unknown>; ready(): boolean }
      > = {
        headers: {
          handler: () => undefined,
          start: (client, signal) => client.jobs.list({ signal }),
          ready: () => server.requests.length > 0,
        },
        body: {
          handler: (_request, response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.write('{"jobs":[');
          },
          start: (client, signal) => client.jobs.list({ signal }),
          ready: () => server.requests.length > 0,
        },
        'between chunks': {
          handler: (_request, response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            response.write(firstEvent);
          },
          start: async (client, signal) => {
            for await (const chunk of client.inference.streamChat('e', hi, { signal })) assert.ok(chunk);
          },
          ready: () => server.requests.length > 0,
        },
        'retry wait': {
          handler: (_request, response) => answerJson(response, '{}', 503, { connection: 'close' }),
          start: (client, signal) => client.jobs.list({ signal }),
          ready: () => server.requests.length > 0,
        },
        connect: {
          handler: () => undefined,
          start: (client, signal) => client.jobs.list({ signal }),
          ready: () => true,
        },
      };
      const names = Object.keys(phases);
      for (let count = 0; count < cases(200, 25); count++) {
        const phase = phases[names[count % names.length] ?? ''];
        assert.ok(phase);
        handler = phase.handler;
        server.requests.length = 0;
        const clock = countingClock();
        const controller = new AbortController();
        const counted = countedSignal(controller);
        const call = phase.start(clientOf({ clock }), counted.signal).then(
          () => undefined,
          (error: unknown) => error,
        );
        await until(phase.ready, 'the request did not arrive');
        // In the same turn, the request is still being made ready or connected.
        if (phase !== phases['connect']) await new Promise((resolve) => setTimeout(resolve, random() * 8));
        const error = await abortAtOnce(controller, call, names[count % names.length] ?? '');
        assert.ok(
          error instanceof AppError && error.kind === 'aborted',
          `${names[count % names.length]}: ${String(error)}`,
        );
        assert.equal(clock.armed, 0);
        assert.equal(counted.listeners, 0);
        await until(() => server.sockets.size === 0, `${names[count % names.length]}: a socket was left`);
      }
    });

    it('P6: an abort while the connection is neither taken nor refused settles at once', async function () {
      const full: FullListener | undefined = await startFullListener();
      if (!full) this.skip();
      let controller = new AbortController();
      try {
        for (let count = 0; count < 10; count++) {
          const before = connecting();
          const clock = countingClock();
          controller = new AbortController();
          const counted = countedSignal(controller);
          const call = clientOf({ baseUrl: full.url, clock })
            .jobs.list({ signal: counted.signal })
            .then(
              () => undefined,
              (error: unknown) => error,
            );
          await until(() => connecting() > before, 'no connection was begun');
          const error = await abortAtOnce(controller, call, 'connecting');
          assert.ok(error instanceof AppError && error.kind === 'aborted', String(error));
          assert.equal(clock.armed, 0);
          assert.equal(counted.listeners, 0);
          // The platform's fetch goes on connecting for later requests; what the extension uses does not.
          if (fetch === nodeFetch) await until(() => connecting() === before, 'a connection was left');
        }
      } finally {
        controller.abort(); // A test that fails before it does this would go on connecting.
        await full.close();
      }
    });

    it('leaves no listener and no timer behind a call that succeeds', async () => {
      handler = (_request, response) => answerJson(response, '{"jobs":[]}');
      const clock = countingClock();
      const counted = countedSignal(new AbortController());
      const client = clientOf({ clock });
      for (let count = 0; count < 5; count++) await client.jobs.list({ signal: counted.signal });
      assert.equal(clock.armed, 0);
      assert.equal(counted.listeners, 0);
    });

    it('P7: a stall ends in an error at the idle limit, with the text that came', async () => {
      handler = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(firstEvent);
      };
      const texts: string[] = [];
      const startedAt = Date.now();
      await assert.rejects(
        async () => {
          for await (const chunk of clientOf({ limits: { streamIdleInMs: 80 } }).inference.streamChat('e', hi))
            texts.push(String(chunk.choices?.[0]?.delta?.content));
        },
        (error) =>
          error instanceof AppError &&
          error.kind === 'timeout' &&
          error.partial === 'Hel' &&
          /stopped coming/.test(error.message),
      );
      assert.deepEqual(texts, ['Hel']);
      assert.ok(Date.now() - startedAt >= 75);
      handler = () => undefined;
      await assert.rejects(
        clientOf({ retry: 'fail', limits: { headersInMs: 50 } }).jobs.list(),
        (error) => error instanceof AppError && error.kind === 'timeout' && /did not answer/.test(error.message),
      );
      await until(() => server.sockets.size === 0, 'a socket was left');
    });

    it('P10: a gigabyte without a line end is an error, and memory stays', async function () {
      this.timeout(120_000);
      const piece = Buffer.alloc(1_048_576, 'a');
      let sent = 0;
      const flood: Handler = async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (sent = 0; sent < 1024 && !response.destroyed; sent++) {
          if (!response.write(piece))
            await new Promise<void>((resolve) => response.once('drain', resolve).once('close', resolve));
        }
        response.end();
      };
      globalThis.gc?.();
      for (const beginning of ['data: ', '']) {
        handler = (request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(beginning);
          return flood(request, Object.assign(response, { writeHead: () => response }));
        };
        const before = process.memoryUsage.rss();
        await assert.rejects(
          async () => {
            for await (const chunk of clientOf().inference.streamChat('e', hi))
              assert.fail(`no chunk was sent: ${JSON.stringify(chunk)}`);
          },
          (error) => error instanceof AppError && error.kind === 'tooLarge',
        );
        const grownMb = (process.memoryUsage.rss() - before) / 1_048_576;
        assert.ok(grownMb < 64, `memory grew by ${grownMb} MB`);
        assert.ok(sent < 200, `${sent} MB were taken`);
      }
    });

    if (fetch === nodeFetch) {
      it('ends an answer that never gets beyond its interim ones', async () => {
        const flood = net.createServer((socket) => {
          const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(10)), 1);
          socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
        });
        await new Promise<void>((resolve) => flood.listen(0, '127.0.0.1', resolve));
        try {
          const { port } = flood.address() as net.AddressInfo;
          const call = clientOf({ baseUrl: `http://127.0.0.1:${port}`, retry: 'fail', clock: hastyClock }).jobs.create({
            name: 'x',
            existing_cluster_id: 'c',
            spark_python_task: { python_file: '/a.py' },
          });
          await assert.rejects(
            call,
            (error) =>
              error instanceof AppError &&
              error.kind === 'network' &&
              /interim answers/.test(error.message) &&
              /It is not known whether the job was created/.test(error.message),
          );
        } finally {
          flood.close();
        }
      });

      it('takes a few interim answers for what they are', async () => {
        handler = (_request, response) => {
          for (let count = 0; count < 5; count++) response.writeProcessing();
          response.writeEarlyHints({ link: '</a.css>; rel=preload' });
          answerJson(response, '{"jobs":[]}');
        };
        assert.deepEqual(await clientOf().jobs.list(), []);
      });
    }

    it('P10: an answer above its cap is an error, announced or not', async () => {
      for (const headers of [{}, { 'content-length': '99999999' }]) {
        handler = (_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json', ...headers });
          response.write(' ');
          // What is announced is not waited for.
          if ('content-length' in headers) return;
          const timer = setInterval(() => response.write(Buffer.alloc(65_536, ' ')), 1);
          response.on('close', () => clearInterval(timer));
        };
        await assert.rejects(
          clientOf({ limits: { responseBytes: 1_000_000 } }).jobs.getRun('1'),
          (error) => error instanceof AppError && error.kind === 'tooLarge' && /larger than 1 MB/.test(error.message),
        );
      }
    });

    it('P12: credentials never follow a redirect to another origin', async () => {
      const other = await startHttpServer((_request, response) => answerJson(response, '{}'));
      const port = new URL(other.url).port;
      const targets = [
        other.url,
        `http://localhost:${new URL(server.url).port}`,
        `https://127.0.0.1:${new URL(server.url).port}`,
        `http://127.0.0.1.example.invalid:${port}`,
        `//127.0.0.1:${port}`,
        `http://user:secret@${new URL(server.url).host}`,
        `http://:secret@${new URL(server.url).host}`,
        `http://${new URL(server.url).host}@127.0.0.1:${port}`,
        `http://[::ffff:127.0.0.1]:${new URL(server.url).port}`,
      ];
      try {
        for (const status of [301, 302, 303, 307, 308]) {
          for (const target of targets) {
            handler = (_request, response) => {
              response.writeHead(status, { location: `${target}/api/2.0/jobs/list` });
              response.end();
            };
            for (const call of [
              (): Promise<unknown> => clientOf().jobs.list(),
              (): Promise<unknown> => clientOf().jobs.runNow({ job_id: '1' }),
            ]) {
              server.requests.length = 0;
              await assert.rejects(
                call(),
                (error) =>
                  error instanceof AppError &&
                  error.kind === 'protocol' &&
                  /was not followed/.test(error.message) &&
                  !/secret/.test(error.message),
              );
              assert.equal(server.requests.length, 1);
            }
          }
        }
        assert.equal(other.requests.length, 0);
      } finally {
        await other.close();
      }
    });

    it('follows a redirect on the same origin, but not in a circle and not without the body', async () => {
      handler = (request, response) => {
        if (request.url === '/moved') return answerJson(response, '{"jobs":[]}');
        response.writeHead(308, { location: '/moved' });
        response.end();
      };
      assert.deepEqual(await clientOf().jobs.list(), []);
      assert.equal(server.requests[1]?.headers.authorization, 'Bearer canary-token');
      handler = (request, response) => {
        response.writeHead(302, { location: request.url });
        response.end();
      };
      await assert.rejects(clientOf().jobs.list(), /in a circle/);
      await assert.rejects(clientOf().jobs.cancelRun('1'), /would drop the request's content/);
    });

    it('P22: nothing shows the token: not an error, not its cause, not the log', async () => {
      const token = 'c4n4ry/+token=';
      const secrets = [token, Buffer.from(token).toString('base64').replace(/=+$/, ''), encodeURIComponent(token)];
      const shown: string[] = [];
      const log = (message: string): void => void shown.push(message);
      const echo: Handler[] = [
        (request, response) =>
          answerJson(
            response,
            JSON.stringify({ error_code: 'X', message: `bad ${String(request.headers.authorization)}` }),
            400,
          ),
        (request, response) =>
          answerJson(response, `token ${String(request.headers.authorization)} and ${encodeURIComponent(token)}`, 500),
        (request, response) =>
          answerJson(response, `<html><title>${String(request.headers.authorization)}</title>`, 200),
        (request, response) => answerJson(response, `{"jobs":"${String(request.headers.authorization)}"}`, 200),
        (request, response) =>
          answerJson(response, String(request.headers.authorization ?? request.headers['x-key']), 200),
        (_request, response) => void response.socket?.destroy(),
      ];
      for (const auth of [
        { kind: 'bearer', token },
        { kind: 'basic', userName: 'u', password: token },
        { kind: 'header', name: 'X-Key', value: token },
      ] as const) {
        for (const one of echo) {
          handler = one;
          const client = clientOf({
            auth,
            retry: 'fail',
            logger: { trace: log, debug: log, info: log, warn: log, error: log },
          });
          const error: unknown = await client.jobs.list().catch((caught: unknown) => caught);
          assert.ok(error instanceof AppError);
          for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
            shown.push(cause.message, String(cause.stack));
          shown.push(JSON.stringify(error));
        }
        handler = (request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(
            `event: error\ndata: {"message":"${String(request.headers.authorization ?? request.headers['x-key'])}"}\n\n`,
          );
        };
        const error: unknown = await (async () => {
          for await (const chunk of clientOf({ auth }).inference.streamChat('e', hi)) assert.ok(chunk);
        })().catch((caught: unknown) => caught);
        shown.push(String(error));
      }
      assert.ok(shown.length > 30);
      for (const secret of secrets)
        assert.deepEqual(
          shown.filter((text) => text.includes(secret)),
          [],
        );
    });
  });
}
