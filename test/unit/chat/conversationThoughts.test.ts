import assert from 'node:assert/strict';
import { splitThoughts } from '../../../src/chat/conversationThoughts.ts';

describe('thoughts of a model', () => {
  it('are told apart from its answer', () => {
    for (const [text, thought, rest] of [
      ['<think>hm\nso</think>\n\nYes.', 'hm\nso', 'Yes.'],
      ['\n<think>\nhm\n</think>Yes.', 'hm', 'Yes.'],
      ['<think>hm', 'hm', ''],
      ['<think></think>Yes.', '', 'Yes.'],
      ['hm, so\n</think>\n\nYes.', 'hm, so', 'Yes.'],
    ])
      assert.deepEqual(splitThoughts(text ?? ''), { thought, text: rest }, text);
  });

  it('are not what only looks like them', () => {
    for (const text of ['Yes.', 'Use <think> tags.', 'a </think> b', '<thinking>x', 'x\n<think>y\n</think>\n', ''])
      assert.deepEqual(splitThoughts(text), { thought: '', text }, text);
  });

  it('show nothing of their mark while it arrives', () => {
    for (const text of ['<', '<thi', ' <think']) assert.deepEqual(splitThoughts(text), { thought: '', text: '' });
  });
});
