import { answerFailure } from '../../../src/chat/answerFailure.ts';
import { parameterFields, checkParameters } from '../../../src/chat/chatParameters.ts';
import { requestOf, withAttachments } from '../../../src/chat/chatRequest.ts';
import { applyEvent, emptyConversation, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { answerCopies, exchangeText } from '../../../src/chat/exchange.ts';
import { toJson, toMarkdown } from '../../../src/chat/exportConversation.ts';
import { externalLink } from '../../../src/chat/externalLink.ts';
import { dateGroup, excerptOf, conversationText } from '../../../src/chat/historyText.ts';
import { namedFile } from '../../../src/chat/namedFile.ts';
import { functionsOf, responseFormatOf } from '../../../src/chat/parameterFile.ts';
import { methods, requestParams } from '../../../src/chat/protocol.ts';
import { AppError, describeError, type ErrorKind } from '../../../src/shared/errors.ts';
import { assertApproved } from '../../support/approved.ts';

const atMs = Date.UTC(2026, 0, 1);
const events: ConversationEvent[] = [
  { type: 'created', id: 'c', title: 'Runs', profile: { id: 'p', name: 'P' }, atMs },
  { type: 'endpointChosen', endpoint: 'guide', atMs },
  { type: 'parametersChanged', parameters: { system: 'Be brief.', temperature: 0.5, max_tokens: 100 }, atMs },
  {
    type: 'userAdded',
    id: 'u',
    parentId: null,
    text: 'Why?',
    atMs,
    attachments: [
      { label: 'x.py', language: 'python', text: 'x = "```"' },
      { label: 'plain', text: 'y' },
    ],
  },
  {
    type: 'answerStarted',
    id: 'a',
    parentId: 'u',
    endpoint: 'guide',
    parameters: { temperature: 1 },
    offersTools: true,
    atMs,
  },
  {
    type: 'answerDelta',
    id: 'a',
    atMs: atMs + 200,
    model: 'guide-1',
    choices: [
      {
        choice: 0,
        text: '<think>hm</think>**Because.**',
        reasoning: 'so',
        toolCalls: [{ index: 0, id: 't', name: 'f', arguments: '{"a":' }],
        logprobs: [{ token: 'B', logprob: -0.5, alternatives: [{ token: 'C', logprob: -1 }] }],
      },
    ],
  },
  {
    type: 'answerDelta',
    id: 'a',
    choices: [
      { choice: 0, toolCalls: [{ index: 0, arguments: '1}' }], finishReason: 'tool_calls' },
      { choice: 1, text: 'Else.', finishReason: '' },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 6, total_tokens: 9 },
  },
  { type: 'answerEnded', id: 'a', status: 'done', atMs: atMs + 900 },
  {
    type: 'userAdded',
    id: 'r',
    parentId: 'a',
    text: '',
    atMs,
    toolResults: [{ toolCallId: 't', name: 'f', content: '{"b": 2}' }],
  },
  { type: 'answerStarted', id: 'b', parentId: 'r', endpoint: 'other', atMs: atMs + 1000 },
  { type: 'answerDelta', id: 'b', choices: [{ choice: 0, text: 'It is `2`.' }] },
  {
    type: 'answerEnded',
    id: 'b',
    status: 'cutOff',
    failure: { kind: 'network', message: 'It broke.' },
    atMs: atMs + 3000,
  },
  { type: 'userAdded', id: 'v', parentId: 'b', text: 'Go on', atMs },
  { type: 'answerStarted', id: 'd', parentId: 'v', endpoint: 'other', atMs },
  { type: 'answerEnded', id: 'd', status: 'stopped', atMs },
  { type: 'userAdded', id: 'w', parentId: 'b', text: 'Go elsewhere', atMs },
  { type: 'answerStarted', id: 'e', parentId: 'w', endpoint: 'other', atMs },
  { type: 'answerEnded', id: 'e', status: 'failed', failure: { kind: 'server', message: 'No.' }, atMs },
  { type: 'variantSelected', id: 'v' },
  { type: 'choiceSelected', id: 'a', choice: 0 },
  { type: 'renamed', title: 'Why runs fail', atMs: atMs + 5000 },
];
const conversation: Conversation = events.reduce(applyEvent, emptyConversation('c', 0));
const answers = conversation.turns.filter((turn): turn is Answer => turn.role === 'assistant');
const tools = [{ type: 'function', function: { name: 'f', description: 'd', parameters: {} } }] as never;
const attempt = (work: () => unknown): string => {
  try {
    return JSON.stringify(work()) ?? 'undefined';
  } catch (error) {
    return `refused: ${describeError(error)}`;
  }
};

describe('a conversation, as it is kept, sent and handed out', () => {
  it('is what was approved after each event', () => {
    let state = emptyConversation('c', 0);
    const states = events.map(
      (event) => ((state = applyEvent(state, event)), `${event.type}: ${JSON.stringify(state)}\n`),
    );
    assertApproved('conversation-states', states.join(''));
  });

  it('is exported, asked with and copied as was approved', () => {
    const texts = [
      toMarkdown(conversation),
      toJson(conversation),
      ...answers.map((answer) => exchangeText(conversation, answer, tools)),
      ...answers.map((answer) => `${JSON.stringify(answerCopies(conversation, answer, tools), undefined, 1)}\n`),
      `${JSON.stringify(requestOf(undefined, conversation.turns.slice(0, 1), conversation.parameters, tools).body, undefined, 1)}\n`,
      withAttachments('', [{ label: 'a', text: '~~~' }]),
      `${conversationText(events)}\n`,
      ...['because', 'NOTHING', 'go elsewhere', 'b'].map(
        (words) => `${words}: ${excerptOf(conversationText(events), words)}\n`,
      ),
    ];
    assertApproved('conversation-texts', texts.join('\n'));
  });

  it('names a failure by its cause and what to do, whoever failed', () => {
    const kinds: ErrorKind[] = [
      'network',
      'timeout',
      'unauthenticated',
      'forbidden',
      'notFound',
      'rejected',
      'invalid',
      'unavailable',
      'server',
      'protocol',
      'cutOff',
      'rateLimited',
    ] as never;
    const lines = kinds.flatMap((kind) =>
      [undefined, 400, 401, 403, 404, 413, 429, 500, 503, 504].flatMap((status) =>
        [false, true].flatMap((isUpstream) =>
          [false, true].map((isLocal) => {
            const error = Object.assign(new AppError(kind, 'Said.', { operation: 'chat', ...(status && { status }) }), {
              isUpstream,
            });
            const told = answerFailure(error, { endpoint: 'm', profile: { name: 'P', isLocal } });
            const who = `${isUpstream ? 'model server' : 'service'}${isLocal ? ', local' : ''}`;
            return `${kind} ${status} ${who}: ${told.message} | ${told.remedy} | ${told.details}\n`;
          }),
        ),
      ),
    );
    assertApproved('conversation-failures', lines.join(''));
  });

  it('has parameters with their limits, from files too', () => {
    const wrong = [
      { temperature: 3 },
      { temperature: 'x' },
      { top_p: 0 },
      { max_tokens: 0 },
      { n: 2 },
      { stop: [''] },
      { unknown: 1 },
      { tools: {} },
      { logprobs: true, top_logprobs: 30 },
      { response_format: { type: 'x' } },
      {},
    ];
    const formats = [
      '{"type": "object"}',
      '{"name": "n", "schema": {}}',
      '{"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}',
      '[]',
      '{',
      '7',
    ];
    const functions = [
      '[{"type": "function", "function": {"name": "f"}}]',
      '{"name": "g", "parameters": {}}',
      '{"tools": [{"name": "h"}]}',
      '[]',
      '{"a": 1}',
      'def f(): pass',
    ];
    assertApproved(
      'conversation-parameters',
      [
        ...[undefined, 'completion', 'embedding'].flatMap((task) => [
          `== ${task}\n`,
          ...parameterFields(task as never).map((each) => `${JSON.stringify(each)}\n`),
        ]),
        ...wrong.map((each) => `${JSON.stringify(each)}: ${attempt(() => checkParameters(each as never))}\n`),
        ...formats.map((text) => `${text}: ${attempt(() => responseFormatOf({ name: 'my file.json', text }))}\n`),
        ...functions.map((text) => `${text}: ${attempt(() => functionsOf({ name: 'a.json', text }))}\n`),
      ].join(''),
    );
  });

  it('leads nowhere but to the web, and names files and days', () => {
    const links = [
      'https://x.example/a b',
      'http://x',
      'mailto:a@b.example',
      'javascript:alert(1)',
      'file:///etc',
      'command:x',
      ' https://y.example ',
      'x',
      'HTTPS://Z.example',
      'vscode://a',
      'https://user:pass@x.example/',
    ];
    const codes = [
      ['Change `src/a.py`:\n```python\nx = 1\n```'],
      ['In **b.yml**\n\n```yaml\na: 1\n```'],
      ['```js\n// c.js\n1\n```'],
      ['```\nnone\n```'],
      ['`a.py` and `b.py`\n```\nx\n```'],
    ];
    const days = [0, 1, 2, 6, 7, 20, 40, 400].map((ago) =>
      dateGroup(Date.UTC(2026, 5, 15, 12) - ago * 86_400_000, Date.UTC(2026, 5, 15, 12), 'en'),
    );
    assertApproved(
      'conversation-words',
      [
        ...links.map((link) => `${link}: ${externalLink(link)}\n`),
        ...codes.map(
          (texts) =>
            `${JSON.stringify(texts)}: ${namedFile(texts, /```\w*\n([^`]*)```/.exec(texts[0] ?? '')?.[1] ?? '')}\n`,
        ),
        `${days.join(', ')}\n`,
      ].join(''),
    );
  });

  it('takes from its page only what has its shape', () => {
    const values: unknown[] = [
      undefined,
      {},
      { text: 'x' },
      { id: 'a b' },
      { id: 'a' },
      { turnId: 't' },
      { turnId: 't', text: 'x' },
      { turnId: 't', choice: 1 },
      { index: -1 },
      { index: 1 },
      { url: 'x' },
      { isOn: true },
      { way: 'tab' },
      { name: 'tools' },
      { parameters: { a: [1] } },
      { turnId: 't', isAllowed: true },
      { profileId: 'p', runId: '7' },
      { title: 'Fix' },
      { profileId: 'p', runId: 'x' },
      { text: 'x', language: 'y' },
      { id: 'a', edit: false },
      { id: 'a', edit: null, text: 'x', toolResults: { answerId: 'a', contents: ['1'] } },
      { text: 7 },
      'x',
      null,
    ];
    const lines = methods.map(
      (method) =>
        `${method}: ${values
          .filter((value) => requestParams[method].safeParse(value).success)
          .map((value) => JSON.stringify(value) ?? 'nothing')
          .join(' ')}\n`,
    );
    assertApproved('conversation-requests', lines.join(''));
  });
});
