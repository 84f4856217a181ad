import assert from 'node:assert/strict';
import { shownChoice, visibleTurns, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import { parseEvents } from '../../../src/chat/history.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { failingAnswer, fakePorts, textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { closeChats, open, ask, current } from './openedChat.ts';

const texts = (conversation: Conversation): string[] =>
  visibleTurns(conversation).map((turn) => (turn.role === 'user' ? turn.text : (shownChoice(turn)?.text ?? '')));
const lastAnswer = (conversation: Conversation): Answer => visibleTurns(conversation).at(-1) as Answer;

describe('chatService', () => {
  afterEach(closeChats);

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

  it('counts a draft as older than what was sent, and not as older than an answer that came later', async () => {
    const clock = new FakeClock();
    const chat = await open(fakePorts({ clock }));
    const draftMs = async (): Promise<number | undefined> => (await chat.service.snapshot()).draft.atMs;
    assert.equal(await draftMs(), 0);
    const first = await ask(chat, 'One?');
    const sentMs = first.turns[0]?.createdAtMs;
    assert.equal(await draftMs(), sentMs);
    await clock.advance(5_000);
    const finished = chat.finished();
    await chat.service.asking.regenerate(first.turns[1]?.id ?? '');
    await finished;
    assert.ok((current(chat).turns.at(-1)?.createdAtMs ?? 0) > Number(sentMs));
    assert.equal(await draftMs(), sentMs);
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

  it('stops: the request is aborted, the text kept and marked', async () => {
    const chat = await open();
    let signal: AbortSignal | undefined;
    chat.ports.backend.answer = async function* (_endpoint, _request, given) {
      signal = given;
      yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
      await new Promise(() => undefined);
    };
    const finished = chat.finished();
    await chat.service.asking.send('Go');
    await settle();
    await chat.service.asking.stop();
    await finished;
    const answer = lastAnswer(current(chat));
    assert.deepEqual([answer.status, shownChoice(answer)?.text, signal?.aborted], ['stopped', 'Half', true]);
  });

  describe('an answer that somebody else stops', () => {
    it('says that it was not the user', async () => {
      const chat = await open();
      chat.ports.backend.answer = async function* () {
        yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
        throw new AppError('aborted', 'chat was stopped.');
      };
      const answer = lastAnswer(await ask(chat, 'Go'));
      assert.deepEqual(
        [answer.status, shownChoice(answer)?.text, answer.failure?.message],
        ['cutOff', 'Half', 'The answer was stopped by the connection, not by you.'],
      );
    });

    it('says that the editor was closed', async () => {
      const chat = await open();
      chat.ports.backend.answer = async function* () {
        yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
        await new Promise(() => undefined);
      };
      await chat.service.asking.send('Go');
      await settle();
      await chat.service.close();
      const { conversation } = await (
        await open({ ...fakePorts(), editor: chat.ports.editor, history: chat.ports.history })
      ).service.snapshot();
      assert.ok(conversation);
      const answer = lastAnswer(conversation);
      assert.deepEqual(
        [answer.status, shownChoice(answer)?.text, answer.failure?.message],
        ['cutOff', 'Half', 'The editor was closed while this answer was being written.'],
      );
    });
  });

  it('asks one question at a time, also while the first is being saved', async () => {
    const chat = await open();
    const finished = chat.finished();
    await Promise.all([chat.service.asking.send('One'), chat.service.asking.send('Two')]);
    await finished;
    await chat.finished();
    assert.deepEqual(texts(current(chat)), ['One', 'Hello.', 'Two', 'Hello.']);
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

  it('keeps the old branch when a message is edited', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    const question = visibleTurns(await ask(chat, 'Two?'))[0];
    const finished = chat.finished();
    await chat.service.asking.editAndResend(question?.id ?? '', 'Other?');
    await finished;
    assert.deepEqual(texts(current(chat)), ['Other?', 'Hello.']);
    await chat.service.selectVariant(question?.id ?? '');
    assert.deepEqual(texts(current(chat)), ['One?', 'Hello.', 'Two?', 'Hello.']);
  });

  it('lets the user edit the own messages only', async () => {
    const chat = await open();
    const answer = lastAnswer(await ask(chat, 'One?'));
    await assert.rejects(
      chat.service.asking.editAndResend(answer.id, 'Other.'),
      /Only your own messages can be edited/,
    );
    assert.deepEqual([texts(current(chat)), chat.ports.backend.requests.length], [['One?', 'Hello.'], 1]);
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

  it('sends attachments once, with the next message', async () => {
    const chat = await open();
    chat.ports.editor.attachment = { label: 'a.py:1-2', language: 'python', text: 'x = 1' };
    await chat.service.prompt.attachSelection();
    await ask(chat, 'Why?');
    await ask(chat, 'And?');
    const messages = chat.ports.backend.requests[1]?.request['messages'] as { content: string }[];
    assert.deepEqual(
      [messages[0]?.content, messages[2]?.content],
      ['a.py:1-2:\n```python\nx = 1\n```\n\nWhy?', 'And?'],
    );
  });

  it('says when the history cannot be written, and goes on', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    chat.ports.storage.failAppendAfter = 3;
    const conversation = await ask(chat, 'Two?');
    assert.equal(lastAnswer(conversation).status, 'done');
    const { notice } = (await chat.service.snapshot()).view;
    assert.match(notice?.message ?? '', /could not be saved: no space left/);
    assert.ok(notice?.remedy);
    const views: unknown[] = [];
    chat.service.onDidPost((message) => message.type === 'view' && views.push(message.view.notice));
    chat.service.dismissNotice();
    assert.deepEqual([views, (await chat.service.snapshot()).view.notice], [[undefined], undefined]);
  });

  it('writes checkpoints while an answer is streamed', async () => {
    const clock = new FakeClock();
    const chat = await open(fakePorts({ clock }));
    let release = (): void => undefined;
    chat.ports.backend.answer = async function* () {
      yield { choices: [{ index: 0, delta: { content: 'First' } }] };
      await new Promise<void>((resolve) => (release = resolve));
      yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    };
    await chat.service.asking.send('Go');
    await clock.advance(1100);
    const [file] = [...chat.ports.storage.files.values()];
    const saved = parseEvents(file?.text ?? '').events.at(-1);
    assert.ok(saved?.type === 'answerDelta');
    assert.equal(saved.choices[0]?.text, 'First');
    release();
    await settle();
    await clock.advance(1000);
    assert.equal(lastAnswer(current(chat)).status, 'done');
    assert.equal(clock.pending, 0, 'no timer is left');
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

  it('shows a wait for a service that is not well beside its answer, and ends it with an attempt or with Stop', async () => {
    const clock = new FakeClock();
    const chat = await open(fakePorts({ clock }));
    const waits: (() => void)[] = [];
    chat.ports.backend.answer = async function* (...call) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wait = {
        operation: 'chat',
        attempt: 1,
        giveUpAt: clock.now() + 600_000,
        reason: new AppError('network', 'Nobody answers.', { remedy: 'Start it.' }),
        retryNow: resolve,
        stop: resolve,
        ended: promise,
      };
      call[3]({ ...wait, waitUntil: clock.now() + 800 });
      assert.equal((await chat.service.snapshot()).view.wait, undefined, 'a short wait is not worth a word');
      call[3]({ ...wait, waitUntil: clock.now() + 30_000 });
      waits.push(resolve);
      await promise;
      yield* textAnswer('Here.')(...call);
    };
    const finished = chat.finished();
    await chat.service.asking.send('Hi');
    await settle();
    const shown = chat.messages.findLast((message) => message.type === 'view');
    assert.deepEqual(shown?.type === 'view' && shown.view.wait, {
      failure: { kind: 'network', message: 'Nobody answers.', remedy: 'Start it.' },
      attempt: 1,
      waitUntilMs: clock.now() + 30_000,
      giveUpAtMs: clock.now() + 600_000,
    });
    chat.service.asking.retryNow();
    await settle();
    await clock.advance(100);
    await finished;
    assert.deepEqual([texts(current(chat)), (await chat.service.snapshot()).view.wait], [['Hi', 'Here.'], undefined]);
  });

  it('goes on writing an answer that is not on screen', async () => {
    const chat = await open();
    let release = (): void => undefined;
    chat.ports.backend.answer = async function* (...call) {
      await new Promise<void>((resolve) => (release = resolve));
      yield* textAnswer('Late.')(...call);
    };
    const finished = chat.finished();
    await chat.service.asking.send('Slow?');
    const { id } = current(chat);
    await settle();
    await chat.service.newConversation();
    release();
    await finished;
    await chat.service.openConversation(id);
    assert.deepEqual(texts(current(chat)), ['Slow?', 'Late.']);
  });
});
