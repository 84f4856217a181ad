import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/api/client/index.ts';
import type { IntentStore } from '../../../../src/api/client/intents.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { CollectedChat } from '../../../support/collected.ts';
import { answerJson, startHttpServer, type Handler, type TestServer } from '../../../support/httpServer.ts';

describe('client', () => {
  let server: TestServer;
  let client: Client;
  let handler: Handler;

  beforeEach(async () => {
    handler = (_request, response) => answerJson(response, '{}');
    server = await startHttpServer((request, response) => handler(request, response));
    client = createClient({ baseUrl: `${server.url}/`, auth: { kind: 'bearer', token: 'canary-token' } });
  });
  afterEach(() => server.close());

  it('writes an INT64 with its exact digits and reads it as text', async () => {
    handler = (_request, response) =>
      answerJson(response, '{"run_id":9007199254740993,"number_in_job":"12","extra":{"kept":true}}');
    const answer = await client.jobs.runNow({
      job_id: '9223372036854775807',
      python_params: ['a'],
      idempotency_token: 'once',
    });
    assert.deepEqual(answer, { run_id: '9007199254740993', number_in_job: '12', extra: { kept: true } });
    assert.equal(
      server.requests[0]?.body,
      '{"job_id":9223372036854775807,"python_params":["a"],"idempotency_token":"once"}',
    );
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer canary-token');
  });

  it('puts the fields of a GET into the query', async () => {
    handler = (_request, response) => answerJson(response, '{"runs":null,"has_more":null}');
    assert.deepEqual(await client.jobs.listRuns({ job_id: '9007199254740993', active_only: true, limit: 25 }), {
      runs: [],
      has_more: false,
    });
    assert.equal(server.requests[0]?.url, '/api/2.0/jobs/runs/list?active_only=true&job_id=9007199254740993&limit=25');
  });

  it('accepts any body where the document shows none', async () => {
    for (const body of ['', '{}', '{"ok":true}']) {
      handler = (_request, response) => answerJson(response, body);
      await client.jobs.cancelRun('1');
    }
  });

  it('refuses a request that breaks a rule before it is sent, and names the rule', async () => {
    const refused = async (promise: Promise<unknown>, text: RegExp): Promise<void> => {
      await assert.rejects(
        promise,
        (error) => error instanceof AppError && error.kind === 'invalid' && text.test(error.message),
      );
    };
    await refused(
      client.jobs.runNow({ job_id: '1', python_params: ['ü'] }),
      /python_params\[0\]: must hold ASCII characters only; "ü" \(U\+00FC\) is not one/,
    );
    await refused(
      client.jobs.runNow({ job_id: '1', jar_params: ['a'], notebook_params: { a: 'b' } }),
      /only the one kind/,
    );
    await refused(client.jobs.listRuns({ limit: 1000 }), /limit: must be less than 1000/);
    await refused(client.inference.chat('guide', { messages: [] }), /messages: must hold at least one message/);
    await refused(client.jobs.get('nonsense'), /job_id: must be a whole number between/);
    assert.equal(server.requests.length, 0);
  });

  it('keeps what it starts under its profile, without one under its service', async () => {
    handler = (_request, response) => answerJson(response, '{"run_id":5}');
    const profiles: string[] = [];
    const intents: IntentStore = {
      save: ({ profile }) => Promise.resolve(void profiles.push(profile)),
      settle: () => Promise.resolve(),
      list: () => Promise.resolve([]),
    };
    for (const profile of [undefined, 'p'])
      await createClient({ baseUrl: `${server.url}/`, auth: { kind: 'none' }, intents, profile }).jobs.runNow({
        job_id: '1',
      });
    assert.deepEqual(profiles, [server.url, 'p']);
  });

  it('streams chunks and knows the end', async () => {
    handler = (request, response) => {
      assert.equal((JSON.parse(request.body) as { stream: unknown }).stream, true);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        'data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\n',
      );
      response.write(
        'data: {"id":"1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}],"usage":null}\n\n',
      );
      response.end(
        'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}\n\ndata: [DONE]\n\n',
      );
    };
    const collected = new CollectedChat();
    for await (const chunk of client.inference.streamChat('gui/de', { messages: [{ role: 'user', content: 'Hi' }] }))
      collected.add(chunk);
    assert.equal(server.requests[0]?.url, '/serving-endpoints/gui%2Fde/invocations');
    assert.equal(collected.text, 'Hello');
    assert.equal(collected.answer.usage?.total_tokens, 3);
    assert.equal(collected.complete, true);
  });

  it('throws cutOff with the text where no finish reason came', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\ndata: [DONE]\n\n');
    };
    const texts: string[] = [];
    await assert.rejects(
      async () => {
        for await (const chunk of client.inference.streamChat('guide', {
          messages: [{ role: 'user', content: 'Hi' }],
        })) {
          const content = chunk.choices?.[0]?.delta?.content;
          if (typeof content === 'string') texts.push(content);
        }
      },
      (error) => error instanceof AppError && error.kind === 'cutOff' && error.partial === 'Hel',
    );
    assert.deepEqual(texts, ['Hel']);
  });

  it('closes the connection when the loop is left', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n');
    };
    for await (const chunk of client.inference.streamChat('guide', { messages: [{ role: 'user', content: 'Hi' }] })) {
      assert.ok(chunk.choices);
      break;
    }
    const deadline = Date.now() + 30_000;
    while (server.sockets.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(server.sockets.size, 0);
  });
});
