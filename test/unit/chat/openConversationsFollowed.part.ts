import assert from 'node:assert/strict';
import { holdTrail } from '../../support/trail.ts';
import { chatWindows } from './chatWindows.ts';

describe('the conversations of another window', () => {
  holdTrail(import.meta.url);
  const world = chatWindows();
  const { window, pass, begun } = world;

  const both = async () => {
    const here = window();
    await here.conversations.open();
    const id = await begun(here, 'First');
    const there = window();
    await there.conversations.open();
    await there.conversations.show(id);
    await pass();
    here.told.length = there.told.length = 0;
    return [here, there, id] as const;
  };

  it('are followed a quarter of a second after they were written', async () => {
    const [here, there] = await both();
    await there.conversations.current?.record({ type: 'renamed', title: 'There', atMs: 1 });
    await pass(249);
    assert.deepEqual([here.told, here.conversations.current?.conversation.title], [[], 'First']);
    await pass(1);
    assert.deepEqual([here.told, here.conversations.current?.conversation.title], [['replaced'], 'There']);
  });

  it('change what is attached and queued, and which are unread', async () => {
    const [here, there, id] = await both();
    void there.ports.drafts.change(id, { attachments: [{ label: 'b.py', text: 'y' }] });
    await there.ports.drafts.flush();
    await pass();
    assert.deepEqual([here.told, here.conversations.draft.attachments.length], [['changed'], 1]);
    here.told.length = 0;
    await there.ports.history.markUnread('another', true);
    await pass();
    assert.deepEqual(here.told, ['changed']);
    // The same again is nothing new, and what was followed is over.
    await world.storage.replace(`${id}.draft.json`, await world.storage.read(`${id}.draft.json`));
    await pass();
    assert.deepEqual(here.told, ['changed']);
  });

  it('mark none as unread that is on screen here', async () => {
    const [here, there, id] = await both();
    await there.conversations.showNew({});
    await there.conversations.answered(id);
    assert.equal(world.storage.files.has(`${id}.unread`), true);
    await pass();
    assert.deepEqual([here.conversations.isUnread(id), world.storage.files.has(`${id}.unread`)], [false, false]);
  });

  it('are no matter of this one where it shows another', async () => {
    const [here, there] = await both();
    await here.conversations.showNew({});
    await pass();
    here.told.length = 0;
    await there.conversations.current?.record({ type: 'renamed', title: 'There', atMs: 1 });
    // A name that only begins like it is another's.
    const { pending } = world.clock;
    world.storage.note(`${here.conversations.currentId}0.jsonl`, '', true);
    assert.equal(world.clock.pending, pending);
    assert.deepEqual(here.told, []);
  });

  it('are looked at each second while another window writes their answer', async () => {
    const own = window();
    const { conversations, told } = own;
    await conversations.open();
    const id = await begun(own, 'First');
    const store = await conversations.load(id);
    let follows = 0;
    Object.defineProperty(store, 'isWrittenElsewhere', { get: () => true });
    let hold = Promise.resolve();
    store.follow = async () => {
      follows += 1;
      await hold;
      return true;
    };
    await pass();
    follows = told.length = 0;
    await pass(999);
    assert.deepEqual([follows, told], [0, []]);
    await pass(1);
    assert.deepEqual([follows, told], [1, ['replaced']]);
    // What is on screen when it was read is another by then.
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    await pass(1000);
    assert.equal(follows, 2);
    await conversations.showNew({});
    told.length = 0;
    held.resolve();
    await pass(0);
    assert.deepEqual([told, world.clock.pending], [[], 0]);
  });
});
