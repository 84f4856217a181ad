import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { ask, closeChats, open } from './openedChat.ts';

describe('an answer that came while another conversation was on screen', () => {
  afterEach(closeChats);

  it('is marked until its conversation is opened', async () => {
    const chat = await open();
    const { service } = chat;
    const { id } = await ask(chat, 'First?');
    const marks = async (): Promise<unknown[]> =>
      (await service.snapshot()).view.recent.map((recent) => [recent.id, recent.isUnread]);
    assert.equal(service.isUnread(id), false);
    const finished = chat.finished();
    await service.asking.send('Second?');
    await service.newConversation();
    await finished;
    await eventually(() => assert.equal(service.isUnread(id), true));
    assert.deepEqual(await marks(), [[id, true]]);
    await service.openConversation(id);
    assert.equal(service.isUnread(id), false);
  });

  it('is offered among the last four conversations of an empty view', async () => {
    const chat = await open();
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) {
      await chat.service.newConversation();
      await ask(chat, text);
    }
    await chat.service.newConversation();
    const { recent } = (await chat.service.snapshot()).view;
    assert.deepEqual(
      recent.map(({ isWriting, isUnread }) => [isWriting, isUnread]),
      Array.from({ length: 4 }, () => [false, false]),
    );
  });
});
