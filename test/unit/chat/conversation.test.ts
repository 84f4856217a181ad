import assert from 'node:assert/strict';
import { maxCompletions } from '../../../src/api/schema/inference/requestLimits.ts';
import { chatRequest } from '../../../src/api/schema/inference/schemas.ts';
import { buildChatRequest, withAttachments } from '../../../src/chat/chatRequest.ts';
import {
  applyEvent,
  emptyConversation,
  shownChoice,
  streamingAnswer,
  titleOf,
  variantsOf,
  visibleTurns,
  type Answer,
  type Conversation,
  type Choice,
  type Turn,
  type UserTurn,
} from '../../../src/chat/conversation.ts';
import { type ConversationEvent, conversationEventSchema } from '../../../src/chat/conversationEvent.ts';
import { splitThoughts } from '../../../src/chat/conversationThoughts.ts';
import { toJson, toMarkdown } from '../../../src/chat/exportConversation.ts';

const user = (id: string, parentId: string | null, text = id): ConversationEvent => ({
  type: 'userAdded',
  id,
  parentId,
  text,
  atMs: 1,
});
const answer = (id: string, parentId: string): ConversationEvent => ({
  type: 'answerStarted',
  id,
  parentId,
  endpoint: 'guide',
  atMs: 2,
});
const delta = (
  choices: Extract<ConversationEvent, { type: 'answerDelta' }>['choices'],
  more: { usage?: { total_tokens: number } } = {},
): ConversationEvent => ({ type: 'answerDelta', id: 'a1', choices, ...more });
function after(...events: ConversationEvent[]): Conversation {
  return events.reduce(applyEvent, emptyConversation('c', 0));
}
const ids = (conversation: Conversation): string[] => visibleTurns(conversation).map((turn) => turn.id);

describe('the title of a conversation', () => {
  for (const [text, title] of [
    ['Why?', 'Why?'],
    ['\n  Why? \r\nBecause.', 'Why?'],
    ['', ''],
    ['a'.repeat(60), 'a'.repeat(60)],
    ['a'.repeat(61), `${'a'.repeat(59)}…`],
    [`${'a'.repeat(58)} bcd`, `${'a'.repeat(58)}…`],
  ] as const)
    it(`is ${JSON.stringify(title)} for ${JSON.stringify(text)}`, () => assert.equal(titleOf(text), title));
});

describe('a conversation', () => {
  it('keeps the old branch of an edited message and can switch back to it', () => {
    const edited = after(
      user('u1', null),
      answer('a1', 'u1'),
      user('u2', 'a1'),
      user('u1b', null),
      answer('a1b', 'u1b'),
    );
    assert.deepEqual(ids(edited), ['u1b', 'a1b']);
    const [first] = visibleTurns(edited);
    assert.deepEqual(first && variantsOf(edited, first).map((turn) => turn.id), ['u1', 'u1b']);
    assert.deepEqual(ids(applyEvent(edited, { type: 'variantSelected', id: 'u1' })), ['u1', 'a1', 'u2']);
  });

  it('shows the newest variant unless an existing one is selected', () => {
    const turns = after(user('u1', null), answer('a1', 'u1'), answer('a2', 'u1'));
    for (const shown of [[], [{ parentId: 'u1', childId: 'gone' }], [{ parentId: '', childId: 'a1' }]])
      assert.deepEqual(ids({ ...turns, shown }), ['u1', 'a2']);
    assert.deepEqual(ids({ ...turns, shown: [{ parentId: 'u1', childId: 'a1' }] }), ['u1', 'a1']);
  });

  it('finds the streaming answer on any branch', () => {
    const written = after(user('u1', null), answer('a1', 'u1'), user('u1b', null));
    assert.equal(streamingAnswer(written)?.id, 'a1');
    const ended = applyEvent(written, { type: 'answerEnded', id: 'a1', status: 'done', atMs: 3 });
    assert.equal(streamingAnswer(ended), undefined);
  });

  it('appends deltas by choice and tool calls by index, and keeps the last usage', () => {
    const conversation = after(
      user('u1', null),
      answer('a1', 'u1'),
      delta([
        { choice: 1, text: 'B' },
        { choice: 0, text: 'A', toolCalls: [{ index: 0, id: 'x', name: 'get', arguments: '{"a"' }] },
      ]),
      {
        type: 'answerDelta',
        id: 'a1',
        model: 'm',
        choices: [
          {
            choice: 0,
            text: 'a',
            toolCalls: [
              { index: 1, id: 'y', name: 'put' },
              { index: 0, arguments: ':1}' },
            ],
            finishReason: 'stop',
          },
        ],
        usage: { total_tokens: 3 },
      },
      { type: 'answerDelta', id: 'a1', choices: [], usage: { total_tokens: 5 } },
      { type: 'answerEnded', id: 'a1', status: 'done', atMs: 9 },
    );
    const [, turn] = visibleTurns(conversation) as [unknown, Answer];
    assert.deepEqual(turn, {
      role: 'assistant',
      id: 'a1',
      parentId: 'u1',
      endpoint: 'guide',
      model: 'm',
      status: 'done',
      shownChoice: 0,
      createdAtMs: 2,
      endedAtMs: 9,
      failure: undefined,
      usage: { total_tokens: 5 },
      choices: [
        {
          choice: 0,
          text: 'Aa',
          finishReason: 'stop',
          logprobs: [],
          toolCalls: [
            { index: 0, id: 'x', name: 'get', arguments: '{"a":1}' },
            { index: 1, id: 'y', name: 'put', arguments: '' },
          ],
        },
        { choice: 1, text: 'B', finishReason: undefined, logprobs: [], toolCalls: [] },
      ],
    });
  });

  it('continues from the selected choice', () => {
    const conversation = after(
      user('u1', null),
      answer('a1', 'u1'),
      delta([
        { choice: 0, text: 'A' },
        { choice: 1, text: 'B' },
      ]),
      { type: 'choiceSelected', id: 'a1', choice: 1 },
      { type: 'choiceSelected', id: 'a1', choice: 7 },
    );
    assert.equal(shownChoice(visibleTurns(conversation)[1] as Answer)?.text, 'B');
  });

  it('ignores events that do not fit', () => {
    const before = after(user('u1', null));
    const odd: ConversationEvent[] = [
      user('u1', null),
      user('u2', 'missing'),
      answer('a', 'missing'),
      { type: 'answerDelta', id: 'missing', choices: [] },
      { type: 'answerDelta', id: 'u1', choices: [{ choice: 0, text: 'x' }] },
      { type: 'answerEnded', id: 'missing', status: 'done', atMs: 3 },
      { type: 'variantSelected', id: 'missing' },
      { type: 'choiceSelected', id: 'missing', choice: 0 },
    ];
    assert.deepEqual(odd.reduce(applyEvent, before), before);
  });

  it('never changes its input and is its own snapshot', () => {
    const before = after(user('u1', null), answer('a1', 'u1'));
    const text = JSON.stringify(before);
    applyEvent(before, { type: 'answerDelta', id: 'a1', choices: [{ choice: 0, text: 'x' }] });
    applyEvent(before, user('u2', 'a1'));
    assert.equal(JSON.stringify(before), text);
    assert.deepEqual(JSON.parse(text), before);
  });
});

