import assert from 'node:assert/strict';
import { draftChat, type ChatDraft } from '../../../../../src/service/models/guide/chatDraft.ts';
import { contextCharacters, contextTokens } from '../../../../../src/service/models/guide/guideReply.ts';
import { countTokens } from '../../../../../src/service/models/tokenizer.ts';
import type { WireChat } from '../../../../../src/service/models/wire.ts';

const messages = [{ role: 'user', content: 'What is max_retries?' }];
const head = { id: 'x', created: 7, model: 'guide' };
const answer = (more: object): ChatDraft | Uint8Array =>
  draftChat({ request: { messages, ...more } as never, nowInMs: 0, head });

function draft(more: object = {}): ChatDraft {
  const given = answer({ stream: true, ...more });
  assert.ok(!(given instanceof Uint8Array));
  return given;
}

function whole(more: object = {}): WireChat {
  const given = answer(more);
  assert.ok(given instanceof Uint8Array);
  return JSON.parse(new TextDecoder().decode(given)) as WireChat;
}

const asking = (...content: unknown[]): object => ({
  messages: content.map((each) => ({ role: 'user', content: each })),
});
const functions = (...names: string[]): object[] =>
  names.map((name) => ({ type: 'function', function: { name, description: `The ${name}` } }));

describe("a draft of the guide's answer", () => {
  it('counts the prompt with its roles and its tools, in which a number may have more digits than a double', () => {
    const plain = draft().usage.prompt_tokens;
    assert.equal(plain, countTokens('user What is max_retries? '));
    const tools = [
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters: { type: 'object', maximum: 9007199254740993n } },
      },
    ];
    const written =
      '[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","maximum":"9007199254740993"}}}]';
    assert.equal(draft({ tools, tool_choice: 'none' }).usage.prompt_tokens, plain + countTokens(written));
  });

  it('counts the calls that were made, with their arguments, and each message', () => {
    const calls = [{ id: '1', type: 'function', function: { name: 'other', arguments: '{"a": 1}' } }];
    const more = [
      { role: 'assistant', content: null, tool_calls: [...calls, ...calls] },
      { role: 'tool', content: 'Three.', tool_call_id: '1' },
    ];
    assert.equal(
      draft({ messages: [...messages, ...more] }).usage.prompt_tokens,
      countTokens('user What is max_retries? ') +
        countTokens('assistant  other{"a": 1} other{"a": 1}') +
        countTokens('tool Three. '),
    );
  });

  it('reads as much as the context holds, and refuses one character or token more', () => {
    const blanks = ' '.repeat(contextCharacters - 5);
    assert.equal(draft(asking(blanks, 'Hello')).text, draft(asking('Hello')).text);
    assert.throws(() => draft(asking(`${blanks} `, 'Hello')), {
      kind: 'invalid',
      status: 400,
      message: 'The conversation has 500001 characters; guide reads at most 500000. Shorten it or start a new one.',
    });
    const full = 'a '.repeat(contextTokens - 5).trimEnd();
    assert.equal(draft(asking(full, 'Hello')).usage.prompt_tokens, contextTokens);
    assert.throws(() => draft(asking(`${full} a`, 'Hello')), {
      kind: 'invalid',
      status: 400,
      message:
        'The conversation has 32769 tokens; the context length of guide is 32768. Shorten it or start a new one.',
    });
  });

  it('reads the text of several parts, and refuses pictures among them', () => {
    const text = { type: 'text', text: 'What is max_retries?' };
    assert.deepEqual(draft(asking([text])), draft());
    assert.throws(() => draft(asking([text, { type: 'image_url', image_url: { url: 'x' } }])), {
      status: 400,
      message:
        'The built-in guide reads text only, not a part of the type "image_url". Leave it out or use a model that reads it.',
    });
  });

  it('is told of its whole length where that is too much to be given', () => {
    const n = 1_000_000;
    const { text } = draft({ max_tokens: 20 });
    for (const stream of [true, false])
      assert.throws(() => answer({ max_tokens: 20, n, stream }), {
        message: new RegExp(
          `^The answer would have ${text.length * n} characters; at most 33554432 are given at once\\.`,
        ),
      });
    const forced = { tools: functions('look'), tool_choice: 'required', stream: true };
    const given = draft(forced).toolCall?.function.arguments.length ?? 0;
    assert.throws(() => answer({ ...forced, n: 20_000_000 }), {
      message: new RegExp(`^The answer would have ${given * 20_000_000} characters`),
    });
  });
});

