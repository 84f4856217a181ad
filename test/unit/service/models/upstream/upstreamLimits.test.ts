import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestService, type Reply, type TestService } from '../../support/testService.ts';

const mebibyte = 1024 * 1024;
const piece = 'a'.repeat(mebibyte);

describe('an answer of a model server that is too large', () => {
  let server: Server;
  let service: TestService;
  let answer: (response: ServerResponse) => Promise<void>;
  /** How many pieces of 1 MB were taken before the connection was closed. */
  let sent = 0;

  /** Writes pieces until nobody takes them any more. */
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

  it('is refused in words above 16 MB, and read below', async () => {
    answer = chatOf(15);
    const whole = await ask(false);
    assert.equal(whole.status, 200);
    assert.equal(whole.json.choices[0].message.content.length, 15 * mebibyte);
    answer = chatOf(30);
    const refused = await ask(false);
    assert.equal(refused.status, 502);
    assert.match(refused.json.message, tooLarge);
  });

  it('is refused too where a stream was asked for and one object comes', async () => {
    answer = chatOf(30);
    const refused = await ask(true);
    assert.match(refused.text, tooLarge);
  });

  it('is read only as far as its words are needed where it tells of an error', async () => {
    const closed = Promise.withResolvers<void>();
    answer = async (response) => {
      response.once('close', closed.resolve);
      response.writeHead(418, { 'content-type': 'text/plain' });
      response.write('I am a teapot. ');
      await flood(response, 1000);
    };
    const refused = await ask(false);
    assert.match(refused.json.message, /answered 418: I am a teapot\. aaa/);
    assert.ok(refused.json.message.length < 1000);
    await closed.promise;
    assert.ok(sent < 100, `${sent} MB were taken`);
  });
});
