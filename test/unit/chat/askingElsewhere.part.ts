import assert from 'node:assert/strict';
import type { Asking } from '../../../src/chat/asking.ts';
import type { Prompt } from '../../../src/chat/prompt.ts';
import { texts } from '../../support/chatHarness/heldAnswers.ts';
import { settle } from '../../support/fakeClock.ts';
import { ask, closeChats, current, open, type Chat } from './openedChat.ts';

describe('what is sent in a conversation while another comes into sight', () => {
  let chat: Chat;
  let asking: Asking;
  let prompt: Prompt;
  beforeEach(async () => {
    chat = await open();
    ({ asking, prompt } = chat.service);
  });
  afterEach(closeChats);

  const send = async (text: string, to: string): Promise<void> => {
    const finished = chat.finished();
    await asking.send(text, [], to);
    await finished;
    await settle();
  };
  /** The title and the texts of every conversation there is. */
  const all = async (): Promise<unknown> => {
    const said: Record<string, string[]> = {};
    for (const { id, title } of await chat.service.listConversations()) {
      await chat.service.openConversation(id);
      said[title] = texts(chat.service);
    }
    return said;
  };
  it('goes where it was written, with what was attached there, and is answered there', async () => {
    const { id } = await ask(chat, 'One?');
    prompt.attach({ label: 'a.py', text: 'x = 1' });
    await chat.service.newConversation();
    prompt.attach({ label: 'b.py', text: 'y = 1' });
    await send('Two?', id);
    assert.equal(chat.service.currentConversation, undefined);
    assert.deepEqual(
      prompt.draft.attachments.map(({ label }) => label),
      ['b.py'],
    );
    assert.ok(chat.service.isUnread(id));
    await chat.service.openConversation(id);
    const asked = current(chat).turns.filter((turn) => turn.role === 'user');
    assert.deepEqual(
      asked.map(({ text, attachments }) => [text, attachments.map(({ label }) => label)]),
      [
        ['One?', []],
        ['Two?', ['a.py']],
      ],
    );
    assert.equal(texts(chat.service).length, 4);
    assert.deepEqual([prompt.draft.text, prompt.draft.attachments], ['', []]);
  });

  it('is not lost where its conversation is deleted, or was never known: it begins one of its own', async () => {
    const { id } = await ask(chat, 'One?');
    prompt.change({ text: 'begun' });
    await chat.service.deleteConversation(id);
    await send('Two?', id);
    await send('Three?', 'unknown');
    assert.equal(chat.service.currentConversation, undefined);
    const said = await all();
    assert.deepEqual(Object.keys(said as object).toSorted(), ['Three?', 'Two?']);
    await chat.service.restoreConversation(id);
    assert.deepEqual(Object.keys((await all()) as object).toSorted(), ['One?', 'Three?', 'Two?']);
  });
});
