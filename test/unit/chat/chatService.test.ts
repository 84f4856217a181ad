import assert from 'node:assert/strict';
import { shownChoice, visibleTurns, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import { parseEvents } from '../../../src/chat/history.ts';
import type { ViewState } from '../../../src/chat/protocol.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { failingAnswer, fakePorts, textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
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
  /** What the view was told of since. */
  const told = (chat: Chat): string[] => chat.messages.splice(0).map(({ type }) => type);
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

  it('tells the view at once what stands beside the conversation, each time newer than before', async () => {
    const chat = await open();
    const { service, ports } = chat;
    ports.editor.attachment = { label: 'a.py', language: 'python', text: 'x' };
    await service.prompt.attachSelection();
    assert.deepEqual(viewOf(chat).attachments, [{ label: 'a.py', size: 1 }]);
    const { revision } = viewOf(chat);
    await service.setParameters({ temperature: 0.5 });
    assert.deepEqual([viewOf(chat).parameters, viewOf(chat).revision > revision], [{ temperature: 0.5 }, true]);
    told(chat);
    await service.takeRoom('none');
    await service.offerTools(true);
    await service.adoptProfile();
    assert.deepEqual(told(chat), ['view', 'view', 'view']);
    const first = await ask(chat, 'One?');
    const finished = chat.finished();
    await service.asking.regenerate(first.turns[1]?.id ?? '');
    await finished;
    await settle();
    told(chat);
    await service.selectVariant(first.turns[1]?.id ?? '');
    assert.deepEqual(told(chat), ['event', 'view']);
    await service.renameConversation(first.id, `  ${'n'.repeat(300)}`);
    assert.equal(current(chat).title, 'n'.repeat(200));
    assert.equal(viewOf(chat).recent[0]?.title, 'n'.repeat(200));
    await service.newConversation();
    assert.deepEqual(told(chat).slice(0, -1).slice(-2), ['snapshot', 'focusPrompt']);
  });

  it('tells once more when an answer has come to its end, marks it where nobody saw it, and knows more models then', async () => {
    const ports = fakePorts();
    ports.backend.isRunning = false;
    ports.backend.endpoints = ['guide', 'other'].map((name) => ({ name, server: 'Local' }));
    const chat = await open(ports);
    const { promise, resolve } = Promise.withResolvers<void>();
    ports.backend.answer = async function* (...call) {
      await promise;
      yield* textAnswer('Late.')(...call);
    };
    const finished = chat.finished();
    await chat.service.asking.send('Slow?');
    const { id } = current(chat);
    await settle();
    assert.deepEqual([chat.service.isWriting(id), chat.service.isUnread(id)], [true, false]);
    await chat.service.newConversation();
    resolve();
    await finished;
    await settle();
    assert.deepEqual([chat.service.isWriting(id), chat.service.isUnread(id)], [false, true]);
    assert.deepEqual(
      viewOf(chat).endpoints.items.map(({ name }) => name),
      ['guide', 'other'],
    );
    await chat.service.openConversation(id);
    assert.deepEqual([texts(current(chat)), chat.service.isUnread(id)], [['Slow?', 'Late.'], false]);
  });

  it('offers what the present state suggests first, looked for anew with each empty conversation and profile', async () => {
    let looks = 0;
    const { tools } = fakePorts();
    const timely = { title: 'Why did it fail?', prompt: 'Why?' };
    const chat = await open(fakePorts({ tools: { ...tools, suggest: async () => ((looks += 1), [timely]) } }));
    assert.deepEqual([viewOf(chat).suggestions[0], viewOf(chat).suggestions.length, looks], [timely, 4, 1]);
    await ask(chat, 'One?');
    chat.ports.backend.changed.fire();
    await settle();
    assert.equal(looks, 1, 'nobody sees it');
    await chat.service.newConversation();
    await settle();
    assert.equal(looks, 2);
    chat.ports.backend.changed.fire();
    await settle();
    assert.deepEqual([looks, chat.ports.backend.lists], [3, 3]);
  });

  it('keeps for a new conversation what the one on screen asks, but no endpoint of another profile and no playground for a chat', async () => {
    const chat = await open();
    const { service, ports } = chat;
    await service.selectEndpoint({ name: 'other', task: 'completion' });
    await service.setParameters({ temperature: 0.5 });
    await service.newConversation();
    assert.deepEqual(
      [viewOf(chat).endpoint, viewOf(chat).task, viewOf(chat).parameters],
      ['other', 'completion', { temperature: 0.5 }],
    );
    await service.newConversation({ isChat: true });
    assert.deepEqual([viewOf(chat).endpoint, viewOf(chat).task, viewOf(chat).parameters], ['guide', undefined, {}]);
    await service.setParameters({ temperature: 0.7 });
    await service.selectEndpoint({ name: 'other' });
    await service.newConversation({ isChat: true });
    assert.deepEqual([viewOf(chat).endpoint, viewOf(chat).parameters], ['other', { temperature: 0.7 }]);
    // What has begun as a chat stays one: a playground begins anew, with what is known of it.
    const { id } = await ask(chat, 'One?');
    await service.selectEndpoint({ name: 'big' });
    assert.deepEqual([current(chat).id, viewOf(chat).endpoint], [id, 'big']);
    await service.selectEndpoint({ name: 'embedder', task: 'embedding' });
    assert.deepEqual([service.currentConversation, viewOf(chat).task], [undefined, 'embedding']);
    await service.selectEndpoint({ name: 'big' });
    assert.deepEqual(viewOf(chat).parameters, { temperature: 0.7 });
    await service.openConversation(id);
    ports.backend.profile = { id: 'team', name: 'Team', isProduction: true, isLocal: false };
    ports.backend.changed.fire();
    await settle();
    assert.equal(current(chat).endpoint, 'big', 'an open conversation keeps what it asks');
    await assert.rejects(service.asking.send('Two?'), /belongs to Local/);
    await service.newConversation();
    assert.equal(viewOf(chat).endpoint, 'guide');
  });

  it('leaves alone what is on screen when another conversation is deleted, and what is typed when one comes back', async () => {
    const chat = await open();
    const { service } = chat;
    const first = await ask(chat, 'One?');
    await service.newConversation();
    const second = await ask(chat, 'Two?');
    await service.selectEndpoint({ name: 'other' });
    told(chat);
    await service.deleteConversation(first.id);
    assert.deepEqual([current(chat).id, told(chat).includes('snapshot')], [second.id, false]);
    await service.restoreConversation(first.id);
    assert.equal(current(chat).id, second.id);
    await service.deleteConversation(second.id);
    assert.deepEqual([service.currentConversation, viewOf(chat).endpoint], [undefined, 'other']);
    service.prompt.change({ text: 'half a word' });
    await service.restoreConversation(second.id);
    assert.equal(service.currentConversation, undefined);
    assert.deepEqual(
      viewOf(chat)
        .recent.map(({ title }) => title)
        .toSorted(),
      ['One?', 'Two?'],
    );
  });

  it('gives the last answer that has words, and the request of an answer only where it may be shown', async () => {
    const chat = await open();
    const { service, ports } = chat;
    await ask(chat, 'One?');
    ports.backend.answer = textAnswer('Two.');
    const conversation = await ask(chat, 'And?');
    assert.equal(service.lastAnswer, 'Two.');
    const { id } = lastAnswer(conversation);
    await service.moreOfAnswer(id);
    const [, title, labels] = ports.editor.calls.findLast(([name]) => name === 'pick') as [string, string, string[]];
    assert.equal(title, 'Answer of guide');
    ports.editor.picked = labels[0];
    await service.moreOfAnswer(id);
    assert.deepEqual(ports.editor.calls.at(-1), ['showExchange', conversation.id, id]);
    ports.editor.picked = labels[1];
    await service.moreOfAnswer(id);
    const [copied, informed] = ports.editor.calls.slice(-2);
    assert.equal(copied?.[0], 'copy');
    assert.match(String(copied?.[1]), /https:\/\/models\.example/);
    assert.equal(informed?.[0], 'inform');
    ports.backend.profile = { id: 'team', name: 'Team', isProduction: true, isLocal: false };
    await assert.rejects(service.moreOfAnswer(id), /belongs to Local/);
  });

  it('sets parameters from files, of the form that is shown, and says what is wrong with them', async () => {
    const chat = await open();
    const { service, ports } = chat;
    await service.setParameters({ temperature: 0.5 });
    await service.selectEndpoint({ name: 'big', task: 'embedding' });
    await service.setParameters({ each_line: true });
    await service.selectEndpoint({ name: 'guide' });
    await service.parameterFromFile('tools');
    assert.equal(ports.editor.calls.filter(([name]) => name === 'pickSeveral').length, 0, 'no file was chosen');
    ports.editor.file = { name: 'f.json', text: '[{"name":"a","description":"A."}]' };
    ports.editor.chosen = ['a'];
    await service.parameterFromFile('tools');
    const tools = [{ type: 'function', function: { name: 'a', description: 'A.' } }];
    assert.deepEqual(viewOf(chat).parameters, { temperature: 0.5, tools });
    ports.editor.chosen = [];
    await service.parameterFromFile('tools');
    assert.deepEqual(viewOf(chat).parameters, { temperature: 0.5 });
    await service.selectEndpoint({ name: 'big', task: 'embedding' });
    assert.deepEqual(viewOf(chat).parameters, { each_line: true }, 'those of another form stay');
    await service.selectEndpoint({ name: 'guide' });
    const refused = await service.setParameters({ temperature: 9 }).catch((error: unknown) => error);
    assert.ok(refused instanceof AppError && refused.remedy !== undefined);
  });

  it('asks the endpoint that is chosen, of the same task where it is for another answer, and the prompt has the focus', async () => {
    const ports = fakePorts();
    ports.backend.isRunning = false;
    ports.backend.endpoints = [
      { name: 'guide', server: 'Local' },
      { name: 'embedder', server: 'Local', task: 'embedding' },
    ];
    const chat = await open(ports);
    await chat.service.refreshEndpoints();
    assert.equal(viewOf(chat).endpoints.items.length, 2, 'the service is started for its list');
    ports.editor.endpointName = 'embedder';
    told(chat);
    await chat.service.chooseEndpoint();
    assert.equal(told(chat).at(-1), 'focusPrompt');
    ports.editor.endpointTask = 'completion';
    await chat.service.chooseEndpoint();
    assert.equal(viewOf(chat).task, 'completion', 'the same name for another task');
    ports.editor.endpointTask = undefined;
    await chat.service.selectEndpoint({ name: 'guide' });
    const { id } = lastAnswer(await ask(chat, 'One?'));
    ports.editor.endpointName = 'other';
    const finished = chat.finished();
    await chat.service.askElsewhere(id);
    await finished;
    assert.deepEqual(ports.editor.calls.at(-1), ['pickEndpoint', ['guide']]);
    assert.deepEqual(
      ports.backend.requests.map(({ endpoint }) => endpoint),
      ['guide', 'other'],
    );
  });
});
