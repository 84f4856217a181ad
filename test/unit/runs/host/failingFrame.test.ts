import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { frameOf, placeLabel } = await import('../../../../src/runs/host/failingFrame.ts');

type Places = Parameters<typeof frameOf>[1];
const started: Run = { run_id: '1', start_time: 1000 };

describe('where a run failed, with its lines', () => {
  let changedAt: number;
  let asked: string[];
  const { stat } = standIn.workspace.fs;
  const { openNotebookDocument } = standIn.workspace;
  beforeEach(() => {
    editor.reset();
    asked = [];
    changedAt = 500;
    Object.assign(standIn.workspace.fs, { stat: async () => ({ mtime: changedAt }) });
  });
  after(() => {
    Object.assign(standIn.workspace.fs, { stat });
    Object.assign(standIn.workspace, { openNotebookDocument });
  });

  /** Files that begin with `/work` are in the workspace; `cell` makes them notebooks. */
  const places = (cell?: number): Places =>
    ({
      place: async (file: string, line: number) => {
        asked.push(file);
        return file.startsWith('/work')
          ? { uri: standIn.Uri.file(file), line: line - 1, ...(cell === undefined ? {} : { cell }) }
          : undefined;
      },
    }) as never;
  const text = (...lines: string[]): void =>
    void editor.documents.push(textFile('file:///work/etl.py', lines.join('\n'), 'python') as never);
  const step = (file: string, line: number, name?: string) => ({ file, line, ...(name === undefined ? {} : { name }) });

  it('is the first step that is in the workspace, two lines on either side, and up to four callers', async () => {
    text('a', 'b', 'c', 'd', 'e', 'f');
    const steps = [
      step('/lib/x.py', 9),
      step('/work/etl.py', 3, 'load'),
      step('/lib/y.py', 8, 'call'),
      ...[1, 2, 3, 4, 5, 6].map((line) => step(`/work/c${line}.py`, line)),
    ];
    const found = await frameOf(steps, places(), started);
    assert.deepEqual(found?.hidden, ['/lib/x.py:9', '/lib/y.py:8, call']);
    assert.deepEqual(found.frame, {
      name: 'load',
      place: { file: '/work/etl.py', line: 3 },
      label: 'etl.py:3',
      lines: [
        { number: 1, text: 'a', isFailing: false },
        { number: 2, text: 'b', isFailing: false },
        { number: 3, text: 'c', isFailing: true },
        { number: 4, text: 'd', isFailing: false },
        { number: 5, text: 'e', isFailing: false },
      ],
    });
    assert.deepEqual(
      found?.callers,
      [1, 2, 3, 4].map((line) => ({ label: `c${line}.py:${line}`, place: { file: `/work/c${line}.py`, line } })),
    );
    assert.equal(asked.length, 7, 'no further step is looked for');
  });

  it('is none where no step is in the workspace, among the first fifty', async () => {
    text('a');
    assert.equal(await frameOf([], places(), started), undefined);
    assert.equal(await frameOf([step('/lib/x.py', 1)], places(), started), undefined);
    const deep = Array.from({ length: 50 }, () => step('/lib/x.py', 1));
    assert.equal(await frameOf([...deep, step('/work/etl.py', 1)], places(), started), undefined);
    assert.equal((await frameOf([...deep.slice(1), step('/work/etl.py', 1)], places(), started))?.frame.name, '');
  });

  it('says where the file was changed after the run had started', async () => {
    text('a');
    const noteOf = async (run: Run | undefined) =>
      (await frameOf([step('/work/etl.py', 1)], places(), run))?.frame.note;
    assert.equal(await noteOf(started), undefined);
    changedAt = 1001;
    assert.equal(await noteOf(started), 'the file was changed after the run had started');
    assert.equal(await noteOf({ run_id: '1' }), undefined);
    changedAt = 1000;
    assert.equal(await noteOf(started), undefined);
  });

  it('is a cell of a notebook', async () => {
    const cells = [textFile('cell:0', 'a'), textFile('cell:1', 'b\nc')];
    // The editor gives the last cell for one that is not there.
    const book = { cellCount: 2, cellAt: (index: number) => ({ document: cells[Math.min(index, 1)] }) };
    Object.assign(standIn.workspace, { openNotebookDocument: async () => book });
    const found = await frameOf([step('/work/book.ipynb', 2)], places(1), started);
    assert.deepEqual(
      [found?.frame.label, found?.frame.lines.map((line) => line.text)],
      ['book.ipynb, cell 2, line 2', ['b', 'c']],
    );
    assert.equal(await frameOf([step('/work/book.ipynb', 1)], places(2), started), undefined);
    assert.equal(
      placeLabel({ uri: standIn.Uri.file('/work/a.ipynb') as never, line: 0, cell: 0 }),
      'a.ipynb, cell 1, line 1',
    );
  });
});
