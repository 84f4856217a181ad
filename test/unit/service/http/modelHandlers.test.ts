import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { HttpCall } from '../../../../src/service/http/handler.ts';
import { isOpenAiPath, modelHandlers } from '../../../../src/service/http/modelHandlers.ts';
import { RawJson } from '../../../../src/service/http/reply.ts';
import type { Models } from '../../../../src/service/models/models.ts';
import { startTestService, testToken, type TestService } from '../support/testService.ts';

describe('endpoints of models over HTTP', () => {
  let test: TestService;
  before(async () => (test = await startTestService()));
  after(() => test.close());

  const remove = (name: string): Promise<Response> =>
    fetch(`${test.service.url}/api/2.0/serving-endpoints/${name}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${testToken}`, connection: 'close' },
    });

  it('that are deleted are gone when that is answered, and what cannot be deleted is told', async () => {
    for (const [name, status, code] of [
      ['none', 404, 'RESOURCE_DOES_NOT_EXIST'],
      ['guide', 400, 'INVALID_PARAMETER_VALUE'],
    ] as const) {
      const refused = await remove(name);
      assert.deepEqual([refused.status, ((await refused.json()) as { error_code: string }).error_code], [status, code]);
      assert.equal((await test.get('/api/2.0/serving-endpoints/guide')).status, 200);
    }
  });

  it('take no more values in a request than anybody needs', async () => {
    const messages = Array.from({ length: 12_000 }, () => 1);
    const refused = await test.post('/serving-endpoints/guide/invocations', { messages });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /more than a request to a model may hold\. Nothing was done\./);
  });

  it('take nothing that is nested deeper than anybody needs', async () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    for (const [depth, words] of [
      [100, /messages/],
      [101, /more than a request to a model may hold/],
    ] as const) {
      const refused = await test.post('/serving-endpoints/guide/invocations', nested(depth));
      assert.equal(refused.status, 400);
      assert.match(refused.text, words, `${depth} levels`);
    }
  });

  it('are listed, created and asked by either route, and errors are told as each route tells them', async () => {
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

describe('what the routes of models ask of them', () => {
  let asked: unknown[][];
  let answer: object;
  let cut: number | undefined;
  const { signal } = new AbortController();
  beforeEach(() => ([asked, answer, cut] = [[], { kind: 'json', body: { a: 1 } }, undefined]));
  const note =
    (name: string, result: () => unknown = () => answer) =>
    async (...given: unknown[]): Promise<unknown> => {
      asked.push([name, ...given]);
      return result();
    };
  const handlers = modelHandlers(
    {
      list: note('list', () => ['one']),
      create: note('create', () => 'made'),
      get: note('get', () => 'found'),
      delete: note('delete', () => 'ignored'),
      invoke: note('invoke'),
      openAi: note('openAi'),
    } as unknown as Models,
    () => cut,
  );
  const ask = async (method: string, path: string, text = '', response?: unknown): Promise<unknown> => {
    const found = handlers.find((each) => each.method === method && each.path === path);
    assert.ok(found, `${method} ${path}`);
    return found.handle({ path: { name: 'n' }, text, signal, response } as unknown as HttpCall);
  };

  it('is the same as was asked of the route, answers for as long as the caller waits', async () => {
    const list = '/api/2.0/serving-endpoints';
    assert.deepEqual(
      [
        await ask('GET', list),
        await ask('POST', list, '{"name":"n"}'),
        await ask('GET', `${list}/{name}`),
        await ask('DELETE', `${list}/{name}`),
        await ask('POST', '/serving-endpoints/{name}/invocations', '{"b":2}'),
        await ask('POST', '/serving-endpoints/chat/completions', '{"c":3}'),
        await ask('POST', '/serving-endpoints/completions', '[]'),
        await ask('POST', '/serving-endpoints/embeddings', '5'),
      ],
      [{ endpoints: ['one'] }, 'made', 'found', {}, { a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }],
    );
    assert.deepEqual(asked, [
      ['list'],
      ['create', { name: 'n' }],
      ['get', 'n'],
      ['delete', 'n'],
      ['invoke', 'n', { b: 2 }, { signal }],
      ['openAi', 'chat/completions', { c: 3 }, { signal }],
      ['openAi', 'completions', [], { signal }],
      ['openAi', 'embeddings', 5, { signal }],
    ]);
    assert.equal(handlers.length, asked.length);
    for (const call of asked.filter(({ length }) => length > 2))
      assert.equal((call.at(-1) as { signal: unknown }).signal, signal);
  });

  it('is sent as text where it is text, and as events where it comes in chunks, which a test may cut', async () => {
    answer = { kind: 'text', text: '{"id":12345678901234567890}' };
    const given = await ask('POST', '/serving-endpoints/{name}/invocations', '{}');
    assert.ok(given instanceof RawJson);
    assert.equal(given.text, '{"id":12345678901234567890}');
    const events = async (): Promise<string> => {
      answer = {
        kind: 'stream',
        chunks: (async function* () {
          yield { a: 1 };
          yield { b: 2 };
        })(),
      };
      const response = Object.assign(new PassThrough(), { writeHead: () => undefined });
      const sent = textOf(response).catch(() => 'cut');
      assert.equal(await ask('POST', '/serving-endpoints/chat/completions', '{}', response), undefined);
      return sent;
    };
    assert.equal(await events(), 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n');
    cut = 1;
    assert.equal(await events(), 'cut');
  });

  it('is told in the form of the chat-completion format wherever its clients may ask, and nowhere else', () => {
    for (const [path, isOpenAi] of [
      ['/serving-endpoints/chat/completions', true],
      ['/serving-endpoints/responses', true],
      ['/v1/chat/completions', true],
      ['/serving-endpoints/n/invocations', false],
      ['/serving-endpoints/n/invocations/', false],
      ['/serving-endpoints/n/invocations/more', true],
      ['/serving-endpoints/a/b/invocations', true],
      ['/x/serving-endpoints/n/invocations', true],
      ['/api/2.0/jobs/list', false],
      ['/v1/api/x', true],
    ] as const)
      assert.equal(isOpenAiPath(path), isOpenAi, path);
  });
});
