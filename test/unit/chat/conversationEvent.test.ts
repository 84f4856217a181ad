import assert from 'node:assert/strict';
import { maxCompletions } from '../../../src/api/schema/inference/requestLimits.ts';
import { conversationEventSchema } from '../../../src/chat/conversationEvent.ts';

const takes = (value: unknown): boolean => conversationEventSchema.safeParse(value).success;
const without = (value: object, name: string): object =>
  Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));

const choice = {
  choice: 0,
  text: 'x',
  reasoning: 'hm',
  toolCalls: [{ index: 0, id: 'c', name: 'f', arguments: '{}' }],
  logprobs: [{ token: 't', logprob: -1, alternatives: [{ token: 'u', logprob: -2 }] }],
  finishReason: 'stop',
};
const runs = [{ profileId: 'p', runId: '5', label: 'etl #5', isBad: true }];
const results = [{ toolCallId: 'c', content: '4', name: 'f', runs }];
const attachments = [{ label: 'a.py', language: 'python', text: 'x' }];
const parameters = { temperature: 0.5, stop: ['x'], tools: [{ deep: { deeper: null } }] };

/** Each event with everything it may have, and what of that may be missing. */
const whole: [event: Record<string, unknown>, optional: string[]][] = [
  [{ type: 'created', id: 'c', title: '', profile: { id: 'p', name: 'P' }, atMs: 1 }, ['profile']],
  [{ type: 'renamed', title: 'T', atMs: 1 }, []],
  [{ type: 'profileChosen', profile: { id: 'p', name: 'P' }, atMs: 1 }, []],
  [{ type: 'endpointChosen', endpoint: 'e', task: 'embedding', atMs: 1 }, ['task']],
  [{ type: 'parametersChanged', parameters, atMs: 1 }, []],
  [
    { type: 'userAdded', id: 'u', parentId: null, text: '', attachments, toolResults: results, atMs: 1 },
    ['attachments', 'toolResults'],
  ],
  [
    { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'e', parameters, offersTools: true, atMs: 1 },
    ['parameters', 'offersTools'],
  ],
  [
    {
      type: 'answerDelta',
      id: 'a',
      choices: [choice],
      model: 'm',
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      atMs: 1,
    },
    ['model', 'usage', 'atMs'],
  ],
  [
    {
      type: 'answerEnded',
      id: 'a',
      status: 'cutOff',
      failure: { kind: 'network', message: 'No.', remedy: 'Wait.', details: 'reset' },
      atMs: 1,
    },
    ['failure'],
  ],
  [{ type: 'variantSelected', id: 'a' }, []],
  [{ type: 'choiceSelected', id: 'a', choice: 1 }, []],
];

describe('an event of a conversation', () => {
  for (const [event, optional] of whole)
    it(`${String(event['type'])} is read whole, also without what may be missing, and not without the rest`, () => {
      assert.deepEqual(conversationEventSchema.parse({ ...event, unknown: 1 }), event);
      for (const name of Object.keys(event))
        assert.equal(takes(without(event, name)), optional.includes(name), `without ${name}`);
    });

  it('brings pieces of as many choices and calls as there can be', () => {
    const takesPiece = (change: object): boolean =>
      takes({ type: 'answerDelta', id: 'a', choices: [{ choice: 0, ...change }] });
    for (const [change, isTaken] of [
      [{}, true],
      [{ choice: maxCompletions }, true],
      [{ choice: maxCompletions + 1 }, false],
      [{ choice: -1 }, false],
      [{ choice: 0.5 }, false],
      [{ toolCalls: [{ index: 0 }] }, true],
      [{ toolCalls: [{ index: 1000 }] }, true],
      [{ toolCalls: [{ index: 1001 }] }, false],
      [{ toolCalls: [{ index: -1 }] }, false],
      [{ toolCalls: [{ index: 0.5 }] }, false],
      [{ toolCalls: [{}] }, false],
      [{ logprobs: [{ token: 't', logprob: -1 }] }, false],
      [{ logprobs: [{ token: 't', alternatives: [] }] }, false],
      [{ text: 5 }, false],
    ] as const)
      assert.equal(takesPiece(change), isTaken, JSON.stringify(change));
    assert.equal(takes({ type: 'answerDelta', id: 'a', choices: [], usage: {} }), true);
  });
});
