import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { RunProblem } from '../../../../src/runs/host/failureMarks.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { frameOf } = await import('../../../../src/runs/host/failingFrame.ts');
const { WorkspacePlaces } = await import('../../../../src/runs/host/workspacePlaces.ts');
const { RunProblems } = await import('../../../../src/runs/host/failureMarks.ts');

describe('the failing frame', () => {
  type Places = Parameters<typeof frameOf>[1];
  const started: Run = { run_id: '1', start_time: 1000 };

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

  /** Files under `/work` are in the workspace; `cell` makes them notebooks. */
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

  it('is the first step in the workspace, with two lines around it and up to four callers', async () => {
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

  it('shows that the file changed after the start of the run', async () => {
    text('a');
    const noteOf = async (run: Run | undefined) =>
      (await frameOf([step('/work/etl.py', 1)], places(), run))?.frame.note;
    assert.equal(await noteOf(started), undefined);
    changedAt = 1001;
    assert.equal(await noteOf(started), 'the file was changed after the run started');
    assert.equal(await noteOf({ run_id: '1' }), undefined);
    changedAt = 1000;
    assert.equal(await noteOf(started), undefined);
  });
});

describe('a file in an output', () => {
  let run: Run | undefined;
  let places: InstanceType<typeof WorkspacePlaces>;
  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }, { uri: standIn.Uri.file('/second') }];
    run = undefined;
    places = new WorkspacePlaces(() => run);
  });
  const { openNotebookDocument } = standIn.workspace;
  afterEach(() => void Object.assign(standIn.workspace, { openNotebookDocument }));
  /** A raw cell, a Markdown cell, an empty cell and three code cells. */
  const book = (): void => {
    const cells = [
      ['raw', 2, 'x'],
      ['markdown', 1, '# x'],
      ['python', 2, ' '],
      ['python', 2, 'a = 1'],
      ['python', 2, 'b = 2\nc = 3'],
      ['python', 2, '\n  \nd = 4\ne = 5'],
    ].map(([languageId, kind, text], index) => ({
      index,
      kind,
      document: { languageId, getText: () => text, uri: `cell-${index}` },
    }));
    const opened = { getCells: () => cells, cellAt: (index: number) => cells[index] };
    Object.assign(standIn.workspace, { openNotebookDocument: async () => opened });
  };
  const has = (...paths: string[]): void => paths.forEach((path) => editor.files.add(path));
  const fileOf = async (name: string): Promise<string | undefined> => (await places.file(name))?.path;

  it('is found by its path in a folder or by the longest matching end', async () => {
    has('/work/jobs/etl.py', '/work/etl.py', '/second/lib/own.py');
    assert.equal(await fileOf('/work/jobs/etl.py'), '/work/jobs/etl.py');
    assert.equal(await fileOf('/Workspace/Repos/me/jobs/etl.py'), '/work/jobs/etl.py', 'the longest end');
    assert.equal(await fileOf('/Workspace/other/etl.py'), '/work/etl.py');
    assert.equal(await fileOf('C:\\runs\\lib\\own.py'), '/second/lib/own.py');
    assert.equal(await fileOf('dbfs:/lib/own.py'), '/second/lib/own.py');
    assert.equal(await fileOf('file:///work/jobs/etl.py'), '/work/jobs/etl.py');
    assert.equal(await fileOf('./lib/own.py'), '/second/lib/own.py');
    assert.equal(await fileOf('~/lib/own.py'), '/second/lib/own.py');
    assert.deepEqual(editor.asked, [], 'nothing was searched for');
  });

  it('is not found if it belongs to a library or is outside the folder', async () => {
    has('/work/x.py', '/work/site-packages/x.py', '/work/lib/python3.11/x.py', '/work/<frozen x>', '/x.py');
    for (const name of [
      '/work/site-packages/x.py',
      '/usr/dist-packages/x.py',
      '/work/lib/python3.11/x.py',
      '/opt/spark/python/x.py',
      '<frozen x>',
      '../x.py',
      '/',
      Array.from({ length: 41 }, () => 'a').join('/'),
    ])
      assert.equal(await fileOf(name), undefined, name);
  });

  it('is searched for by its last three names and used if it is the only match', async () => {
    const deep = '/work/deep/a/b/c.py';
    has(deep);
    assert.equal(await fileOf('/w/z/a/b/c.py'), deep);
    assert.deepEqual(editor.asked, [['**/a/b/c.py', '**/{node_modules,.git,.venv,venv,__pycache__}/**', 2]]);
    has('/work/other/a/b/c.py');
    assert.equal(await fileOf('/w/z/a/b/c.py'), deep, 'it is remembered');
    places.forget();
    assert.equal(await fileOf('/w/z/a/b/c.py'), undefined, 'either may be meant');
    editor.asked.length = 0;
    await fileOf('a[1]{2}*?.py');
    assert.deepEqual(editor.asked, [['**/a?1??2???.py', '**/{node_modules,.git,.venv,venv,__pycache__}/**', 2]]);
  });

  it('is found through a linked folder by its real path', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-places-')));
    const [link, real] = [join(folder, 'link'), join(folder, 'real')];
    try {
      rmSync(real, { recursive: true, force: true });
      symlinkSync(folder, link);
      writeFileSync(join(folder, 'etl.py'), '');
      standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file(link) }];
      // Two files have this name, so only the real path decides.
      has(`${folder}/etl.py`, `${link}/etl.py`, `${link}/jobs/etl.py`);
      assert.equal(await fileOf(`${folder}/etl.py`), `${link}/etl.py`);
      standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
      places.forget();
      has('/elsewhere/etl.py', '/work/etl.py');
      assert.equal(await fileOf('/elsewhere/etl.py'), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has its line, or its notebook cell and the line in it', async () => {
    has('/work/etl.py', '/work/book.ipynb');
    book();
    const text = '# Databricks notebook source\na = 1\n\n# COMMAND ----------\n\nb = 2\nc = 3\n';
    editor.documents.push(textFile('file:///work/etl.py', text, 'python') as never);
    const place = async (name: string, line: number): Promise<unknown> => {
      const found = await places.place(name, line);
      return found && { ...found, uri: found.uri.path };
    };
    assert.deepEqual(await place('/work/etl.py', 7), { uri: '/work/etl.py', line: 6 });
    assert.deepEqual(await place('/work/book.ipynb', 3), { uri: '/work/book.ipynb', line: 2, cell: 0 });
    assert.deepEqual(
      await place('<cell 4 of /book.ipynb>', 2),
      { uri: '/work/book.ipynb', line: 1, cell: 4 },
      'raw ones are none',
    );
    assert.equal(await place('<cell 6 of /book.ipynb>', 2), undefined);
    run = { run_id: '1', task: { notebook_task: { notebook_path: '/book' } } };
    assert.deepEqual(
      await place('In[2]', 2),
      { uri: '/work/book.ipynb', line: 1, cell: 4 },
      'of what IPython is given',
    );
    assert.deepEqual(
      await place('In[3]', 2),
      { uri: '/work/book.ipynb', line: 3, cell: 5 },
      'which begins with the first line that is not empty',
    );
    assert.deepEqual(await place('<cell 5 of /book.ipynb>', 3), { uri: '/work/book.ipynb', line: 2, cell: 5 });
    assert.deepEqual(await place('<cell 2 of /etl.py>', 2), { uri: '/work/etl.py', line: 6 });
    assert.equal(await place('<cell 9 of /etl.py>', 1), undefined);
    assert.equal(await place('/work/gone.py', 1), undefined);
  });
});

