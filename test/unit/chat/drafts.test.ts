import assert from 'node:assert/strict';
import { Drafts } from '../../../src/chat/drafts.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

describe('drafts', () => {
  let storage: MemoryStorage;
  let clock: FakeClock;
  let drafts: Drafts;
  const open = (): Drafts => new Drafts(storage, clock, silentLogger);

  beforeEach(() => {
    [storage, clock] = [new MemoryStorage(), new FakeClock()];
    drafts = open();
  });

  it('are on disk a moment after they were typed, and read by the next window', async () => {
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

  it('leave no file once they are empty', async () => {
    void drafts.change('a', { text: 'why' });
    void drafts.change('b', { parameters: { temperature: 1 } });
    await drafts.flush();
    void drafts.change('a', { text: ' ' });
    await drafts.flush();
    assert.deepEqual([...storage.files.keys()], ['b.draft.json']);
    assert.equal(clock.pending, 0);
  });

  it('that could not be written are written whole with the next change', async () => {
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

  it('that cannot be read for a moment are not taken for empty ones', async () => {
    void drafts.change('a', { text: 'long' });
    await drafts.flush();
    const { read } = storage;
    storage.read = () => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    assert.equal(await drafts.follow('a'), false);
    void drafts.change('a', { attachments: [{ label: 'a.py', text: 'x' }] });
    await drafts.flush();
    storage.read = read;
    assert.equal((await open().load('a')).text, 'long');
  });

  it('that are damaged or cannot be written harm nothing else', async () => {
    storage.files.set('a.draft.json', { text: '{"text":7}', modifiedAtMs: 0 });
    assert.equal((await drafts.load('a')).text, '');
    storage.replace = () => Promise.reject(new Error('no space left on device'));
    void drafts.change('a', { text: 'x' });
    await drafts.flush();
    assert.equal(drafts.get('a').text, 'x');
  });

  it('keep what was typed while they were read', async () => {
    storage.files.set('a.draft.json', { text: '{"text":"old","attachments":[],"queue":[]}', modifiedAtMs: 0 });
    const loading = drafts.load('a');
    void drafts.change('a', { text: 'new' });
    assert.equal((await loading).text, 'new');
  });

  it('of conversations that never began are removed after a month', async () => {
    const day = 24 * 60 * 60 * 1000;
    for (const name of ['a.draft.json', 'b.draft.json', 'b.jsonl', 'c.jsonl.deleted', 'c.draft.json'])
      storage.files.set(name, { text: '', modifiedAtMs: 0 });
    await drafts.purge(29 * day);
    assert.equal(storage.files.size, 5);
    await drafts.purge(31 * day);
    assert.deepEqual([...storage.files.keys()].sort(), ['b.draft.json', 'b.jsonl', 'c.draft.json', 'c.jsonl.deleted']);
  });

  it('are written fifty milliseconds after the first change, all that came by then at once', async () => {
    let writes = 0;
    const { replace } = storage;
    storage.replace = (...given) => ((writes += 1), replace.apply(storage, given));
    const settled: string[] = [];
    const note = (name: string, written: Promise<void>) => void written.then(() => settled.push(name));
    note('a', drafts.change('a', { text: 'w' }));
    await clock.advance(49);
    note('b', drafts.change('a', { text: 'why' }));
    await settle();
    assert.deepEqual([writes, settled], [0, []]);
    await clock.advance(1);
    await settle();
    assert.deepEqual([writes, settled, clock.pending], [1, ['a', 'b'], 0]);
    // What was written is not written again, and another change is as the first one was.
    await drafts.flush();
    assert.equal(writes, 1);
    note('c', drafts.change('a', { text: 'why?' }));
    assert.equal(clock.pending, 1);
    await clock.advance(50);
    await settle();
    assert.deepEqual([writes, settled], [2, ['a', 'b', 'c']]);
  });

  it('have the time of their words, which nothing else changes', async () => {
    const startMs = clock.now();
    void drafts.change('a', { text: 'why' });
    assert.equal(drafts.get('a').atMs, startMs);
    await clock.advance(4000);
    void drafts.change('a', { attachments: [{ label: 'a.py', text: 'x' }] });
    assert.deepEqual([drafts.get('a').atMs, drafts.get('a').text], [startMs, 'why']);
    void drafts.change('a', { text: '' });
    assert.equal(drafts.get('a').atMs, startMs + 4000);
    await drafts.flush();
  });

  it('are read once, and known from then on', async () => {
    storage.files.set('a.draft.json', { text: '{"text":"old","attachments":[],"queue":[]}', modifiedAtMs: 0 });
    assert.deepEqual([drafts.has('a'), drafts.get('a').text], [false, '']);
    assert.equal((await drafts.load('a')).text, 'old');
    assert.deepEqual([drafts.has('a'), drafts.get('a').text], [true, 'old']);
    storage.files.clear();
    assert.equal((await drafts.load('a')).text, 'old');
  });

  it('wait for where a message goes before they are written without it, also where it cannot go there', async () => {
    let hold = (): void => undefined;
    drafts.after(new Promise<void>((_resolve, reject) => (hold = () => reject(new Error('no')))));
    const written = drafts.change('a', { text: 'why' });
    void drafts.flush();
    await settle();
    assert.equal(storage.files.size, 0);
    hold();
    await written;
    assert.deepEqual([...storage.files.keys()], ['a.draft.json']);
  });

  it('are written one after the other, in the order of the changes', async () => {
    const { replace } = storage;
    const order: string[] = [];
    const holds: (() => void)[] = [];
    storage.replace = async (name, text) => {
      order.push(`${(JSON.parse(text) as { text: string }).text} begins`);
      await new Promise<void>((resolve) => holds.push(resolve));
      await replace.call(storage, name, text);
    };
    void drafts.change('a', { text: 'one' });
    void drafts.flush();
    await settle();
    void drafts.change('a', { text: 'two' });
    const last = drafts.flush();
    await settle();
    assert.deepEqual(order, ['one begins']);
    holds[0]?.();
    await settle();
    holds[1]?.();
    await last;
    assert.deepEqual(order, ['one begins', 'two begins']);
    assert.equal((await open().load('a')).text, 'two');
  });

  it('say what is damaged and what could not be saved, and why', async () => {
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    drafts = new Drafts(storage, clock, log);
    storage.files.set('a.draft.json', { text: '{', modifiedAtMs: 0 });
    await drafts.load('a');
    assert.match(warnings[0] ?? '', /^The draft of conversation a is damaged and was left out: SyntaxError/);
    storage.replace = () => Promise.reject(new Error('no space left on device'));
    void drafts.change('b', { text: 'x' });
    await drafts.flush();
    assert.deepEqual(warnings.slice(1), [
      'The draft of conversation b could not be saved: Error: no space left on device',
    ]);
  });

  it('keep the newer of two changes where the first could not be written', async () => {
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

  it('follow what another window queued, attached or sent, and leave the words of this one', async () => {
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
    // What is changed here and not written is newer.
    void other.change('a', { attachments: [] });
    await other.flush();
    void drafts.change('a', { text: 'more' });
    assert.equal(await drafts.follow('a'), false);
    assert.equal(drafts.get('a').attachments.length, 1);
    await drafts.flush();
  });

  it('are those of this window where they change while another one is followed', async () => {
    const other = open();
    await drafts.load('a');
    await other.load('a');
    void other.change('a', { attachments: [{ label: 'b.py', text: 'y' }] });
    await other.flush();
    const read = storage.read.bind(storage);
    storage.read = async (name) => {
      const found = await read(name);
      storage.read = read;
      void drafts.change('a', { attachments: [{ label: 'c.py', text: 'z' }] });
      return found;
    };
    assert.equal(await drafts.follow('a'), false);
    assert.deepEqual(
      drafts.get('a').attachments.map(({ label }) => label),
      ['c.py'],
    );
  });

  it('take over only the change of this window, and leave on disk what another one wrote', async () => {
    const other = open();
    await other.load('a');
    await drafts.load('a');
    void other.change('a', { attachments: [{ label: 'b.py', text: 'y' }] });
    await other.flush();
    void drafts.change('a', { text: 'here' });
    await drafts.flush();
    const next = await open().load('a');
    assert.deepEqual([next.text, next.attachments.map(({ label }) => label)], ['here', ['b.py']]);
  });

  it('are kept for exactly a month, and with a conversation for ever', async () => {
    const month = 30 * 24 * 60 * 60 * 1000;
    const names = (): string[] => [...storage.files.keys()].sort();
    storage.files.set('a.draft.json', { text: '', modifiedAtMs: 0 });
    storage.files.set('b.draft.json', { text: '', modifiedAtMs: 0 });
    storage.files.set('b.jsonl', { text: '', modifiedAtMs: 0 });
    await drafts.purge(month - 1);
    assert.deepEqual(names(), ['a.draft.json', 'b.draft.json', 'b.jsonl']);
    await drafts.purge(month);
    assert.deepEqual(names(), ['b.draft.json', 'b.jsonl']);
  });
});
