import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { sendEventStream } from '../../../../src/service/http/modelHandlers.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { startTestService, type TestService, testToken } from '../support/testService.ts';

describe('Model endpoints over HTTP', () => {
  let test: TestService;
  before(async () => (test = await startTestService()));
  after(() => test.close());

  const remove = (name: string): Promise<Response> =>
    fetch(`${test.service.url}/api/2.0/serving-endpoints/${name}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${testToken}`, connection: 'close' },
    });

  it('are gone once their deletion is answered', async () => {
    for (const [name, status, code] of [
      ['none', 404, 'RESOURCE_DOES_NOT_EXIST'],
      ['guide', 400, 'INVALID_PARAMETER_VALUE'],
    ] as const) {
      const refused = await remove(name);
      assert.deepEqual([refused.status, ((await refused.json()) as { error_code: string }).error_code], [status, code]);
      assert.equal((await test.get('/api/2.0/serving-endpoints/guide')).status, 200);
    }
  });

  it('refuse more values in a request than anybody needs', async () => {
    const messages = Array.from({ length: 12_000 }, () => 1);
    const refused = await test.post('/serving-endpoints/guide/invocations', { messages });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /more than a request to a model may have\. Nothing was done\./);
  });

  it('are listed, created and invoked through either API', async () => {
    const names = async (): Promise<string[]> =>
      (await test.get('/api/2.0/serving-endpoints')).json.endpoints.map(({ name }: { name: string }) => name);
    assert.ok((await names()).includes('guide'));
    const created = await test.post('/api/2.0/serving-endpoints', {
      name: 'mine',
      config: { served_entities: [{ entity_name: 'guide' }] },
    });
    assert.deepEqual([created.status, created.json.name, (await names()).includes('mine')], [200, 'mine', true]);
    assert.equal((await test.get('/api/2.0/serving-endpoints/mine')).json.name, 'mine');
    const messages = [{ role: 'user', content: 'What is max_retries?' }];
    for (const reply of [
      await test.post('/serving-endpoints/mine/invocations', { messages }),
      await test.post('/serving-endpoints/chat/completions', { model: 'mine', messages }),
    ])
      assert.match(reply.json.choices[0].message.content, /max_retries/);
    const embedded = await test.post('/serving-endpoints/embeddings', { model: 'guide-embedding', input: 'a' });
    assert.ok(embedded.json.data[0].embedding.length > 0);
    assert.equal('error' in (await test.post('/serving-endpoints/none/invocations', { messages })).json, false);
    assert.equal('error' in (await test.post('/serving-endpoints/chat/completions', { messages })).json, true);
    await remove('mine');
    assert.equal((await test.get('/api/2.0/serving-endpoints/mine')).status, 404);
  });
});

describe('Event stream', () => {
  let server: Server | undefined;
  afterEach(() => {
    mock.reset();
    server?.close();
  });

  /** What a client gets of these chunks, and whether the answer was whole. */
  async function receive(
    chunks: () => AsyncGenerator<object>,
    read?: (stop: () => void) => void,
  ): Promise<{ text: string; isWhole: boolean; failure?: unknown }> {
    let failure: unknown;
    const handled = Promise.withResolvers<void>();
    server = createServer((_request, response) => {
      sendEventStream(response, chunks())
        .catch((error: unknown) => (failure = error))
        .finally(handled.resolve)
        .catch(() => undefined);
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const got = await new Promise<{ text: string; isWhole: boolean }>((resolve) => {
      let text = '';
      const call = request({ port, host: '127.0.0.1', agent: false }, (response) => {
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', () => undefined).on('close', () => resolve({ text, isWhole: response.complete }));
        read?.(() => call.destroy());
      });
      call.on('error', () => undefined).end();
    });
    await handled.promise;
    return { ...got, failure };
  }

  it('sends one event per chunk and ends with [DONE]', async () => {
    const got = await receive(async function* () {
      yield { id: 9007199254740993n, text: 'line\nbreak' };
      yield { b: 2 };
    });
    assert.deepEqual(got, {
      text: 'data: {"id":9007199254740993,"text":"line\\nbreak"}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
      isWhole: true,
      failure: undefined,
    });
  });

  it('reports a failure in the middle and never looks complete', async () => {
    const got = await receive(async function* () {
      yield { a: 1 };
      throw new AppError('network', 'The model server went away.', { remedy: 'Start it again.' });
    });
    const [first, second] = got.text.split('\n\n');
    assert.equal(first, 'data: {"a":1}');
    assert.match(
      second!,
      /^data: \{"error_code":"TEMPORARILY_UNAVAILABLE","message":"The model server went away\. Start it again\.","error":\{/,
    );
    assert.equal(got.isWhole, false);
    assert.ok(!got.text.includes('[DONE]'));
    assert.ok(got.failure instanceof AppError);
  });

  it('fails like any other answer before the first event', async () => {
    const response = { writeHead: () => assert.fail('it had begun') };
    const failing = (async function* () {
      yield* [];
      throw new Error('no model');
    })();
    await assert.rejects(sendEventStream(response as never, failing), /no model/);
  });

  it('stops when the client leaves and waits for a slow one', async () => {
    let produced = 0;
    let ended = false;
    const begun = Promise.withResolvers<void>();
    await receive(
      async function* () {
        try {
          for (;;) {
            produced += 1;
            if (produced > 3) begun.resolve();
            yield { pad: 'x'.repeat(100_000) };
            await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          ended = true;
        }
      },
      (stop) => void begun.promise.then(() => setTimeout(stop, 50)),
    );
    assert.ok(ended);
    assert.ok(produced > 0 && produced < 100_000);
  });
});
