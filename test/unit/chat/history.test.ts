import assert from 'node:assert/strict';
import { applyEvent, emptyConversation, visibleTurns, type Conversation } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { emptyDraft, nextOf, type Draft } from '../../../src/chat/draft.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { History, parseEvents } from '../../../src/chat/history.ts';
import { excerptOf, conversationText } from '../../../src/chat/historyText.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

describe('History', () => {
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

  it('lists and loads what it appended', async () => {
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

  it('marks conversations whose last answer was cut off, unless a live window is writing it', async () => {
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

  it('starts a new line after a torn one, so that no later record is lost', async () => {
    const { storage, history } = setUp();
    await history.append('c', events.slice(0, 2));
    storage.failAppendAfter = 20;
    await assert.rejects(history.append('c', events.slice(2, 3)), /no space left/);
    await history.append('c', events.slice(2));
    assert.deepEqual(parseEvents(await storage.read('c.jsonl')), { events, skippedLines: 1 });
    // The same for a file that another session tore.
    storage.files.set('d.jsonl', {
      text: '{"type":"created","id":"d","title":"D","atMs":1}\n{"type":"use',
      modifiedAtMs: 0,
    });
    const later = new History(storage, silentLogger);
    await later.load('d');
    await later.append('d', [{ type: 'renamed', title: 'E', atMs: 2 }]);
    assert.equal((await later.load('d')).title, 'E');
  });

  it('marks an answer as cut off if the editor closed, and keeps its text', async () => {
    const { history } = setUp();
    await history.append('c', events.slice(0, 4));
    const [, answer] = visibleTurns(await history.load('c'));
    assert.ok(answer?.role === 'assistant');
    assert.deepEqual([answer.status, answer.choices[0]?.text, answer.failure?.kind], ['cutOff', 'Ant', 'cutOff']);
  });

  it('removes a deleted conversation from the list, restores it, and purges it after a day', async () => {
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

  it('lists the other conversations when one file is damaged', async () => {
    const { storage, history } = setUp();
    await history.append('c', events);
    storage.files.set('x.jsonl', { text: 'not json\n\u0000\n{"type":"other"}\n', modifiedAtMs: 5 });
    storage.files.set('notes.txt', { text: '', modifiedAtMs: 5 });
    assert.deepEqual(
      (await history.list()).map((summary) => summary.id),
      ['c', 'x'],
    );
  });

  it('records a noted answer once, with the next record', async () => {
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

  it('leaves an answer alone while another window signs for it', async () => {
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

describe('the text of a conversation', () => {
  it('contains the messages of all branches, with whole answers', () => {
    assert.equal(
      conversationText([
        { type: 'created', id: 'c', title: 'T', atMs: 1 },
        { type: 'userAdded', id: 'u', parentId: null, text: 'Why?', atMs: 2 },
        { type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: 'the da' }] },
        { type: 'userAdded', id: 'v', parentId: null, text: 'And?', atMs: 3 },
        { type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: 'ys' }, { choice: 1 }] },
      ]),
      'Why?\nthe days\nAnd?',
    );
  });

  it('contains the names of attachments and the results of functions', () => {
    const toolResults = [
      { toolCallId: 'c', name: 'list_runs', content: '{"runs":["nightly"]}' },
      { toolCallId: 'd', content: 'x' },
    ];
    assert.equal(
      conversationText([
        {
          type: 'userAdded',
          id: 'u',
          parentId: null,
          text: 'Why?',
          attachments: [{ label: 'rates.py:2-3', text: 'secret' }],
          atMs: 2,
        },
        { type: 'userAdded', id: 'v', parentId: 'a', text: '', toolResults, atMs: 3 },
      ]),
      'Why?\nrates.py:2-3\nlist_runs {"runs":["nightly"]}\n x',
    );
  });

  it('is searched case-insensitively and excerpted to one line', () => {
    assert.equal(excerptOf('The Days\nare empty', 'days'), 'The Days are empty');
    const long = `${'a '.repeat(50)}found${' b'.repeat(100)}`;
    const excerpt = excerptOf(long, 'FOUND') ?? '';
    assert.match(excerpt, /^….*a found b.*…$/);
    assert.ok(excerpt.length < 100);
    assert.deepEqual([excerptOf('x', 'y'), excerptOf('x', '')], [undefined, undefined]);
  });
});

describe('a draft', () => {
  const waiting = (id: string, afterId?: string): Draft['queue'][number] => ({
    id,
    text: id,
    attachments: [],
    afterId,
  });

  it('has the first queued message for the visible branch as its next', () => {
    let conversation: Conversation = emptyConversation('c', 0);
    for (const [id, parentId] of [
      ['old', null],
      ['new', null],
      ['deeper', 'new'],
    ] as const)
      conversation = applyEvent(conversation, { type: 'userAdded', id, parentId, text: id, atMs: 1 });
    const next = (...queue: Draft['queue']): string | undefined => nextOf({ ...emptyDraft, queue }, conversation)?.id;
    assert.equal(next(), undefined);
    assert.equal(next(waiting('a', 'old')), undefined);
    assert.equal(next(waiting('a', 'old'), waiting('b', 'new'), waiting('c')), 'b');
    assert.equal(next(waiting('a', 'old'), waiting('b'), waiting('c', 'new')), 'b');
    assert.equal(next(waiting('a', 'deeper')), 'a');
  });
});

describe('drafts', () => {
  let storage: MemoryStorage;
  let clock: FakeClock;
  let drafts: Drafts;
  const open = (): Drafts => new Drafts(storage, clock, silentLogger);

  beforeEach(() => {
    [storage, clock] = [new MemoryStorage(), new FakeClock()];
    drafts = open();
  });

  it('are saved shortly after typing and loaded by the next window', async () => {
    assert.deepEqual((await drafts.load('a')).text, '');
    void drafts.change('a', { text: 'w' });
    void drafts.change('a', { text: 'why', attachments: [{ label: 'a.py', text: 'x' }] });
    void drafts.change('a', { toolResults: { answerId: 'n', contents: ['4', ''] } });
    assert.equal(storage.files.size, 0);
    await clock.advance(300);
    await settle();
    assert.deepEqual([...storage.files.keys()], ['a.draft.json']);
    const next = await open().load('a');
    assert.deepEqual(
      [next.text, next.attachments, next.toolResults],
      ['why', [{ label: 'a.py', text: 'x' }], { answerId: 'n', contents: ['4', ''] }],
    );
  });

  it('are written whole with the next change after a failed write', async () => {
    const { replace } = storage;
    storage.replace = () => Promise.reject(new Error('no space left on device'));
    void drafts.change('a', { text: 'why', attachments: [{ label: 'a.py', text: 'x' }] });
    await drafts.flush();
    storage.replace = replace;
    void drafts.change('a', { text: 'why not' });
    await drafts.flush();
    const next = await open().load('a');
    assert.deepEqual([next.text, next.attachments], ['why not', [{ label: 'a.py', text: 'x' }]]);
  });

  it('start empty if their file is damaged', async () => {
    storage.files.set('a.draft.json', { text: '{"text":7}', modifiedAtMs: 0 });
    assert.equal((await drafts.load('a')).text, '');
    storage.replace = () => Promise.reject(new Error('no space left on device'));
    void drafts.change('a', { text: 'x' });
    await drafts.flush();
    assert.equal(drafts.get('a').text, 'x');
  });

  it('of conversations without messages are removed after a month', async () => {
    const day = 24 * 60 * 60 * 1000;
    for (const name of ['a.draft.json', 'b.draft.json', 'b.jsonl', 'c.jsonl.deleted', 'c.draft.json'])
      storage.files.set(name, { text: '', modifiedAtMs: 0 });
    await drafts.purge(29 * day);
    assert.equal(storage.files.size, 5);
    await drafts.purge(31 * day);
    assert.deepEqual([...storage.files.keys()].sort(), ['b.draft.json', 'b.jsonl', 'c.draft.json', 'c.jsonl.deleted']);
  });

  it('keep the newer of two changes after a failed write', async () => {
    const { replace } = storage;
    let fail = (): void => undefined;
    storage.replace = () => new Promise((_resolve, reject) => (fail = () => reject(new Error('full'))));
    void drafts.change('a', { text: 'one', attachments: [{ label: 'a.py', text: 'x' }] });
    const first = drafts.flush();
    await settle();
    void drafts.change('a', { text: 'two' });
    fail();
    await first;
    storage.replace = replace;
    await drafts.flush();
    const next = await open().load('a');
    assert.deepEqual([next.text, next.attachments.length], ['two', 1]);
  });

  it('adopt the queue and the attachments of another window, but keep their own text', async () => {
    const other = open();
    void drafts.change('a', { text: 'here' });
    await drafts.flush();
    await other.load('a');
    const queue = [{ id: 'q', text: 'later', attachments: [] }] as never;
    void other.change('a', { text: 'there', queue, attachments: [{ label: 'b.py', text: 'y' }] });
    await other.flush();
    assert.equal(await drafts.follow('a'), true);
    const { text, attachments, queue: queued } = drafts.get('a');
    assert.deepEqual([text, attachments.map(({ label }) => label), queued.length], ['here', ['b.py'], 1]);
    assert.equal(await drafts.follow('a'), false, 'nothing is new');
    assert.equal(await drafts.follow('unknown'), false);
    // An unsaved change here is newer.
    void other.change('a', { attachments: [] });
    await other.flush();
    void drafts.change('a', { text: 'more' });
    assert.equal(await drafts.follow('a'), false);
    assert.equal(drafts.get('a').attachments.length, 1);
    await drafts.flush();
  });
});
