import assert from 'node:assert/strict';
import { createClient, type ClientOptions, type WorkspaceClient } from '../../../../src/api/client/index.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { CollectedChat } from '../../../support/collected.ts';
import { cases, seededRandom } from '../../../support/counts.ts';
import { cpuOf } from '../../../support/cpuTime.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { answerJson, startHttpServer, type Handler, type TestServer } from '../../../support/httpServer.ts';
import { replayClient } from '../../../support/replayFetch.ts';
import { transports, hi, firstEvent, countingClock, countedSignal, until, abortAtOnce } from './faultSetup.ts';

for (const [transportName, fetch] of Object.entries(transports)) {
  describe(`Network faults over ${transportName}`, () => {
    let server: TestServer;
    let handler: Handler;
    beforeEach(async () => {
      server = await startHttpServer((request, response) => handler(request, response));
    });
    afterEach(() => server.close());

    const clientOf = (options: Partial<ClientOptions> = {}): WorkspaceClient =>
      createClient({ baseUrl: server.url, auth: { kind: 'bearer', token: 'canary-token' }, fetch, ...options });

    it('settles at once on abort and leaves no socket, timer or listener (P6)', async function () {
      this.timeout(120_000);
      const random = seededRandom(6);
      const listing = (client: WorkspaceClient, signal: AbortSignal): Promise<unknown> => client.jobs.list({ signal });
      const begins =
        (type: string, text: string): Handler =>
        (_request, response) =>
          void response.writeHead(200, { 'content-type': type }).write(text);
      const phases: Record<string, [handler: Handler, start: typeof listing]> = {
        headers: [() => undefined, listing],
        body: [begins('application/json', '{"jobs":['), listing],
        'between chunks': [
          begins('text/event-stream', firstEvent),
          async (client, signal) => {
            for await (const chunk of client.inference.streamChat('e', hi, { signal })) assert.ok(chunk);
          },
        ],
        'retry wait': [(_request, response) => answerJson(response, '{}', 503, { connection: 'close' }), listing],
        connect: [() => undefined, listing],
      };
      const names = Object.keys(phases);
      for (let count = 0; count < cases(200, 25); count++) {
        const name = names[count % names.length] ?? '';
        const [answer, start] = phases[name] ?? assert.fail(name);
        handler = answer;
        server.requests.length = 0;
        const clock = countingClock();
        const controller = new AbortController();
        const counted = countedSignal(controller);
        const call = start(clientOf({ clock }), counted.signal).then(
          () => undefined,
          (error: unknown) => error,
        );
        // In the same turn, the request is still being made ready or connected.
        if (name !== 'connect') {
          await until(() => server.requests.length > 0, 'the request did not arrive');
          await new Promise((resolve) => setTimeout(resolve, random() * 8));
        }
        const error = await abortAtOnce(controller, call, name);
        assert.ok(error instanceof AppError && error.kind === 'aborted', `${name}: ${String(error)}`);
        assert.equal(clock.armed, 0);
        assert.equal(counted.listeners, 0);
        await until(() => server.sockets.size === 0, `${name}: a socket was left`);
      }
    });

    it('rejects an endless line without using more memory (P10)', async function () {
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
          { kind: 'tooLarge' },
        );
        const grownMb = (process.memoryUsage.rss() - before) / 1_048_576;
        assert.ok(grownMb < 64, `memory grew by ${grownMb} MB`);
        assert.ok(sent < 200, `${sent} MB were taken`);
      }
    });

    it('never sends credentials to another origin (P12)', async () => {
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

    it('shows the token in no error, cause or log (P22)', async () => {
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

describe('Stream faults', () => {
  it('fail with the received text if the stream stalls at any byte (P7)', async function () {
    const bytes = new TextEncoder().encode(
      `${firstEvent}data: {"choices":[{"index":0,"delta":{"content":"lo 東"},"finish_reason":null}]}\n\n` +
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    );
    for (let at = 0; at < bytes.length; at++) {
      const clock = new FakeClock();
      const collected = new CollectedChat();
      const client = replayClient([bytes.subarray(0, at)], { clock }, 'hang');
      const read = (async () => {
        for await (const chunk of client.inference.streamChat('e', hi)) collected.add(chunk);
      })().then(
        () => undefined,
        (error: unknown) => error,
      );
      await settle();
      await clock.advance(121_000);
      const error = await read;
      if (collected.complete) assert.equal(error, undefined);
      else
        assert.ok(
          error instanceof AppError && error.kind === 'timeout' && (error.partial ?? '') === collected.text,
          `at ${at}: ${String(error)}`,
        );
      assert.equal(clock.pending, 0);
    }
  });

  it('do not hit a slow reader', async () => {
    const clock = new FakeClock();
    const client = replayClient(
      [
        new TextEncoder().encode(firstEvent),
        new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'),
      ],
      { clock },
    );
    let chunks = 0;
    for await (const chunk of client.inference.streamChat('e', hi)) {
      assert.ok(chunk);
      chunks++;
      await clock.advance(600_000);
    }
    assert.equal(chunks, 2);
  });

  it('do not pollute prototypes (P13)', async () => {
    const evil = '{"polluted":"yes"}';
    const bodies = [
      `{"__proto__":${evil},"run_id":1}`,
      `{"run_id":1,"state":{"__proto__":${evil},"life_cycle_state":"RUNNING"}}`,
      `{"run_id":1,"constructor":{"prototype":${evil}}}`,
      `{"run_id":1,"task":{"notebook_task":{"__proto__":${evil},"base_parameters":{"__proto__":"x","constructor":"y"}}}}`,
      `{"run_id":1,"prototype":${evil},"overriding_parameters":{"\\u005f_proto__":${evil}}}`,
    ];
    for (const body of bodies) {
      const client = createClient({
        baseUrl: 'https://service.example',
        auth: { kind: 'none' },
        fetch: () => Promise.resolve(new Response(body)),
      });
      const run = await client.jobs.getRun('1');
      assert.equal((run as Record<string, unknown>)['polluted'], undefined);
      assert.equal(Object.getPrototypeOf(run), Object.prototype);
      // Asked for a list, the same text is none.
      await assert.rejects(client.jobs.list(), /has no list "jobs"/);
    }
    for (const place of [
      `{"__proto__":${evil},"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
      `{"choices":[{"__proto__":${evil},"delta":{"__proto__":${evil},"content":"a","tool_calls":[{"__proto__":${evil},` +
        '"index":0,"id":"__proto__","function":{"name":"constructor","arguments":"{}"}}]},"finish_reason":"stop"}],' +
        `"usage":{"__proto__":${evil}}}`,
      `{"choices":[{"index":"__proto__","delta":{"content":"a"},"finish_reason":"stop"}]}`,
    ]) {
      const collected = new CollectedChat();
      for await (const chunk of replayClient([new TextEncoder().encode(`data: ${place}\n\n`)]).inference.streamChat(
        'e',
        hi,
      ))
        collected.add(chunk);
      assert.equal(collected.text, 'a');
      assert.equal((collected.answer as unknown as Record<string, unknown>)['polluted'], undefined);
    }
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
  });
});

describe('Large model responses', () => {
  const mebibyte = 1024 * 1024;
  const text = (content: string): string =>
    `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"${content}"}}]}`;
  const answers: Record<string, { body: () => string; error?: RegExp }> = {
    'text of 15 MB': { body: () => text('a'.repeat(15 * mebibyte)) },
    'escapes of 15 MB': { body: () => text('\\n'.repeat(7.5 * mebibyte)) },
    'text of 17 MB': { body: () => text('a'.repeat(17 * mebibyte)), error: /the response is larger than 16 MB/ },
    'numbers in place of choices': {
      body: () => `{"choices":[${'0,'.repeat(7 * mebibyte)}0]}`,
      error: /the response has more than 100000 values, which is too much to read/,
    },
    'empty choices': { body: () => `{"choices":[${'{},'.repeat(5 * mebibyte)}{}]}`, error: /more than 100000 values/ },
    'a million levels': { body: () => `{"choices":${'['.repeat(1_000_000)}`, error: /more than 200 levels/ },
    'a number of 9,000,000 digits': {
      body: () => `{"choices":[{"index":${'9'.repeat(9_000_000)}}]}`,
      error: /a number of more than 400 digits/,
    },
  };

  for (const [name, { body, error }] of Object.entries(answers)) {
    for (const how of ['whole', 'in place of a stream'] as const) {
      it(`are read or refused quickly: ${name}, ${how}`, async () => {
        const bytes = new TextEncoder().encode(body());
        const client = createClient({
          baseUrl: 'http://service.test',
          auth: { kind: 'none' },
          retry: 'fail',
          fetch: () =>
            Promise.resolve({
              status: 200,
              headers: new Headers({ 'content-type': 'application/json' }),
              body: (async function* () {
                yield bytes;
              })(),
            }),
        });
        let failure: unknown;
        const cpuInMs = await cpuOf(async () => {
          try {
            if (how === 'whole') await client.inference.chat('e', { ...hi, stream: false });
            else for await (const chunk of client.inference.streamChat('e', hi)) assert.ok(chunk);
          } catch (caught) {
            failure = caught;
          }
        });
        if (error === undefined) assert.equal(failure, undefined);
        else {
          assert.ok(failure instanceof AppError);
          assert.equal(failure.kind, 'tooLarge');
          assert.match(failure.message, error);
        }
        // Read without bounds, they take up to 16 s.
        assert.ok(cpuInMs < 1000, `${cpuInMs} ms of CPU time`);
      });
    }
  }
});
