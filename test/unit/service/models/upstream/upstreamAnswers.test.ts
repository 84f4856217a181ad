import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestService, type Reply, type TestService } from '../../support/testService.ts';

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

describe('what a model server answers', function () {
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

  it('is not passed on where it calls although no call is allowed, or another function than the forced one', async () => {
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

  it('is refused in words where its check takes too long', async () => {
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

  it('is read in a thread where it is large', async () => {
    const top = Array.from({ length: 20 }, (_unused, index) => ({ token: `t${index}`, logprob: -index, bytes: [116] }));
    const content = Array.from({ length: 300 }, () => ({ token: 'x', logprob: -0.5, bytes: [120], top_logprobs: top }));
    const reply = await chat(
      { role: 'assistant', content: 'x'.repeat(300) },
      { logprobs: true, top_logprobs: 20 },
      { logprobs: { content } },
    );
    assert.equal(reply.status, 200, reply.text.slice(0, 300));
    assert.equal(reply.json.choices[0].logprobs.content.length, 300);
  });

  it('has vectors in their order, as numbers or as base64, and is refused where they are none', async () => {
    answer = {
      model: 'v',
      data: [
        { index: 1, embedding: [3, 4] },
        { index: 0, embedding: [1, 2] },
      ],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    };
    const embed = (more: object = {}): Promise<Reply> =>
      service.post('/serving-endpoints/v/invocations', { input: ['a', 'b'], ...more });
    const { json } = await embed();
    assert.deepEqual(json.data, [
      { object: 'embedding', index: 0, embedding: [1, 2] },
      { object: 'embedding', index: 1, embedding: [3, 4] },
    ]);
    assert.deepEqual(json.usage, { prompt_tokens: 7, total_tokens: 7 });
    const [first] = (await embed({ encoding_format: 'base64' })).json.data;
    assert.deepEqual([...new Float32Array(Uint8Array.from(Buffer.from(first.embedding, 'base64')).buffer)], [1, 2]);
    answer = {
      data: [
        { index: 0, embedding: ['a'] },
        { index: 1, embedding: [] },
      ],
    };
    assert.equal((await embed()).status, 502);
  });
});