describe('conversationEventSchema', () => {
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
  /** Each event with all its fields, and the names of its optional fields. */
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

  for (const [event, optional] of whole)
    it(`keeps every field of ${String(event['type'])} and requires all but the optional ones`, () => {
      assert.deepEqual(conversationEventSchema.parse({ ...event, unknown: 1 }), event);
      for (const name of Object.keys(event))
        assert.equal(takes(without(event, name)), optional.includes(name), `without ${name}`);
    });

  it('limits the numbers of choices and tool calls', () => {
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

describe('splitThoughts', () => {
  it('separates the thoughts of a model from its answer', () => {
    for (const [text, thought, rest] of [
      ['<think>hm\nso</think>\n\nYes.', 'hm\nso', 'Yes.'],
      ['\n<think>\nhm\n</think>Yes.', 'hm', 'Yes.'],
      ['<think>hm', 'hm', ''],
      ['<think></think>Yes.', '', 'Yes.'],
      ['hm, so\n</think>\n\nYes.', 'hm, so', 'Yes.'],
      // An unfinished thought is trimmed at its start only, because more text can follow.
      ['<think>\n  hm \n', 'hm \n', ''],
      ['<think>', '', ''],
      ['<think> a </think>  b </think> c', 'a', 'b </think> c'],
      [' \n hm \n</think>\nYes. ', 'hm', 'Yes. '],
      ['hm\n</think>\n', 'hm', ''],
      ['hm\n</think>\nX', 'hm', 'X'],
    ])
      assert.deepEqual(splitThoughts(text ?? ''), { thought, text: rest }, text);
  });

  it('leaves text alone that only resembles thoughts', () => {
    for (const text of [
      'Yes.',
      'Use <think> tags.',
      'a </think> b',
      '<thinking>x',
      'x\n<think>y\n</think>\n',
      '',
      ' ',
      '\n\n',
      'a\n</think>',
      'a</think>\nb',
      'hm <',
    ])
      assert.deepEqual(splitThoughts(text), { thought: '', text }, text);
  });

  it('hides an opening tag that is still arriving', () => {
    for (const text of ['<', '<thi', ' <think']) assert.deepEqual(splitThoughts(text), { thought: '', text: '' });
  });
});

describe('buildChatRequest', () => {
  const user = (text: string, more: Partial<UserTurn> = {}): UserTurn => ({
    role: 'user',
    id: 'u',
    parentId: null,
    text,
    attachments: [],
    toolResults: [],
    createdAtMs: 0,
    ...more,
  });
  const answer = (choices: Partial<Choice>[], more: Partial<Answer> = {}): Answer => ({
    role: 'assistant',
    id: 'a',
    parentId: 'u',
    endpoint: 'e',
    status: 'done',
    shownChoice: 0,
    createdAtMs: 0,
    choices: choices.map((choice, index) => ({ choice: index, text: '', toolCalls: [], logprobs: [], ...choice })),
    ...more,
  });
  function request(turns: Turn[], parameters = {}): Record<string, unknown> {
    const built = buildChatRequest(turns, parameters);
    assert.ok(chatRequest.safeParse(built).success, JSON.stringify(chatRequest.safeParse(built).error?.issues));
    return built;
  }

  it('sends each tool result once, even if the next message was never answered', () => {
    const call = { index: 0, id: 'c', name: 'f', arguments: '{}' };
    const results = user('', { toolResults: [{ toolCallId: 'c', content: '4' }] });
    const { messages } = request([user('Hi'), answer([{ toolCalls: [call] as never }]), results, user('So?')]);
    assert.deepEqual(
      (messages as { role: string }[]).map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user'],
    );
  });

  it('sends the system prompt once at the start and the parameters beside the messages', () => {
    assert.deepEqual(
      request([user('Hi'), answer([{ text: 'Ho' }]), user('So')], { system: 'Be short.', temperature: 0, stop: ['x'] }),
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Ho' },
          { role: 'user', content: 'So' },
        ],
        temperature: 0,
        stop: ['x'],
      },
    );
    assert.deepEqual(request([user('Hi')], { system: ' ' }), { messages: [{ role: 'user', content: 'Hi' }] });
  });

  it('omits thoughts', () => {
    const turns = [user('1'), answer([{ text: '<think>hm</think>A' }]), user('2'), answer([{ text: '<think>hm' }])];
    assert.deepEqual(request(turns)['messages'], [
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: '2' },
    ]);
  });

  it('sends only the shown choice and omits answers without text', () => {
    const turns = [
      user('1'),
      answer([{ text: 'A' }, { text: 'B' }], { shownChoice: 1 }),
      user('2'),
      answer([], { status: 'failed' }),
      user('3'),
    ];
    assert.deepEqual(request(turns)['messages'], [
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'B' },
      { role: 'user', content: '2\n\n3' },
    ]);
  });

  it('sends a result for each tool call', () => {
    const calls = [
      { index: 0, id: 'x', name: 'f', arguments: '{}' },
      { index: 1, id: '', name: 'g', arguments: '' },
    ];
    const turns = [
      user('1'),
      answer([{ text: 'ignored', toolCalls: calls }]),
      user('', { toolResults: [{ toolCallId: 'x', content: '42' }] }),
    ];
    assert.deepEqual(request(turns)['messages'], [
      { role: 'user', content: '1' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'call_a_1', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'x', content: '42' },
      { role: 'tool', tool_call_id: 'call_a_1', content: 'No result was given.' },
    ]);
    const cut = [user('1'), answer([{ text: 'Half', toolCalls: calls }], { status: 'cutOff' }), user('2')];
    assert.deepEqual(request(cut)['messages'], [
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'Half' },
      { role: 'user', content: '2' },
    ]);
  });

  it('fences attachments so that they can contain fences', () => {
    assert.equal(
      withAttachments('Why?', [{ label: 'a.md:1-3', language: 'markdown', text: '```py\nx\n```\n' }]),
      'a.md:1-3:\n````markdown\n```py\nx\n```\n````\n\nWhy?',
    );
  });
});

