import assert from 'node:assert/strict';
import { excerptOf, conversationText } from '../../../src/chat/historyText.ts';

describe('words of a history', () => {
  it('are the messages of all branches, an answer whole although it was written in parts', () => {
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

  it('are names of attachments and results of functions, too', () => {
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

  it('are found whatever their case, on one line with what stands around', () => {
    assert.equal(excerptOf('The Days\nare empty', 'days'), 'The Days are empty');
    const long = `${'a '.repeat(50)}found${' b'.repeat(100)}`;
    const excerpt = excerptOf(long, 'FOUND') ?? '';
    assert.match(excerpt, /^….*a found b.*…$/);
    assert.ok(excerpt.length < 100);
    assert.deepEqual([excerptOf('x', 'y'), excerptOf('x', '')], [undefined, undefined]);
  });
});
