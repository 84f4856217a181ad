import assert from 'node:assert/strict';
import { pagePolicy } from '../../../src/chat/chatPage.ts';
import { ChatService } from '../../../src/chat/chatService.ts';
import { externalLink } from '../../../src/chat/externalLink.ts';
import { methods, requestParams, requestSchema, type Method, type Reply } from '../../../src/chat/protocol.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { readHostMessage } from '../../../src/chat/webview/hostLink.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { cases } from '../../support/counts.ts';
import { settle } from '../../support/fakeClock.ts';

describe('requestParams', () => {
  const id = 'id-1_A';
  const longestId = 'x'.repeat(100);
  const longestText = 'x'.repeat(10_000_000);
  const tooLong = `${longestText}x`;
  const run = { profileId: 'p', runId: '5' };
  const code = { text: 'x = 1', language: 'python' };
  /** Valid parameters of each method, which are returned unchanged, and invalid ones. */
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
      taken: [{ name: 'system' }, { name: 'response_format' }, { name: 'tools' }],
      refused: [undefined, {}, { name: 'temperature' }],
    },
    setParameters: {
      taken: [{ parameters: { n: 1, stop: ['x'], tools: [{ a: { b: null } }] } }, { parameters: {} }],
      refused: [undefined, {}, { parameters: [] }, { parameters: { f: () => 1 } }],
    },
    setKey: { taken: [{ turnId: id }], refused: [undefined, {}, { turnId: 'a b' }] },
    choosePreset: { taken: [undefined, {}], refused: [null, 5] },
    openSection: { taken: [{ section: 'README.md#runs' }], refused: [undefined, {}, { section: 's'.repeat(1001) }] },
    complete: { taken: [{ text: '/f' }], refused: [undefined, {}, { text: 'x'.repeat(1001) }] },
    openConversation: { taken: [{ id }], refused: [undefined, {}, { id: `${longestId}x` }, { id: '..' }] },
    openLink: {
      taken: [{ url: 'u'.repeat(10_000) }],
      refused: [undefined, {}, { url: 'u'.repeat(10_001) }, { url: 5 }],
    },
    attachContext: {
      taken: [
        undefined,
        {},
        { named: 'file' },
        { uris: ['u'.repeat(10_000)] },
        { uris: Array.from({ length: 10_000 }, () => 'u') },
      ],
      refused: [
        null,
        { uris: 'u' },
        { uris: ['u'.repeat(10_001)] },
        { uris: Array.from({ length: 10_001 }, () => 'u') },
      ],
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
    chooseTools: { taken: [undefined, {}], refused: [7] },
  } as Record<Method, { taken: unknown[]; refused: unknown[] }>;
  const told = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 100);

  for (const method of methods)
    it(`accepts the parameters of ${method} and refuses others`, () => {
      const { taken, refused } = table[method];
      for (const params of taken) {
        const parsed = requestParams[method].safeParse(params);
        assert.ok(parsed.success, `taken: ${told(params)}`);
        assert.deepEqual(parsed.data, params);
      }
      for (const params of refused)
        assert.equal(requestParams[method].safeParse(params).success, false, `refused: ${told(params)}`);
    });

  it('requires a number and a method, but accepts any parameters', () => {
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

describe('RequestHandler', () => {
  function setUp(): { handler: RequestHandler; service: ChatService; ports: FakePorts } {
    const ports = fakePorts();
    const service = new ChatService(ports);
    return { handler: new RequestHandler(service, silentLogger), service, ports };
  }

  it('replies to a request with its id', async () => {
    const { handler, service } = setUp();
    const reply = await handler.handle({ type: 'request', id: 5, method: 'ready' });
    assert.equal(reply.id, 5);
    assert.equal(reply.snapshot?.conversation, null);
    assert.ok(readHostMessage(JSON.parse(JSON.stringify(reply))));
    service.dispose();
  });

  it('accepts values at the limit of a request and refuses values beyond it', async () => {
    const { handler, service, ports } = setUp();
    const ask = (method: string, params?: unknown): Promise<Reply> =>
      handler.handle({ type: 'request', id: 1, method, params });
    const refused = async (method: string, params: unknown): Promise<string | undefined> =>
      (await ask(method, params)).failure?.kind;
    for (const label of ['a.py', 'b.py']) service.prompt.attach({ label, text: label });
    for (const index of [-1, 0.5]) assert.equal(await refused('removeAttachment', { index }), 'invalid');
    assert.equal(await refused('removeAttachment', { index: 0 }), undefined);
    const { snapshot } = await ask('ready');
    assert.deepEqual(
      snapshot?.view.attachments.map(({ label }) => label),
      ['b.py'],
    );
    const id = snapshot?.draft.id;
    const begun = { edit: { turnId: 't', text: '' }, toolResults: { answerId: 'a', contents: ['', 'x'] } };
    assert.equal(await refused('changeDraft', { id, ...begun }), undefined);
    const kept = async (): Promise<unknown[]> => {
      const { draft } = (await ask('ready')).snapshot ?? {};
      return [draft?.edit, draft?.toolResults];
    };
    assert.deepEqual(await kept(), [begun.edit, begun.toolResults]);
    // A missing field is left unchanged; null clears it.
    await ask('changeDraft', { id, text: 'y', edit: null });
    assert.deepEqual(await kept(), [undefined, begun.toolResults]);
    await ask('changeDraft', { id, toolResults: null });
    assert.deepEqual(await kept(), [undefined, undefined]);
    const contents = Array.from({ length: 101 }, () => '');
    assert.equal(await refused('changeDraft', { id, toolResults: { answerId: 'a', contents } }), 'invalid');
    assert.equal(await refused('newFile', { text: 'x', language: 'l'.repeat(51) }), 'invalid');
    assert.equal(await refused('newFile', { text: 'x', language: 'l'.repeat(50) }), undefined);
    assert.deepEqual(
      ports.editor.calls.map(([name]) => name),
      ['newFile'],
    );
    service.dispose();
  });

  it('runs only listed methods and replies to each broken message (P19)', async function () {
    this.timeout(120_000);
    const { handler, service, ports } = setUp();
    let seed = 11;
    const random = (below: number): number => Math.floor(((seed = (seed * 48271) % 2147483647) / 2147483647) * below);
    const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
    const odd: unknown[] = [
      undefined,
      null,
      0,
      -1,
      1.5,
      NaN,
      Infinity,
      true,
      '',
      'x',
      'x'.repeat(5000),
      [],
      {},
      [[]],
      { a: 1 },
      '__proto__',
      'constructor',
      '../../etc/passwd',
      'a/b',
      '\u0000',
      'javascript:alert(1)',
      { __proto__: { type: 'request' } },
      JSON.parse('{"__proto__":{"polluted":true}}'),
      2 ** 53 + 2,
      2 ** 60,
      new Date(0),
      new Map(),
      () => 1,
    ];
    const names = [
      ...methods,
      '__proto__',
      'constructor',
      'toString',
      'dispose',
      'close',
      'deleteConversation',
      'renameConversation',
      '#ask',
      'eval',
    ];
    const fields = [
      'text',
      'turnId',
      'id',
      'name',
      'url',
      'parameters',
      'index',
      'choice',
      'language',
      'toolResults',
      'edit',
      '__proto__',
    ];
    const params = (): unknown =>
      random(3) === 0
        ? pick(odd)
        : Object.fromEntries(fields.filter(() => random(2) === 0).map((field) => [field, pick(odd)]));
    const message = (): unknown => {
      if (random(10) === 0) return pick(odd);
      const value: Record<string, unknown> = {
        type: 'request',
        id: random(1000),
        method: pick(names),
        params: params(),
      };
      for (const field of ['type', 'id', 'method', 'params']) {
        if (random(8) === 0) value[field] = pick(odd);
        if (random(20) === 0) delete value[field];
      }
      return value;
    };
    for (let count = 0; count < cases(10_000, 1000); count += 1) {
      const sent = message();
      const reply = await handler.handle(sent);
      assert.equal(reply.type, 'reply');
      assert.ok(readHostMessage(reply));
      if (
        typeof sent === 'object' &&
        sent !== null &&
        'id' in sent &&
        Number.isSafeInteger(sent.id) &&
        Number(sent.id) >= 0
      )
        assert.equal(reply.id, sent.id);
    }
    await settle();
    const allowed = new Set([
      'copy',
      'insertAtCursor',
      'newFile',
      'applyCode',
      'chooseProfile',
      'showHistory',
      'signIn',
      'pickEndpoint',
      'pickSeveral',
    ]);
    assert.deepEqual(
      ports.editor.calls.filter(([name]) => !allowed.has(name)),
      [],
    );
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    // A conversation gets files only with its first message.
    assert.deepEqual(
      [...ports.storage.files.keys()].filter((name) => !/^id-\d+\.(jsonl|draft\.json)$/.test(name)),
      [],
    );
    await service.close();
  });
});

describe('externalLink', () => {
  it('allows plain http and https', () => {
    assert.equal(externalLink('https://example.com/a?b=c#d'), 'https://example.com/a?b=c#d');
    assert.equal(externalLink('HTTP://Example.com'), 'http://example.com/');
  });

  it('refuses everything else', () => {
    const refused = [
      '',
      ' ',
      'example.com',
      '//example.com',
      '/etc/passwd',
      '#x',
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,<script>1</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'command:workbench.action.quit',
      'vscode://x/y',
      'vscode-insiders://x',
      'blob:https://x/1',
      'https:example.com',
      'https:/example.com',
      'https://',
      'https://user:secret@example.com',
      'https://trusted.com@evil.example',
      'https://exa mple.com',
      'https://example.com/\u202Egnp.exe',
      'view-source:https://x.com',
      'ftp://x.com',
      'mailto:a@b.c',
    ];
    assert.deepEqual(
      refused.filter((text) => externalLink(text) !== undefined),
      [],
    );
  });
});

describe('the policy of the chat page', () => {
  it('allows only its own script, style sheet and worker (P18)', () => {
    assert.equal(
      pagePolicy('N'),
      "default-src 'none'; script-src 'nonce-N'; style-src 'nonce-N'; worker-src blob:; img-src 'none'; font-src 'none'; " +
        "connect-src 'none'; base-uri 'none'; form-action 'none'",
    );
  });
});
