import assert from 'node:assert/strict';
import {
  asChatChunk,
  asCompletionChunk,
  chatText,
  completionText,
  wholeAsChatChunk,
} from '../../../../../src/api/client/inference/chunk.ts';

// What is left of a field that was understood as nothing is `undefined`, which is as good as absent.
const chat = (chunk: object): unknown => JSON.parse(JSON.stringify(asChatChunk(structuredClone(chunk))));
const completion = (chunk: object): unknown => JSON.parse(JSON.stringify(asCompletionChunk(structuredClone(chunk))));
const choice = (fields: object): unknown => (chat({ choices: [fields] }) as { choices: unknown[] }).choices[0];
const delta = (fields: object): unknown => (choice({ delta: fields }) as { delta: unknown }).delta;

describe('a chunk as it was received', () => {
  it('is an object', () => {
    for (const read of [asChatChunk, asCompletionChunk, wholeAsChatChunk])
      for (const value of [undefined, null, 'x', 5, true, [], [{}]]) assert.equal(read(value), undefined);
  });

  it('keeps what is as it should be, and what it does not know', () => {
    const usage = { completion_tokens: 1, prompt_tokens: 2, total_tokens: 3, more: { a: null } };
    const whole = {
      id: 'i',
      object: 'o',
      model: 'm',
      created: 5,
      usage,
      later: null,
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: 'c',
            tool_calls: [{ index: 0, id: 'i', type: 'function', function: { name: 'n', arguments: '{}' } }],
            more: 1,
          },
          finish_reason: 'stop',
          logprobs: { content: [{ token: 't', logprob: -1, bytes: [1], top_logprobs: [{ token: 'u', logprob: -2 }] }] },
        },
      ],
    };
    assert.deepEqual(chat(whole), whole);
    const text = {
      id: 'i',
      object: 'o',
      model: 'm',
      created: 5,
      usage,
      choices: [{ index: 0, text: 't', finish_reason: 'x' }],
    };
    assert.deepEqual(completion(text), text);
  });

  for (const [name, read] of [
    ['chat', chat],
    ['completion', completion],
  ] as const)
    it(`of a ${name} has texts and numbers where they belong, and goes without what is neither`, () => {
      for (const field of ['id', 'object', 'model'])
        assert.deepEqual(
          [7, true, null, {}, ['x']].map((value) => read({ [field]: value })),
          [{ [field]: '7' }, { [field]: 'true' }, {}, {}, {}],
          field,
        );
      assert.deepEqual(
        ['5', ' 5 ', '', ' ', 'x', null, true, {}].map((created) => read({ created })),
        [{ created: 5 }, { created: 5 }, {}, {}, {}, {}, {}, {}],
      );
      for (const field of ['completion_tokens', 'prompt_tokens', 'total_tokens'])
        assert.deepEqual(
          ['5', 'x', null].map((value) => read({ usage: { [field]: value } })),
          [{ usage: { [field]: 5 } }, { usage: {} }, { usage: {} }],
          field,
        );
      assert.deepEqual(
        [null, 5, 'x', []].map((usage) => read({ usage })),
        [{}, {}, {}, {}],
      );
      assert.deepEqual(
        [null, {}, 'x', [null, 5, { index: '1' }, []]].map((choices) => read({ choices })),
        [{}, {}, {}, { choices: [{ index: 1 }] }],
      );
      assert.deepEqual(
        [null, 5, {}, true].map((finish_reason) => read({ choices: [{ finish_reason }] })),
        [{}, { finish_reason: '5' }, {}, { finish_reason: 'true' }].map((only) => ({ choices: [only] })),
      );
    });

  it('of a completion has its text as text', () => {
    assert.deepEqual(
      [5, null, {}, 'a'].map((text) => completion({ choices: [{ text }] })),
      [{ text: '5' }, {}, {}, { text: 'a' }].map((only) => ({ choices: [only] })),
    );
  });

  it('of a chat has a message that can be read, whatever is odd in it', () => {
    assert.deepEqual(
      [null, 'x', 5, [], [{ content: 'a' }]].map((odd) => choice({ delta: odd })),
      [{}, {}, {}, {}, {}],
    );
    assert.deepEqual(
      [5, null, {}].map((role) => delta({ role, content: 'a' })),
      [{ role: '5', content: 'a' }, { content: 'a' }, { content: 'a' }],
    );
    assert.deepEqual(
      [5, true, null, undefined].map((content) => delta({ content })),
      [{ content: '5' }, { content: 'true' }, {}, {}],
    );
  });

  it('of a chat has parts of its content with a type and a text', () => {
    assert.deepEqual(delta({ content: { type: 'reasoning', text: 5 } }), {
      content: [{ type: 'reasoning', text: '5' }],
    });
    assert.deepEqual(delta({ content: ['a', { text: 'b' }, { type: 7, text: null }, null, 5, ['x']] }), {
      content: [{ type: 'text', text: 'a' }, { text: 'b', type: 'text' }, { type: 'text' }],
    });
  });

  it('of a chat has calls with texts, and arguments as the text of their JSON', () => {
    const calls = (value: unknown): unknown =>
      (delta({ content: 'c', tool_calls: value }) as { tool_calls: unknown }).tool_calls;
    assert.deepEqual(
      [null, {}, 'x'].map((value) => calls(value)),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(calls([{ index: '1', id: 5, type: 6, function: { name: 7, arguments: { a: [1] } } }, null]), [
      { index: 1, id: '5', type: '6', function: { name: '7', arguments: '{"a":[1]}' } },
    ]);
    assert.deepEqual(calls([{ function: { name: null, arguments: null } }, { function: 'x' }, { id: null }]), [
      { function: {} },
      {},
      {},
    ]);
    assert.deepEqual(calls([{ function: { arguments: 5 } }]), [{ function: { arguments: '5' } }]);
  });

  it('of a chat has log probabilities as numbers beside their tokens', () => {
    const logprobs = (value: unknown): unknown =>
      (choice({ delta: { content: 'c' }, logprobs: value }) as { logprobs?: unknown }).logprobs;
    assert.deepEqual(
      [null, 5, [], { content: null }, { content: {} }].map((value) => logprobs(value)),
      [undefined, undefined, undefined, {}, {}],
    );
    const odd = { token: 5, logprob: '-1.5', bytes: null };
    const right = { token: '5', logprob: -1.5 };
    assert.deepEqual(logprobs({ content: [{ ...odd, top_logprobs: [odd, null, { token: null, logprob: null }] }] }), {
      content: [{ ...right, top_logprobs: [right, {}] }],
    });
  });
});

