import assert from 'node:assert/strict';
import { shownChoice, visibleTurns, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import { parseEvents } from '../../../src/chat/history.ts';
import type { ViewState } from '../../../src/chat/protocol.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { failingAnswer, fakePorts, textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { ask, type Chat, closeChats, current, open } from './openedChat.ts';

const texts = (conversation: Conversation): string[] =>
  visibleTurns(conversation).map((turn) => (turn.role === 'user' ? turn.text : (shownChoice(turn)?.text ?? '')));
const lastAnswer = (conversation: Conversation): Answer => visibleTurns(conversation).at(-1) as Answer;

describe('chatService', () => {
  afterEach(closeChats);
  const viewOf = (chat: Chat): ViewState => {
    const shown = chat.messages.findLast((message) => message.type === 'view' || message.type === 'snapshot');
    assert.ok(shown?.type === 'view' || shown?.type === 'snapshot');
    return shown.type === 'view' ? shown.view : shown.snapshot.view;
  };
  it('asks the endpoint with the conversation so far and shows the answer', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    chat.ports.backend.answer = textAnswer('Two.', { usage: { total_tokens: 7 } });
    const conversation = await ask(chat, 'And?');
    assert.deepEqual(texts(conversation), ['One?', 'Hello.', 'And?', 'Two.']);
    assert.deepEqual(
      [lastAnswer(conversation).status, lastAnswer(conversation).usage, conversation.title],
      ['done', { total_tokens: 7 }, 'One?'],
    );
    assert.deepEqual(chat.ports.backend.requests[1], {
      endpoint: 'guide',
      request: {
        stream: true,
        messages: [
          { role: 'user', content: 'One?' },
          { role: 'assistant', content: 'Hello.' },
          { role: 'user', content: 'And?' },
        ],
      },
    });
  });

  it("has the user's turn on disk before the request", async () => {
    const chat = await open();
    let atRequest = '';
    chat.ports.backend.answer = async function* (...call) {
      atRequest = [...chat.ports.storage.files.values()].map((file) => file.text).join('');
      yield* textAnswer('x')(...call);
    };
    await ask(chat, 'Saved?');
    assert.deepEqual(
      parseEvents(atRequest).events.map((event) => event.type),
      ['created', 'userAdded', 'answerStarted'],
    );
  });

  it('numbers the events without a gap, and a snapshot plus the events gives the same state', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    const numbers = chat.messages.flatMap((message) => (message.type === 'event' ? [message.sequence] : []));
    const first = numbers[0] ?? 0;
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => first + index),
    );
    const { sequence, conversation } = await chat.service.snapshot();
    assert.deepEqual([sequence, conversation], [numbers.at(-1), current(chat)]);
  });

  it('survives a new window: the same conversation with the same text', async () => {
    const chat = await open();
    const before = await ask(chat, 'One?');
    await chat.service.close();
    const { conversation } = await (
      await open({ ...fakePorts(), editor: chat.ports.editor, history: chat.ports.history })
    ).service.snapshot();
    assert.deepEqual(JSON.parse(JSON.stringify(conversation)), JSON.parse(JSON.stringify(before)));
  });

  it('shows a failure with its remedy, and asks again as a variant', async () => {
    const chat = await open();
    chat.ports.backend.answer = failingAnswer(
      new AppError('unauthenticated', 'The token was refused.', { remedy: 'Sign in again.' }),
    );
    const failed = lastAnswer(await ask(chat, 'Hi'));
    assert.deepEqual(
      [failed.status, failed.failure],
      ['failed', { kind: 'unauthenticated', message: 'The token was refused.', remedy: 'Sign in again.' }],
    );
    chat.ports.backend.answer = textAnswer('Hello again.');
    const finished = chat.finished();
    await chat.service.asking.regenerate(failed.id);
    await finished;
    assert.deepEqual(texts(current(chat)), ['Hi', 'Hello again.']);
    await chat.service.selectVariant(failed.id);
    assert.equal(lastAnswer(current(chat)).status, 'failed');
  });

  it('keeps parameters and endpoint for each conversation, and refuses what the request may not have', async () => {
    const chat = await open();
    await chat.service.setParameters({ system: 'Short.', temperature: 0.5 });
    await chat.service.selectEndpoint({ name: 'other' });
    await ask(chat, 'Hi');
    assert.deepEqual(chat.ports.backend.requests[0], {
      endpoint: 'other',
      request: {
        stream: true,
        temperature: 0.5,
        messages: [
          { role: 'system', content: 'Short.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    });
    await assert.rejects(chat.service.setParameters({ temperature: 9 }), /temperature/);
    await assert.rejects(chat.service.setParameters({ messages: [] }), /not a parameter/);
    assert.deepEqual(current(chat).parameters, { system: 'Short.', temperature: 0.5 });
  });

  it('says when the history cannot be written, and goes on', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    chat.ports.storage.failAppendAfter = 3;
    const conversation = await ask(chat, 'Two?');
    assert.equal(lastAnswer(conversation).status, 'done');
    const { notice } = viewOf(chat);
    assert.match(notice?.message ?? '', /could not be saved: no space left/);
    assert.ok(notice?.remedy);
    const views: unknown[] = [];
    chat.service.onDidPost((message) => message.type === 'view' && views.push(message.view.notice));
    chat.service.dismissNotice();
    assert.deepEqual([views, (await chat.service.snapshot()).view.notice], [[undefined], undefined]);
  });

  it('deletes, undoes, renames and lists conversations', async () => {
    const chat = await open();
    const first = await ask(chat, 'One?');
    await chat.service.newConversation();
    assert.equal(chat.service.currentConversation, undefined);
    const second = await ask(chat, 'Two?');
    await chat.service.renameConversation(second.id, 'Better');
    assert.deepEqual((await chat.service.listConversations()).map((entry) => entry.title).sort(), ['Better', 'One?']);
    await chat.service.deleteConversation(second.id);
    assert.deepEqual(
      (await chat.service.listConversations()).map((entry) => entry.id),
      [first.id],
    );
    await chat.service.restoreConversation(second.id);
    assert.deepEqual(texts(current(chat)), ['Two?', 'Hello.']);
    await chat.service.openConversation(first.id);
    assert.deepEqual(texts(current(chat)), ['One?', 'Hello.']);
  });
});
