import assert from 'node:assert/strict';
import { methods, requestParams, requestSchema, type Method } from '../../../src/chat/protocol.ts';

const id = 'id-1_A';
const longestId = 'x'.repeat(100);
const longestText = 'x'.repeat(10_000_000);
const tooLong = `${longestText}x`;
const run = { profileId: 'p', runId: '5' };
const code = { text: 'x = 1', language: 'python' };

/** For each method: parameters that are taken, in any case as they are, and such as are refused. */
const table: Record<Method, { taken: unknown[]; refused: unknown[] }> = {
  ...Object.fromEntries(
    [
      'ready',
      'signIn',
      'stop',
      'sendQueued',
      'adoptProfile',
      'retryNow',
      'chooseEndpoint',
      'refreshEndpoints',
      'chooseProfile',
      'showHistory',
      'dismissNotice',
    ].map((name) => [name, { taken: [undefined, {}], refused: [null, 'x', 1] }]),
  ),
  ...Object.fromEntries(
    ['regenerate', 'askElsewhere', 'moreOfAnswer', 'selectVariant'].map((name) => [
      name,
      { taken: [{ turnId: id }], refused: [undefined, {}, { turnId: '' }, { turnId: '../x' }, { turnId: 5 }] },
    ]),
  ),
  takeSuggestion: { taken: [{ title: 'T' }], refused: [undefined, {}, { title: 5 }, { title: 'x'.repeat(1001) }] },
  ...Object.fromEntries(
    ['openRun'].map((name) => [
      name,
      {
        taken: [run, { profileId: 'p'.repeat(200), runId: '1'.repeat(19) }, { profileId: '', runId: '0' }],
        refused: [
          undefined,
          { runId: '5' },
          { profileId: 'p' },
          { ...run, profileId: 'p'.repeat(201) },
          { ...run, runId: '1'.repeat(20) },
          { ...run, runId: '' },
          { ...run, runId: '5x' },
          { ...run, runId: 5 },
        ],
      },
    ]),
  ),
  ...Object.fromEntries(
    ['newFile', 'applyCode'].map((name) => [
      name,
      {
        taken: [code, { text: longestText, language: 'l'.repeat(50) }, { text: '', language: '' }],
        refused: [
          undefined,
          { text: 'x' },
          { language: 'x' },
          { ...code, text: tooLong },
          { ...code, language: 'l'.repeat(51) },
        ],
      },
    ]),
  ),
  ...Object.fromEntries(
    ['copy', 'insertAtCursor'].map((name) => [
      name,
      { taken: [{ text: '' }, { text: longestText }], refused: [undefined, {}, { text: tooLong }, { text: 5 }] },
    ]),
  ),
  send: {
    taken: [
      { text: longestText },
      {
        text: '',
        toolResults: [
          { toolCallId: 'c', content: '4' },
          { toolCallId: 'c', content: '4', name: 'f', runs: [{ ...run, label: 'etl', isBad: true }] },
        ],
      },
    ],
    refused: [
      undefined,
      {},
      { text: tooLong },
      { text: 'x', toolResults: {} },
      { text: 'x', toolResults: [{ content: '4' }] },
      { text: 'x', toolResults: [{ toolCallId: 'c' }] },
      { text: 'x', toolResults: [{ toolCallId: 'c', content: '4', runs: [run] }] },
      { text: 'x', toolResults: [{ toolCallId: 'c', content: '4', runs: [{ ...run, runId: 'x', label: 'etl' }] }] },
    ],
  },
  editAndResend: {
    taken: [{ turnId: longestId, text: longestText }],
    refused: [
      { text: 'x' },
      { turnId: id },
      { turnId: `${longestId}x`, text: 'x' },
      { turnId: id, text: tooLong },
      { turnId: 'a.b', text: 'x' },
      { turnId: 'a/b', text: 'x' },
    ],
  },
  takeRoom: {
    taken: [{ way: 'tab' }, { way: 'sideBar' }, { way: 'none' }],
    refused: [undefined, {}, { way: 'elsewhere' }],
  },
  changeDraft: {
    taken: [
      { id },
      { id, atMs: 5, text: longestText, edit: { turnId: id, text: longestText } },
      { id, edit: null, toolResults: null },
      { id, toolResults: { answerId: id, contents: Array.from({ length: 100 }, () => 'x') } },
    ],
    refused: [
      undefined,
      {},
      { id: '' },
      { id, atMs: '5' },
      { id, text: tooLong },
      { id, text: null },
      { id, edit: { turnId: '', text: 'x' } },
      { id, edit: { turnId: id, text: tooLong } },
      { id, toolResults: { answerId: 'a b', contents: [] } },
      { id, toolResults: { answerId: id, contents: [tooLong] } },
      { id, toolResults: { answerId: id, contents: Array.from({ length: 101 }, () => 'x') } },
    ],
  },
  takeBack: {
    taken: [
      { id, edit: true },
      { id, edit: false },
    ],
    refused: [{ id }, { edit: true }, { id: 'ä', edit: true }, { id, edit: 'no' }],
  },
  selectChoice: {
    taken: [{ turnId: id, choice: 3 }],
    refused: [{ turnId: id }, { choice: 3 }, { turnId: id, choice: '3' }, { turnId: 'a b', choice: 3 }],
  },
  parameterFromFile: {
    taken: [{ name: 'response_format' }, { name: 'tools' }],
    refused: [undefined, {}, { name: 'temperature' }],
  },
  setParameters: {
    taken: [{ parameters: { n: 1, stop: ['x'], tools: [{ a: { b: null } }] } }, { parameters: {} }],
    refused: [undefined, {}, { parameters: [] }, { parameters: { f: () => 1 } }],
  },
  openConversation: { taken: [{ id }], refused: [undefined, {}, { id: `${longestId}x` }, { id: '..' }] },
  openLink: {
    taken: [{ url: 'u'.repeat(10_000) }],
    refused: [undefined, {}, { url: 'u'.repeat(10_001) }, { url: 5 }],
  },
  attachContext: {
    taken: [undefined, {}, { uris: ['u'.repeat(10_000)] }, { uris: Array.from({ length: 10_000 }, () => 'u') }],
    refused: [null, { uris: 'u' }, { uris: ['u'.repeat(10_001)] }, { uris: Array.from({ length: 10_001 }, () => 'u') }],
  },
  removeAttachment: {
    taken: [{ index: 0 }, { index: 7 }],
    refused: [undefined, {}, { index: -1 }, { index: 0.5 }, { index: '0' }],
  },
  runTools: {
    taken: [
      { turnId: id, isAllowed: true },
      { turnId: id, isAllowed: false },
    ],
    refused: [{ turnId: id }, { isAllowed: true }, { turnId: '', isAllowed: true }, { turnId: id, isAllowed: 1 }],
  },
  offerTools: { taken: [{ isOn: true }, { isOn: false }], refused: [undefined, {}, { isOn: 'yes' }] },
} as Record<Method, { taken: unknown[]; refused: unknown[] }>;

const told = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 100);

describe('what the view of the chat may ask for', () => {
  for (const method of methods)
    it(`takes of ${method} what it needs, whole, and refuses the rest`, () => {
      const { taken, refused } = table[method];
      for (const params of taken) {
        const parsed = requestParams[method].safeParse(params);
        assert.ok(parsed.success, `taken: ${told(params)}`);
        assert.deepEqual(parsed.data, params);
      }
      for (const params of refused)
        assert.equal(requestParams[method].safeParse(params).success, false, `refused: ${told(params)}`);
    });

  it('is a request with a number and a method, whatever its parameters are', () => {
    const request = { type: 'request', id: 0, method: 'copy', params: { text: 5 } };
    assert.deepEqual(requestSchema.parse(request), request);
    assert.deepEqual(requestSchema.parse({ type: 'request', id: 7, method: 'stop' }), {
      type: 'request',
      id: 7,
      method: 'stop',
    });
    for (const change of [{ type: 'reply' }, { id: -1 }, { id: 1.5 }, { id: '1' }, { method: 'toString' }])
      assert.equal(requestSchema.safeParse({ ...request, ...change }).success, false, told(change));
  });
});
