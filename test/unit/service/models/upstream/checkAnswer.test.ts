import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import {
  problemOf,
  requiresCall,
  type AnswerProblem,
  type ModelMessage,
} from '../../../../../src/service/models/upstream/checkAnswer.ts';

const parameters = { properties: { a: { type: 'integer' } }, required: ['a'] };
const tool = (name: string): object => ({ type: 'function', function: { name, description: 'd', parameters } });
const tools = [tool('f'), tool('g')];
const forced = { type: 'function', function: { name: 'g' } };
const call = (name: string, given = '{"a":1}'): object => ({
  id: name,
  type: 'function',
  function: { name, arguments: given },
});
const schemaOf = (schema?: object): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
});
const json = { response_format: { type: 'json_object' } };

describe('an answer of a model beside what was asked for', () => {
  const problem = (request: object, message: object, signal?: AbortSignal): Promise<AnswerProblem | undefined> =>
    problemOf(
      { content: '', toolCalls: [], finishReason: 'stop', ...message } as ModelMessage,
      { messages: [], ...request } as ChatRequest,
      signal,
    );
  const text = async (request: object, message: object): Promise<string | undefined> => {
    const found = await problem(request, message);
    if (found) assert.equal(found.code, 'other');
    return found?.text;
  };

  it('must have a call where the request leaves no other way', async () => {
    for (const [tool_choice, isRequired] of [
      ['required', true],
      [forced, true],
      ['auto', false],
      ['none', false],
      [undefined, false],
      [null, false],
    ] as const) {
      const request = { tools, tool_choice } as object;
      assert.equal(requiresCall({ messages: [], ...request } as ChatRequest), isRequired);
      assert.deepEqual(
        await problem(request, { content: 'text' }),
        isRequired ? { code: 'noCall', text: 'it called no function, although a call was required' } : undefined,
      );
    }
    for (const none of [
      { tool_choice: 'required' },
      { tool_choice: 'required', tools: [] },
      { tool_choice: 'required', tools: null },
    ])
      assert.equal(requiresCall({ messages: [], ...none } as unknown as ChatRequest), false);
    assert.equal(await problem({ tools, tool_choice: 'required' }, { toolCalls: [call('f')] }), undefined);
  });

  it('that was cut by a limit is not judged', async () => {
    for (const finishReason of ['length', 'content_filter']) {
      assert.equal(await problem({ tools, tool_choice: 'required' }, { finishReason }), undefined);
      assert.equal(await problem(json, { content: '{"a', finishReason }), undefined);
    }
    for (const finishReason of ['stop', 'tool_calls', 'other'])
      assert.ok(await problem(json, { content: '{"a', finishReason }), finishReason);
  });

  it('calls what it may, and each function with its arguments', async () => {
    assert.equal(
      await text({ tools, tool_choice: 'none' }, { toolCalls: [call('f')] }),
      'it called f, although no call was allowed',
    );
    assert.equal(await text({}, { toolCalls: [call('f')] }), 'it called f, although no call was allowed');
    assert.equal(
      await text({ tools, tool_choice: forced }, { toolCalls: [call('f')] }),
      'it called f, although g was forced',
    );
    assert.equal(await text({ tools, tool_choice: forced }, { toolCalls: [call('g')] }), undefined);
    assert.equal(
      await text({ tools }, { toolCalls: [call('f'), call('h')] }),
      'it called h, which is not among the functions',
    );
    for (const given of ['{"a":"x"}', '{}', '[]', '{"a":', ''])
      assert.match(
        (await text({ tools }, { toolCalls: [call('f'), call('g', given)] })) ?? '',
        /^the arguments of g do not fit its schema: /,
        given,
      );
    // Without a schema of its own a function still takes an object.
    const bare = [{ type: 'function', function: { name: 'f', description: 'd' } }];
    assert.equal(await text({ tools: bare }, { toolCalls: [call('f', '{"any":1}')] }), undefined);
    assert.match((await text({ tools: bare }, { toolCalls: [call('f', '5')] })) ?? '', /^the arguments of f/);
  });

  it('is the JSON that was asked for, unless it calls', async () => {
    for (const [request, content, isRight] of [
      [json, '{"a":1}', true],
      [json, '[1]', false],
      [json, 'text', false],
      [schemaOf({ type: 'array' }), '[1]', true],
      [schemaOf({ type: 'array' }), '{}', false],
      [schemaOf(), '[1]', true],
      [schemaOf(), 'text', false],
      [{ response_format: { type: 'text' } }, 'text', true],
      [{ response_format: null }, 'text', true],
      [{}, 'text', true],
    ] as const)
      assert.equal((await text(request, { content })) === undefined, isRight, `${JSON.stringify(request)} ${content}`);
    assert.equal(await text({ ...json, tools }, { content: 'text', toolCalls: [call('f')] }), undefined);
  });

  it('is looked at no longer than somebody waits, and is not passed on where that is not clear in time', async function () {
    this.timeout(120_000);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await assert.rejects(problem(json, { content: '{}' }, stop.signal), /enough/);
    const endless = { type: 'string', pattern: '^(a+)+$' };
    await assert.rejects(
      problem(schemaOf(endless), { content: JSON.stringify(`${'a'.repeat(40)}!`) }),
      (error: Error & { status?: number; remedy?: string }) =>
        /was not clear after \d+ s, so it was not passed on\./.test(error.message) &&
        /Simplify the schema and the patterns in it\./.test(`${error.message} ${error.remedy ?? ''}`),
    );
  });
});
