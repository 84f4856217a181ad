import type { ChatService } from '../../../src/chat/chatService.ts';
import { methods, requestParams } from '../../../src/chat/protocol.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { assertApproved } from '../../support/approved.ts';

/** Parameters that one method or another takes. */
const given: readonly unknown[] = [
  undefined,
  { text: 'x' },
  { text: 'x', toolResults: [{ toolCallId: 't', content: 'c' }] },
  { text: 'x', language: 'python' },
  { turnId: 't', text: 'x' },
  { turnId: 't', choice: 1 },
  { turnId: 't', isAllowed: true },
  { id: 'c', text: 'x' },
  { id: 'c', text: '', edit: { turnId: 't', text: 'e' }, toolResults: { answerId: 'a', contents: ['1'] } },
  { id: 'c', edit: null, toolResults: null },
  { id: 'c', edit: true },
  { way: 'tab' },
  { name: 'tools' },
  { parameters: { a: 1 } },
  { url: 'https://x.example' },
  { url: 'command:x' },
  { index: 2 },
  { isOn: true },
  { profileId: 'p', runId: '7' },
  { title: 'Fix' },
];

describe('what the page of the chat asks for', () => {
  it('is done by whom it was approved, with all that was given', async () => {
    let calls: string[] = [];
    const noted = (path: string): object =>
      new Proxy(() => undefined, {
        get: (_target, name) => noted(`${path}.${String(name)}`),
        apply(_target, _self, args: unknown[]) {
          calls.push(`${path}(${args.map((each) => JSON.stringify(each) ?? 'undefined').join(', ')})`);
          return undefined;
        },
      });
    const handler = new RequestHandler(noted('service') as ChatService, silentLogger);
    const lines: string[] = [];
    for (const method of methods)
      for (const params of given) {
        if (!requestParams[method].safeParse(params).success) continue;
        calls = [];
        const { failure } = await handler.handle({ type: 'request', id: 1, method, params });
        const line = `${method}: ${calls.join('; ')}${failure ? ` refused: ${failure.message}` : ''}\n`;
        if (!lines.includes(line)) lines.push(line);
      }
    assertApproved('chat-requests', lines.join(''));
  });
});
