import assert from 'node:assert/strict';
import { ChatService } from '../../../src/chat/chatService.ts';
import { methods, type Reply } from '../../../src/chat/protocol.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { readHostMessage } from '../../../src/chat/webview/hostMessage.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';

function setUp(): { handler: RequestHandler; service: ChatService; ports: FakePorts } {
  const ports = fakePorts();
  const service = new ChatService(ports);
  return { handler: new RequestHandler(service, silentLogger), service, ports };
}

describe('requestHandler', () => {
  it('answers a request with its id', async () => {
    const { handler, service } = setUp();
    const reply = await handler.handle({ type: 'request', id: 5, method: 'ready' });
    assert.equal(reply.id, 5);
    assert.equal(reply.snapshot?.conversation, null);
    assert.ok(readHostMessage(JSON.parse(JSON.stringify(reply))));
    service.dispose();
  });

  it('takes what is at the edge of a request, and nothing beyond it', async () => {
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
    // Not given is left as it is, and null is taken back.
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

  it('does nothing unlisted and answers each of 10,000 broken messages (P19)', async function () {
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
    let answered = 0;
    for (let count = 0; count < 10_000; count += 1) {
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
      answered += 1;
    }
    assert.equal(answered, 10_000);
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
    ]);
    assert.deepEqual(
      ports.editor.calls.filter(([name]) => !allowed.has(name)),
      [],
    );
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    // Files are made only for conversations that a message began.
    assert.deepEqual(
      [...ports.storage.files.keys()].filter((name) => !/^id-\d+\.(jsonl|draft\.json)$/.test(name)),
      [],
    );
    await service.close();
  });

  it('refuses ids that could be paths', async () => {
    const { handler, service } = setUp();
    for (const id of ['../x', '..', 'a/b', 'a\\b', 'a.b', '', 'x'.repeat(101)]) {
      const reply = await handler.handle({ type: 'request', id: 1, method: 'openConversation', params: { id } });
      assert.match(reply.failure?.message ?? '', /not understood/, id);
    }
    service.dispose();
  });
});
