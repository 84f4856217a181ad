import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../../../../src/api/client/createClient.ts';
import { isAppError } from '../../../../../src/shared/errors.ts';
import { startTestService, testToken, type TestService } from '../../support/testService.ts';

const messages = [{ role: 'user', content: 'hello' }];

describe('a model server that fails', () => {
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

  it('is told at once where nobody listens, and is not asked again', async () => {
    const reply = await ask('gone');
    assert.equal(reply.status, 503);
    assert.match(reply.json.message, /cannot be reached \(.*ECONNREFUSED.*\)\. Start it, or correct its baseUrl\.$/);
    assert.deepEqual([reply.json.source, reply.json.retryable], ['upstream', false]);
    assert.equal(reply.headers.get('x-should-retry'), 'false');
  });

  it('is waited for as long as it says', async () => {
    answerWith(429, 'slow down', { 'retry-after': '8' });
    const reply = await ask('m');
    assert.deepEqual([reply.status, reply.headers.get('retry-after'), reply.json.retryable], [429, '8', true]);
    assert.equal(reply.headers.get('x-should-retry'), null);
    answerWith(503, 'Loading model');
    assert.deepEqual((await ask('m')).json.retryable, true);
  });

  it('is named as the one whose key is wrong, in whole sentences', async () => {
    answerWith(401, 'Incorrect API key provided');
    const reply = await ask('m');
    assert.equal(reply.status, 403);
    assert.match(
      reply.json.message,
      /answered 401: Incorrect API key provided\. Check the API key of this upstream; the profile's token is not the matter\.$/,
    );
  });

  it('is told apart where its answer is read in a thread, too', async () => {
    answer = (response) => response.end('{"data":[{"embedding":["no number"]}]}');
    const reply = await service.post('/serving-endpoints/vectors/invocations', { input: 'a' });
    assert.deepEqual(
      [reply.status, reply.json.source, reply.json.retryable, reply.headers.get('x-should-retry')],
      [502, 'upstream', false, 'false'],
    );
    answer = (response) => response.end(`{"choices":[${Array.from({ length: 11_000 }, () => '7').join()}]}`);
    const large = await ask('m');
    assert.deepEqual([large.status, large.json.source, large.json.retryable], [502, 'upstream', false]);
  });

  it('is told by the client at once, in the words of the service and without blaming the profile', async () => {
    answerWith(500, 'CUDA out of memory');
    asked = 0;
    const client = createClient({ baseUrl: service.service.url, auth: { kind: 'bearer', token: testToken } });
    const startAt = performance.now();
    const error = await client.inference
      .chat('m', { messages: [{ role: 'user', content: 'hello' }], stream: false })
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    assert.ok(isAppError(error));
    assert.match(error.message, /the model server behind the service failed .*CUDA out of memory\./);
    assert.equal(error.remedy, undefined);
    assert.equal(asked, 1);
    assert.ok(performance.now() - startAt < 25_000, 'it was waited for');
  });
});

describe('errors of the OpenAI-style routes', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('are told in the form of their clients, from the first check on', async () => {
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

  it('are told so where such a client asks for what is not there, with what is', async () => {
    const cases: [path: string, remedy: RegExp][] = [
      [
        '/serving-endpoints/responses',
        /are chat\/completions, completions and embeddings\. Set the client to chat completions/,
      ],
      ['/serving-endpoints/models', /are listed by \/api\/2\.0\/serving-endpoints/],
      ['/v1/chat/completions', /Did you mean \/serving-endpoints\/chat\/completions\? Set the client's base address/],
      ['/chat/completions', /Did you mean \/serving-endpoints\/chat\/completions\?/],
      ['/serving-endpoints/v1/embeddings', /Did you mean \/serving-endpoints\/embeddings\?/],
      [
        '/serving-endpoints/guide/invocations/chat/completions',
        /Did you mean \/serving-endpoints\/chat\/completions\?/,
      ],
      ['/serving-endpoints/images/generations', /Check the path/],
    ];
    for (const [path, remedy] of cases) {
      const { status, json } = await service.post(path, {});
      assert.equal(status, 404);
      assert.match(json.message, remedy, path);
      assert.deepEqual(json.error, { message: json.message, type: 'ENDPOINT_NOT_FOUND', code: 'ENDPOINT_NOT_FOUND' });
    }
  });

  it('are texts elsewhere', async () => {
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

describe('requests that contradict themselves', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const tool = (name: string): object => ({ type: 'function', function: { name, description: 'd' } });
  const call = (id: string, args: string): object => ({
    role: 'assistant',
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: args } }],
  });
  const cases: [title: string, endpoint: string, body: object, RegExp][] = [
    ['an empty list as content', 'guide', { messages: [{ role: 'user', content: [] }] }, /content is an empty list/],
    [
      'two functions of one name',
      'guide',
      { messages, tools: [tool('f'), tool('g'), tool('f')] },
      /tools\[2\]\.function\.name: there is another function "f"/,
    ],
    [
      'an answer to no call',
      'guide',
      { messages: [...messages, call('1', '{}'), { role: 'tool', tool_call_id: '2', content: 'x' }] },
      /"2" is not the id of a tool call/,
    ],
    [
      'an answer before its call',
      'guide',
      { messages: [{ role: 'tool', tool_call_id: '1', content: 'x' }, call('1', '{}')] },
      /"1" is not the id of a tool call/,
    ],
    [
      'arguments that are no JSON',
      'guide',
      { messages: [...messages, call('1', '{"a":')] },
      /arguments: must be a JSON object/,
    ],
    [
      'arguments that are a list',
      'guide',
      { messages: [...messages, call('1', '[1]')] },
      /arguments: must be a JSON object/,
    ],
    [
      'log probabilities of a completion',
      'guide-completion',
      { prompt: 'x', logprobs: 3 },
      /logprobs is not a field of completion requests/,
    ],
    ['too many choices', 'guide', { messages, n: 129 }, /n is 129|n: must be at most 128/],
    [
      'too many prompts',
      'guide-completion',
      { prompt: Array.from({ length: 1001 }, () => 'x') },
      /prompt: holds 1001 entries; at most 1000 are allowed/,
    ],
    [
      'too many inputs',
      'guide-embedding',
      { input: Array.from({ length: 2049 }, () => 'x') },
      /input: holds 2049 entries; at most 2048 are allowed/,
    ],
  ];
  for (const [title, endpoint, body, words] of cases) {
    it(title, async () => {
      const reply = await service.post(`/serving-endpoints/${endpoint}/invocations`, { stream: false, ...body });
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.json.message, words);
    });
  }

  it('calls without arguments are none of them', async () => {
    const reply = await service.post('/serving-endpoints/guide/invocations', {
      stream: false,
      messages: [...messages, call('1', ''), { role: 'tool', tool_call_id: '1', content: 'done' }],
    });
    assert.equal(reply.status, 200, reply.text);
  });
});
