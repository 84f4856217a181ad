import assert from 'node:assert/strict';
import { ChatService } from '../../../../src/chat/chatService.ts';
import { readHostMessage } from '../../../../src/chat/webview/hostMessage.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';

describe('what the page of the chat takes for a message of its host', () => {
  it('is a message as it was sent', async () => {
    const service = new ChatService(fakePorts());
    const snapshot = await service.snapshot();
    for (const message of [
      { type: 'reply', id: 3 },
      { type: 'reply', id: null, failure: { kind: 'protocol', message: 'No.' } },
      { type: 'reply', id: 3, snapshot },
      { type: 'snapshot', snapshot },
      { type: 'event', conversationId: 'c', sequence: 1, event: { type: 'renamed', title: 'x', atMs: 1 } },
      { type: 'view', view: snapshot.view },
      { type: 'focusPrompt' },
      { type: 'find' },
      { type: 'codeColours', colours: { comment: '#123456' } },
      { type: 'draft', text: 'x' },
    ])
      assert.equal(readHostMessage(message), message, JSON.stringify(message));
    service.dispose();
  });

  it('is nothing else', async () => {
    const service = new ChatService(fakePorts());
    const snapshot = await service.snapshot();
    const broken: unknown[] = [
      undefined,
      null,
      'find',
      {},
      { type: 1 },
      { type: 'unknown' },
      { type: 'toString' },
      { type: '__proto__' },
      { type: 'reply' },
      { type: 'reply', id: 'x' },
      { type: 'reply', id: 1, failure: 'no' },
      { type: 'reply', id: 1, failure: {} },
      { type: 'reply', id: 1, snapshot: {} },
      { type: 'snapshot' },
      { type: 'snapshot', snapshot: null },
      { type: 'event', sequence: 1, event: { type: 'renamed' } },
      { type: 'event', conversationId: 'c', event: { type: 'renamed' } },
      { type: 'event', conversationId: 'c', sequence: 1 },
      { type: 'event', conversationId: 'c', sequence: 1, event: {} },
      { type: 'view', view: null },
      { type: 'view', view: { tools: {} } },
      { type: 'view', view: { revision: 1 } },
      { type: 'draft' },
      { type: 'codeColours' },
      { type: 'codeColours', colours: 'red' },
      ...[
        { sequence: 'x' },
        { view: undefined },
        { draft: undefined },
        { draft: {} },
        { conversation: undefined },
        { conversation: {} },
      ].map((change) => ({ type: 'snapshot', snapshot: { ...snapshot, ...change } })),
    ];
    for (const message of broken) assert.equal(readHostMessage(message), undefined, JSON.stringify(message));
    service.dispose();
  });
});
