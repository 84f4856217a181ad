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
      // While it thinks, its beginning is bare, and its end may go on.
      ['<think>\n  hm \n', 'hm \n', ''],
      ['<think>', '', ''],
      ['<think> a </think>  b </think> c', 'a', 'b </think> c'],
      [' \n hm \n</think>\nYes. ', 'hm', 'Yes. '],
      ['hm\n</think>\n', 'hm', ''],
      ['hm\n</think>\nX', 'hm', 'X'],
    ])
      assert.deepEqual(splitThoughts(text ?? ''), { thought, text: rest }, text);
  });

  it('are not what only looks like them', () => {
    for (const text of [
      'Yes.',
      'Use <think> tags.',
      'a </think> b',
      '<thinking>x',
      'x\n<think>y\n</think>\n',
      '',
      ' ',
      '\n\n',
      'a\n</think>',
      'a</think>\nb',
      'hm <',
    ])
      assert.deepEqual(splitThoughts(text), { thought: '', text }, text);
  });

  it('show nothing of their mark while it arrives', () => {
    for (const text of ['<', '<thi', ' <think']) assert.deepEqual(splitThoughts(text), { thought: '', text: '' });
  });
});
