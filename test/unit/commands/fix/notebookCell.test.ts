import assert from 'node:assert/strict';
import { cellFile } from '../../../../src/commands/fix/failedRun.ts';

const book = (cells: unknown[], indent: number | string = 1, end = '\n'): string =>
  JSON.stringify({ cells, metadata: {}, nbformat: 4 }, undefined, indent) + end;
const file = (text: string) => ({
  path: 'jobs/book.ipynb',
  name: 'book.ipynb',
  uri: 'file:///w/jobs/book.ipynb',
  text,
  isJobFile: false,
  isDirty: false,
});
const code = (source: unknown, more: object = {}): object => ({ cell_type: 'code', source, ...more });

describe('the code of a cell of a notebook', () => {
  const cells = [
    { cell_type: 'raw', source: 'raw' },
    { cell_type: 'markdown', source: ['# Title\n'] },
    code(['a = 1\n', 'b = 2']),
    code(' \n'),
    code('c = 3', { outputs: [{ text: 'kept' }] }),
  ];

  it('is counted as runs count: without raw cells, or by those alone that IPython is given', () => {
    const texts = (isInput: boolean): unknown[] =>
      [0, 1, 2, 3, 4, 5].map((number) => cellFile(file(book(cells)), number, isInput)?.text);
    assert.deepEqual(texts(false), [undefined, undefined, 'a = 1\nb = 2', ' \n', 'c = 3', undefined]);
    assert.deepEqual(texts(true), [undefined, 'a = 1\nb = 2', 'c = 3', undefined, undefined, undefined]);
  });

  it('is changed in the notebook, of which all else stays as it is written', () => {
    for (const indent of [1, 2, 4, '\t', 0])
      for (const end of ['\n', '']) {
        const text = book(cells, indent, end);
        const lines = cellFile(file(text), 2);
        assert.equal(lines?.notebook.text, text);
        assert.equal(
          lines?.notebookWith('x\ny\n'),
          book(cells.with(2, code(['x\n', 'y\n'])), indent, end),
          'a list of lines stays one',
        );
        assert.equal(
          cellFile(file(text), 4)?.notebookWith('x\ny'),
          book(cells.with(4, code('x\ny', { outputs: [{ text: 'kept' }] })), indent, end),
          'a text stays one',
        );
      }
  });

  it('can be changed again and again, each time from how the notebook is', () => {
    const one = cellFile(file(book(cells)), 2);
    assert.equal(one?.notebookWith('x'), book(cells.with(2, code(['x']))));
    assert.equal(one?.notebookWith('y'), book(cells.with(2, code(['y']))));
  });

  it('is none of what is no code, is in another language, or could not be written as it was', () => {
    for (const text of [
      book([code('%%sql\nSELECT 1')]),
      book([code('  !ls')]),
      book([code('a')], 3),
      `${book([code('a')])}\n`,
      book([{ cell_type: 'code' }]),
      '{"cells": 5}',
      'null',
      '{',
    ])
      assert.equal(cellFile(file(text), 1), undefined, text);
    assert.equal(cellFile(file(book([code('a %b')])), 1)?.text, 'a %b');
  });
});