describe("the guide's whole answer", () => {
  it('has each choice with its tokens, of which none could have been another', () => {
    const entry = (token: string): object => ({ token, logprob: 0, bytes: [...Buffer.from(token)] });
    const prompt = countTokens('user What is max_retries? ');
    const answered = whole({ max_tokens: 2, n: 2, logprobs: true, top_logprobs: 1 });
    const choice = (index: number): object => ({
      index,
      message: { role: 'assistant', content: '**' },
      finish_reason: 'length',
      logprobs: { content: ['*', '*'].map((token) => ({ ...entry(token), top_logprobs: [entry(token)] })) },
    });
    assert.deepEqual(answered, {
      ...head,
      object: 'chat.completions',
      choices: [choice(0), choice(1)],
      usage: { prompt_tokens: prompt, completion_tokens: 4, total_tokens: prompt + 4 },
    });
    assert.deepEqual(whole({ max_tokens: 1, logprobs: true }).choices[0]?.logprobs?.content?.[0]?.top_logprobs, []);
    for (const logprobs of [false, undefined]) {
      const { choices } = whole({ max_tokens: 1, logprobs });
      assert.deepEqual(choices, [{ index: 0, message: { role: 'assistant', content: '*' }, finish_reason: 'length' }]);
    }
  });

  it('is the text of the stream, or its call', () => {
    assert.equal(whole().choices[0]?.message.content, draft().text);
    assert.equal(whole().choices[0]?.finish_reason, 'stop');
    const { choices, usage } = whole({ tools: functions('look'), tool_choice: 'required', n: 2 });
    const { id, ...call } = choices[0]?.message.tool_calls?.[0] ?? {};
    assert.match(id ?? '', /^call-/);
    assert.deepEqual(call, { type: 'function', function: { name: 'look', arguments: '{}' } });
    assert.deepEqual(
      choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason]),
      [
        [0, null, 'tool_calls'],
        [1, null, 'tool_calls'],
      ],
    );
    assert.equal(usage.completion_tokens, 2 * countTokens('look{}'));
  });
});

describe("the guide's answer in JSON", () => {
  const format = (response_format: object, more: object = {}): unknown =>
    JSON.parse(draft({ response_format, ...more }).text);
  const schema = (properties: object, name = 'answer'): object => ({
    type: 'json_schema',
    json_schema: { name, schema: { type: 'object', properties, required: Object.keys(properties) } },
  });

  it('is what was found with all that it rests on, or what the schema asks for', () => {
    const { answer: said, found, path, type } = format({ type: 'json_object' }) as Record<string, unknown>;
    assert.deepEqual([typeof said, found, path, type], ['string', true, 'max_retries', 'whole number']);
    assert.deepEqual(format(schema({ path: { type: 'string' }, found: { type: 'boolean' } })), {
      path: 'max_retries',
      found: true,
    });
    assert.equal((format({ type: 'json_object' }, asking('zebra')) as { found?: unknown }).found, false);
    assert.match(draft({ response_format: { type: 'json_object' } }).text, /^\{\n {2}"answer": /);
    assert.match(draft({ response_format: schema({ path: { type: 'string' } }) }).text, /^\{\n {2}"path": /);
    for (const type of ['text', 'json_schema'])
      assert.equal(draft({ response_format: { type } }).text, draft().text, type);
  });

  it('is refused where nothing fits', () => {
    assert.throws(() => format(schema({ a: false }, 'odd')), {
      status: 400,
      message: 'The built-in guide found no JSON that satisfies the schema "odd". Simplify it or use a language model.',
    });
  });
});

describe("the guide's answer where functions are offered", () => {
  const own = functions('list_runs', 'list_jobs', 'get_run');
  const called = (more: object): string | undefined => {
    const { toolCall, text, count, finishReason } = draft(more);
    if (!toolCall) return undefined;
    assert.deepEqual([text, count, finishReason], ['', 0, 'tool_calls']);
    return `${toolCall.function.name} ${toolCall.function.arguments}`;
  };

  for (const [text, expected] of [
    ['Which runs failed today?', 'list_runs {"state":"failed","since":"today"}'],
    ['Which runs faield today?', 'list_runs {"state":"failed","since":"today"}'],
    ['Which runs failed today?\n```\nlog\n```', 'list_runs {"state":"failed","since":"today"}'],
    ['What is max_retries?', undefined],
  ] as const)
    it(`calls ${expected ?? 'none'} for ${JSON.stringify(text)}`, () =>
      assert.equal(called({ ...asking(text), tools: own }), expected));

  it('calls none where that is not left to it, and says that it cannot look', () => {
    const { text, toolCall } = draft({ ...asking('Which runs failed today?'), tools: own, tool_choice: 'none' });
    assert.equal(toolCall, undefined);
    assert.match(text, /^I cannot look at your jobs and runs here/);
    assert.equal(draft(asking('Which runs failed today?')).text, text);
  });

  it('calls what is forced, or the most fitting one', () => {
    const tools = functions('weather', 'max_retries');
    assert.equal(called({ tools, tool_choice: { type: 'function', function: { name: 'weather' } } }), 'weather {}');
    assert.equal(called({ tools, tool_choice: 'required' }), 'max_retries {}');
    assert.equal(
      called({ ...asking('Which runs failed today?'), tools: own, tool_choice: 'required' }),
      'list_runs {}',
    );
    assert.equal(called({ ...asking('Weather?'), tools }), 'weather {}');
  });

  it('reports what a function gave, unless its own ones turned out to have nothing to do with it', () => {
    const after = (text: string, name: string, content: string): object => ({
      messages: [
        { role: 'user', content: text },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', type: 'function', function: { name, arguments: '{}' } }],
        },
        { role: 'tool', content, tool_call_id: '1' },
      ],
      tools: own,
    });
    assert.equal(draft(after('What is the weather?', 'weather', '42')).text, 'The tool answered:\n\n> 42');
    const none = JSON.stringify({ profile: 'P', count: 0, jobs: [] });
    const { text } = draft(after('What does autoscale do?', 'list_jobs', none));
    assert.doesNotMatch(text, /The tool answered|no jobs/);
    assert.match(text, /max_workers/);
  });
});
