import assert from 'node:assert/strict';
import { applyEvent, emptyConversation, visibleTurns } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { History, parseEvents } from '../../../src/chat/history.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';

const events: ConversationEvent[] = [
  { type: 'created', id: 'c', title: 'Zürich 🚂', atMs: 10 },
  { type: 'userAdded', id: 'u', parentId: null, text: 'Frage\n"2"', atMs: 11 },
  { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 12 },
  { type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: 'Ant' }] },
  { type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: 'wort', finishReason: 'stop' }] },
  { type: 'answerEnded', id: 'a', status: 'done', atMs: 20 },
];

function setUp(): { storage: MemoryStorage; history: History } {
  const storage = new MemoryStorage();
  return { storage, history: new History(storage, silentLogger) };
}

describe('history', () => {
  it('reads back what was appended and lists it', async () => {
    const { history } = setUp();
    for (const event of events) await history.append('c', [event]);
    const conversation = await history.load('c');
    assert.deepEqual(
      visibleTurns(conversation).map((turn) => turn.id),
      ['u', 'a'],
    );
    assert.deepEqual(await history.list(), [
      { id: 'c', title: 'Zürich 🚂', updatedAtMs: 20, hasContent: true, isUnread: false, isCutOff: false },
    ]);
  });

  it('lists which last answer was cut off, unless a window that is there is writing it', async () => {
    const { storage, history } = setUp();
    const isCutOff = async (): Promise<boolean | undefined> => (await history.list())[0]?.isCutOff;
    const started = { type: 'answerStarted', id: 'b', parentId: 'u', endpoint: 'm', atMs: 30 } as const;
    await history.append('c', [...events, started]);
    assert.equal(await isCutOff(), true);
    const alive = { id: 7, isAlive: () => true };
    new History(storage, silentLogger, alive).sign('c', 31);
    assert.equal((await new History(storage, silentLogger, alive).list())[0]?.isCutOff, false);
    assert.equal(await isCutOff(), true, 'it is not there any more');
    for (const [status, expected] of [
      ['cutOff', true],
      ['stopped', false],
    ] as const) {
      await history.append('c', [{ type: 'answerEnded', id: 'b', status, atMs: 40 }]);
      assert.equal(await isCutOff(), expected, status);
    }
  });

  it('reads a prefix of the events from a file that was cut at any byte', async () => {
    const { storage, history } = setUp();
    await history.append('c', events);
    const bytes = Buffer.from(await storage.read('c.jsonl'), 'utf8');
    for (let length = 0; length <= bytes.length; length += 1) {
      const parsed = parseEvents(bytes.subarray(0, length).toString('utf8'));
      assert.ok(parsed.skippedLines <= 1);
      assert.deepEqual(parsed.events, events.slice(0, parsed.events.length), `cut after ${length} bytes`);
    }
  });

  it('starts a new line after a torn one, so that nothing appended later is lost', async () => {
    const { storage, history } = setUp();
    await history.append('c', events.slice(0, 2));
    storage.failAppendAfter = 20;
    await assert.rejects(history.append('c', events.slice(2, 3)), /no space left/);
    await history.append('c', events.slice(2));
    assert.deepEqual(parseEvents(await storage.read('c.jsonl')), { events, skippedLines: 1 });
    // The same for a file that another session left torn.
    storage.files.set('d.jsonl', {
      text: '{"type":"created","id":"d","title":"D","atMs":1}\n{"type":"use',
      modifiedAtMs: 0,
    });
    const later = new History(storage, silentLogger);
    await later.load('d');
    await later.append('d', [{ type: 'renamed', title: 'E', atMs: 2 }]);
    assert.equal((await later.load('d')).title, 'E');
  });

  it('marks an answer that was being written when the editor went away, and keeps its text', async () => {
    const { history } = setUp();
    await history.append('c', events.slice(0, 4));
    const [, answer] = visibleTurns(await history.load('c'));
    assert.ok(answer?.role === 'assistant');
    assert.deepEqual([answer.status, answer.choices[0]?.text, answer.failure?.kind], ['cutOff', 'Ant', 'cutOff']);
  });

  it('takes a deleted conversation off the list, brings it back, and removes it after a day', async () => {
    const { storage, history } = setUp();
    await history.append('c', events);
    await history.delete('c');
    assert.deepEqual(await history.list(), []);
    await history.restore('c');
    assert.equal((await history.list()).length, 1);
    await history.delete('c');
    await history.purge(24 * 3600 * 1000 - 1);
    assert.equal(storage.files.size, 1);
    await history.purge(24 * 3600 * 1000);
    assert.equal(storage.files.size, 0);
  });

  it('lists the others when one file is damaged', async () => {
    const { storage, history } = setUp();
    await history.append('c', events);
    storage.files.set('x.jsonl', { text: 'not json\n\u0000\n{"type":"other"}\n', modifiedAtMs: 5 });
    storage.files.set('notes.txt', { text: '', modifiedAtMs: 5 });
    assert.deepEqual(
      (await history.list()).map((summary) => summary.id),
      ['c', 'x'],
    );
  });

  it('records what was noted with what comes next, once, and needs the note no longer', async () => {
    const { storage, history } = setUp();
    await history.append('c', events.slice(0, 4));
    const streaming = parseEvents(await storage.read('c.jsonl')).events.reduce(applyEvent, emptyConversation('c', 10));
    for (const text of ['wort', '?'])
      history.note(streaming, { type: 'answerDelta', id: 'a', choices: [{ choice: 0, text }] });
    const textOf = async (each: History): Promise<unknown> => {
      const [, answer] = visibleTurns(await each.load('c'));
      return answer?.role === 'assistant' ? answer.choices[0]?.text : undefined;
    };
    const later = new History(storage, silentLogger);
    assert.equal(await textOf(later), 'Antwort', 'the second piece goes on from something else');
    await later.append('c', [{ type: 'renamed', title: 'Z', atMs: 30 }]);
    assert.deepEqual([...storage.files.keys()], ['c.jsonl']);
    assert.equal(await textOf(new History(storage, silentLogger)), 'Antwort');
  });

  it('leaves an answer alone that another window is writing, as long as that one says so', async () => {
    const { storage, history } = setUp();
    await history.append('c', events.slice(0, 4));
    const statusAt = async (nowMs: number, id: number, isAlive = true): Promise<unknown> => {
      const reader = new History(storage, silentLogger, { id, isAlive: (writer) => isAlive && writer === 7 });
      const [, answer] = visibleTurns(await reader.load('c', nowMs));
      return answer?.role === 'assistant' ? answer.status : undefined;
    };
    assert.equal(await statusAt(1000, 8), 'cutOff', 'nobody has signed');
    const other = new History(storage, silentLogger, { id: 7, isAlive: () => true });
    other.sign('c', 500);
    other.sign('c', 1000);
    assert.deepEqual(
      [await statusAt(15_999, 8), await statusAt(16_000, 8), await statusAt(2000, 7), await statusAt(2000, 8, false)],
      ['streaming', 'cutOff', 'cutOff', 'cutOff'],
    );
  });
});
