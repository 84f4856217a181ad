import assert from 'node:assert/strict';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';
import { closeChats, open } from './openedChat.ts';

describe('the offer of more room', () => {
  afterEach(closeChats);

  it('is made until something is chosen', async () => {
    const taken: string[] = [];
    const room = {
      get isOffered() {
        return taken.length === 0;
      },
      take: async (way: string) => void taken.push(way),
    };
    const { service, messages } = await open(fakePorts({ room }));
    const handler = new RequestHandler(service, silentLogger);
    assert.equal((await service.snapshot()).view.offersRoom, true);
    const reply = await handler.handle({ type: 'request', id: 1, method: 'takeRoom', params: { way: 'elsewhere' } });
    assert.deepEqual([reply.failure?.kind, taken], ['invalid', []]);
    await handler.handle({ type: 'request', id: 2, method: 'takeRoom', params: { way: 'none' } });
    const last = messages.at(-1);
    assert.deepEqual([taken, last?.type === 'view' && last.view.offersRoom], [['none'], false]);
  });
});