describe('an exported conversation', () => {
  const events: ConversationEvent[] = [
    { type: 'created', id: 'c', title: 'Runs', atMs: 0 },
    {
      type: 'userAdded',
      id: 'u',
      parentId: null,
      text: 'Why?',
      atMs: 0,
      attachments: [{ label: 'x.py', language: 'python', text: 'x = 1' }],
    },
    { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 0 },
    {
      type: 'answerDelta',
      id: 'a',
      choices: [
        { choice: 0, text: '<think>hm</think>**Because.**', toolCalls: [{ index: 0, name: 'f', arguments: '{}' }] },
      ],
      usage: { total_tokens: 9 },
    },
    { type: 'answerEnded', id: 'a', status: 'cutOff', failure: { kind: 'network', message: 'It broke.' }, atMs: 0 },
  ];
  const conversation: Conversation = events.reduce(applyEvent, emptyConversation('c', 0));

  it('contains the visible branch as Markdown', () => {
    assert.equal(
      toMarkdown(conversation),
      [
        '# Runs',
        '## You',
        'x.py:\n```python\nx = 1\n```',
        'Why?',
        '## guide',
        '**Because.**',
        'Tool call `f`:',
        '```json\n{}\n```',
        '*Cut off, 9 tokens – It broke.*',
        '',
      ]
        .join('\n\n')
        .replace(/\n\n$/, '\n'),
    );
  });

  it('contains everything as JSON', () => {
    assert.deepEqual(JSON.parse(toJson(conversation)), JSON.parse(JSON.stringify(conversation)));
  });
});
