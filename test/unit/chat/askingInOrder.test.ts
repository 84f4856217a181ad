import assert from 'node:assert/strict';
import type { Asking } from '../../../src/chat/asking.ts';
import { visibleTurns, type Answer } from '../../../src/chat/conversation.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { failingAnswer } from '../../support/chatHarness/fakePorts.ts';
import { heldAnswer, texts } from '../../support/chatHarness/heldAnswers.ts';
import { settle } from '../../support/fakeClock.ts';
import { ask, closeChats, current, open, type Chat } from './openedChat.ts';

const attachment = { label: 'a.py', language: 'python', text: 'x = 1' };

describe('what is asked', () => {
  let chat: Chat;
  let asking: Asking;
  beforeEach(async () => {
    chat = await open();
    ({ asking } = chat.service);
  });
  afterEach(closeChats);

  const turn = (place: number): string => visibleTurns(current(chat))[place]?.id ?? '';
  const lastAnswer = (): Answer => visibleTurns(current(chat)).at(-1) as Answer;
  const queue = (): string[] => chat.service.prompt.draft.queue.map(({ text }) => text);
  const requests = (): unknown[] => chat.ports.backend.requests.map(({ request }) => request['messages']);
  const hasBegun = async (): Promise<void> => {
    while (texts(chat.service).at(-1) !== 'First') await settle();
  };
  const finish = async (release: () => void): Promise<void> => {
    const finished = chat.finished();
    release();
    await finished;
    await settle();
  };

  it('waits for its turn with its attachments and is on disk when that is confirmed', async () => {
    heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    chat.service.prompt.attach(attachment);
    chat.service.prompt.change({ text: 'Two' });
    await asking.send('Two');
    const { draft } = chat.service.prompt;
    const [waiting] = draft.queue;
    assert.deepEqual(
      [draft.text, draft.attachments, draft.queue],
      ['', [], [{ id: waiting?.id, text: 'Two', attachments: [attachment], afterId: turn(0) }]],
    );
    assert.ok(waiting?.id);
    const saved = JSON.parse(chat.ports.storage.files.get(`${current(chat).id}.draft.json`)?.text ?? '{}') as object;
    assert.deepEqual(saved, JSON.parse(JSON.stringify({ ...saved, queue: draft.queue })));
  });

  it('goes on with the next message when an answer is done, in the order they were written', async () => {
    const { release } = heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    for (const text of ['Two', 'Three']) await asking.send(text);
    await finish(release);
    while (texts(chat.service).length < 6) await settle();
    assert.deepEqual(texts(chat.service), ['One', 'First.', 'Two', 'Then this.', 'Three', 'Then this.']);
    assert.deepEqual(queue(), []);
  });

  it('does not go on by itself when an answer was stopped or failed', async () => {
    heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    await asking.send('Two');
    await asking.stop();
    await settle();
    assert.deepEqual([queue(), lastAnswer().status], [['Two'], 'stopped']);
    chat.ports.backend.answer = failingAnswer(new AppError('server', 'No.'));
    await ask(chat, 'Three');
    await settle();
    assert.deepEqual([queue(), lastAnswer().status, requests().length], [['Two'], 'failed', 2]);
  });

  it('sends nothing of the queue where another profile is chosen', async () => {
    const { release } = heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    await asking.send('Two');
    const { profile } = chat.ports.backend;
    chat.ports.backend.profile = { ...profile, id: 'other', name: 'Other' };
    await finish(release);
    assert.deepEqual([queue(), requests().length], [['Two'], 1]);
    await assert.rejects(asking.sendQueued(), /belongs to Local/);
    assert.deepEqual([queue(), requests().length], [['Two'], 1]);
  });

  it('is kept as a draft until it is on disk as a message', async () => {
    const { storage, drafts } = chat.ports;
    const begun = Promise.withResolvers<void>();
    const append = storage.append.bind(storage);
    const kept = (): string => [...storage.files].map(([name, { text }]) => (/draft/.test(name) ? text : '')).join('');
    await ask(chat, 'Zero');
    chat.service.prompt.change({ text: 'One?' });
    await drafts.flush();
    storage.append = async (...given) => {
      await begun.promise;
      return append(...given);
    };
    const sending = asking.send('One?');
    void drafts.flush();
    for (let turns = 0; turns < 5; turns += 1) await settle();
    assert.match(kept(), /One\?/);
    begun.resolve();
    await sending;
    await drafts.flush();
    assert.doesNotMatch(kept(), /One\?/);
    await settle();
  });
});
