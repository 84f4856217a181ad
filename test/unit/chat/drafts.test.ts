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
});
