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

  it('that are damaged or cannot be written harm nothing else', async () => {
    storage.files.set('a.draft.json', { text: '{"text":7}', modifiedAtMs: 0 });
    assert.equal((await drafts.load('a')).text, '');
    storage.replace = () => Promise.reject(new Error('no space left on device'));
    void drafts.change('a', { text: 'x' });
    await drafts.flush();
    assert.equal(drafts.get('a').text, 'x');
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
});
