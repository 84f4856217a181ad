import assert from 'node:assert/strict';
import { shownChoice, type Answer } from '../../../src/chat/conversation.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { History } from '../../../src/chat/history.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { isAppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts, textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, closeChats, current, open, type Chat } from './openedChat.ts';

const words = Array.from({ length: 120 }, (_unused, index) => `word${index}`).join(' ');

describe('two windows on one conversation', () => {
  let storage: MemoryStorage;
  let alive: Set<number>;
  beforeEach(() => {
    storage = new MemoryStorage();
    alive = new Set();
  });
  afterEach(closeChats);

  /** The files as a window has them, of which nothing comes any more when its process is gone. */
  function filesOf(id: number): MemoryStorage {
    const files = new MemoryStorage();
    files.list = () => storage.list();
    files.read = (name) => storage.read(name);
    files.watch = (onChange) => storage.watch(onChange);
    files.append = (name, text) => (alive.has(id) ? storage.append(name, text) : new Promise(() => undefined));
    files.replace = (name, text) => (alive.has(id) ? storage.replace(name, text) : new Promise(() => undefined));
    files.remove = (name) => (alive.has(id) ? storage.remove(name) : new Promise(() => undefined));
    files.note = (name, text, isFirst) => alive.has(id) && storage.note(name, text, isFirst);
    return files;
  }

  async function window(id: number, remembered?: string): Promise<Chat> {
    let count = 0;
    alive.add(id);
    const ports = fakePorts({
      history: new History(filesOf(id), silentLogger, { id, isAlive: (other) => alive.has(other) }),
      drafts: new Drafts(filesOf(id), systemClock, silentLogger),
      newId: () => `w${id}-${++count}`,
    });
    ports.editor.remembered = remembered;
    ports.backend.answer = textAnswer(words, { delayInMs: 10 });
    return open(ports);
  }

  const answers = (chat: Chat): Answer[] => current(chat).turns.filter((turn) => turn.role === 'assistant');
  const lastText = (chat: Chat): string => {
    const answer = answers(chat).at(-1);
    return (answer && shownChoice(answer)?.text) ?? '';
  };

  async function begun(): Promise<{ first: Chat; second: Chat; finished: Promise<void> }> {
    const first = await window(1);
    const finished = first.finished();
    await first.service.asking.send('Count.');
    await eventually(() => assert.ok(lastText(first).length > 100));
    const second = await window(2, current(first).id);
    return { first, second, finished };
  }

  it('both see an answer come and end, whoever it is written by', async () => {
    const { first, second, finished } = await begun();
    assert.equal(answers(second)[0]?.status, 'streaming');
    const early = lastText(second).length;
    await eventually(() => assert.ok(lastText(second).length > early));
    await finished;
    await eventually(() => assert.equal(answers(second)[0]?.status, 'done'));
    assert.equal(lastText(second), words);
    assert.deepEqual(second.messages.findLast(({ type }) => type === 'snapshot')?.type, 'snapshot');
    const third = await window(3, current(first).id);
    assert.equal(lastText(third), words);
  });

  it('only the one that asked writes: the other says why, and keeps what was typed', async () => {
    const { first, second, finished } = await begun();
    second.service.prompt.change({ text: 'Me too.' });
    for (const act of [
      () => second.service.asking.send('Me too.'),
      () => second.service.asking.stop(),
      () => second.service.asking.regenerate(answers(second)[0]?.id ?? ''),
    ])
      await assert.rejects(act, (error) => isAppError(error) && /Another window is writing/.test(error.message));
    assert.equal(second.service.prompt.draft.text, 'Me too.');
    assert.equal(second.ports.backend.requests.length, 0);
    await finished;
    await eventually(() => assert.equal(answers(second)[0]?.status, 'done'));
    await ask(second, 'Me too.');
    await eventually(() => assert.equal(answers(first).length, 2));
    assert.deepEqual(
      current(first).turns.map(({ id, parentId }) => [id, parentId]),
      current(second).turns.map(({ id, parentId }) => [id, parentId]),
    );
  });

  it('a message that waits in one is asked once, and is seen to be gone in the other', async () => {
    const { first, second, finished } = await begun();
    await first.service.asking.send('And then?');
    await eventually(() =>
      assert.deepEqual(
        second.service.prompt.draft.queue.map(({ text }) => text),
        ['And then?'],
      ),
    );
    // What the other keeps of its own does not bring back what was sent.
    second.service.prompt.change({ text: 'typed elsewhere' });
    await finished;
    await eventually(() => assert.deepEqual(second.service.prompt.draft.queue, []));
    await eventually(() => assert.equal(answers(second).filter(({ status }) => status === 'done').length, 2));
    assert.deepEqual(
      current(second).turns.flatMap((turn) => (turn.role === 'user' ? [turn.text] : [])),
      ['Count.', 'And then?'],
    );
    assert.equal(first.ports.backend.requests.length, 2);
    assert.equal(second.ports.backend.requests.length, 0);
  });

  it('an answer whose window dies ends in the other with what had come', async () => {
    const { first, second } = await begun();
    const seen = lastText(second);
    alive.delete(1);
    assert.ok(current(first).turns.length > 0);
    await eventually(() => assert.equal(answers(second)[0]?.status, 'cutOff'));
    assert.ok(lastText(second).startsWith(seen));
    assert.ok(words.startsWith(lastText(second)), 'nothing twice');
    await ask(second, 'Go on.');
    const third = await window(3, current(second).id);
    assert.equal(answers(third).length, 2);
    assert.ok(words.startsWith(shownChoice(answers(third)[0] as Answer)?.text ?? 'nothing'), 'nothing twice on disk');
  });

  it('an answer that nobody saw is marked in both, also in the next window, until one of them shows it', async () => {
    const { first, second, finished } = await begun();
    const { id } = current(first);
    await first.service.newConversation();
    await second.service.newConversation();
    await finished;
    await eventually(() => assert.deepEqual([first.service.isUnread(id), second.service.isUnread(id)], [true, true]));
    const third = await window(3);
    assert.equal(third.service.isUnread(id), true);
    await second.service.openConversation(id);
    await eventually(() => assert.deepEqual([first.service.isUnread(id), third.service.isUnread(id)], [false, false]));
  });
});
