import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import { capabilitiesOf, type UpstreamKind } from '../../../../../src/service/models/upstream/capabilities.ts';
import { chatBody, samplingOf } from '../../../../../src/service/models/upstream/chatRequestBody.ts';
import './approvedExchanges.part.ts';

const hello = { role: 'user', content: 'Hello' };
const tool = (name: string): object => ({
  type: 'function',
  function: { name, description: `Does ${name}`, parameters: { type: 'object', properties: {} } },
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into it freely
function body(kind: UpstreamKind, request: object, emulateTools = false): Record<string, any> {
  return chatBody('m', { messages: [hello], ...request } as ChatRequest, capabilitiesOf[kind], emulateTools).body;
}

describe('what a model server is sent', () => {
  it('goes by what each kind of server knows', () => {
    const columns = [
      ...(['label', 'topKForNone', 'unlimitedTokens', 'n', 'tools', 'toolRequired', 'toolForced', 'toolNone'] as const),
      ...(['jsonObject', 'jsonSchema', 'logprobs', 'rawPrompt', 'streamUsage'] as const),
    ];
    const rows = Object.entries(capabilitiesOf).map(([kind, capabilities]) => [
      kind,
      ...columns.map((name) => String(capabilities[name])),
    ]);
    assert.deepEqual(
      rows.map((row) => row.join(' | ')),
      [
        'ollama | Ollama | undefined | undefined | emulate | pass | emulate | emulate | omit | pass | pass | pass | ollamaGenerate | true',
        'llamacpp | llama.cpp | 0 | -1 | emulate | askTemplate | pass | narrow | omit | pass | pass | pass | completions | true',
        'llama-cpp-python | llama-cpp-python | 0 | -1 | emulate | pass | emulate | emulate | omit | pass | inJsonObject | pass | completions | false',
        'vllm | vLLM | -1 | null | pass | pass | pass | pass | pass | pass | pass | pass | completions | true',
        'lmstudio | LM Studio | 0 | -1 | emulate | pass | pass | narrow | omit | asSchema | pass | refuse | completions | true',
        'openai | OpenAI | undefined | undefined | pass | pass | pass | pass | pass | pass | pass | pass | completions | true',
        'generic | an OpenAI-compatible server | undefined | undefined | emulate | pass | pass | pass | omit | pass | pass | pass | completions | true',
      ],
    );
  });

  it('holds every sampling value, the neutral ones of the server, and nothing that was not asked for', () => {
    assert.deepEqual(body('generic', {}), { model: 'm', messages: [hello], temperature: 1, top_p: 1 });
    assert.deepEqual(body('llama-cpp-python', {}), {
      model: 'm',
      messages: [hello],
      temperature: 1,
      top_p: 1,
      top_k: 0,
      min_p: 0,
      repeat_penalty: 1,
    });
    assert.deepEqual(body('lmstudio', { own: 1, none: null }), {
      model: 'm',
      messages: [hello],
      temperature: 1,
      top_p: 1,
      top_k: 0,
      repeat_penalty: 1,
      own: 1,
    });
    assert.deepEqual(
      samplingOf({ temperature: 0, top_p: 0.5, max_tokens: 0, stop: ['a', 'b'] }, capabilitiesOf.generic),
      { temperature: 0, top_p: 0.5, max_tokens: 0, stop: ['a', 'b'] },
    );
    assert.deepEqual(samplingOf({ stop: [], max_tokens: null }, capabilitiesOf.generic), { temperature: 1, top_p: 1 });
    assert.throws(
      () => samplingOf({ top_k: 2 }, capabilitiesOf.generic),
      /would drop it\. Leave it out, set it to 1, or use another server\./,
    );
    assert.equal('n' in body('vllm', { n: 1 }), false);
    assert.deepEqual(body('vllm', { logprobs: true })['logprobs'], true);
    assert.equal(body('vllm', { logprobs: true, top_logprobs: 0 })['top_logprobs'], 0);
    assert.equal('top_logprobs' in body('vllm', { logprobs: true, top_logprobs: null }), false);
    for (const request of [{ logprobs: false, top_logprobs: 2 }, { top_logprobs: 2 }])
      assert.equal('top_logprobs' in body('vllm', request), false);
  });

  it('has contents as texts, and null beside calls', () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const image = [{ type: 'image_url', image_url: { url: 'data:,' } }];
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'user', content: image },
      { role: 'assistant', content: 'c', tool_calls: calls },
      { role: 'tool', content: 'd', tool_call_id: 'c' },
      { role: 'assistant', content: 'e', tool_calls: [], tool_call_id: '' },
      { role: 'user', name: 'n', content: 'f', tool_calls: null, tool_call_id: null },
    ];
    assert.deepEqual(body('generic', { messages })['messages'], [
      { role: 'user', content: 'ab' },
      { role: 'user', content: image },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', content: 'd', tool_call_id: 'c' },
      { role: 'assistant', content: 'e' },
      { role: 'user', name: 'n', content: 'f' },
    ]);
    assert.deepEqual(body('generic', { messages }, true)['messages'].slice(2, 5), [
      { role: 'assistant', content: '{"name":"f","arguments":"{}"}' },
      { role: 'user', content: 'Result of the function call: d' },
      { role: 'assistant', content: 'e' },
    ]);
  });

  it('has several calls line by line for a model that knows none, and the one that is forced beside a format', () => {
    const call = (name: string): object => ({ id: name, type: 'function', function: { name, arguments: '{}' } });
    const messages = [{ role: 'assistant', content: null, tool_calls: [call('f'), call('g')] }];
    assert.deepEqual(body('generic', { messages }, true)['messages'], [
      { role: 'assistant', content: '{"name":"f","arguments":"{}"}\n{"name":"g","arguments":"{}"}' },
    ]);
    const forced = body(
      'generic',
      { tools: [tool('f')], tool_choice: 'required', response_format: { type: 'json_object' } },
      true,
    );
    assert.equal(forced['response_format'].json_schema.name, 'function_call');
  });

  it("asks for JSON in the server's own way", () => {
    const format = (kind: UpstreamKind, response_format: object): unknown =>
      body(kind, { response_format })['response_format'];
    assert.deepEqual(
      [format('generic', { type: 'text' }), format('generic', { type: 'json_object' })],
      [undefined, { type: 'json_object' }],
    );
    assert.deepEqual(format('lmstudio', { type: 'json_object' }), {
      type: 'json_schema',
      json_schema: { name: 'object', schema: { type: 'object' } },
    });
    const asked = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'array' }, strict: true } };
    assert.deepEqual(format('generic', asked), asked);
    assert.deepEqual(format('llama-cpp-python', asked), { type: 'json_object', schema: { type: 'array' } });
  });

  it('offers functions as the server takes them', () => {
    const [f, g] = [tool('f'), tool('g')];
    const sent = (kind: UpstreamKind, tool_choice: unknown): unknown[] => {
      const { tools, tool_choice: choice } = body(kind, { tools: [f, g], tool_choice });
      return [tools, choice];
    };
    const forced = { type: 'function', function: { name: 'g' } };
    assert.deepEqual(sent('generic', undefined), [[f, g], 'auto']);
    assert.deepEqual(sent('generic', 'required'), [[f, g], 'required']);
    assert.deepEqual(sent('generic', forced), [[f, g], forced]);
    assert.deepEqual(sent('lmstudio', forced), [[g], 'required']);
    assert.deepEqual(
      [sent('generic', 'none'), sent('vllm', 'none')],
      [
        [undefined, undefined],
        [[f, g], 'none'],
      ],
    );
    assert.deepEqual(body('vllm', { tools: [] })['tools'], undefined);
  });

  it('tells a model that knows no functions what it may call, after its own instruction', () => {
    const [f, g] = [tool('f'), tool('g')];
    const system = { role: 'system', content: 'Be short.' };
    const one = body('ollama', {
      messages: [system, hello],
      tools: [f, g],
      tool_choice: { type: 'function', function: { name: 'g' } },
    });
    assert.deepEqual(one['messages'], [
      {
        role: 'system',
        content:
          'Be short.\n\nAnswer with nothing but the JSON object of arguments for a call of this function:\n- ' +
          'g: Does g Parameters as JSON schema: {"type":"object","properties":{}}',
      },
      hello,
    ]);
    assert.deepEqual(one['response_format'].json_schema, {
      name: 'function_call',
      schema: { type: 'object', properties: {} },
    });
    const any = body('ollama', { tools: [f, g], tool_choice: 'required' });
    assert.deepEqual([any['messages'].length, any['messages'][0].role, any['messages'][1]], [2, 'system', hello]);
    assert.doesNotMatch(any['messages'][0].content, /If none of them helps/);
    assert.equal(any['response_format'].json_schema.schema.anyOf.length, 2);
    const free = body('generic', { tools: [f] }, true);
    assert.match(free['messages'][0].content, /If none of them helps, answer with a JSON object \{"answer"\} instead/);
    assert.equal(free['response_format'].json_schema.schema.anyOf.length, 2);
    assert.equal(free['tools'], undefined);
    assert.throws(
      () => body('generic', { tools: [f], response_format: { type: 'json_object' } }, true),
      /both cannot be emulated at once\. Leave one of them out, or force a function/,
    );
    assert.equal(body('generic', { tools: [f], tool_choice: 'none' }, true)['response_format'], undefined);
    const format = { type: 'json_object' };
    assert.deepEqual(
      body('generic', { tools: [f], tool_choice: 'none', response_format: format }, true)['response_format'],
      format,
      'what is asked for beside functions that may not be called',
    );
  });
});
