import assert from 'node:assert/strict';
import type { Asking } from '../../../src/chat/asking.ts';
import type { Prompt } from '../../../src/chat/prompt.ts';
import { heldAnswer, texts } from '../../support/chatHarness/heldAnswers.ts';
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
  const notice = (): unknown => {
    const last = chat.messages.findLast((message) => message.type === 'view');
    const { message, remedy } = last?.view.notice ?? {};
    return [message, remedy];
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

  it('waits for its turn there, or takes it, as the setting says', async () => {
    const { release } = heldAnswer(chat.ports);
    await asking.send('One');
    while (texts(chat.service).at(-1) !== 'First') await settle();
    const { id } = current(chat);
    await chat.service.newConversation();
    prompt.change({ text: 'typed here' });
    await asking.send('Two', [], id);
    assert.deepEqual([prompt.draft.text, prompt.draft.queue], ['typed here', []]);
    await chat.service.openConversation(id);
    assert.deepEqual(
      prompt.draft.queue.map(({ text, afterId }) => [text, afterId]),
      [['Two', current(chat).turns[0]?.id]],
    );
    await chat.service.newConversation();
    chat.ports.whileAnswering = () => 'stop';
    await asking.send('Three', [], id);
    release();
    await settle();
    await chat.service.openConversation(id);
    while (texts(chat.service).at(-1) !== 'Then this.') await settle();
    assert.deepEqual(texts(chat.service).slice(0, 4), ['One', 'First', 'Three', 'Then this.']);
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

  it('stays its draft where it is refused, which is said in sight, with its name', async () => {
    const { id } = await ask(chat, 'One?');
    await chat.service.newConversation();
    prompt.change({ text: 'typed here' });
    const { profile } = chat.ports.backend;
    chat.ports.backend.profile = { ...profile, id: 'other', name: 'Other' };
    await asking.send('Two?', [], id);
    assert.deepEqual(notice(), [
      'One?: Nothing was sent: this conversation belongs to Local.',
      'Choose that profile, or continue with Other.',
    ]);
    assert.equal(prompt.draft.text, 'typed here');
    await chat.service.openConversation(id);
    assert.equal(prompt.draft.text, 'Two?');
    await assert.rejects(asking.send('Two?', [], id), /^AppError: Nothing was sent/);
    // What was typed there meanwhile comes after it.
    prompt.change({ text: 'newer' });
    await chat.service.newConversation();
    await asking.send('Three?', [], id);
    await chat.service.openConversation(id);
    assert.equal(prompt.draft.text, 'Three?\n\nnewer');
  });
});
