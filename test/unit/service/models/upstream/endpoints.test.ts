import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createModels } from '../../../../../src/service/models/models.ts';
import { taskByName } from '../../../../../src/service/models/upstream/discoverUpstreams.ts';
import { endpointName } from '../../../../../src/service/models/upstream/upstreams.ts';
import type { WireChat, WireCompletion, WireEmbeddings } from '../../../../../src/service/models/wire.ts';
import { silentLogger } from '../../../../../src/shared/log.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';
import { answerJson } from '../../../../support/httpServer.ts';
import { bodyOf, chunksOf, refusal, textOfChoice } from '../support.ts';
import { type Body, delta, messages, stream, upstreamBench, usage, whole } from './upstreamBench.ts';

describe('an upstream', () => {
  const bench = upstreamBench();
  const { upstream, sent, answers } = bench;

  describe('completion endpoint', () => {
    const piece = (text: string, finish: string | null = null) => ({
      id: 'x',
      object: 'text_completion',
      choices: [{ index: 0, text, finish_reason: finish }],
    });

    it('emulates lists, n, echo and suffix', async () => {
      bench.handler = (_request, response) =>
        stream(response, [piece('one '), piece('two', 'stop'), { choices: [], usage }]);
      const answer = bodyOf<WireCompletion>(
        await upstream('vllm').invoke('b', { prompt: ['p', 'q'], n: 2, echo: true, suffix: '!', max_tokens: 4 }),
      );
      assert.deepEqual(
        answer.choices.map((choice) => [choice.index, choice.text, choice.finish_reason]),
        [
          [0, 'pone two!', 'stop'],
          [0, 'pone two!', 'stop'],
          [1, 'qone two!', 'stop'],
          [1, 'qone two!', 'stop'],
        ],
      );
      assert.deepEqual(answer.usage, { prompt_tokens: 20, completion_tokens: 20, total_tokens: 40 });
      assert.equal(bench.server.requests.length, 4);
      for (const name of ['suffix', 'echo', 'n', 'error_behavior', 'use_raw_prompt'])
        assert.equal(sent()[name], undefined);
      const chunks = await chunksOf<WireCompletion>(
        await upstream('vllm').invoke('b', { prompt: ['p', 'q'], echo: true, suffix: '!', stream: true }),
      );
      for (const index of [0, 1]) assert.equal(textOfChoice(chunks, index), `${'pq'[index]}one two!`);
      assert.equal(sent()['max_tokens'], null);
    });

    it('uses the chat template of a chat model unless raw', async () => {
      bench.handler = (request, response) =>
        stream(
          response,
          request.url?.endsWith('/chat/completions') ? [delta({ content: 'T' }, 'stop')] : [piece('R', 'stop')],
        );
      assert.equal(
        bodyOf<WireCompletion>(await upstream('vllm').invoke('m-completion', { prompt: 'p' })).choices[0]?.text,
        'T',
      );
      assert.deepEqual(sent()['messages'], [{ role: 'user', content: 'p' }]);
      assert.equal(
        bodyOf<WireCompletion>(await upstream('vllm').invoke('m-completion', { prompt: 'p', use_raw_prompt: true }))
          .choices[0]?.text,
        'R',
      );
      assert.equal(sent()['prompt'], 'p');
    });

    it("uses Ollama's own route for raw prompts", async () => {
      bench.handler = (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write('{"response":"one ","done":false}\n{"response":"tw');
        response.end(
          'o","done":false}\n{"response":"","done":true,"done_reason":"length","prompt_eval_count":3,"eval_count":2}\n',
        );
      };
      const answer = bodyOf<WireCompletion>(
        await upstream('ollama').invoke('m-completion', { prompt: 'p', use_raw_prompt: true, top_k: 5, max_tokens: 2 }),
      );
      assert.deepEqual(answer.choices, [{ index: 0, text: 'one two', finish_reason: 'length' }]);
      assert.equal(bench.server.requests[0]?.url, '/api/generate');
      assert.deepEqual(
        [sent()['raw'], (sent()['options'] as Body)['top_k'], (sent()['options'] as Body)['num_predict']],
        [true, 5, 2],
      );
    });

    it('applies error_behavior to long prompts and time-outs', async () => {
      bench.handler = (_request, response) =>
        answerJson(response, '{"error":{"message":"context length exceeded"}}', 400);
      assert.equal((await refusal(upstream('vllm').invoke('b', { prompt: 'p' }))).kind, 'tooLarge');
      assert.deepEqual(
        bodyOf<WireCompletion>(await upstream('vllm').invoke('b', { prompt: 'p', error_behavior: 'truncate' })).choices,
        [{ index: 0, text: '', finish_reason: 'length' }],
      );
      bench.handler = (request, response) => {
        if ((JSON.parse(request.body) as Body)['max_tokens'] === 99)
          answerJson(response, '{"error":{"message":"context length exceeded"}}', 400);
        else stream(response, [piece('as far as it goes', 'length')]);
      };
      assert.equal(
        bodyOf<WireCompletion>(
          await upstream('vllm').invoke('b', { prompt: 'p', max_tokens: 99, error_behavior: 'truncate' }),
        ).choices[0]?.text,
        'as far as it goes',
      );
      bench.handler = (_request, response) => stream(response, [piece('part')], false);
      const slow = upstream('vllm', { timeoutInSeconds: 0.1 });
      assert.deepEqual(
        bodyOf<WireCompletion>(await slow.invoke('b', { prompt: 'p', error_behavior: 'truncate' })).choices,
        [{ index: 0, text: 'part', finish_reason: 'length' }],
      );
      assert.equal((await refusal(slow.invoke('b', { prompt: 'p' }))).kind, 'timeout');
    });

    it('fails without a finish_reason', async () => {
      bench.handler = (_request, response) => stream(response, [piece('part')]);
      assert.equal((await refusal(upstream('vllm').invoke('b', { prompt: 'p' }))).kind, 'cutOff');
    });
  });

  describe('embedding endpoint', () => {
    const vector = (index: number) => ({ object: 'embedding', index, embedding: [index, 1] });

    it('puts the instruction before each text and orders by index', async () => {
      answers({
        object: 'list',
        model: 'real',
        data: [vector(1), vector(0)],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      });
      const answer = bodyOf<WireEmbeddings>(
        await upstream('ollama').invoke('e', { input: ['x', 'y'], instruction: 'Find:' }),
      );
      assert.deepEqual(
        answer.data.map((entry) => entry.embedding),
        [
          [0, 1],
          [1, 1],
        ],
      );
      assert.deepEqual(answer.usage, { prompt_tokens: 4, total_tokens: 4 });
      assert.deepEqual(
        [sent()['input'], sent()['instruction'], sent()['encoding_format']],
        [['Find: x', 'Find: y'], undefined, 'float'],
      );
    });

    it('sends texts one by one if the server returns only the first vector', async () => {
      answers({ data: [vector(0)] });
      assert.equal(
        bodyOf<WireEmbeddings>(await upstream('generic').invoke('e', { input: ['x', 'y', 'z'] })).data.length,
        3,
      );
      assert.equal(bench.server.requests.length, 4);
    });
  });

  describe('configuration', () => {
    const list = (owner: string, ...ids: string[]) => ({
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
    });

    it('lists all models of a server with their tasks', async () => {
      answers(list('x', 'llama3.2:latest', '/models/Smol.Q4.gguf', 'nomic-embed-text', 'guide'));
      const models = upstream('generic', { models: 'all', name: 'lab' });
      const listed = (await models.list()).slice(3);
      assert.deepEqual(
        listed.map(({ description }) => description.split(' by ')[0]),
        ['Served', 'Served', 'Served', 'Served', 'Served', 'guide, served', 'guide, served'],
        'a model is named where the endpoint has another name',
      );
      assert.deepEqual(
        listed.map((endpoint) => `${endpoint.name} ${endpoint.task}`),
        [
          'llama3.2-latest llm/v1/chat',
          'llama3.2-latest-completion llm/v1/completions',
          'Smol.Q4 llm/v1/chat',
          'Smol.Q4-completion llm/v1/completions',
          'nomic-embed-text llm/v1/embeddings',
          'lab-guide llm/v1/chat',
          'lab-guide-completion llm/v1/completions',
        ],
      );
    });

    it('tells how many tokens a model takes, if its server tells it', async () => {
      const data = [
        { id: 'vllm', max_model_len: 32_768 },
        { id: 'llama', meta: { n_ctx: 4096 } },
        { id: 'unknown', max_model_len: 'many' },
      ];
      answers({ data });
      const listed = (await upstream('generic', { models: 'all', name: 'lab' }).list()).slice(3);
      assert.deepEqual(
        listed
          .filter(({ task }) => task === 'llm/v1/chat')
          .map(({ name, context_length: length }) => `${name} ${length}`),
        ['vllm 32768', 'llama 4096', 'unknown undefined'],
      );
    });

    it('finds servers on this machine and caches their models', async () => {
      bench.handler = (request, response) =>
        answerJson(
          response,
          JSON.stringify(
            request.url === '/api/show'
              ? { capabilities: request.body.includes('embedder') ? ['embedding'] : ['completion'] }
              : list('library', 'qwen3', 'my-embedder'),
          ),
        );
      const port = Number(new URL(bench.server.url).port);
      const models = createModels({ discoverPorts: [port, 1] });
      const found = (await models.list()).slice(3);
      assert.deepEqual(
        found.map((endpoint) => [endpoint.name, endpoint.task, endpoint.source]),
        [
          ['qwen3', 'llm/v1/chat', 'upstream'],
          ['qwen3-completion', 'llm/v1/completions', 'upstream'],
          ['my-embedder', 'llm/v1/embeddings', 'upstream'],
        ],
      );
      assert.match(found[0]?.description ?? '', /Ollama at http:\/\/127\.0\.0\.1/);
      const asked = bench.server.requests.length;
      await models.list();
      await models.get('qwen3');
      assert.equal(bench.server.requests.length, asked);
      assert.equal(createModels({ discover: false, discoverPorts: [port] }) instanceof Object, true);
      assert.equal((await createModels({ discover: false, discoverPorts: [port] }).list()).length, 3);
    });

    it('finds a new server after five seconds', async () => {
      const clock = new FakeClock();
      const models = createModels({
        clock,
        discoverPorts: [Number(new URL(bench.server.url).port)],
      });
      const count = async (): Promise<number> => (await models.list()).length;
      bench.handler = (_request, response) => answerJson(response, '{}', 404);
      assert.equal(await count(), 3);
      bench.handler = (_request, response) => answerJson(response, '{"data":[{"id":"new"}]}');
      await clock.advance(4999);
      assert.equal(await count(), 3);
      await clock.advance(1);
      assert.equal(await count(), 5);
    });

    it('serves built-in endpoints without any request', async () => {
      bench.handler = () => undefined;
      await createModels({ discoverPorts: [Number(new URL(bench.server.url).port)] }).invoke('guide', { messages });
      assert.equal(bench.server.requests.length, 0);
    });

    it('reads models.json with the key from the environment', async () => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'models-'));
      const open = (logged: string[] = []) =>
        createModels({
          discover: false,
          dataFolder: folder,
          environment: { LAB_KEY: 'sesame' },
          logger: { ...silentLogger, warn: (text) => logged.push(text), error: (text) => logged.push(text) },
        });
      try {
        answers(whole({ content: 'Hi' }));
        const lab = { name: 'lab', baseUrl: `${bench.server.url}/v1`, models: ['m'] };
        await writeFile(
          path.join(folder, 'models.json'),
          JSON.stringify({
            upstreams: [{ ...lab, kind: 'vllm', baseUrl: `${lab.baseUrl}/`, apiKeyVariable: 'LAB_KEY' }],
          }),
        );
        await open().invoke('m', { messages });
        assert.equal(bench.server.requests[0]?.headers.authorization, 'Bearer sesame');
        assert.equal(bench.server.requests[0]?.url, '/v1/chat/completions');
        const models = open();
        const names = async (): Promise<string[]> => (await models.list()).map(({ name }) => name);
        assert.ok(!(await names()).includes('second'));
        const further = { ...lab, models: ['m', 'second'] };
        await writeFile(path.join(folder, 'models.json'), JSON.stringify({ upstreams: [further] }));
        assert.ok((await names()).includes('second'), 'what was just written');
        for (const [text, expected] of [
          ['{', /not JSON/],
          ['{"upstreams":[{"name":"x"}]}', /baseUrl/],
          ['{"upstreams":[{"name":"x","baseUrl":"ftp://x"}]}', /baseUrl must be an http or https URL/],
          ['{"upstreams":[{"name":"x","baseUrl":"http://h","timeoutInSeconds":0}]}', /timeoutInSeconds/],
          [JSON.stringify({ upstreams: [{ name: 'x', baseUrl: 'http://h/v1', apiKey: 'k' }] }), /environment variable/],
          [JSON.stringify({ upstream: [] }), /upstream/],
        ] as const) {
          await writeFile(path.join(folder, 'models.json'), text);
          assert.match((await refusal(open().invoke('m', { messages }))).message, expected);
          const logged: string[] = [];
          assert.equal((await open(logged).list()).length, 3);
          assert.match(logged.join(), expected);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    describe('that the user adds', () => {
      let folder: string;
      const open = (modelKeys?: Record<string, string>) =>
        createModels({ discover: false, dataFolder: folder, modelKeys });
      const address = (): string => `${bench.server.url}/v1`;
      const keyOf = (index: number): unknown => bench.server.requests.at(index)?.headers.authorization;
      beforeEach(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'models-'))));
      afterEach(() => rm(folder, { recursive: true, force: true }));

      it('is listed with its kind and models, with the given key', async () => {
        answers({ data: [{ id: 'm', owned_by: 'vllm' }] });
        assert.deepEqual(await open().check({ baseUrl: address() }, 'sesame'), { kind: 'vllm', models: ['m'] });
        assert.equal(keyOf(-1), 'Bearer sesame');
      });

      it('is tried with one request for the task of the model', async () => {
        bench.handler = (_request, response) => stream(response, [delta({ content: 'O' })]);
        await open().check({ baseUrl: address(), models: ['m'] }, undefined);
        answers({ data: [] });
        await open().check({ baseUrl: address(), models: ['my-embedding'] }, undefined);
        assert.deepEqual(
          bench.server.requests.map(({ url }) => url),
          ['/v1/chat/completions', '/v1/embeddings'],
        );
      });

      it('is written to models.json without its key, which is used at once and by the next service', async () => {
        answers(whole({ content: 'Hi' }));
        const models = open();
        const upstream = { name: 'lab', kind: 'vllm', baseUrl: `${address()}/`, models: ['m'] };
        assert.deepEqual(await models.add(upstream, 'sesame'), ['m', 'm-completion']);
        const second = { ...upstream, models: ['second'] };
        assert.deepEqual(await models.add(second, undefined), ['second', 'second-completion']);
        await models.invoke('m', { messages });
        await open({ [address()]: 'sesame' }).invoke('second', { messages });
        assert.deepEqual([keyOf(-2), keyOf(-1)], ['Bearer sesame', 'Bearer sesame']);
        assert.deepEqual(JSON.parse(await readFile(path.join(folder, 'models.json'), 'utf8')), {
          upstreams: [{ ...upstream, models: ['m', 'second'] }],
        });
        assert.deepEqual((await models.serverOf('second')).models, ['second']);
      });

      it('is not written to a damaged file', async () => {
        await writeFile(path.join(folder, 'models.json'), '{');
        const upstream = { name: 'lab', baseUrl: address(), models: ['m'] };
        assert.match((await refusal(open().add(upstream, undefined))).message, /not JSON/);
        assert.equal(await readFile(path.join(folder, 'models.json'), 'utf8'), '{');
      });
    });

    it('derives endpoint names from models', () => {
      assert.deepEqual(['llama3.2:latest', 'org/Model', 'C:\\m\\a b.gguf', '...', 'x'.repeat(90)].map(endpointName), [
        'llama3.2-latest',
        'org-Model',
        'a-b',
        'model',
        'x'.repeat(50),
      ]);
    });

    it('recognizes embedding models by name', () => {
      for (const name of ['nomic-embed-text', 'all-MiniLM-L6-v2', 'bge-m3', 'text-embedding-3-small', 'gte-base'])
        assert.equal(taskByName(name), 'embedding', name);
      for (const name of ['llama3.2', 'qwen3:8b', 'mistral-7b', 'smollm2-135m-instruct', 'gemma3'])
        assert.equal(taskByName(name), 'chat', name);
    });

    it("serves an upstream's model on a created endpoint", async () => {
      answers(whole({ content: 'Hi' }));
      const models = upstream('ollama');
      await models.create({ name: 'mine', config: { served_entities: [{ entity_name: 'm' }] } });
      assert.equal(bodyOf<WireChat>(await models.invoke('mine', { messages, n: 2 })).choices.length, 2);
    });
  });
});