describe('an answer that came whole', () => {
  it('is one chunk, whose message is what is said', () => {
    const message = { role: 'assistant', content: 'c' };
    assert.deepEqual(
      wholeAsChatChunk({ id: 'i', usage: null, choices: [{ index: '1', message, finish_reason: 'stop' }] }),
      {
        id: 'i',
        usage: undefined,
        choices: [{ index: 1, delta: message, finish_reason: 'stop' }],
      },
    );
    assert.deepEqual(wholeAsChatChunk({ choices: [{ delta: { content: 'd' }, message }] })?.choices, [
      { delta: { content: 'd' }, finish_reason: 'stop' },
    ]);
    assert.deepEqual(JSON.parse(JSON.stringify(wholeAsChatChunk({ choices: null }))), {});
  });
});

describe('the text of a chunk', () => {
  const piece = { id: 'i', choices: [{ index: 0, delta: { role: 'assistant', content: 'a' } }] };

  it('is the content of its only choice, where nothing else is told', () => {
    assert.equal(chatText.field, 'content');
    assert.equal(chatText.plainText(piece), 'a');
    assert.equal(chatText.plainText({ choices: [{ delta: { content: '' } }] }), '');
    for (const other of [
      {},
      { choices: [] },
      { choices: [{ index: 0 }] },
      { choices: [piece.choices[0]!, { index: 1 }] },
      { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] },
      { choices: [{ delta: { content: [{ type: 'text' as const, text: 'a' }] } }] },
      { choices: [{ delta: { content: 'a', tool_calls: [] } }] },
      { choices: [{ delta: { content: 'a' }, logprobs: { content: [] } }] },
      { choices: [{ delta: { content: 'a' } }], usage: { total_tokens: 1 } },
    ])
      assert.equal(chatText.plainText(other as never), undefined, JSON.stringify(other));
  });

  it('is put in the place of another with all that is beside it', () => {
    assert.deepEqual(chatText.withText(piece, 'b'), {
      id: 'i',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'b' } }],
    });
    assert.deepEqual(completionText.withText({ id: 'i', choices: [{ index: 3, text: 'a' }] }, 'b'), {
      id: 'i',
      choices: [{ index: 3, text: 'b' }],
    });
  });

  it('of a completion is the text of its only choice', () => {
    assert.equal(completionText.field, 'text');
    assert.equal(completionText.plainText({ choices: [{ index: 0, text: 'a' }] }), 'a');
    for (const other of [
      {},
      { choices: [] },
      { choices: [{ index: 0 }] },
      { choices: [{ text: 'a' }, { text: 'b' }] },
      { choices: [{ text: 'a', finish_reason: 'stop' }] },
      { choices: [{ text: 'a', logprobs: {} }] },
      { choices: [{ text: 'a' }], usage: { total_tokens: 1 } },
    ])
      assert.equal(completionText.plainText(other as never), undefined, JSON.stringify(other));
  });
});
