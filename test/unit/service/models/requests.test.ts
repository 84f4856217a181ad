import assert from 'node:assert/strict';
import { createModels } from '../../../../src/service/models/models.ts';
import type { WireChat } from '../../../../src/service/models/wire.ts';
import { bodyOf, quickClock, refusal } from './support.ts';

describe('model requests', () => {
  const models = createModels({ discover: false, clock: quickClock() });
  const messages = [{ role: 'user', content: 'What is max_retries?' }];
  const look = {
    type: 'function',
    function: {
      name: 'look',
      description: 'Looks something up',
      parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    },
  };

  describe('from real clients', () => {
    it('can have null for a missing field', async () => {
      const all = `stream max_tokens temperature top_p top_k stop
      n tools tool_choice response_format logprobs top_logprobs`.split(/\s+/);
      const nothing = Object.fromEntries(all.map((name) => [name, null]));
      const text = (answer: WireChat): unknown => answer.choices[0]?.message.content;
      assert.equal(
        text(bodyOf<WireChat>(await models.invoke('guide', { messages, ...nothing }))),
        text(bodyOf<WireChat>(await models.invoke('guide', { messages }))),
      );
      const completion = {
        prompt: 'x',
        stream: null,
        error_behavior: null,
        suffix: null,
        echo: null,
        use_raw_prompt: null,
      };
      assert.equal((await models.invoke('guide-completion', completion)).kind, 'text');
      assert.equal((await models.invoke('guide-embedding', { input: 'x', instruction: null })).kind, 'text');
      const tool = {
        type: 'function',
        function: { name: 'now', description: 'The time', parameters: null, strict: null },
      };
      assert.equal((await models.invoke('guide', { messages, tools: [tool] })).kind, 'text');
    });

    it('can have an object as tool-call arguments', async () => {
      const call = { id: '1', type: 'function', function: { name: 'look', arguments: { q: 'x' } } };
      const answer = await models.invoke('guide', {
        messages: [
          ...messages,
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: '1', content: 'Three.' },
        ],
      });
      assert.equal(answer.kind, 'text');
    });

    it('can force a tool in the documented form', async () => {
      for (const choice of [{ name: 'look' }, { type: 'function', function: { name: 'look' } }]) {
        const answer = bodyOf<WireChat>(
          await models.invoke('guide', {
            messages,
            tools: [look],
            tool_choice: { type: 'function', function: choice },
          }),
        );
        assert.equal(answer.choices[0]?.message.tool_calls?.[0]?.function.name, 'look');
        assert.equal(answer.choices[0]?.finish_reason, 'tool_calls');
      }
    });

    it('are refused beyond every documented limit', async () => {
      const properties = Object.fromEntries(
        Array.from({ length: 16 }, (_, index) => [`p${index}`, { type: 'string' }]),
      );
      const broken: [string, object, RegExp][] = [
        ['guide', {}, /^messages: is required/],
        ['guide', { messages, max_tokens: 0 }, /^max_tokens: must be at least 1, not 0/],
        ['guide', { messages, temperature: 2.1 }, /^temperature: must be at most 2, not 2\.1/],
        ['guide', { messages, top_p: 0 }, /^top_p: must be greater than 0/],
        ['guide', { messages, top_logprobs: 1 }, /requires logprobs/],
        ['guide', { messages: [...messages, { role: 'system', content: 'x' }] }, /only once, as the first message/],
        ['guide', { messages: [{ role: 'developer', content: 'x' }] }, /one of system, user, assistant or tool/],
        ['guide', { messages: [{ role: 'tool', content: 'x' }] }, /tool_call_id/],
        ['guide', { messages: [{ role: 'user', content: 'x', tool_call_id: '1' }] }, /must be empty for the role user/],
        ['guide', { messages, tools: Array.from({ length: 33 }, () => look) }, /at most 32/],
        [
          'guide',
          {
            messages,
            tools: [
              {
                type: 'function',
                function: { name: 'f', description: 'd', parameters: { type: 'object', properties } },
              },
            ],
          },
          /16 properties; at most 15/,
        ],
        ['guide', { messages, tools: [{ type: 'function', function: { name: 'f' } }] }, /description: is required/],
        [
          'guide',
          { messages, tools: [look], tool_choice: { type: 'function', function: { name: 'other' } } },
          /not the name of a function in tools/,
        ],
        ['guide', { messages, response_format: { type: 'xml' } }, /one of text, json_object or json_schema/],
        ['guide-completion', { prompt: [] }, /must not be an empty list/],
        ['guide-completion', { prompt: 'x', error_behavior: 'ignore' }, /one of truncate or error/],
        ['guide-embedding', { input: 'x', stream: true }, /do not support streamed responses/],
        ['guide-embedding', { input: [1, 2] }, /input/],
      ];
      for (const [endpoint, body, message] of broken) {
        const error = await refusal(models.invoke(endpoint, body));
        assert.deepEqual(
          [error.status, error.errorCode],
          [400, 'INVALID_PARAMETER_VALUE'],
          JSON.stringify(body).slice(0, 200),
        );
        assert.match(error.message, message);
      }
    });

    it('can have empty arguments in an earlier call', async () => {
      const after = (given: string) => [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: given } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '{}' },
      ];
      for (const given of ['', ' \n', ' {"q": "x"}'])
        assert.equal((await models.invoke('guide', { messages: after(given), tools: [look] })).kind, 'text', given);
      for (const given of ['[]', '{', 'null', '"x"', '{"a":'.repeat(300)])
        assert.match(
          (await refusal(models.invoke('guide', { messages: after(given), tools: [look] }))).message,
          /^messages\[1\]\.tool_calls\[0\]\.function\.arguments: must be a JSON object as text/,
          given.slice(0, 20),
        );
    });
  });
});
