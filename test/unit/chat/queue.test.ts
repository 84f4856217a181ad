import assert from 'node:assert/strict';
import type { Asking } from '../../../src/chat/asking.ts';
import { ChatService } from '../../../src/chat/chatService.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { ended, heldAnswer, texts } from '../../support/chatHarness/heldAnswers.ts';
import { settle } from '../../support/fakeClock.ts';

describe('a message that waits', () => {
  let ports: FakePorts;
  let service: ChatService;

  beforeEach(async () => {
    ports = fakePorts();
    service = new ChatService(ports);
    await service.snapshot();
    await settle();
  });
  afterEach(() => service.dispose());

  const asking = (): Asking => service.asking;
  const hasBegun = async (): Promise<void> => {
    while (texts(service)[1] !== 'First') await settle();
  };
  const queueOf = async (): Promise<string[]> => (await service.snapshot()).view.queue.map(({ text }) => text);

  it('is not sent by itself into a branch that it was not written in', async () => {
    heldAnswer(ports);
    await asking().send('One');
    await hasBegun();
    await asking().send('Two');
    await asking().stop();
    const [one] = service.currentConversation?.turns ?? [];
    const { release } = heldAnswer(ports);
    const end = ended(service, 2);
    await asking().editAndResend(one?.id ?? '', 'Other');
    await hasBegun();
    await asking().send('Three');
    const { queue } = (await service.snapshot()).view;
    assert.deepEqual(
      queue.map(({ text, isNext }) => [text, isNext]),
      [
        ['Two', false],
        ['Three', true],
      ],
    );
    release();
    await end;
    await settle();
    assert.deepEqual(texts(service), ['Other', 'First.', 'Three', 'Then this.']);
    assert.deepEqual(await queueOf(), ['Two']);
    // What has been sent by now takes no other's turn.
    await asking().sendQueued('gone');
    assert.deepEqual(await queueOf(), ['Two']);
    const last = ended(service);
    await asking().sendQueued();
    await last;
    assert.deepEqual([texts(service).slice(4), await queueOf()], [['Two', 'Then this.'], []]);
  });
});