describe('failure marks', () => {
  let problems: InstanceType<typeof RunProblems>;
  const [main, other] = [standIn.Uri.file('/w/main.py'), standIn.Uri.file('/w/other.py')];
  const run = (id: string, more: object = {}): Run =>
    ({ run_id: id, job_id: '1', run_type: 'JOB_RUN', ...more }) as Run;

  const failed = (of: Run, line: number, uri = main): RunProblem =>
    ({ run: of, name: `etl #${of.run_id}`, place: { uri, line }, error: 'ValueError: no' }) as unknown as RunProblem;
  const marks = (uri = main): string[] =>
    ((editor.diagnostics.get(uri.toString()) ?? []) as { message: string; range: standIn.Range }[]).map(
      ({ message, range }) => `${message.split(' ')[1]} at ${range.start.line}`,
    );
  beforeEach(() => {
    editor.reset();
    problems = new RunProblems();
  });

  it('name the run and the error', () => {
    problems.set('p', failed(run('7'), 3));
    const [mark] = (editor.diagnostics.get(main.toString()) ?? []) as Record<string, unknown>[];
    assert.deepEqual(
      [mark?.['message'], mark?.['source'], mark?.['severity']],
      ['etl #7 failed here: ValueError: no', 'Millrace', standIn.DiagnosticSeverity.Error],
    );
    const { start, end } = (mark as Record<string, standIn.Range>)['range'] as standIn.Range;
    assert.deepEqual([start.line, start.character, end.line, end.character], [3, 0, 3, 1000]);
    problems.set('p', failed(run('8'), -1));
    assert.deepEqual(marks(), ['#8 at 0']);
  });

  it('show only the latest run of each job and profile', () => {
    problems.set('p', failed(run('10'), 3));
    problems.set('p', failed(run('9'), 4));
    assert.deepEqual(marks(), ['#10 at 3'], 'ids are numbers');
    problems.set('p', failed(run('11'), 5, other));
    assert.deepEqual([marks(), marks(other)], [[], ['#11 at 5']]);
    problems.set('q', failed(run('3'), 6, other));
    problems.set('p', failed(run('4', { job_id: '2' }), 7, other));
    assert.deepEqual(marks(other), ['#11 at 5', '#3 at 6', '#4 at 7']);
    problems.clear('p', run('12'));
    assert.deepEqual(marks(other), ['#3 at 6', '#4 at 7']);
  });

  it('disappear with the next successful run', () => {
    problems.set('p', failed(run('10'), 3));
    problems.clear('p', run('9'));
    problems.clear('q', run('11'));
    problems.clear('p', run('11', { job_id: '2' }));
    assert.deepEqual(marks(), ['#10 at 3']);
    problems.clear('p', run('11'));
    assert.equal(editor.diagnostics.has(main.toString()), false);
    problems.set('p', failed(run('9'), 4));
    assert.deepEqual(marks(), [], 'the job is well since');
    problems.clear('p', run('8'));
    problems.set('p', failed(run('10'), 4));
    assert.deepEqual(marks(), [], 'an older good run takes nothing from that');
    problems.set('p', failed(run('12'), 5));
    assert.deepEqual(marks(), ['#12 at 5']);
  });
});
