import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Reply, startTestService, type TestService } from '../../support/testService.ts';

describe('the service', () => {
  const messages = [{ role: 'user', content: 'hello' }];

  describe('with a failing model server', () => {
    let server: Server;
    let service: TestService;
    let answer: (response: ServerResponse) => void;
    let asked = 0;

    before(async () => {
      server = createServer((request, response) => {
        if (request.url?.endsWith('/models')) return void response.end('{"data":[{"id":"m"}]}');
        asked += 1;
        answer(response);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const closed = createServer().listen(0, '127.0.0.1');
      await once(closed, 'listening');
      const nobody = (closed.address() as AddressInfo).port;
      closed.close();
      const upstreams = [
        { name: 'busy', baseUrl: `http://127.0.0.1:${port}/v1`, models: ['m'] },
        {
          name: 'vectors',
          baseUrl: `http://127.0.0.1:${port}/v1`,
          models: [{ model: 'v', endpoint: 'vectors', task: 'embedding' }],
        },
        { name: 'gone', baseUrl: `http://127.0.0.1:${nobody}/v1`, models: [{ model: 'x', endpoint: 'gone' }] },
      ];
      service = await startTestService({ configuration: { upstreams, discoverModels: false } });
    });
    after(async () => {
      await service.close();
      server.closeAllConnections();
      server.close();
    });

    const ask = (name: string) => service.post(`/serving-endpoints/${name}/invocations`, { messages, stream: false });
    const answerWith = (status: number, message: string, headers: Record<string, string> = {}): void => {
      answer = (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify({ error: { message } }));
    };

    it('reports a missing server at once, without a retry', async () => {
      const reply = await ask('gone');
      assert.equal(reply.status, 503);
      assert.match(reply.json.message, /cannot be reached \(.*ECONNREFUSED.*\)\. Start it, or correct its baseUrl\.$/);
      assert.deepEqual([reply.json.source, reply.json.retryable], ['upstream', false]);
      assert.equal(reply.headers.get('x-should-retry'), 'false');
    });

    it("passes on the server's retry-after", async () => {
      answerWith(429, 'slow down', { 'retry-after': '8' });
      const reply = await ask('m');
      assert.deepEqual([reply.status, reply.headers.get('retry-after'), reply.json.retryable], [429, '8', true]);
      assert.equal(reply.headers.get('x-should-retry'), null);
      answerWith(503, 'Loading model');
      assert.deepEqual((await ask('m')).json.retryable, true);
    });

    it('blames the model server for a wrong API key', async () => {
      answerWith(401, 'Incorrect API key provided');
      const reply = await ask('m');
      assert.equal(reply.status, 403);
      assert.match(
        reply.json.message,
        /answered 401: Incorrect API key provided\. Check the API key of this upstream; the profile's token is not the matter\.$/,
      );
    });
  });

  describe('on OpenAI routes', () => {
    let service: TestService;
    before(async () => {
      service = await startTestService();
    });
    after(() => service.close());

    it('formats errors as OpenAI does', async () => {
      for (const route of ['chat/completions', 'completions', 'embeddings']) {
        const path = `/serving-endpoints/${route}`;
        for (const reply of [
          await service.post(path, { model: 'nobody' }),
          await service.post(path, '{'),
          await service.post(path, {}, { authorization: 'Bearer wrong' }),
          await service.get(path),
        ]) {
          const { error, error_code: code, message } = reply.json;
          assert.deepEqual(error, { message, type: code, code }, `${route} ${reply.status}`);
        }
      }
    });

    it('formats no other errors that way', async () => {
      const paths = [
        '/serving-endpoints/nobody/invocations',
        '/serving-endpoints/nobody/invocations/',
        '/api/2.0/jobs/create',
        '/api/2.2/jobs/create',
        '/api/2.0/serving-endpoints/x/y',
      ];
      for (const path of paths) assert.equal((await service.post(path, {})).json.error, undefined, path);
    });
  });
});

describe('a model answer', function () {
  const messages = [{ role: 'user', content: 'hello' }];
  const tool = (name: string): object => ({
    type: 'function',
    function: { name, description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
  });
  const call = (name: string): object => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
  });

  this.timeout(120_000);
  let server: Server;
  let service: TestService;
  let answer: object;

  before(async () => {
    server = createServer((request, response) => {
      request
        .resume()
        .once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const models = ['m', { model: 'v', endpoint: 'v', task: 'embedding' }];
    service = await startTestService({
      configuration: {
        upstreams: [{ name: 'vllm', kind: 'vllm', baseUrl: `http://127.0.0.1:${port}/v1`, models }],
        discoverModels: false,
      },
    });
  });
  after(async () => {
    await service.close();
    server.closeAllConnections();
    server.close();
  });

  const chat = (message: object, body: object, more: object = {}): Promise<Reply> => {
    answer = { choices: [{ index: 0, message, finish_reason: 'stop', ...more }] };
    return service.post('/serving-endpoints/m/invocations', { messages, stream: false, ...body });
  };

  it('is refused if it calls a function that the request does not allow', async () => {
    const none = await chat(call('f'), { tools: [tool('f')], tool_choice: 'none' });
    assert.deepEqual([none.status, /no call was allowed/.test(none.json.message)], [502, true], none.text);
    const without = await chat(call('f'), {});
    assert.equal(without.status, 502, without.text);
    const other = await chat(call('g'), {
      tools: [tool('f'), tool('g')],
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    assert.deepEqual([other.status, /f was forced/.test(other.json.message)], [502, true], other.text);
    assert.equal((await chat(call('f'), { tools: [tool('f'), tool('g')] })).status, 200);
  });

  it('is refused if its validation takes too long', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } } };
    const reply = await chat(
      { role: 'assistant', content: JSON.stringify({ a: 'a'.repeat(60) }) },
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    );
    assert.equal(reply.status, 400, reply.text);
    assert.match(
      reply.json.message,
      /was not clear after 5 s, so it was not passed on\. Simplify the schema and the patterns in it\./,
    );
  });
});

describe('a large model answer', () => {
  const mebibyte = 1024 * 1024;
  const piece = 'a'.repeat(mebibyte);

  let server: Server;
  let service: TestService;
  let answer: (response: ServerResponse) => Promise<void>;
  /** Number of 1 MB pieces that were read before the connection closed. */
  let sent = 0;

  /** Writes pieces until the reader closes the connection. */
  async function flood(response: ServerResponse, count: number): Promise<void> {
    const closed = once(response, 'close');
    for (sent = 0; sent < count && !response.destroyed; sent += 1)
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }

  before(async () => {
    server = createServer((request, response) => {
      if (request.url?.endsWith('/models')) return void response.end('{"data":[{"id":"m"}]}');
      void answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const upstreams = [{ name: 'large', baseUrl: `http://127.0.0.1:${port}/v1`, models: ['m'] }];
    service = await startTestService({ configuration: { upstreams, discoverModels: false } });
  });
  after(async () => {
    await service.close();
    server.closeAllConnections();
    server.close();
  });

  const ask = (stream: boolean): Promise<Reply> =>
    service.post('/serving-endpoints/m/invocations', { messages: [{ role: 'user', content: 'hello' }], stream });
  const chatOf =
    (megabytes: number) =>
    async (response: ServerResponse): Promise<void> => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"');
      await flood(response, megabytes);
      response.end('"}}]}');
    };
  const tooLarge =
    /sent an answer of more than 16 MB, which is more than is read\. Ask for less at once, or for a stream\./;

  it('is refused above 16 MB', async () => {
    answer = chatOf(15);
    const whole = await ask(false);
    assert.equal(whole.status, 200);
    assert.equal(whole.json.choices[0].message.content.length, 15 * mebibyte);
    answer = chatOf(30);
    const refused = await ask(false);
    assert.equal(refused.status, 502);
    assert.match(refused.json.message, tooLarge);
  });
});
