import assert from 'node:assert/strict';
import { chatWindows } from './chatWindows.ts';

describe('the conversations of another window', () => {
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
});
