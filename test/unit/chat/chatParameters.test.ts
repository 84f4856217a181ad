import assert from 'node:assert/strict';
import { checkParameters, parameterFields } from '../../../src/chat/chatParameters.ts';
import './parameterFields.part.ts';

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

  it('are right without any, of every kind, and say nothing of what is no parameter', () => {
    for (const task of [undefined, 'completion', 'embedding'] as const)
      assert.deepEqual(
        [checkParameters({}, task), checkParameters({ system: 1, each_line: 'x' }, task)],
        [undefined, undefined],
      );
  });
});
