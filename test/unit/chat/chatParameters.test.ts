import assert from 'node:assert/strict';
import { checkParameters, parameterFields } from '../../../src/chat/chatParameters.ts';

describe('the parameters of a request', () => {
  it('have a field that is ours, and does what the kind of endpoint needs', () => {
    const own = [undefined, 'completion', 'embedding'] as const;
    assert.deepEqual(
      own.map((task) => parameterFields(task)[0]),
      [
        {
          name: 'system',
          kind: 'text',
          description:
            'What the model is told first. Sent as the first message of the conversation, in the role "system".',
        },
        {
          name: 'each_line',
          kind: 'boolean',
          description: 'Each line is a prompt of its own; they are sent as a list.',
          defaultText: 'false',
        },
        {
          name: 'each_line',
          kind: 'boolean',
          description: 'Each line is a text of its own; they are sent as a list.',
          defaultText: 'false',
        },
      ],
    );
    for (const task of own) assert.equal(parameterFields(task), parameterFields(task), 'made once for each');
  });

  it('are said to be wrong, one a line, with what to do about it', () => {
    assert.deepEqual(checkParameters({ temperature: 9, max_tokens: 0 }), {
      kind: 'invalid',
      message: 'max_tokens: must be at least 1, not 0.\ntemperature: must be at most 2, not 9.',
      remedy: 'Correct the value or leave the field empty.',
    });
    assert.equal(checkParameters({ echo: 'x' }, 'completion')?.message.split(':')[0], 'echo');
    assert.equal(checkParameters({ instruction: 1 }, 'embedding')?.message.split(':')[0], 'instruction');
  });

  it('are wrong also where they would take the place of what the conversation gives', () => {
    for (const [parameters, task] of [
      [{ messages: [] }, undefined],
      [{ prompt: 5 }, 'completion'],
      [{ input: 5 }, 'embedding'],
    ] as const)
      assert.equal(checkParameters(parameters as never, task)?.message.split(':')[0], Object.keys(parameters)[0]);
  });
});

describe('the form of a request', () => {
  const fields = new Map(parameterFields().map((field) => [field.name, field]));

  it('takes kinds, limits and defaults from the schema', () => {
    const pick = (name: string): unknown => {
      const { kind, minimum, aboveMinimum, maximum, defaultText } = fields.get(name) ?? {};
      return [kind, minimum, aboveMinimum, maximum, defaultText];
    };
    assert.deepEqual(pick('temperature'), ['number', 0, undefined, 2, '1']);
    assert.deepEqual(pick('top_p'), ['number', 0, true, 1, '1']);
    assert.deepEqual(pick('max_tokens'), ['integer', 1, undefined, undefined, undefined]);
    assert.deepEqual(pick('top_logprobs'), ['integer', 0, undefined, 20, undefined]);
    assert.deepEqual(pick('logprobs'), ['boolean', undefined, undefined, undefined, 'false']);
    assert.deepEqual(
      ['stop', 'response_format', 'tools', 'tool_choice', 'stream'].map((name) => fields.get(name)?.kind),
      ['lines', 'json', 'json', 'json', 'boolean'],
    );
  });

  it('checks values by the rules of the request', () => {
    assert.equal(checkParameters({ system: 'x', temperature: 2, n: 3, stop: ['a'] }), undefined);
    assert.match(checkParameters({ temperature: 3 })?.message ?? '', /^temperature: /);
    assert.match(
      checkParameters({ temperature: 3, top_p: 7, max_tokens: 0, n: 1 })?.message ?? '',
      /^max_tokens: .*\ntemperature: .*\ntop_p: [^\n]*$/,
    );
    assert.match(checkParameters({ top_logprobs: 3 })?.message ?? '', /logprobs/);
  });

  it('has the fields of completion and embedding requests, and checks by their rules', () => {
    const names = (task: 'completion' | 'embedding'): string[] => parameterFields(task).map(({ name }) => name);
    assert.deepEqual(names('completion').slice(0, 2), ['each_line', 'temperature']);
    assert.deepEqual(
      new Set(names('completion')),
      new Set(
        'each_line temperature max_tokens top_p top_k stop n stream error_behavior suffix echo use_raw_prompt'.split(
          ' ',
        ),
      ),
    );
    assert.deepEqual(names('embedding'), ['each_line', 'instruction']);
    const behaviour = parameterFields('completion').find(({ name }) => name === 'error_behavior');
    assert.deepEqual([behaviour?.kind, behaviour?.options], ['choice', ['truncate', 'error']]);
    assert.equal(checkParameters({ echo: true, suffix: '!', each_line: true }, 'completion'), undefined);
    assert.match(checkParameters({ n: 0, top_k: 0 }, 'completion')?.message ?? '', /^top_k: .*\nn: /);
    assert.match(checkParameters({ instruction: 3 }, 'embedding')?.message ?? '', /^instruction: /);
  });
});
