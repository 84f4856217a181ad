import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { frameOf } = await import('../../../../src/runs/host/failingFrame.ts');

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
});
